"""Facts of ``evidence_count``: what of a benchmark run may be counted.

Seed: IP-015; IP-009 (assisted results stay apart).
"""

from __future__ import annotations

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, part, private_texts, text


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``count.*``, ``evidence.*``, ``gate.*``, ``review.*``, ``ledger.*``, ``failure.*``, ``job.*``, ``run.*``."""
    del parameters
    made = Projection()
    gates = part(document, "gates")
    materialized = flag(gates, "job_root_materialized") or flag(gates, "trial_materialized")
    passed = [
        flag(gates, "preflight_ready"), flag(gates, "process_started"), materialized,
        flag(gates, "compact_result_ingested"), flag(gates, "comparison_ready"),
    ]  # fmt: skip
    made.values.update(
        {
            "count.question": document["question"],
            "count.repeated": flag(document, "already_counted"),
            "evidence.source": text(document, "source") or "unstated",
            "gate.preflight": passed[0],
            "gate.started": passed[1],
            "gate.materialized": passed[2],
            "gate.result": passed[3],
            "gate.comparison": passed[4],
            "gate.skipped": passed != sorted(passed, reverse=True),
            "review.claim": text(document, "claim_review") or "missing",
            "ledger.state": text(document, "learning_ledger") or "missing",
            "failure.terminal": flag(document, "terminal_failure"),
            "job.stale": flag(document, "job_stale"),
            "run.assisted": flag(document, "assisted"),
            "run.label": text(document, "label") or "unlabelled",
        }
    )
    private_texts(made, {"texts": dict(part(document, "texts"))})
    made.say(counted=document["question"].replace("_", " "))
    return made
