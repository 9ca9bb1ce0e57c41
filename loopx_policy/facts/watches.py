"""Facts of watches, handoffs and the work of others.

Seed: IP-008 and IP-012 (monitors); IP-029 (handoff gate states); IP-026 (who holds the rest).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from loopx_policy.facts.record import Record
from loopx_policy.facts.view import LIVE, View
from loopx_policy.model import Todo

GateState = Literal[
    "blocking", "cleared_without_successor", "cleared_with_successor", "cleared_no_followup", "superseded", "deferred"
]


def handoff_state(todo: Todo, view: View) -> GateState:
    """``gate_state`` of ``todo_handoff_gate_v0`` for a todo that blocks an agent."""
    if todo.status in LIVE:
        return "blocking"
    if todo.status == "deferred":
        return "deferred"
    if todo.no_followup:
        return "cleared_no_followup"
    links = (*todo.successor_todo_ids, todo.superseded_by, todo.unblocks_todo_id)
    if "todo_done:" + todo.todo_id in view.conditions or any(link in view.by_id for link in links if link):
        return "cleared_with_successor"
    return "superseded" if todo.superseded_by else "cleared_without_successor"


def is_stale(todo: Todo) -> bool:
    """Whether an open handoff's route is already closed: it says so, or it names what replaced it."""
    return route_closed(todo.route_continuation_replan_required, todo.superseded_by, todo.successor_todo_ids)


def route_closed(marked: bool, superseded_by: str, successors: Sequence[str]) -> bool:
    """The same of an open handoff's metadata, wherever they were read."""
    return marked or bool(superseded_by or successors)


def _owner(todos: Sequence[Todo], view: View) -> list[str]:
    owners = [todo.claimed_by or view.snapshot.goal.primary_agent or "nobody" for todo in todos]
    return list(dict.fromkeys(owners))


def is_due(todo: Todo, now: int) -> bool:
    """Whether it is time to look at a watch: at its due time, or a cadence after the last look."""
    if todo.expires_at is not None and todo.expires_at <= now:
        return False
    if todo.next_due_at is not None:
        return todo.next_due_at <= now
    if todo.cadence is None:
        return False
    return todo.last_checked_at is None or todo.last_checked_at + todo.cadence * 60 <= now


def project(view: View, record: Record) -> None:
    """Facts ``monitors.*``, ``evidence.handle``, ``handoffs.*`` and ``others.*``."""
    now, me = view.snapshot.now, view.me
    monitors = view.monitors
    record.count("monitors.due", [todo for todo in monitors if is_due(todo, now)])
    unscheduled = [todo for todo in monitors if todo.next_due_at is None and todo.cadence is None]
    record.count("monitors.unscheduled", unscheduled)
    record.count("monitors.watching", monitors)
    handles = [todo for todo in monitors if todo.target_key]
    record.flag("evidence.handle", bool(handles), handles)

    mine = [todo for todo in view.handoffs if me and todo.blocks_agent == me]
    live = [todo for todo in mine if todo.status in LIVE and todo.claimed_by != me]
    stale = [todo for todo in live if is_stale(todo)]
    blocking = [todo for todo in live if not is_stale(todo)]
    cleared = [todo for todo in mine if handoff_state(todo, view) == "cleared_without_successor"]
    record.count("handoffs.blocking", blocking, _owner(blocking, view))
    record.count("handoffs.cleared", cleared)
    record.count("handoffs.stale", stale)

    primary = view.snapshot.goal.primary_agent
    held = [todo for todo in view.others if primary and todo.claimed_by == primary]
    rest = [todo for todo in view.others if not (primary and todo.claimed_by == primary)]
    record.count("others.primary", held, _owner(held, view))
    record.count("others.side", rest, _owner(rest, view))
