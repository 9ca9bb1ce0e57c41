"""The user todos of a random project: gates in every scoping variant, and actions."""

from __future__ import annotations

from tests.support.agent_todos import finish, write_status
from tests.support.chooser import lean
from tests.support.document import TodoPart
from tests.support.scene import DAY, DECISIONS, GONE, GRANULARITIES, HOUR, Scene

USERS = {"none": 66, "one": 20, "two": 10, "three": 4}
GATE = {
    "me": 18,
    "global": 12,
    "scoped_me": 34,
    "scoped_other": 10,
    "scoped_global": 9,
    "scoped_only": 20,
    "linked_me": 12,
    "linked_other": 6,
    "linked_global": 6,
    "linked_only": 14,
    "link_and_scope": 26,
    "other": 10,
    "bare": 20,
    "action": 42,
}
USER_STATUS = {"open": 68, "done": 14, "blocked": 9, "deferred": 9}


def build_user_todos(scene: Scene, agent_todos: list[TodoPart]) -> list[TodoPart]:
    """The todos of the user section."""
    count = scene.choose.weighted(lean(USERS, scene.lean.users))
    number = {"none": 0, "one": 1, "two": 2, "three": scene.choose.integer(3, 5)}[count]
    return [_user_todo(scene, agent_todos) for _ in range(number)]


def _user_todo(scene: Scene, agent_todos: list[TodoPart]) -> TodoPart:
    choose = scene.choose
    todo = TodoPart(scene.text())
    todo.meta["todo_id"] = scene.new_id("u")
    variant = choose.weighted(lean(GATE, scene.lean.gate))
    write_status(scene, todo, choose.weighted(lean(USER_STATUS, scene.lean.user_status)))
    todo.meta["task_class"] = "user_action" if variant == "action" else "user_gate"
    word = choose.weighted([("", 40), ("P0", 30), ("P1", 30)])
    todo.priority = f"[{word}]" if word else ""
    if variant != "action":
        _scope(scene, todo, variant, agent_todos)
    elif choose.maybe(8):
        todo.meta["blocks_agent"] = scene.me or choose.choice(scene.others)
    finish(scene, todo)
    return todo


def _scope(scene: Scene, todo: TodoPart, variant: str, agent_todos: list[TodoPart]) -> None:
    """Whom the gate blocks and what it is about.

    In a goal of several agents every open gate says whom it blocks, or that it blocks all: anything
    else breaks the contract, and is drawn on purpose in ``breakage``.
    """
    choose = scene.choose
    several = len(scene.agents) > 1
    me = scene.me if scene.me in scene.agents else choose.choice(scene.agents) if scene.agents else scene.me
    about, _, whom = variant.rpartition("_")
    if whom == "global":
        todo.meta["global_gate"] = choose.weighted([("true", 80), ("1", 10), ("yes", 10)])
    elif whom == "other":
        todo.meta["blocks_agent"] = choose.choice(scene.others)
    elif (several or whom == "me") and me:
        todo.meta["blocks_agent"] = me
    if several and choose.maybe(6) and variant != "bare":
        todo.meta.pop("blocks_agent", None)
        todo.meta["global_gate"] = "true"
    if about == "scoped" or variant == "link_and_scope":
        todo.meta["decision_scope"] = _decision_scope(scene, agent_todos)
        if choose.maybe(18):
            todo.meta["expires_at"] = scene.at(choose.choice((DAY, -HOUR)))
    if about == "linked" or variant == "link_and_scope":
        todo.meta["unblocks_todo_id"] = _target(scene, todo, variant, agent_todos)


def _decision_scope(scene: Scene, agent_todos: list[TodoPart]) -> str:
    """A scope that some todo requires, as it is, broader, narrower or with ``*``; or another."""
    choose = scene.choose
    required = [
        scope
        for todo in agent_todos
        if todo.is_open
        for scope in todo.meta.get("required_decision_scopes", "").split(",")
        if scope
    ]
    if required and choose.maybe(75):
        kind, granularity, key = choose.choice(required).split(":")
    else:
        kind, granularity, key = choose.choice(DECISIONS)
    match choose.weighted([("same", 50), ("other_grain", 20), ("other_key", 14), ("any", 10), ("other_kind", 6)]):
        case "other_grain":
            granularity = choose.choice(GRANULARITIES)
        case "other_key":
            granularity, key = choose.choice(GRANULARITIES), key.replace(".", "/").partition("/")[0]
        case "any":
            granularity, key = choose.choice(GRANULARITIES), "*"
        case "other_kind":
            kind = choose.choice(DECISIONS)[0]
        case _:
            pass
    return f"{kind}:{granularity}:{key}"


def _target(scene: Scene, todo: TodoPart, variant: str, agent_todos: list[TodoPart]) -> str:
    """The todo that the gate's answer sets free: mostly live, at times closed or gone."""
    choose = scene.choose
    live = [other for other in agent_todos if other.todo_id and other.status != "done"]
    closed = [other for other in agent_todos if other.todo_id and other.status == "done"]
    if variant == "link_and_scope" and live and choose.maybe(55):
        # Let them agree: the gate asks just what its target requires.
        other = choose.choice(live)
        other.meta.setdefault("required_decision_scopes", todo.meta["decision_scope"])
        todo.meta["decision_scope"] = other.meta["required_decision_scopes"].split(",")[0]
        return other.todo_id
    if closed and (choose.maybe(25) or not live):
        return choose.choice(closed).todo_id
    if live and not choose.maybe(8):
        return choose.choice(live).todo_id
    return GONE
