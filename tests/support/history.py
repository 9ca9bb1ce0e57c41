"""The run index of a random project: a few segments of rows, oldest first, as they were appended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.support.chooser import lean
from tests.support.document import TodoPart
from tests.support.scene import DAY, GOAL, HOUR, OTHER_GOAL, Scene
from tests.support.words import ACTIONS

Json = dict[str, Any]

SEGMENTS = {0: 34, 1: 32, 2: 22, 3: 10, 4: 2}
HISTORY = {
    "progress": 16,
    "polls": 20,
    "spends": 14,
    "surface": 12,
    "thin": 6,
    "stall": 7,
    "acks": 14,
    "repeat": 6,
    "durable": 3,
    "filler": 3,
    "lesson": 6,
    "plan": 6,
    "dreaming": 5,
    "person": 5,
    "foreign": 5,
    "neutral": 5,
}

RUNS = f"$ROOT/runtime/goals/{GOAL}/runs"
HEALTHY = "state_file 1/1; registry_goal 1/1"


@dataclass(slots=True)
class History:
    """``rows`` in file order; ``payloads`` are JSON files beside the index, by file name.

    ``torn`` are raw lines that a crash left: (number of the row they stand before, bytes). ``references``
    are (row, holder, key): once the row has its time, ``holder[key]`` names the row.
    """

    rows: list[Json] = field(default_factory=list)
    payloads: dict[str, Json] = field(default_factory=dict)
    torn: list[tuple[int, bytes]] = field(default_factory=list)
    references: list[tuple[Json, dict[str, Any], str]] = field(default_factory=list)


def build_history(scene: Scene, todos: list[TodoPart]) -> History:
    """All rows, with their times and file names filled in."""
    choose = scene.choose
    history = History()
    for _ in range(choose.weighted(lean(SEGMENTS, scene.lean.segments))):
        kind = choose.weighted(lean(HISTORY, scene.lean.history))
        _SEGMENT[kind](_Writer(scene, history, todos))
    _date(scene, history)
    if history.rows and choose.maybe(8):
        _overlay(scene, history)
    if choose.maybe(3):
        history.torn.append((choose.integer(0, len(history.rows)), choose.choice(TORN)))
    return history


TORN = (b'{"generated_at": "2026-11-30T10:00:00Z", "goal_id": "harb', b"\xff\xfe\x00 not text", b"[1, 2]", b"")


@dataclass(slots=True)
class _Writer:
    """Appends rows that share an author."""

    scene: Scene
    history: History
    todos: list[TodoPart]
    author: Json = field(default_factory=dict)

    def __post_init__(self) -> None:
        scene = self.scene
        me, other = scene.me or "main-agent", scene.others[0]
        self.author = scene.choose.weighted(
            [
                ({"progress_scope": "goal"}, 30),
                ({"progress_scope": "agent_lane", "agent_id": me}, 34),
                ({"progress_scope": "agent_lane", "agent_id": other}, 14),
                ({"progress_scope": "goal", "agent_id": me}, 10),
                ({}, 12),
            ]
        )

    def add(self, classification: str, action: str = ACTIONS[0], **more: Any) -> Json:
        row: Json = {"generated_at": "", "goal_id": GOAL, "classification": classification}
        row.update(recommended_action=action, health_check=HEALTHY, **self.author, **more)
        self.history.rows.append(row)
        return row

    def action(self) -> str:
        return self.scene.choose.choice(ACTIONS)


def _date(scene: Scene, history: History) -> None:
    """Times and file names: an even pace, mostly inside the quota window, seldom out of order."""
    choose, rows = scene.choose, history.rows
    newest = choose.weighted([(900, 55), (60, 20), (6 * HOUR, 15), (2 * DAY, 8), (-HOUR, 3)])
    pace = choose.weighted([(900, 60), (300, 20), (2 * HOUR, 20)])
    for number, row in enumerate(rows):
        row["generated_at"] = scene.at(-newest - pace * (len(rows) - 1 - number))
        row["json_path"] = f"{RUNS}/run-{number:03d}.json"
        row["markdown_path"] = f"{RUNS}/run-{number:03d}.md"
        if row.pop("_aside", None) is not None:
            history.payloads[f"run-{number:03d}.json"] = {**row, "quota_event": row.pop("quota_event")}
    for row, holder, key in history.references:
        holder[key] = row.get("lesson", {}).get("id") or row["generated_at"]
    if len(rows) > 2 and choose.maybe(5):
        at = choose.integer(1, len(rows) - 1)
        rows[at - 1], rows[at] = rows[at], rows[at - 1]


def _overlay(scene: Scene, history: History) -> None:
    """A later line about an earlier run."""
    choose = scene.choose
    row = choose.choice(history.rows)
    later = {key: row[key] for key in ("generated_at", "goal_id", "json_path", "markdown_path")}
    if row["classification"] == "quota_slot_spent":
        later = {**later, "classification": "quota_slot_voided", "quota_event": {"slots": 1}}
    elif choose.maybe(50):
        later["human_reward"] = {"schema_version": "human_reward_v0", "value": 1, "reason": scene.text()}
    else:
        later = {**row, "delivery_outcome": choose.choice(("outcome_progress", "surface_only"))}
    history.rows.append(later)


def _polls(write: _Writer) -> None:
    choose = write.scene.choose
    keys = [todo.meta["target_key"] for todo in write.todos if "target_key" in todo.meta]
    targets = [choose.choice(keys) if keys and choose.maybe(85) else "tgt01"]
    if choose.maybe(14):
        targets.append("tgt02")
    action = write.action()
    for number in range(choose.weighted([(6, 34), (1, 8), (3, 14), (5, 16), (7, 18), (9, 10)])):
        target: Json = {"schema_version": "quota_monitor_target_v0", "target_id": targets[number % len(targets)]}
        if choose.maybe(4):
            target["material_change"] = True
        write.add("quota_monitor_poll", action, monitor_target={**target, "effective_action": "monitor_quiet_skip"})


def _spends(write: _Writer) -> None:
    choose = write.scene.choose
    for _ in range(choose.weighted([(1, 25), (2, 35), (3, 20), (4, 20)])):
        _slot(write, "quota_slot_spent")
    for _ in range(choose.weighted([(0, 72), (1, 22), (2, 6)])):
        _slot(write, "quota_slot_voided")


def _slot(write: _Writer, classification: str) -> None:
    choose = write.scene.choose
    row = write.add(classification)
    where = choose.weighted([("row", 60), ("file", 25), ("nowhere", 15)])
    if where != "nowhere":
        slots = choose.weighted([(1, 80), (2, 20)])
        row["quota_event"] = {"event_type": classification, "source": "heartbeat", "slots": slots}
    if where == "file":
        row["_aside"] = True


def _progress(write: _Writer) -> None:
    choose = write.scene.choose
    for _ in range(choose.integer(1, 3)):
        outcome = choose.choice(("outcome_progress", "primary_goal_outcome"))
        write.add("validated_progress", write.action(), delivery_outcome=outcome, delivery_batch_scale="multi_surface")


def _surface(write: _Writer) -> None:
    """Rows that the outcome floor counts."""
    choose = write.scene.choose
    outcome = choose.weighted([("surface_only", 60), ("outcome_gap", 40)])
    for number in range(choose.integer(2, 6)):
        write.add(
            "docs_refresh",
            ACTIONS[number % len(ACTIONS)],
            delivery_outcome=outcome,
            delivery_batch_scale="multi_surface",
        )


def _thin(write: _Writer) -> None:
    for _ in range(write.scene.choose.integer(1, 3)):
        write.add(
            "small_step", write.action(), delivery_batch_scale="single_surface", delivery_outcome="outcome_progress"
        )


def _stall(write: _Writer) -> None:
    """One action, no progress, again; at times with a replan in between that changed nothing."""
    choose, action = write.scene.choose, write.action()
    for _ in range(choose.integer(1, 4)):
        write.add("blocked_note", action, delivery_outcome="outcome_gap", delivery_batch_scale="single_surface")
    if choose.maybe(30):
        _acknowledge(write, choose.choice(("noop", "recorded_noop")))


def _repeat(write: _Writer) -> None:
    """One action again and again, with some progress each time or with none to tell of."""
    choose, action = write.scene.choose, write.action()
    told = choose.weighted([({"delivery_outcome": "outcome_progress"}, 40), ({}, 60)])
    for _ in range(choose.integer(2, 6)):
        write.add("validated_progress", action, delivery_batch_scale="multi_surface", **told)


def _acks(write: _Writer) -> None:
    _acknowledge(write, write.scene.choose.weighted([("delta", 60), ("noop", 25), ("recorded_noop", 15)]))


def _acknowledge(write: _Writer, kind: str) -> None:
    choose = write.scene.choose
    delta = kind == "delta"
    kinds = choose.some(("runnable_todo_set", "watch_lane_continuation", "blocker_state"), 2) if delta else []
    write.add(
        choose.choice(("replan_noop", "repair_noop")) if kind == "noop" else "autonomous_replan_recorded",
        write.action(),
        autonomous_replan_ack={
            "schema_version": "autonomous_replan_ack_v0",
            "source": "refresh_state",
            "requested": True,
            "recorded": kind != "noop",
            "delta_contract": {
                "schema_version": "repair_delta_contract_v0",
                "required": True,
                "delta_present": delta,
                "delta_kinds": kinds,
            },
        },
    )


def _durable(write: _Writer) -> None:
    """Enough progress without a replan for a periodic review, or nearly."""
    for number in range(write.scene.choose.integer(18, 23)):
        outcome = "primary_goal_outcome" if number % 3 == 0 else "outcome_progress"
        write.add("validated_progress", ACTIONS[number % len(ACTIONS)], delivery_outcome=outcome)


NEUTRAL = ("quota_monitor_poll", "quota_slot_spent", "readiness_ping", "display_refresh")


def _filler(write: _Writer) -> None:
    """One meaningful row behind a window full of neutral ones."""
    write.add("validated_progress", write.action(), delivery_outcome="outcome_progress")
    for number in range(write.scene.choose.integer(30, 70)):
        write.add(("readiness_ping", "display_refresh")[number % 2])


def _neutral(write: _Writer) -> None:
    for _ in range(write.scene.choose.integer(1, 4)):
        write.add(write.scene.choose.choice(NEUTRAL[1:]))


def _lesson(write: _Writer) -> None:
    """A correction, later promoted or not: by a row that names it, or by a todo."""
    scene, choose = write.scene, write.scene.choose
    lesson = {
        "rule": scene.text(),
        "scope": choose.choice(("goal", "route")),
        "superseded": scene.text(),
        "owner": scene.me or "main-agent",
        "validation": scene.text(),
    }
    if choose.maybe(50):
        lesson["id"] = "lesson_01"
    row = write.add("user_correction", write.action(), lesson=lesson)
    match choose.weighted([("open", 50), ("row", 30), ("todo", 20)]):
        case "row":
            later = write.add("lesson_promoted", write.action(), promoted_lesson={"rule": lesson["rule"]})
            write.history.references.append((row, later, "lesson_ref"))
        case "todo" if write.todos:
            todo = choose.choice(write.todos)
            todo.meta["note"] = lesson["rule"]
            write.history.references.append((row, todo.meta, "lesson_ref"))
        case _:
            pass


def _plan(write: _Writer) -> None:
    """A plan whose items are written back, or not all of them."""
    scene, choose = write.scene, write.scene.choose
    ids = [todo.todo_id for todo in write.todos if todo.todo_id]
    items: list[Json] = []
    for _ in range(choose.integer(1, 3)):
        item: Json = {"text": scene.text(), "priority": choose.choice(("P0", "P1", "P2"))}
        match choose.weighted([("todo", 50), ("none", 26), ("next", 12), ("stated", 12)]):
            case "todo" if ids:
                item["todo_id"] = choose.choice(ids)
            case "next":
                item["next_action"] = True
            case "stated":
                item["no_writeback"] = scene.text()
            case _:
                pass
        items.append(item)
    write.add("plan_told", write.action(), plan={"items": items})


def _dreaming(write: _Writer) -> None:
    """A proposal of the planning lane, later decided or not."""
    proposal = {"schema_version": "dreaming_proposal_v0", "title": write.scene.text()}
    row = write.add("dreaming_note", write.action(), dreaming_proposal=proposal)
    if write.scene.choose.maybe(35):
        decision = {"ref": "", "decision": write.scene.choose.choice(("rejected", "promoted"))}
        write.add("dreaming_decided", write.action(), dreaming_decision=decision)
        write.history.references.append((row, decision, "ref"))


def _person(write: _Writer) -> None:
    """What a person recorded against a run."""
    scene, choose = write.scene, write.scene.choose
    if choose.maybe(50):
        reward = {"schema_version": "human_reward_v0", "value": choose.choice((1, -1)), "reason": scene.text()}
        write.add("human_reward_recorded", write.action(), human_reward=reward)
    else:
        gate = {"decision": choose.choice(("approve", "reject", "defer")), "reason": scene.text()}
        write.add("operator_gate_recorded", write.action(), operator_gate=gate)


def _foreign(write: _Writer) -> None:
    """Rows of another goal in this index, and rows with keys from elsewhere."""
    for _ in range(write.scene.choose.integer(1, 3)):
        row = write.add("quota_slot_spent", quota_event={"event_type": "quota_slot_spent", "slots": 1}, x_tide=3)
        if write.scene.choose.maybe(75):
            row["goal_id"] = OTHER_GOAL


_SEGMENT: dict[str, Callable[[_Writer], None]] = {
    "progress": _progress,
    "polls": _polls,
    "spends": _spends,
    "surface": _surface,
    "thin": _thin,
    "stall": _stall,
    "acks": _acks,
    "repeat": _repeat,
    "durable": _durable,
    "filler": _filler,
    "lesson": _lesson,
    "plan": _plan,
    "dreaming": _dreaming,
    "person": _person,
    "foreign": _foreign,
    "neutral": _neutral,
}
