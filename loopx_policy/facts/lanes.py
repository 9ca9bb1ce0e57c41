"""The visibility lanes of IP-022: who holds what, capped, and fair between claimants.

Lanes show; they never schedule. A lane keeps at most ``cap`` todos, and a lane of claimed work gives
each claimant a fair share before the rest is filled up by priority.
"""

from __future__ import annotations

from collections.abc import Sequence

from loopx_policy.facts.record import Record
from loopx_policy.facts.view import View
from loopx_policy.model import Todo

CAP = "IP-022.lane_cap"


def by_priority(todos: Sequence[Todo]) -> list[Todo]:
    """By priority, then position in the file."""
    return sorted(todos, key=lambda todo: (todo.priority, todo.order))


def balanced(todos: Sequence[Todo], cap: int) -> list[Todo]:
    """At most ``cap`` todos in priority order, with a fair share for each claimant.

    Each claimant first gets ``cap // claimants`` (at least one, as far as the cap goes) of its own best;
    what is left goes to the best of the rest.
    """
    ordered = by_priority(todos)
    if len(ordered) <= cap:
        return ordered
    claimants = list(dict.fromkeys(todo.claimed_by for todo in ordered))
    share = max(1, cap // len(claimants))
    kept: list[Todo] = []
    taken = dict.fromkeys(claimants, 0)
    for todo in ordered:
        if taken[todo.claimed_by] < share and len(kept) < cap:
            taken[todo.claimed_by] += 1
            kept.append(todo)
    chosen = {id(todo) for todo in kept}
    kept += [todo for todo in ordered if id(todo) not in chosen][: cap - len(kept)]
    return by_priority(kept)


def agent_lanes(view: View) -> dict[str, list[Todo]]:
    """Every lane of open agent todos under its seed name, in full and in priority order."""
    todos = [todo for todo in view.open if todo.role == "agent"]
    claimed = [todo for todo in todos if todo.claimed_by]
    advancement = [todo for todo in claimed if todo.task_class == "advancement_task"]
    monitors = [todo for todo in claimed if todo.task_class == "continuous_monitor"]
    lanes = {
        "unclaimed_priority_open_items": [todo for todo in todos if not todo.claimed_by],
        "claimed_open_items": claimed,
        "claimed_advancement_open_items": advancement,
        "claimed_monitor_open_items": monitors,
    }
    if view.me:
        lanes |= {
            "current_agent_claimed_open_items": [todo for todo in claimed if todo.claimed_by == view.me],
            "current_agent_claimed_advancement_items": [todo for todo in advancement if todo.claimed_by == view.me],
            "current_agent_claimed_monitor_items": [todo for todo in monitors if todo.claimed_by == view.me],
            "claimed_by_others_items": [todo for todo in claimed if todo.claimed_by != view.me],
        }
    return {name: by_priority(lane) for name, lane in lanes.items()}


def project(view: View, record: Record) -> None:
    """Facts ``lanes.hidden``, ``todos.*`` and ``next_action.present``."""
    cap = view.figure(CAP, 0)
    agent = [todo for todo in view.open if todo.role == "agent"]
    claimed = sum(1 for todo in agent if todo.claimed_by)
    fullest = max(claimed, len(agent) - claimed)
    record.number("lanes.hidden", max(0, fullest - cap) if cap else 0)
    record.count("todos.open", [*view.open, *view.stuck])
    record.count("todos.blocked", view.blocked)
    actions = [action for action in view.snapshot.state.next_actions if action.text.strip()]
    record.flag("next_action.present", bool(actions), actions)
