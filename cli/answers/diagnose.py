"""``loopx diagnose``: the evidence for now."""

from __future__ import annotations

from loopx_policy.diagnose import diagnose as gather

from ..request import Result, ShouldRun
from .should_run import evaluated, exit_code


def diagnose(asked: ShouldRun) -> Result:
    """The decision with what is wrong, stale or unread, and how each todo stands; exit code 3 where state is broken."""
    _, decision, evaluation = evaluated(asked)
    return Result(gather(evaluation, decision), "diagnosis", exit_code(decision))
