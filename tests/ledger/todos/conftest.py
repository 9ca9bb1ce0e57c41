"""The harbour of the run tests, with what the steps of a todo need besides."""

from __future__ import annotations

from typing import Any

from loopx_policy.model import State, Todo
from loopx_policy.project.state import parse_state
from tests.ledger.runs.conftest import BUILDER, WRITER, Build, Harbor, build, harbor, home, loopx

__all__ = ["BUILDER", "WRITER", "Build", "Harbor", "build", "harbor", "home", "loopx"]

GATE = """\
- [ ] [P0] May the charts be published?
  <!-- loopx:todo todo_id=todo_gate status=open task_class=user_gate blocks_agent=writer -->
"""
PLAIN = """\
- [ ] [P1] Chart the basin
  <!-- loopx:todo todo_id=todo_basin status=open claimed_by=builder -->
- [ ] [P2] Paint the buoys
  <!-- loopx:todo todo_id=todo_buoys status=open -->
- [ ] [P2] Write the manual
  <!-- loopx:todo todo_id=todo_manual status=open claimed_by=writer x_mood=calm -->
"""


def state(harbor: Harbor) -> State:
    """What the program reads in the goal's state."""
    found = parse_state(harbor.state(), file="STATE.md", agents=(BUILDER, WRITER))
    assert [problem for problem in found.problems if problem.breaks_contract] == []
    return found


def todo(harbor: Harbor, todo_id: str) -> Todo:
    """One active todo of the goal."""
    return next(todo for todo in state(harbor).todos if todo.todo_id == todo_id)


def by(agent: str) -> tuple[str, str]:
    return ("--agent-id", agent)


def result(answer: Any) -> Any:
    """What a write reports; it must have been written."""
    assert answer["written"] is True
    return answer["result"]
