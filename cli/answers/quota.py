"""``loopx quota status`` and ``loopx quota plan``: every goal at a glance."""

from __future__ import annotations

from typing import Any

from loopx_policy.decide import Policy
from loopx_policy.decision import Decision, build
from loopx_policy.engine.catalog import Catalog
from loopx_policy.facts.goal import spending
from loopx_policy.facts.view import look
from loopx_policy.model import Snapshot
from loopx_policy.project.goal import slots_at
from loopx_policy.project.times import iso
from loopx_policy.records import replace

from ..request import Globals, Result
from .fleet import over
from .goals import BROKEN, goals_of, is_broken, registry_of, snapshot_of, snapshots
from .inputs import moment
from .policy import load
from .should_run import exit_code

Data = dict[str, Any]


def status(options: Globals, goal_id: str | None) -> Result:
    """``{goals: [{goal_id, ok, compute, window_hours, slot_minutes, allowed, spent, left, paused, ...}]}``.

    Exit code 3 where a goal is not ``ok``: its state is broken, and its figures may be wrong.
    """
    catalog = load(options)
    goals = [in_window(snapshot, catalog) for snapshot in snapshots(options, catalog, goal_id)]
    code = 0 if all(goal["ok"] for goal in goals) else BROKEN
    return Result({"schema_version": "loopx_quota_status_v0", "goals": goals}, "quota_status", code)


def in_window(snapshot: Snapshot, catalog: Catalog) -> Data:
    """What a goal may spend in its window now, and has spent."""
    quota = snapshot.goal.quota
    spent, rows = spending(look(snapshot, catalog.parameters))
    after = quota.next_eligible_at
    allowed = slots_at(quota, snapshot.now)
    burst = allowed != quota.allowed_slots
    return {
        "goal_id": snapshot.goal.goal_id,
        "ok": not is_broken(snapshot),
        "compute": quota.compute,
        "window_hours": quota.window_hours,
        "slot_minutes": quota.slot_minutes,
        "allowed": allowed,
        "spent": spent,
        "left": max(0, allowed - spent),
        "burst_until": iso(quota.burst_until) if burst and quota.burst_until is not None else None,
        "allowed_after_burst": quota.allowed_slots if burst else None,
        "events": len(rows),
        "next_eligible_at": iso(after) if after is not None else None,
        "cooling_down": after is not None and after > snapshot.now,
        "paused": quota.compute <= 0,
    }


def plan(options: Globals, goal_id: str | None) -> Result:
    """``{turns: [{goal_id, agent_id, mode, should_run, ...}]}``: what each agent's next automatic turn would be.

    An agent's workspace is not known before it wakes, so each is taken to stand where it should. Exit code 3 where
    that of a single turn would be.
    """
    catalog = load(options)
    policy = Policy(catalog)
    if goal_id is not None:
        found = _turns(policy, snapshot_of(options, catalog, goal_id))
    else:
        found = _all_turns(policy, options, moment(options))
    turns = [turn for turn, _ in found]
    code = max((each for _, each in found), default=0)
    first = next((turn for turn in turns if turn["should_run"]), None)
    following = {"goal_id": first["goal_id"], "agent_id": first["agent_id"]} if first else None
    return Result({"schema_version": "loopx_quota_plan_v0", "next": following, "turns": turns}, "quota_plan", code)


def _turns(policy: Policy, snapshot: Snapshot) -> list[tuple[Data, int]]:
    agents: list[str | None] = list(snapshot.goal.agents) or [None]
    decisions = [build(policy.evaluate(awake(snapshot, agent))) for agent in agents]
    return [(_turn(decision, snapshot), exit_code(decision)) for decision in decisions]


def _all_turns(policy: Policy, options: Globals, now: int) -> list[tuple[Data, int]]:
    source = registry_of(options)

    def work(part: slice) -> list[tuple[Data, int]]:
        goals = goals_of(options, policy.catalog, now, source, part)
        return [turn for snapshot in goals for turn in _turns(policy, snapshot)]

    return list(over(len(set(source.ids)), work))


def awake(snapshot: Snapshot, agent: str | None) -> Snapshot:
    """The same goal as one of its agents will find it, standing where it should."""
    invocation = replace(snapshot.invocation, agent_id=agent, capabilities=())
    side = agent is not None and agent != snapshot.goal.primary_agent
    workspace = replace(snapshot.workspace, kind="worktree" if side else "primary")
    return replace(snapshot, invocation=invocation, workspace=workspace)


def _turn(decision: Decision, snapshot: Snapshot) -> Data:
    document = decision.to_dict()
    after = snapshot.goal.quota.next_eligible_at
    return {
        "goal_id": decision.goal_id,
        "agent_id": decision.agent_id,
        "should_run": decision.should_run,
        "mode": decision.mode.name,
        "state": decision.state,
        "lead": document["lead"],
        "reason": decision.reason,
        "selected_todo_id": decision.selected,
        "user_items": len(decision.items),
        "not_before": iso(after) if after is not None and after > snapshot.now else None,
        "decision": document,
    }
