"""``loopx quota spend-slot | void-slot | monitor-poll``: requests to steps of the ledger."""

from __future__ import annotations

from typing import Any

from loopx_policy.ledger import accounting
from loopx_policy.ledger.polls import Look
from loopx_policy.ledger.polls import poll as poll_step

from ..request import Result
from .writing import Writer, observed, write


def spend(writer: Writer, run: str, evidence: str) -> Result:
    """One slot for one delivery run."""
    return observed(
        writer,
        "quota spend-slot",
        {"run": run, "evidence": evidence, "capabilities": list(writer.available_capability)},
        lambda here, judge, observer: accounting.spend(here, judge, observer, run, evidence),
        remembered=False,
    )


def void(writer: Writer, run: str, reason: str, operator: bool) -> Result:
    """One slot back."""
    return write(
        writer,
        "quota void-slot",
        {"run": run, "reason": reason, "operator": operator},
        lambda here, judge: accounting.void(here, judge, run, reason, operator=operator),
        remembered=False,
    )


def poll(writer: Writer, look: dict[str, Any]) -> Result:
    """One look at a watch."""
    return observed(
        writer,
        "quota monitor-poll",
        look,
        lambda here, judge, observer: poll_step(here, judge, observer, Look(**look)),
    )
