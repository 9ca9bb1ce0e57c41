"""The agent todos of a random project: first each by itself, then the links between them."""

from __future__ import annotations

from tests.support.chooser import lean
from tests.support.document import TodoPart
from tests.support.scene import BARE, DAY, DECISIONS, GONE, HOUR, MERGED, SCOPES, UNMERGED, Scene

SIZE = {"none": 7, "few": 46, "several": 44, "many": 2}
KIND = {"advancement": 62, "monitor": 16, "blocker": 6, "handoff": 9, "unclassed": 7}
STATUS = {"open": 62, "blocked": 9, "deferred": 11, "done": 18}
CLAIM = {"nobody": 42, "me": 32, "other": 26}
DUE = {"past": 42, "future": 40, "never": 18}
RESUME = {"done": 34, "open": 24, "merged": 18, "unmerged": 10, "bare": 14}

MARKS = {"open": " ", "blocked": " ", "deferred": "-", "done": "x"}
PRIORITIES = (("P1", 28), ("P0", 22), ("P2", 22), ("P3", 9), ("P4", 6), ("", 13))
SAFETY = (("read_only", 30), ("local_write", 30), ("external_run", 22), ("protected_write", 18))


def build_agent_todos(scene: Scene) -> list[TodoPart]:
    """The todos of the agent sections, in file order."""
    choose = scene.choose
    size = choose.weighted(lean(SIZE, scene.lean.size))
    low, high = {"none": (0, 0), "few": (1, 3), "several": (3, 8), "many": (17, 44)}[size]
    todos = [_todo(scene) for _ in range(choose.integer(low, high))]
    for todo in todos:
        _link(scene, todo, todos)
    return todos


def _todo(scene: Scene) -> TodoPart:
    choose = scene.choose
    kind = choose.weighted(lean(KIND, scene.lean.kind))
    todo = TodoPart(scene.text())
    todo.meta["todo_id"] = scene.new_id("a")
    write_status(scene, todo, choose.weighted(lean(STATUS, scene.lean.status)))
    task_class = {"monitor": "continuous_monitor", "blocker": "blocker", "unclassed": ""}.get(kind, "advancement_task")
    if task_class:
        todo.meta["task_class"] = task_class
    word = choose.weighted(PRIORITIES)
    todo.priority = f"[{word}{'-monitor' if kind == 'monitor' and choose.maybe(25) else ''}]" if word else ""
    if choose.maybe(60):
        actions = ("poll", "monitor") if kind == "monitor" else ("implement", "run_eval", "validate", "bridge_repair")
        todo.meta["action_kind"] = choose.choice(actions)
    claim = choose.weighted(lean(CLAIM, scene.lean.claim))
    if claim == "other":
        todo.meta["claimed_by"] = choose.choice(scene.others)
    elif claim == "me" and scene.me:
        todo.meta["claimed_by"] = scene.me
    if kind == "monitor":
        _watch(scene, todo)
    else:
        _needs(scene, todo)
    if kind == "handoff":
        _hand_off(scene, todo)
    finish(scene, todo)
    return todo


def write_status(scene: Scene, todo: TodoPart, status: str) -> None:
    """A status in the box and mostly in the metadata too, which wins where they differ."""
    choose = scene.choose
    todo.mark = MARKS[status]
    if status == "done" and choose.maybe(4):
        todo.mark = "X"
    if status == "blocked" or choose.maybe(86):
        todo.meta["status"] = status
        if choose.maybe(4):
            todo.mark = choose.choice(" x-")


def _needs(scene: Scene, todo: TodoPart) -> None:
    """What the work requires: capabilities, write scopes, decisions, a safety class."""
    choose, lean_by = scene.choose, scene.lean
    if choose.maybe(lean_by.capabilities):
        needed = choose.some(scene.needed, 2)
        todo.meta["required_capabilities"] = ",".join(needed)
        if choose.maybe(10):
            todo.meta["required_capabilities"] = ",".join(needed).replace("_", "-")
        if choose.maybe(18):
            todo.meta["target_capabilities"] = choose.choice(needed)
    if choose.maybe(lean_by.scopes):
        todo.meta["required_write_scopes"] = choose.choice((",", ";", "|")).join(choose.some(SCOPES, 2))
    if choose.maybe(lean_by.decisions):
        required = choose.some(DECISIONS, 2)
        todo.meta["required_decision_scopes"] = ",".join(":".join(scope) for scope in required)
    if choose.maybe(lean_by.safety):
        todo.meta["safety_class"] = choose.weighted(SAFETY)


