"""Facts of the run index: stalls, polls, the outcome floor, corrections, plans.

Seed: IP-007, IP-008, IP-010, IP-013, IP-017, IP-018, IP-023, IP-024. A lane's rows are the goal-scoped ones and
the caller's own; rows of other lanes neither count nor break a streak. A replan or repair recorded
without a delta neither opens nor closes anything. A stall or a loop stays open whatever comes after it, until an
acknowledgement with a delta starts the count anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from loopx_policy.facts.record import Record
from loopx_policy.facts.view import View
from loopx_policy.model import Run, Todo
from loopx_policy.records import record

NEUTRAL = "IP-023.neutral"
NOOPS = ("replan_noop", "repair_noop")
POLL = "quota_monitor_poll"
WATCH = "continuous_monitor"


FEEDBACK = frozenset(("human_reward", "operator_gate", "lesson", "replan_hint"))
"""Keys of a row in which somebody says what they think of the work."""


@record
class Lane:
    """The rows of the caller's lane, newest first, without those that say nothing about it.

    ``durable`` are the rows that are neither neutral nor no-ops; ``polls`` the monitor polls; the names
    with ``since_`` stop at the latest acknowledgement with a delta.
    """

    durable: list[Run]
    since_durable: list[Run]
    since_noops: list[Run]
    since_polls: list[Run]


def is_goal_wide(row: Run) -> bool:
    """Whether a row counts for every lane."""
    return row.progress_scope == "goal" or not row.agent_id


def is_mine(row: Run, me: str) -> bool:
    """Whether a row counts for the caller's lane."""
    return is_goal_wide(row) or row.agent_id == me


def is_noop(row: Run) -> bool:
    """Whether a row is a replan or repair that changed nothing: by its name, or acknowledged without a delta."""
    acknowledged = row.ack_recorded or isinstance(row.raw.get("autonomous_replan_ack"), dict)
    return row.classification in NOOPS or (acknowledged and not (row.ack_recorded and row.ack_delta))


def may_steer(view: View) -> bool:
    """Whether any row may put equal todos in order: it holds feedback, or reports an outcome that moved nothing."""
    stalled = view.words("stalled_outcomes")
    return any(row.delivery_outcome in stalled or not FEEDBACK.isdisjoint(row.raw) for row in view.snapshot.runs.rows)


def read_lane(view: View, neutral: frozenset[str]) -> Lane:
    """Sort the rows of the reasoning window."""
    lane = Lane([], [], [], [])
    since = True
    for row in view.snapshot.runs.rows:
        if not is_mine(row, view.me):
            continue
        if row.ack_recorded and row.ack_delta:
            since = False
        noop = is_noop(row)
        if since and noop:
            lane.since_noops.append(row)
        if since and row.classification == POLL:
            lane.since_polls.append(row)
        if row.classification in neutral or noop:
            continue
        lane.durable.append(row)
        if since:
            lane.since_durable.append(row)
    return lane


def streak(rows: Iterable[Run], belongs: Callable[[Run], bool]) -> list[Run]:
    """The rows from the newest on, for as long as they belong."""
    found: list[Run] = []
    for row in rows:
        if not belongs(row):
            break
        found.append(row)
    return found


def longest_loop(rows: Sequence[Run], belongs: Callable[[Run], bool]) -> list[Run]:
    """The longest run of neighbouring rows that belong and recommend one and the same action."""
    best: list[Run] = []
    current: list[Run] = []
    for row in rows:
        if not belongs(row) or not row.recommended_action:
            current = []
            continue
        if current and current[-1].recommended_action != row.recommended_action:
            current = []
        current.append(row)
        if len(current) > len(best):
            best = list(current)
    return best


def _material(row: Run) -> bool:
    target = row.raw.get("monitor_target")
    return bool(row.raw.get("material_change")) or (isinstance(target, dict) and bool(target.get("material_change")))


def is_closed(todo: Todo, now: int) -> bool:
    """Whether a watch has ended: expired, no longer open, or superseded."""
    expired = todo.expires_at is not None and todo.expires_at <= now
    return todo.status != "open" or bool(todo.superseded_by) or expired


def _closed_targets(view: View) -> set[str]:
    """Targets whose watch was closed."""
    now = view.snapshot.now
    closed: set[str] = set()
    for todo in view.snapshot.state.todos:
        if todo.task_class == WATCH and is_closed(todo, now):
            closed.update(key for key in (todo.target_key, todo.todo_id) if key)
    return closed


def unchanged_polls(lane: Lane, view: View) -> dict[str, list[Run]]:
    """The unchanged polls in a row of each target whose watch is open."""
    polls: dict[str, list[Run]] = {}
    ended = _closed_targets(view)
    for row in lane.since_polls:
        target = row.monitor_target
        if not target or target in ended:
            continue
        if _material(row):
            ended.add(target)
            continue
        polls.setdefault(target, []).append(row)
    return polls


