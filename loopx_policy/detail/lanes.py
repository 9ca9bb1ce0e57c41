"""Sections about who holds what: todo summaries, handoffs, deferred work, the agent's own pointer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loopx_policy.decide import Evaluation
from loopx_policy.facts.lanes import CAP, agent_lanes, balanced, by_priority
from loopx_policy.facts.waits import resumable
from loopx_policy.facts.watches import handoff_state, is_stale
from loopx_policy.messages import source_at
from loopx_policy.model import Todo
from loopx_policy.text import cut


def _row(todo: Todo, file: str) -> dict[str, Any]:
    return {
        "todo_id": todo.todo_id,
        "text": cut(todo.text, 160),
        "priority": todo.priority,
        "task_class": todo.task_class,
        "claimed_by": todo.claimed_by,
        "at": source_at(todo, file),
    }


def _lane(todos: Sequence[Todo], evaluation: Evaluation) -> dict[str, Any]:
    """A lane as ``{count, items}``, capped and fair between claimants."""
    cap, file = evaluation.turn.view.figure(CAP, 0), evaluation.snapshot.state.file
    shown = balanced(todos, cap) if cap else by_priority(todos)
    return {"count": len(todos), "items": [_row(todo, file) for todo in shown]}


def user_summary(evaluation: Evaluation) -> dict[str, Any]:
    """``user_todo_summary`` as this caller sees it; gates of other agents are listed apart and not counted."""
    gates, file = evaluation.turn.gates, evaluation.snapshot.state.file
    return {
        "open_count": len(gates.mine) + len(gates.actions),
        "gate_open_items": [_row(todo, file) for todo in gates.mine],
        "action_open_items": [_row(todo, file) for todo in gates.actions],
        "other_agent_gate_items": [_row(todo, file) for todo in gates.elsewhere],
    }


def agent_summary(evaluation: Evaluation) -> dict[str, Any]:
    """``agent_todo_summary``: the narrow scheduler lists, then the visibility lanes."""
    turn = evaluation.turn
    todos = [todo for todo in turn.view.open if todo.role == "agent"]
    runnable = [candidate.todo for candidate in turn.frontier.runnable]
    summary: dict[str, Any] = {
        "open_count": len(todos),
        "first_open_items": _lane(todos, evaluation),
        "first_executable_items": _lane(runnable, evaluation),
        "executable_backlog_items": _lane([candidate.todo for candidate in turn.frontier.candidates], evaluation),
    }
    return summary | {name: _lane(lane, evaluation) for name, lane in agent_lanes(turn.view).items()}


def handoff_gates(evaluation: Evaluation) -> list[dict[str, Any]]:
    """``handoff_gates[]`` over all todos that block an agent, finished ones included."""
    view, file = evaluation.turn.view, evaluation.snapshot.state.file
    return [
        {
            "schema_version": "todo_handoff_gate_v0",
            "todo_id": todo.todo_id,
            "blocks_agent": todo.blocks_agent,
            "owner": todo.claimed_by or view.snapshot.goal.primary_agent,
            "gate_state": handoff_state(todo, view),
            "route_continuation_replan_required": is_stale(todo) and handoff_state(todo, view) == "blocking",
            "at": source_at(todo, file),
        }
        for todo in view.handoffs
    ]


def deferred_lanes(evaluation: Evaluation) -> dict[str, Any]:
    """The deferred lanes; agent-scoped ones only where the caller is named."""
    view = evaluation.turn.view
    ready = resumable(view)
    lanes = {"deferred_items": view.deferred, "deferred_resume_candidates": ready}
    if view.me:
        lanes |= {
            "current_agent_deferred_resume_candidates": [todo for todo in ready if todo.claimed_by == view.me],
            "unclaimed_deferred_resume_candidates": [todo for todo in ready if not todo.claimed_by],
            "other_agent_deferred_resume_candidates": [
                todo for todo in ready if todo.claimed_by and todo.claimed_by != view.me
            ],
        }
    return {name: _lane(lane, evaluation) for name, lane in lanes.items()}


def lane_next_action(evaluation: Evaluation) -> dict[str, Any] | None:
    """``agent_lane_next_action``: a pointer for this agent that leaves the goal's Next Action alone."""
    turn = evaluation.turn
    runnable = turn.frontier.runnable
    if not turn.view.me or not runnable:
        return None
    candidate = runnable[0]
    return {
        "schema_version": "agent_lane_next_action_v0",
        "agent_id": turn.view.me,
        "todo_id": candidate.todo.todo_id,
        "text": cut(candidate.todo.text, 160),
        "claimed": bool(candidate.todo.claimed_by),
        "capability_repair_mode": candidate.repairs,
        "preserves_goal_next_action": True,
    }
