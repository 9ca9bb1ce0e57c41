"""What the links between the todos of one state lead to: a todo that is there, and never back to where they began.

Source: the active goal state's ``resume_when``, ``superseded_by``, ``unblocks_todo_id`` and ``successor_todo_ids``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ..model import Todo

Add = Callable[[Todo, str, str, bool], None]
"""Called with the todo, one sentence, how to mend it, and whether it breaks the contract."""

_DONE: Final = "todo_done:"
_SHOWN: Final = 4


def awaited(todo: Todo) -> str:
    """The id of the todo that ``resume_when`` waits for; empty where it waits for none."""
    return todo.resume_when[len(_DONE) :] if todo.resume_when[: len(_DONE)] == _DONE else ""


def current(todo_id: str, waiting: Todo, todos: Mapping[str, Todo]) -> Todo | None:
    """The todo that a wait for this id is about: where it is closed because another replaced it, that one, and so on.

    What replaced it may be the waiting todo itself: then nothing is left to wait for.
    """
    todo = todos.get(todo_id)
    seen: set[str] = set()
    while todo is not None and todo.status == "done" and todo.superseded_by in todos:
        if todo.todo_id in seen or todo.superseded_by == waiting.todo_id:
            break
        seen.add(todo.todo_id)
        todo = todos[todo.superseded_by]
    return todo


def check_links(linked: Sequence[Todo], active: Mapping[str, Todo], archived: Sequence[Todo], add: Add) -> None:
    """Report the links that lead nowhere, then the circles; each in file order.

    ``linked`` are the active todos with a link, ``active`` all of them by id. A link that holds its todo, so that
    nobody would ever take it up, breaks the contract where it leads nowhere; any other is only reported.
    """
    known = active.keys() | {todo.todo_id for todo in archived}
    for todo in linked:
        _check_ends(todo, known, add)
    _check_circles(linked, active, add)


def _check_ends(todo: Todo, known: set[str], add: Add) -> None:
    name, live = todo.todo_id, todo.status != "done"
    wait = awaited(todo)
    if wait and wait not in known and live:
        add(todo, f"{name} waits for {wait}, which does not exist.", "Correct resume_when.", True)
    if todo.superseded_by and todo.superseded_by not in known:
        said = f"{name} is superseded by {todo.superseded_by}, which does not exist."
        add(todo, said, "Correct superseded_by.", live)
    if not live:
        return
    if todo.unblocks_todo_id and todo.unblocks_todo_id not in known:
        said = f"{name} unblocks {todo.unblocks_todo_id}, which does not exist."
        add(todo, said, "Correct unblocks_todo_id.", False)
    for successor in todo.successor_todo_ids:
        if successor not in known:
            said = f"{name} names the successor {successor}, which does not exist."
            add(todo, said, "Correct successor_todo_ids.", False)


def _check_circles(linked: Sequence[Todo], active: Mapping[str, Todo], add: Add) -> None:
    """A done todo ends a wait for it, and nothing ends a circle of successors: both kinds of link make one graph."""
    waits: dict[str, list[str]] = {}
    replaced: dict[str, list[str]] = {}
    for todo in linked:
        name = todo.todo_id
        target = current(awaited(todo), todo, active)
        if target is not None and "done" not in (todo.status, target.status):
            waits.setdefault(name, []).append(target.todo_id)
        if todo.superseded_by in active:
            replaced.setdefault(name, []).append(todo.superseded_by)
        parked = active.get(todo.unblocks_todo_id)
        if parked is None or parked.todo_id == name or todo.status == "done":
            continue
        if parked.status == "deferred" and not parked.resume_when:
            waits.setdefault(parked.todo_id, []).append(name)
    found = circles({name: [*waits.get(name, ()), *replaced.get(name, ())] for name in (*waits, *replaced)})
    if not found:
        return
    place = {name: number for number, name in enumerate(active)}
    for circle in sorted(found, key=lambda names: min(place[name] for name in names)):
        members = [active[name] for name in sorted(circle, key=lambda name: place[name])]
        kinds = [
            what
            for what, links in (("wait for", waits), ("supersede", replaced))
            if any(not circle.isdisjoint(links.get(name, ())) for name in circle)
        ]
        shown = ", ".join(todo.todo_id for todo in members[:_SHOWN]) + (" ..." if len(members) > _SHOWN else "")
        alone = f"{shown} waits for or supersedes itself"
        said = alone if len(members) == 1 else f"{shown} {' or '.join(kinds)} each other"
        live = any(todo.status != "done" for todo in members)
        add(members[0], f"{said}.", "Take one link out.", live)


def circles(edges: Mapping[str, Sequence[str]]) -> list[set[str]]:
    """The sets of nodes that lead back to one another, and the single nodes that lead to themselves.

    Tarjan's algorithm with a stack of its own, since a chain of todos may be longer than Python's.
    """
    found: list[set[str]] = []
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_nodes: dict[str, None] = {}
    for start in edges:
        if start in number:
            continue
        number[start] = lowest[start] = len(number)
        open_nodes[start] = None
        path = [(start, iter(edges[start]))]
        while path:
            node, rest = path[-1]
            step = next(rest, None)
            if step is None:
                path.pop()
                if path:
                    above = path[-1][0]
                    lowest[above] = min(lowest[above], lowest[node])
                if lowest[node] == number[node]:
                    circle: set[str] = set()
                    while node not in circle:
                        circle.add(open_nodes.popitem()[0])
                    if len(circle) > 1 or node in edges.get(node, ()):
                        found.append(circle)
            elif step not in number:
                number[step] = lowest[step] = len(number)
                open_nodes[step] = None
                path.append((step, iter(edges.get(step, ()))))
            elif step in open_nodes:
                lowest[node] = min(lowest[node], number[step])
    return found
