"""The contract between the todos of one state: what no single todo can break alone.

Source: the active goal state ("A user todo that is open must be ..."); IP-004 and IP-020 rest on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..model import Problem, Todo
from .grammar import USER_CLASSES


def check_contract(todos: Sequence[Todo], agents: Sequence[str], file: str) -> list[Problem]:
    """The contract problems of the active todos, in file order, cycles last.

    Parameters
    ----------
    agents: the goal's registered agents; more than one makes an unscoped open user gate a problem
    file:   the name of the state file; a todo without a line is placed as ``todos[2]``
    """
    problems: list[Problem] = []
    first: dict[str, Todo] = {}
    resumes: dict[str, str] = {}
    superseded: dict[str, str] = {}
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
                f"{todo_id} is already the id of the todo at {where}.",
                "Give one of them another id.",
                not settled,
            )
        if todo.resume_when[:10] == "todo_done:":
            resumes[todo_id] = todo.resume_when[10:]
        if todo.superseded_by:
            superseded[todo_id] = todo.superseded_by
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
                    f"Open user gate {todo_id} says for none of the goal's {len(agents)} agents that it blocks them.",
                    "Set blocks_agent=<agent id> or global_gate=true.",
                )
        if blocked:
            if todo.global_gate:
                add(todo, f"{todo_id} has both blocks_agent and global_gate=true.", "Keep one of the two.")
            elif known and blocked not in known:
                add(todo, f"{todo_id} blocks {blocked}, which is no registered agent.", "Correct blocks_agent.", gate)
    # A done todo ends a wait, so a circle of waits is shut only where none of them is done; a circle of
    # successors never ends in a todo.
    _cycles(
        resumes, first, lambda circle: all(t.status != "done" for t in circle), "wait for each other (resume_when)", add
    )
    _cycles(superseded, first, lambda circle: any(t.status != "done" for t in circle), "supersede each other", add)
    return problems


def place(todo: Todo, file: str) -> str:
    """``file:line`` of a todo, or its position where it has no line."""
    return f"{file}:{todo.line}" if todo.line else f"todos[{todo.order}]"


def _cycles(
    edges: dict[str, str],
    todos: dict[str, Todo],
    breaks: Callable[[list[Todo]], bool],
    what: str,
    add: Callable[[Todo, str, str, bool], None],
) -> None:
    seen: dict[str, str] = {}
    for start in edges:
        path: list[str] = []
        node = start
        while node in edges and node not in seen:
            seen[node] = start
            path.append(node)
            node = edges[node]
        if seen.get(node) == start and node in path:
            ids = path[path.index(node) :]
            shown = ", ".join(ids[:4]) + (" ..." if len(ids) > 4 else "")
            said = f"{ids[0]} waits for or supersedes itself" if len(ids) == 1 else f"{shown} {what}"
            add(todos[ids[0]], f"{said}.", "Take one link out.", breaks([todos[i] for i in ids]))
