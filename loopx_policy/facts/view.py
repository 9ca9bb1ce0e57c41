"""One pass over a snapshot: the caller, and every todo in the pile that some fact counts.

Nothing here weighs or ranks; the modules beside this one turn the piles into facts.
"""

from __future__ import annotations

from collections.abc import Mapping

from loopx_policy.engine.conditions import Value
from loopx_policy.model import Snapshot, Todo
from loopx_policy.records import field, record

Parameters = Mapping[str, Value | tuple[Value, ...]]

USER_CLASSES = ("user_gate", "user_action")
"""Classes of what a person has to do, in whichever list it stands."""

LIVE = ("open", "blocked")
"""Statuses of a todo that still asks for something."""


@record
class View:
    """The snapshot as one caller sees it.

    ``me`` is the caller's agent id or an empty string. ``advancement`` are open advancement todos that the
    caller or nobody holds, in file order; ``monitors`` the same for watches; ``others`` the open advancement
    todos that somebody else holds; ``blocked`` the caller's or nobody's todos that are blocked by their
    status or are blockers, and not superseded; ``handoffs`` all todos of agents that block an agent; ``open`` and
    ``stuck`` all open and all blocked todos. ``unblockers`` are the todos
    that name an id as their unblock target; ``conditions`` every ``resume_when`` in use.
    """

    snapshot: Snapshot
    parameters: Parameters
    me: str
    identity: str
    by_id: dict[str, Todo] = field(default_factory=dict)
    gates: list[Todo] = field(default_factory=list)
    actions: list[Todo] = field(default_factory=list)
    advancement: list[Todo] = field(default_factory=list)
    monitors: list[Todo] = field(default_factory=list)
    others: list[Todo] = field(default_factory=list)
    blocked: list[Todo] = field(default_factory=list)
    deferred: list[Todo] = field(default_factory=list)
    handoffs: list[Todo] = field(default_factory=list)
    open: list[Todo] = field(default_factory=list)
    stuck: list[Todo] = field(default_factory=list)
    unblockers: dict[str, list[Todo]] = field(default_factory=dict)
    conditions: set[str] = field(default_factory=set)

    def words(self, parameter: str) -> tuple[str, ...]:
        """A word-list parameter; empty where no rule file or vocabulary declares it."""
        value = self.parameters.get(parameter, ())
        return tuple(str(word) for word in value) if isinstance(value, tuple) else (str(value),)

    def figure(self, parameter: str, default: int) -> int:
        """A whole-number parameter; ``default`` where nothing declares it."""
        value = self.parameters.get(parameter, default)
        return value if isinstance(value, int) else default

    def is_done(self, todo_id: str) -> bool:
        """Whether the todo of that id is done; false for one that does not exist."""
        todo = self.by_id.get(todo_id)
        return todo is not None and todo.status == "done"


def identify(snapshot: Snapshot) -> str:
    """The value of ``agent.identity``."""
    agents, me = snapshot.goal.agents, snapshot.invocation.agent_id
    if not agents:
        return "guest" if me else "anonymous"
    if not me:
        return "missing"
    if me not in agents:
        return "unknown"
    primary = snapshot.goal.primary_agent
    if not primary:
        return "peer"
    return "primary" if me == primary else "side"


def look(snapshot: Snapshot, parameters: Parameters) -> View:
    """Sort the todos of a snapshot into the piles of its caller."""
    me = snapshot.invocation.agent_id or ""
    view = View(snapshot, parameters, me, identify(snapshot))
    by_id = view.by_id
    for todo in snapshot.state.archived:
        by_id[todo.todo_id] = todo
        if todo.unblocks_todo_id:
            view.unblockers.setdefault(todo.unblocks_todo_id, []).append(todo)
    for todo in snapshot.state.todos:
        by_id[todo.todo_id] = todo
        status = todo.status
        if todo.unblocks_todo_id and todo.unblocks_todo_id != todo.todo_id:
            view.unblockers.setdefault(todo.unblocks_todo_id, []).append(todo)
        if todo.resume_when:
            view.conditions.add(todo.resume_when)
        if todo.blocks_agent and todo.role == "agent":
            view.handoffs.append(todo)
        if status == "done":
            continue
        if status == "deferred":
            if todo.role == "agent" and todo.task_class not in USER_CLASSES:
                view.deferred.append(todo)
            continue
        (view.open if status == "open" else view.stuck).append(todo)
        if todo.role == "user" or todo.task_class in USER_CLASSES:
            (view.gates if todo.task_class == "user_gate" else view.actions).append(todo)
            continue
        mine = not todo.claimed_by or todo.claimed_by == me
        if status == "blocked" or todo.task_class == "blocker":
            if mine and not todo.superseded_by:
                view.blocked.append(todo)
        elif todo.task_class == "continuous_monitor":
            if mine:
                view.monitors.append(todo)
        elif todo.superseded_by:
            continue
        elif mine:
            view.advancement.append(todo)
        else:
            view.others.append(todo)
    return view
