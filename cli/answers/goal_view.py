"""``loopx goal list | show`` and ``loopx agent list``: what a goal is, as its owner set it."""

from __future__ import annotations

from typing import Any

from loopx_policy.facts.boundary import rejection
from loopx_policy.model import Goal, Snapshot
from loopx_policy.project.times import iso
from loopx_policy.records import as_dict

from ..request import Globals, Result
from .goals import snapshot_of, snapshots
from .policy import load
from .prompt import profile_scope
from .quota import in_window

Data = dict[str, Any]


def goals(options: Globals) -> Result:
    """``{goals: [{goal_id, status, objective, agents, state_file, open_todos, paused}]}`` in registry order."""
    listed = [
        {
            "goal_id": snapshot.goal.goal_id,
            "status": snapshot.goal.status,
            "objective": snapshot.state.front.get("objective", ""),
            "agents": list(snapshot.goal.agents),
            "state_file": snapshot.goal.state_file,
            "open_todos": sum(todo.status == "open" for todo in snapshot.state.todos),
            "paused": snapshot.goal.quota.compute <= 0,
        }
        for snapshot in snapshots(options, load(options))
    ]
    return Result({"schema_version": "loopx_goal_list_v0", "goals": listed}, "goal_list")


def show(options: Globals, goal_id: str | None) -> Result:
    """Everything that ``goal set``, ``agent``, ``boundary`` and ``quota`` change, as it stands."""
    catalog = load(options)
    snapshot = snapshot_of(options, catalog, goal_id)
    goal, floor = snapshot.goal, snapshot.goal.outcome_floor
    data = {
        "schema_version": "loopx_goal_v0",
        "goal_id": goal.goal_id,
        "status": goal.status,
        "repo": goal.repo,
        "state_file": goal.state_file,
        "objective": snapshot.state.front.get("objective", ""),
        "next_actions": [action.text for action in snapshot.state.next_actions],
        "agents": list(goal.agents),
        "primary_agent": goal.primary_agent,
        "side_agent_handoff_agent": goal.handoff_agent,
        "write_scope": list(goal.write_scope),
        "approvals": approvals(snapshot),
        "quota": in_window(snapshot, catalog),
        "waiting_on": goal.waiting_on,
        "attention_status": goal.attention_status,
        "recommended_action": goal.recommended_action,
        "outcome_floor": {name: _plain(value) for name, value in as_dict(floor).items()} if floor else None,
        "self_repair": repairs(goal),
        "claim_ttl_minutes": goal.claim_ttl_minutes,
    }
    return Result(data, "goal_show")


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def approvals(snapshot: Snapshot) -> list[Data]:
    """Every entry of checkpointed authority; ``rejected`` says why one grants nothing."""
    return [
        {
            "write_scope": list(entry.write_scope),
            "source": entry.source,
            "recorded_at": iso(entry.recorded_at) if entry.recorded_at is not None else None,
            "expires_at": iso(entry.expires_at) if entry.expires_at is not None else None,
            "rejected": rejection(entry, snapshot.now),
        }
        for entry in snapshot.goal.authority
    ]


def repairs(goal: Goal) -> list[str]:
    """What agents may repair of the control plane by themselves."""
    allowed = {
        "health_blocker": goal.allow_health_blocker_repair,
        "waiting_projection": goal.allow_waiting_projection_repair,
    }
    return [name for name, granted in allowed.items() if granted and goal.self_repair_enabled]


def agents(options: Globals, goal_id: str | None) -> Result:
    """``{goal_id, agents: [{agent_id, role, handoff, scope, holds}]}``; role is primary, side or peer."""
    snapshot = snapshot_of(options, load(options), goal_id)
    goal = snapshot.goal
    handoff = goal.handoff_agent or goal.primary_agent
    listed = [
        {
            "agent_id": agent,
            "role": "peer" if not goal.primary_agent else "primary" if agent == goal.primary_agent else "side",
            "handoff": agent == handoff,
            "scope": profile_scope(goal, agent),
            "holds": [t.todo_id for t in snapshot.state.todos if t.claimed_by == agent and t.status != "done"],
        }
        for agent in goal.agents
    ]
    return Result({"schema_version": "loopx_agent_list_v0", "goal_id": goal.goal_id, "agents": listed}, "agent_list")
