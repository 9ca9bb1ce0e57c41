"""The contract between the todos of one state: what no single todo can break alone.

Source: the active goal state ("A user todo that is open must be ..."); IP-004 and IP-020 rest on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ..model import Problem, Todo
from .grammar import USER_CLASSES
from .links import check_links

TAKEN: Final = "is already the id of the todo at"
UNSCOPED: Final = "says for none of the goal's"
"""By these words ``loopx check`` tells two problems from the rest."""


def check_contract(
    todos: Sequence[Todo], agents: Sequence[str], file: str, archived: Sequence[Todo] = ()
) -> list[Problem]:
    """The contract problems of the active todos, in file order; those of their links come last.

    Parameters
    ----------
    agents:   the goal's registered agents; more than one makes an unscoped open user gate a problem
    file:     the name of the state file; a todo without a line is placed as ``todos[2]``
    archived: history, to which links may lead
    """
    problems: list[Problem] = []
    first: dict[str, Todo] = {}
    linked: list[Todo] = []
    several = len(agents) > 1
    known = frozenset(agents)

    def add(todo: Todo, message: str, fix: str, breaks: bool = True) -> None:
        problems.append(Problem(message, place(todo, file), fix, todo.todo_id, breaks))

    for todo in todos:
        todo_id = todo.todo_id
        earlier = first.setdefault(todo_id, todo)
        if earlier is not todo:
            settled = todo.status == "done" and earlier.status == "done"
            where = place(earlier, file)
            add(
                todo,
                f"{todo_id} {TAKEN} {where}.",
                "Give one of them another id.",
                not settled,
            )
        if todo.resume_when or todo.superseded_by or todo.unblocks_todo_id or todo.successor_todo_ids:
            linked.append(todo)
        if todo.status == "done":
            continue
        blocked = todo.blocks_agent
        gate = todo.task_class == "user_gate"
        if todo.status in ("open", "blocked"):
            if todo.role == "user" and todo.task_class not in USER_CLASSES:
                said = f"has task_class={todo.task_class}" if todo.task_class else "has no task_class"
                add(todo, f"Open user todo {todo_id} {said}.", "Set task_class=user_gate or task_class=user_action.")
            elif gate and several and not blocked and not todo.global_gate:
                add(
                    todo,
                    f"Open user gate {todo_id} {UNSCOPED} {len(agents)} agents that it blocks them.",
                    "Set blocks_agent=<agent id> or global_gate=true.",
                )
        if blocked:
            if todo.global_gate:
                add(todo, f"{todo_id} has both blocks_agent and global_gate=true.", "Keep one of the two.")
            elif known and blocked not in known:
                add(todo, f"{todo_id} blocks {blocked}, which is no registered agent.", "Correct blocks_agent.", gate)
    if linked:
        check_links(linked, first, archived, add)
    return problems


def place(todo: Todo, file: str) -> str:
    """``file:line`` of a todo, or its position where it has no line."""
    return f"{file}:{todo.line}" if todo.line else f"todos[{todo.order}]"
