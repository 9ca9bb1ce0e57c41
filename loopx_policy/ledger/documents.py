"""Parts of the documents that decision points read, taken from a snapshot."""

from __future__ import annotations

from typing import Any

from ..model import Goal, Snapshot, Todo
from .places import Caller, Ground

Json = dict[str, Any]


def goal_part(goal: Goal) -> Json:
    """The goal as its registry entry describes it."""
    return {**lane_part(goal), "side_agent_handoff_agent": goal.handoff_agent}


def lane_part(goal: Goal) -> Json:
    """The goal with its agents, for points about a lane's rows and slots."""
    return {"goal_id": goal.goal_id, "registered_agents": list(goal.agents), "primary_agent": goal.primary_agent}


def actor_part(caller: Caller, operator: bool) -> Json:
    """Who takes a step: a person who says so, or an agent, named or not."""
    if operator:
        return {"kind": "operator"}
    return {"kind": "agent", "agent_id": caller.agent_id}


def row_part(here: Ground, operation: str, operator: bool, texts: Json) -> Json:
    """A run row that is no delivery, as ``state_refresh`` reads it; ``texts`` is what the caller typed."""
    goal = goal_part(here.goal)
    goal.pop("side_agent_handoff_agent")
    agent = None if operator else here.caller.agent_id
    return {
        "operation": operation,
        "goal": goal,
        "actor": actor_part(here.caller, operator),
        "agent_id": agent,
        "decision_agent_id": agent,
        "texts": texts,
    }


def change_part(here: Ground, operator: bool) -> Json:
    """What every document of ``goal_change`` says: who changes which goal, and when."""
    goal = goal_part(here.goal) | {"paused": here.goal.quota.compute <= 0}
    return {"actor": actor_part(here.caller, operator), "goal": goal, "now": here.caller.now}


def todo_part(todo: Todo, decided: bool = False) -> Json:
    """A todo with its metadata; ``decided`` says that a recorded operator decision answers it."""
    part: Json = {
        "todo_id": todo.todo_id,
        "role": todo.role,
        "status": todo.status,
        "claimed_by": todo.claimed_by,
        "blocks_agent": todo.blocks_agent,
        "global_gate": todo.global_gate,
        "unblocks_todo_id": todo.unblocks_todo_id,
        "superseded_by": todo.superseded_by,
        "successor_todo_ids": list(todo.successor_todo_ids),
        "no_followup": todo.no_followup,
        "route_continuation_replan_required": todo.route_continuation_replan_required,
        "decided": decided,
    }
    if todo.task_class:
        part["task_class"] = todo.task_class
    return part


def find_todo(snapshot: Snapshot, todo_id: str) -> Todo | None:
    """The active todo with this id."""
    return next((todo for todo in snapshot.state.todos if todo.todo_id == todo_id), None)
