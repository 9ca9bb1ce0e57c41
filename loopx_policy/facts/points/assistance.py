"""Facts of ``assistance``: help for a worker, and what becomes of a helped result. Seed: IP-009."""

from __future__ import annotations

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, number, part, private_texts, text, texts

HIDDEN = ("hidden_tests", "reward", "pass_fail", "expected_solutions", "credentials")
"""What a worker never sees."""


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``assist.*``, ``lane.*``, ``budget.*``, ``frequency.*``, ``hidden.*``, ``help.*``, ``result.*``."""
    del parameters
    made = Projection()
    lane, given, result = part(document, "experiment"), part(document, "intervention"), part(document, "result")
    exposed = [kind for kind in HIDDEN if kind not in texts(lane, "hidden_from_worker")]
    revealed = texts(given, "reveals")
    interval = number(lane, "minimum_interval_minutes")
    made.values.update(
        {
            "assist.question": document["question"],
            "lane.enabled": flag(lane, "assistance_enabled"),
            "budget.set": "budget" in lane,
            "budget.left": max(0, number(lane, "budget") - number(lane, "used")),
            "frequency.too_soon": "minutes_since_last" in given and number(given, "minutes_since_last") < interval,
            "frequency.unknown": bool(interval) and number(lane, "used") > 0 and "minutes_since_last" not in given,
            "hidden.exposed": len(exposed),
            "help.channel": text(given, "channel") or "unstated",
            "help.source": text(given, "source") or "unstated",
            "help.revealed": len(revealed),
            "result.label": text(result, "label") or "unlabelled",
            "result.merged": result.get("merged_into_official_score") is not False,
            "result.recorded": flag(result, "interventions_recorded"),
        }
    )
    private_texts(made, {"intervention.text": given.get("text")})
    made.say(exposed_kinds=exposed, revealed_kinds=revealed, interval=str(interval))
    return made
