"""Facts of ``evidence_count``: a benchmark run seen through its compact lifecycle gates.

Seed: IP-015 (countability), IP-009 (assisted results).
"""

from __future__ import annotations

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, part, private_texts, text


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``evidence.*``, ``gate.*``, ``claim.*``, ``ledger.*``, ``failure.*``, ``job.*`` and ``result.*``."""
    del parameters
    made = Projection()
    gates = part(document, "gates")
    result = flag(gates, "compact_result_ingested")
    materialized = flag(gates, "job_root_materialized") or flag(gates, "trial_materialized")
    passed = [flag(gates, "preflight_ready"), flag(gates, "process_started"), materialized, result]
    made.values.update(
        {
            "evidence.question": document["question"],
            "evidence.source": text(document, "source") or "unstated",
            "gate.preflight": flag(gates, "preflight_ready"),
            "gate.started": flag(gates, "process_started"),
            "gate.materialized": materialized,
            "gate.result": result,
            "gate.comparison": flag(gates, "comparison_ready"),
            "gate.skipped": passed != sorted(passed, reverse=True),
            "claim.review": text(document, "claim_review") or "missing",
            "ledger.state": text(document, "learning_ledger") or "missing",
            "failure.terminal": flag(document, "terminal_failure"),
            "job.stale": document.get("job_stale") is not False,
            "result.mislabelled": document.get("assisted") is not False and text(document, "label") != "assisted",
            "counted.before": document.get("already_counted") is not False,
        }
    )
    private_texts(made, part(document, "texts"))
    made.say(
        counted_as=text(document, "question").replace("_", " "),
        evidence_source=(text(document, "source") or "nothing stated").replace("_", " "),
        review=text(document, "claim_review") or "missing",
        ledger=text(document, "learning_ledger") or "missing",
    )
    return made
