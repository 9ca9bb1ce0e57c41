"""``loopx todo``: requests to steps of the ledger."""

from __future__ import annotations

from loopx_policy.ledger import todo_steps

from ..request import Result
from .writing import Writer, write


def claim(writer: Writer, todo_id: str, claimed_by: str, operator: bool) -> Result:
    request = {"todo_id": todo_id, "claimed_by": claimed_by, "operator": operator}
    return write(
        writer,
        "todo claim",
        request,
        lambda here, judge: todo_steps.claim(here, judge, todo_id, claimed_by, operator=operator),
        remembered=False,
    )
