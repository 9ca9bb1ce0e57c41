"""What people said, read from the rows of the run index: structured fields only, never prose.

Source: the contract of reward-style hints. A signal speaks of a kind of work (an ``action_kind``) or of a steering
pattern. Rewards speak of what their run worked on, an owner's answer of what its gate held back, a correction of the
todo that carries it. A loop of rows that moved nothing is steering that the run history has summarized already.
"""

from __future__ import annotations

from typing import Any

from loopx_policy.facts.history import NEUTRAL, is_mine, is_noop, lesson_key
from loopx_policy.facts.view import View
from loopx_policy.hints.hint import Json
from loopx_policy.model import Run, Todo
from loopx_policy.project.times import parse_time
from loopx_policy.records import field, record

SURFACE_LOOP = "surface_only_progress_loop"
UNVALIDATED = "missing_validation_evidence"
PATTERNS = {"surface_only": SURFACE_LOOP, "outcome_gap": UNVALIDATED}
"""The steering pattern behind a delivery outcome that moved nothing."""
EVIDENCE = "validated_outcome_evidence"
"""The subject of praise for a run that moved the goal and names no kind of work."""

RETIRED = "replan_hint_retired"
REWRITTEN = "replan_hint_rewritten"


@record(frozen=True)
class Signal:
    """One thing that was said: ``subject`` is ``kind:<action_kind>`` or ``pattern:<name>``."""

    subject: str
    favour: bool
    at: int
    source: Json
    explicit: bool = True


@record
class Heard:
    """All signals, newest first; the edits of hints by their id, newest first; and feedback that orders nothing."""

    signals: list[Signal] = field(default_factory=list)
    edits: dict[str, list[tuple[int, Run]]] = field(default_factory=dict)
    unused: list[tuple[Json, str]] = field(default_factory=list)


def listen(view: View) -> Heard:
    """Sort the rows that the snapshot holds."""
    heard = Heard()
    streak: list[Run] = []
    running = True
    neutral = frozenset(view.words(NEUTRAL))
    for row in view.snapshot.runs.rows:
        raw = row.raw
        if "human_reward" in raw:
            _reward(heard, row, view)
        if "operator_gate" in raw:
            _answer(heard, row, view)
        if "lesson" in raw:
            _correction(heard, row, view)
        if row.classification in (RETIRED, REWRITTEN):
            _edit(heard, row)
        if running and row.delivery_outcome and is_mine(row, view.me):
            if row.classification in neutral or is_noop(row):
                continue
            running = row.delivery_outcome in PATTERNS and (
                not streak or row.delivery_outcome == streak[0].delivery_outcome
            )
            if running:
                streak.append(row)
    _steering(heard, streak, view)
    heard.signals.sort(key=lambda signal: -int(signal.at))
    return heard


def _steering(heard: Heard, streak: list[Run], view: View) -> None:
    if len(streak) < view.figure("hint_steered_rows", 3) or streak[0].generated_at is None:
        return
    for row in streak[: view.figure("hint_steered_rows", 3)]:
        if row.generated_at is not None:
            subject = f"pattern:{PATTERNS[row.delivery_outcome]}"
            source = {"kind": "run", "run_generated_at": row.generated_at_text}
            heard.signals.append(Signal(subject, False, streak[0].generated_at, source, explicit=False))


def _reward(heard: Heard, row: Run, view: View) -> None:
    given = row.raw["human_reward"]
    value = given.get("reward") if isinstance(given, dict) else None
    source = {"kind": "human_reward", "run_generated_at": row.generated_at_text}
    at = _seconds(given.get("recorded_at")) if isinstance(given, dict) else None
    at = row.generated_at if at is None else at
    if value not in ("positive", "negative"):
        heard.unused.append((source, "it neither praises nor corrects"))
        return
    if at is None:
        heard.unused.append((source, "nobody knows when it was given"))
        return
    favour = value == "positive"
    subjects = [f"kind:{kind}" for kind in _worked_on(row, view)]
    if not subjects and favour and row.delivery_outcome in view.words("progress_outcomes"):
        subjects = [f"pattern:{EVIDENCE}"]
    if not subjects and not favour and row.delivery_outcome in PATTERNS:
        subjects = [f"pattern:{PATTERNS[row.delivery_outcome]}"]
    if not subjects:
        heard.unused.append((source, "its run names no todo with an action_kind"))
    heard.signals += [Signal(subject, favour, at, source) for subject in subjects]


def _worked_on(row: Run, view: View) -> list[str]:
    """The kinds of work that a run names, by its todos or itself."""
    named = row.raw.get("todo_ids")
    ids = [*(named if isinstance(named, list) else ()), row.raw.get("todo_id")]
    todos = [view.by_id[one] for one in ids if isinstance(one, str) and one in view.by_id]
    own = row.raw.get("action_kind")
    kinds = [todo.action_kind for todo in todos] or [own if isinstance(own, str) else ""]
    return [kind for kind in dict.fromkeys(kinds) if kind]


def _answer(heard: Heard, row: Run, view: View) -> None:
    """An owner who lets something through wants its kind of work, and one who refuses it does not."""
    from loopx_policy.facts.points.decision_write import sense

    given = row.raw["operator_gate"]
    gate_id = str(given.get("gate_id") or "") if isinstance(given, dict) else ""
    decision = str(given.get("decision") or "") if isinstance(given, dict) else ""
    source = {"kind": "operator_gate", "run_generated_at": row.generated_at_text}
    gate = view.by_id.get(gate_id)
    held = view.by_id.get(gate.unblocks_todo_id) if gate is not None else None
    meant = sense(decision)
    if held is None or not held.action_kind or meant == "other" or row.generated_at is None:
        heard.unused.append((source, "its gate holds back no todo with an action_kind, or it is no yes or no"))
        return
    heard.signals.append(Signal(f"kind:{held.action_kind}", meant == "approve", row.generated_at, source))


def _correction(heard: Heard, row: Run, view: View) -> None:
    """What carries a correction is wanted; what it blocks, or names as superseded, is not."""
    key = lesson_key(row)
    lesson = row.raw["lesson"]
    state = view.snapshot.state
    todos = [*state.todos, *state.archived]
    carriers = [todo for todo in todos if key and key in todo.extra.get("lesson_ref", "").split(",")]
    said: list[tuple[str, bool, Json]] = [
        (todo.action_kind, todo.task_class != "blocker", {"kind": "todo", "todo_id": todo.todo_id})
        for todo in carriers
        if todo.action_kind
    ]
    superseded = lesson.get("superseded") if isinstance(lesson, dict) else None
    source = {"kind": "correction", "run_generated_at": row.generated_at_text}
    if isinstance(superseded, str) and superseded and _in_use(superseded, todos):
        said.append((superseded, False, source))
    if not said or row.generated_at is None:
        heard.unused.append((source, "no todo with an action_kind carries it"))
        return
    heard.signals += [Signal(f"kind:{kind}", favour, row.generated_at, ref) for kind, favour, ref in said]


def _in_use(kind: str, todos: list[Todo]) -> bool:
    return any(todo.action_kind == kind for todo in todos)


def _edit(heard: Heard, row: Run) -> None:
    edit = row.raw.get("replan_hint")
    if isinstance(edit, dict) and isinstance(edit.get("hint_id"), str) and row.generated_at is not None:
        heard.edits.setdefault(edit["hint_id"], []).append((row.generated_at, row))


def _seconds(value: Any) -> int | None:
    time = parse_time(value) if isinstance(value, str) else None
    return time[0] if time else None
