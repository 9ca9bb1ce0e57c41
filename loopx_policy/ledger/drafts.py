"""A goal state as it would be after a change: read back before anything is written.

So a decision point judges what would really stand there, a change that cannot be read again is never made, and
nothing breaks the contract of a goal that is sound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any

from ..errors import RefusedError, StateError
from ..model import State, Todo
from ..project.state import state_of
from ..records import record
from .edits import Replace
from .places import Ground, readable_state
from .state_text import StateText
from .write import Plan


@record(frozen=True)
class Draft:
    """The bytes of a changed goal state, and what the reader makes of them."""

    here: Ground
    data: bytes
    state: State

    def todo(self, todo_id: str) -> Todo:
        """The active todo of this id, as it would be."""
        return next(todo for todo in self.state.todos if todo.todo_id == todo_id)

    def plan(self, summary: str, result: dict[str, Any]) -> Plan:
        """The plan that writes it. ``RefusedError`` where that would break the goal's contract."""
        before = Counter(problem.todo_id for problem in _breaks(self.here.snapshot.state))
        for problem in _breaks(self.state):
            before[problem.todo_id] -= 1
            if before[problem.todo_id] < 0:
                said = problem.message[:1].upper() + problem.message[1:]
                raise RefusedError(f"The change would break the goal's contract. {said}", fix=problem.fix)
        edit = Replace(self.here.places.state, self.here.state, self.data)
        return Plan(summary, result, [edit], self.state)


def edit(here: Ground) -> StateText:
    """The goal state, ready to be changed."""
    return StateText(readable_state(here), here.snapshot.state)


def saved(here: Ground, text: StateText) -> Replace:
    """The changed goal state as an edit."""
    return Replace(here.places.state, here.state, text.to_bytes())


def draft(here: Ground, text: StateText, new: Collection[str] = ()) -> Draft:
    """The changed state, read back. ``StateError`` where it does not hold the todos that it should."""
    data = text.to_bytes()
    old = here.snapshot.state
    state = state_of(data, file=old.file, agents=here.goal.agents)
    if not state.readable:
        raise StateError(
            f"The change cannot be made. {state.problems[0].message}", at=old.file, fix=state.problems[0].fix
        )
    if Counter(_ids(state)) != Counter([*_ids(old), *new]):
        raise StateError(
            "The change cannot be made: the state would not be read as it is meant.",
            at=old.file,
            fix="Mend its blocks of code and its headings; loopx doctor shows what is wrong.",
        )
    return Draft(here, data, state)


def _ids(state: State) -> list[str]:
    return [todo.todo_id for todo in (*state.todos, *state.archived)]


def _breaks(state: State) -> list[Any]:
    return [problem for problem in state.problems if problem.breaks_contract]
