"""Facts of ``assistance``: help for a worker, or a helped result.

Seed: IP-009. What a worker must never see: hidden tests, reward, pass or fail, expected solutions, credentials.
"""

from __future__ import annotations

from loopx_policy.facts.points.projection import (
    Document,
    Parameters,
    Projection,
    flag,
    number,
    part,
    private_texts,
    text,
    texts,
)  # fmt: skip

HIDDEN = ("hidden_tests", "reward", "pass_fail", "expected_solutions", "credentials")


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``assistance.*``, ``lane.*``, ``budget.*``, ``frequency.*``, ``hidden.*``, ``help.*`` and ``result.*``."""
    del parameters
    made = Projection()
    experiment, help_given = part(document, "experiment"), part(document, "intervention")
    result = part(document, "result")
    exposed = [kind for kind in HIDDEN if kind not in texts(experiment, "hidden_from_worker")]
    made.values.update(
        {
            "assistance.question": document["question"],
            "lane.enabled": flag(experiment, "assistance_enabled"),
            "budget.standing": _budget(experiment),
            "frequency.standing": _frequency(experiment, help_given),
            "hidden.missing": len(exposed),
            "help.said": "reveals" in help_given,
            "help.reveals": len(texts(help_given, "reveals")),
            "help.channel": text(help_given, "channel") or "unstated",
            "help.source": text(help_given, "source") or "unstated",
            "result.label": text(result, "label") or "unlabelled",
            "result.merged": result.get("merged_into_official_score") is not False,
            "result.recorded": flag(result, "interventions_recorded"),
        }
    )
    private_texts(made, {"text": help_given.get("text")})
    made.say(exposed=exposed, revealed=texts(help_given, "reveals"))
    return made


def _budget(experiment: Document) -> str:
    if "budget" not in experiment:
        return "missing"
    if "used" not in experiment:
        return "uncounted"
    left = number(experiment, "budget") - number(experiment, "used")
    return "left" if left > 0 else "exceeded" if left < 0 else "spent"


def _frequency(experiment: Document, help_given: Document) -> str:
    if "minimum_interval_minutes" not in experiment:
        return "missing"
    if "minutes_since_last" not in help_given:
        return "kept" if experiment.get("used") == 0 else "broken"
    kept = number(help_given, "minutes_since_last") >= number(experiment, "minimum_interval_minutes")
    return "kept" if kept else "broken"
