"""The machine-visible frontier of IP-024: what a repair or a replan has to change, surface by surface.

Taken from the evaluation of a *settled* snapshot: one without run rows and leases, as of a fixed time. What a clock,
a poll, another agent's lease or the obligation itself does to an answer is then no change of the frontier, so
that a state which nobody touched has the same frontier whenever it is looked at.
"""

from __future__ import annotations

from typing import Any

from loopx_policy.decide import Evaluation
from loopx_policy.decision import build
from loopx_policy.digests import hex16
from loopx_policy.facts.points.state_refresh import ORDERED
from loopx_policy.model import Runs, Snapshot, Todo
from loopx_policy.project.times import iso
from loopx_policy.records import replace
from loopx_policy.text import cut

ENTRIES = 200
"""Entries of a surface that are kept; those beyond stand in one digest, so that any change among them shows."""
LENGTH = 200
"""Bytes of an entry that are kept in words."""


def settled(snapshot: Snapshot, at: int) -> Snapshot:
    """The snapshot as of ``at`` (seconds since the epoch), with nothing that passes by itself."""
    return replace(snapshot, now=at, runs=Runs(), leases=[])


def surfaces(evaluation: Evaluation) -> dict[str, Any]:
    """``SURFACES`` of ``state_refresh`` for the caller of a settled evaluation, small and public-safe.

    A surface that has nothing is left out, which means the same.
    """
    turn, snapshot = evaluation.turn, evaluation.snapshot
    view, decision = turn.view, build(evaluation)
    state = snapshot.state
    lane = [todo for todo in (*state.todos, *state.archived) if todo.claimed_by in ("", view.me)]
    facts = turn.record.values
    guarded = facts["workspace.guarded"] and facts["agent.identity"] == "side"
    lists: dict[str, list[str]] = {
        "runnable_todo_set": [candidate.todo.todo_id for candidate in turn.frontier.runnable],
        "claimed_lane": [t.todo_id for t in state.todos if view.me and t.claimed_by == view.me and t.status != "done"],
        "successor": [f"{todo.todo_id}>{link}" for todo in lane for link in todo.successor_todo_ids],
        "supersede": [f"{todo.todo_id}>{todo.superseded_by}" for todo in lane if todo.superseded_by],
        "user_todo": [todo.todo_id for todo in (*turn.gates.mine, *turn.gates.actions)],
        "blocker": [todo.todo_id for todo in view.blocked],
        "capability_guard": [
            f"{candidate.todo.todo_id} lacks {name}"
            for candidate in turn.frontier.candidates
            for names in candidate.missing.values()
            for name in names
        ],
        "monitor_target": [todo.target_key or todo.todo_id for todo in view.monitors],
        "watch_lane": [_watch(todo) for todo in view.monitors],
        "evidence_handle": [f"{todo.target_key} {todo.result_hash}" for todo in view.monitors if todo.target_key],
        "next_action": [action.text for action in state.next_actions],
        "goal_boundary": list(turn.frontier.boundary.allowed),
    }
    found: dict[str, Any] = {
        "effective_action": decision.effective_action,
        "interaction_contract": {
            "mode": decision.mode.name,
            "action_required": decision.action_required,
            "notify": decision.notify,
            "quiet_noop_allowed": decision.quiet_noop_allowed,
        },
        "workspace_guard": {"required": guarded, "independent": bool(facts["workspace.independent"])}
        if guarded
        else {},
        **{name: _kept(entries, name in ORDERED) for name, entries in lists.items()},
    }
    return {name: value for name, value in found.items() if value}


def _watch(todo: Todo) -> str:
    """How long and why a target is watched; when it was looked at last is no part of that."""
    ends = iso(todo.expires_at) if todo.expires_at is not None else "never"
    often = (
        f"{todo.cadence}m" if todo.cadence is not None else "once" if todo.next_due_at is not None else "unscheduled"
    )
    why = f" {_digest(todo.note, todo.reason)}" if todo.note or todo.reason else ""
    return f"{todo.todo_id} ends {ends}, {often}{why}"


def _kept(entries: list[str], ordered: bool) -> list[str]:
    listed = entries if ordered else sorted(set(entries))
    if len(listed) <= ENTRIES:
        return [_named(entry) for entry in listed]
    kept, rest = listed[: ENTRIES - 1], listed[ENTRIES - 1 :]
    return [*map(_named, kept), f"and {len(rest)} more: {_digest(*rest)}"]


def _named(entry: str) -> str:
    """An entry as it may be stored: in words where they are few and public-safe, else by its digest."""
    from loopx_policy.safe_text import is_safe  # its patterns cost as much as a decision

    if len(entry.encode("utf-8", "replace")) <= LENGTH and is_safe(entry):
        return cut(entry, LENGTH)
    return f"text {_digest(entry)}"


def _digest(*texts: str) -> str:
    return hex16([text.encode("utf-8", "replace") for text in texts])