def _watch(scene: Scene, todo: TodoPart) -> None:
    """The keys of a monitor."""
    choose = scene.choose
    if choose.maybe(92):
        todo.meta["target_key"] = f"watch_{todo.todo_id[-2:]}" if choose.maybe(70) else "watch_shared"
    due = choose.weighted(lean(DUE, scene.lean.due))
    if due != "never":
        todo.meta["cadence"] = choose.choice(("30m", "2h", "1d"))
        todo.meta["next_due_at"] = scene.at(-HOUR // 2 if due == "past" else 2 * HOUR)
    elif choose.maybe(30):
        todo.meta["cadence"] = "30m"
    if choose.maybe(18):
        todo.meta["expires_at"] = scene.at(choose.choice((-600, DAY)))
    if choose.maybe(30):
        todo.meta["last_checked_at"] = scene.at(-HOUR)
        todo.meta["result_hash"] = f"{choose.integer(0, 65_535):08x}"
    if choose.maybe(25):
        todo.meta["consecutive_no_change"] = str(choose.integer(0, 8))
    if choose.maybe(14):
        todo.meta["material_change"] = choose.choice(("false", "true"))


def _hand_off(scene: Scene, todo: TodoPart) -> None:
    """A todo that holds up another agent."""
    choose = scene.choose
    blocked = choose.weighted([("me", 65), ("other", 35)])
    todo.meta["blocks_agent"] = scene.me if blocked == "me" and scene.me else choose.choice(scene.others)
    if choose.maybe(60) and todo.meta.get("claimed_by") == todo.meta["blocks_agent"]:
        del todo.meta["claimed_by"]
    if choose.maybe(16):
        todo.meta["route_continuation_replan_required"] = choose.choice(("true", "1", "yes"))


def finish(scene: Scene, todo: TodoPart) -> None:
    """Free text, times, unknown keys, and how the metadata is set down."""
    choose = scene.choose
    if choose.maybe(8):
        todo.more = [scene.text() for _ in range(choose.integer(1, 2))]
    if choose.maybe(10):
        todo.meta[choose.choice(("note", "reason", "evidence"))] = scene.text()
    if choose.maybe(10):
        todo.meta["updated_at"] = scene.at(-3 * HOUR)
    if todo.status == "done" and choose.maybe(40):
        todo.meta["completed_at"] = scene.at(-2 * HOUR)
    if choose.maybe(4):
        todo.meta["x_estimate"] = "3h"
    if choose.maybe(10):
        todo.per_comment = choose.choice((3, 1))
    todo.early = not choose.maybe(20)
    todo.plain = choose.maybe(25)
    todo.hyphens = choose.maybe(5)
    if choose.maybe(0.6):
        del todo.meta["todo_id"]


def _link(scene: Scene, todo: TodoPart, todos: list[TodoPart]) -> None:
    """What points at other todos."""
    choose = scene.choose
    if todo.status == "deferred":
        if choose.maybe(88):
            todo.meta["resume_when"] = _resume_when(scene, todo, todos)
    elif todo.is_open and choose.maybe(5):
        todo.meta["resume_when"] = _resume_when(scene, todo, todos)
    more = scene.lean.links + (14 if "blocks_agent" in todo.meta else 0)
    if "blocks_agent" in todo.meta and choose.maybe(42):
        todo.meta["unblocks_todo_id"] = _pick(scene, todo, todos)
    if choose.maybe(more if todo.status in ("done", "deferred") else 1.5):
        replacement = _pick(scene, todo, todos)
        # What a live todo is replaced by is there, and does not wait for it; else the contract is broken.
        if todo.status == "done" or (replacement != GONE and "unblocks_todo_id" not in todo.meta):
            todo.meta["superseded_by"] = replacement
    if choose.maybe(more if todo.status == "done" else 1.5):
        todo.meta["successor_todo_ids"] = ",".join(_pick(scene, todo, todos) for _ in range(choose.integer(1, 2)))
    if todo.status == "done" and choose.maybe(more):
        todo.meta["no_followup"] = choose.weighted([("true", 85), ("false", 15)])
    if "blocks_agent" not in todo.meta and choose.maybe(2):
        todo.meta["unblocks_todo_id"] = _pick(scene, todo, todos)


def _resume_when(scene: Scene, todo: TodoPart, todos: list[TodoPart]) -> str:
    choose = scene.choose
    how = choose.weighted(lean(RESUME, scene.lean.resume))
    if how == "merged":
        return f"pr_merged:{MERGED[0]}#{MERGED[1]}"
    if how == "unmerged":
        return f"pr_merged:{UNMERGED[0]}#{UNMERGED[1]}"
    if how == "bare":
        return f"pr_merged:#{BARE}"
    # Only earlier todos that nothing has replaced: a cycle breaks the contract, and is drawn on purpose in
    # ``breakage``.
    earlier = todos[: todos.index(todo)]
    before = [other for other in earlier if other.todo_id and "superseded_by" not in other.meta]
    fit = [other for other in before if (other.status == "done") == (how == "done")]
    if not before:
        return f"pr_merged:{UNMERGED[0]}#{UNMERGED[1]}"
    return f"todo_done:{choose.choice(fit or before).todo_id}"


def _pick(scene: Scene, todo: TodoPart, todos: list[TodoPart]) -> str:
    """The id of a later todo (so that links make no cycle), seldom of one that does not exist."""
    later = [other.todo_id for other in todos[todos.index(todo) + 1 :] if other.todo_id]
    if later and not scene.choose.maybe(8):
        return scene.choose.choice(later)
    return GONE