def _mapping(row: Run, key: str) -> dict[str, Any]:
    value = row.raw.get(key)
    return value if isinstance(value, dict) else {}


def lesson_key(row: Run) -> str:
    """By what a row's lesson is referred to: its id, or the row's time where it has none; empty without a lesson."""
    lesson = _mapping(row, "lesson")
    return str(lesson.get("id") or row.generated_at_text) if lesson else ""


def _refers(todo: Todo, key: str) -> bool:
    return key in todo.extra.get("lesson_ref", "").split(",")


def unpromoted_lessons(rows: Sequence[Run], todos: Sequence[Todo]) -> list[Run]:
    """Rows that carry a lesson which no later row and no todo names in ``lesson_ref``."""
    named: set[object] = set()
    found: list[Run] = []
    for row in rows:
        key = lesson_key(row)
        if key and key not in named and not any(_refers(todo, key) for todo in todos):
            found.append(row)
        reference = row.raw.get("lesson_ref")
        named.update(reference if isinstance(reference, list) else [reference])
    return found


def unwritten_items(rows: Sequence[Run], view: View) -> list[str]:
    """Items of the latest plan that no todo carries and that state no other place."""
    for row in rows:
        items = _mapping(row, "plan").get("items")
        if isinstance(items, list) and items:
            return [_name(item) for item in items if not _written(item, row, view)]
    return []


def _name(item: object) -> str:
    return str(item.get("text", "item")) if isinstance(item, dict) else str(item)


def _written(item: object, row: Run, view: View) -> bool:
    if not isinstance(item, dict):
        return False
    if item.get("recommended_action") and row.recommended_action:
        return True
    if item.get("no_writeback") or (item.get("next_action") and view.snapshot.state.next_actions):
        return True
    return str(item.get("todo_id", "")) in view.by_id


def open_proposals(rows: Sequence[Run]) -> list[Run]:
    """Rows with a planning proposal that no later row decides in ``dreaming_decision.ref``."""
    decided: set[object] = set()
    found: list[Run] = []
    for row in rows:
        if _mapping(row, "dreaming_proposal") and row.generated_at_text not in decided:
            found.append(row)
        decided.add(_mapping(row, "dreaming_decision").get("ref"))
    return found


def project(view: View, record: Record) -> None:
    """Facts ``replan.*``, ``polls.*``, ``outcome.*``, ``cadence.*``, ``lesson.*``, ``plan.*`` and ``runs.*``."""
    rows = view.snapshot.runs.rows
    neutral = frozenset(view.words(NEUTRAL))
    lane = read_lane(view, neutral)
    stalled, progress = view.words("stalled_outcomes"), view.words("progress_outcomes")

    record.count("replan.stalled_rows", longest_loop(lane.since_durable, lambda row: row.delivery_outcome in stalled))
    record.count(
        "replan.repeated_rows", longest_loop(lane.since_durable, lambda row: row.delivery_outcome not in progress)
    )
    record.count("replan.rows_since", lane.since_durable)
    record.count("replan.noops", lane.since_noops)

    polls = max(unchanged_polls(lane, view).values(), key=len, default=[])
    record.count("polls.unchanged", polls, [polls[0].monitor_target] if polls else (), free=True)

    floor = view.snapshot.goal.outcome_floor
    outcomes = [row for row in lane.durable if row.delivery_outcome]
    surface = streak(outcomes, lambda row: row.delivery_outcome in stalled)
    crossed = floor is not None and len(surface) >= floor.surface_streak_threshold
    record.flag("outcome.floor_crossed", crossed, surface if crossed else ())
    named = floor.must_advance if floor is not None else ()
    record.flag("outcome.target_named", bool(named), words=named, free=True)

    thin = view.words("thin_scales")
    record.count(
        "cadence.thin_rows",
        streak(lane.durable, lambda row: row.delivery_batch_scale in thin or row.delivery_outcome == "surface_only"),
    )

    lessons = unpromoted_lessons(rows, [*view.snapshot.state.todos, *view.snapshot.state.archived])
    rules = [str(_mapping(row, "lesson").get("rule", "")) for row in lessons]
    record.count("lesson.unpromoted", lessons, rules, free=True)
    items = unwritten_items(rows, view)
    record.number("plan.unwritten", len(items), words=items, free=True)
    record.count("dreaming.proposed", open_proposals(rows))
    quiet = [row for row in rows if row.classification in neutral]
    record.number("runs.neutral", len(quiet))
    record.number("runs.meaningful", len(rows) - len(quiet))
