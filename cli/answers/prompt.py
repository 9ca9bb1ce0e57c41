"""The thin prompt for a host's automation: who asks, for what, and to obey the contract; nothing of today's work."""

from __future__ import annotations

import os
import shlex
from typing import Any

from loopx_policy.errors import UsageError
from loopx_policy.model import Goal
from loopx_policy.project.reader import invocation

from ..request import Globals, Result
from .goals import registered

SCHEMA = "heartbeat_prompt_v0"

TEMPLATE = """\
You are {who} on goal `{goal}`, woken by a heartbeat for one turn.
{scope}
1. Before you read or change anything else, run

       {guard}

   Exit code 0 or 3 with JSON on standard output is the answer. Anything else: report the message and end the turn.
2. Its `interaction_contract` decides this turn. It outranks this prompt, your memory and any note.
   - user_channel: on NOTIFY tell the user the items and the reason, once; if `action_required`, ask for just that.
     On DONT_NOTIFY say nothing.
   - agent_channel: `must_attempt` means do the `primary_action` now. Without `delivery_allowed` that one step is all
     you may do. Choose among `candidates` only; leave what is `blocked` alone. If you need not attempt anything and
     `quiet_noop_allowed` is true, end the turn without a word.
   - cli_channel: its commands run as printed. Spend only if `spend_after_validation` is true, only after the work is
     validated and written back, and only as `spend_policy` says.
   - Carry out every entry of `obligations` that is of kind `agent`; tell the user those of kind `user`.
3. Claim a todo before you work on it, and stay inside its write scopes.
{worktree}4. Validate, then write back before the turn ends: what was done with its evidence, what blocks, what comes
   next, each as a todo. An empty turn is not progress.
5. {identity}
6. Keep this prompt as it is. Something to watch or to follow up is a todo, never a line added here. To renew it:

       {renew}
"""


def heartbeat_prompt(
    options: Globals, goal_id: str | None, agent_id: str | None, capabilities: tuple[str, ...], scope: str | None
) -> Result:
    """One prompt for ``agent_id``, or one for each registered agent.

    An agent that the goal does not register is a usage error: a prompt with it would only be sent back.
    """
    invocation(agent_id, capabilities)
    goal = chosen(options, goal_id)
    if agent_id is not None and goal.agents and agent_id not in goal.agents:
        known = ", ".join(goal.agents)
        raise UsageError(f"Goal {goal.goal_id} registers no agent {agent_id}.", fix=f"Name one of {known}.")
    agents: list[str | None] = [agent_id] if agent_id is not None or not goal.agents else list(goal.agents)
    prompts = [_one(options, goal, agent, capabilities, scope) for agent in agents]
    return Result({"schema_version": SCHEMA, "goal_id": goal.goal_id, "prompts": prompts}, "prompt")


def chosen(options: Globals, goal_id: str | None) -> Goal:
    """The goal of that id, or the registry's only one. A prompt needs the registry alone, not the state."""
    path, goals = registered(options)
    name = os.path.basename(path)
    ids = ", ".join(goal.goal_id for goal in goals)
    if goal_id is None and len(goals) != 1:
        raise UsageError(f"The registry has {len(goals)} goals.", at=name, fix=f"Name one with --goal-id: {ids}.")
    for goal in goals:
        if goal_id is None or goal.goal_id == goal_id:
            return goal
    raise UsageError(f"No goal {goal_id!r} is registered.", at=name, fix=f"Registered: {ids}.")


def _one(
    options: Globals, goal: Goal, agent: str | None, capabilities: tuple[str, ...], scope: str | None
) -> dict[str, Any]:
    told = " ".join((scope if scope is not None else profile_scope(goal, agent)).split())
    flags = ["--goal-id", goal.goal_id, *(["--agent-id", agent] if agent else [])]
    for capability in capabilities:
        flags += ["--available-capability", capability]
    for name, value in (("--registry", options.registry), ("--runtime-root", options.runtime_root)):
        flags += [name, os.path.abspath(value)] if value else []
    for folder in options.rules:
        flags += ["--rules", os.path.abspath(folder)]
    guard = shlex.join(["loopx", "--format", "json", "quota", "should-run", *flags])
    renew = ["loopx", "heartbeat-prompt", *flags, *(["--scope", scope] if scope is not None else [])]
    side = bool(agent and goal.primary_agent and agent != goal.primary_agent)
    guarded = side and goal.side_agent_worktree_required
    prompt = TEMPLATE.format(
        who=f"agent `{agent}`" if agent else "the agent",
        goal=goal.goal_id,
        scope=f"Your scope: {told.rstrip('.')}.\n" if told else "",
        guard=guard,
        worktree="   Edit files only in an independent git worktree, on a branch of your own.\n" if guarded else "",
        identity=f"Give `--agent-id {shlex.quote(agent)}` to every later `loopx` command of this turn that takes one."
        if agent
        else "Give the same `--goal-id` to every later `loopx` command of this turn.",
        renew=shlex.join(renew),
    )
    return {"agent_id": agent, "scope": told, "guard": guard, "prompt": prompt}


def profile_scope(goal: Goal, agent: str | None) -> str:
    """What the registry says an agent is for: its profile's ``scope``, else ``role``, on one line."""
    coordination = goal.raw.get("coordination")
    profiles = coordination.get("agent_profiles") if isinstance(coordination, dict) else None
    profile = profiles.get(agent) if isinstance(profiles, dict) and agent else None
    if isinstance(profile, str):
        return " ".join(profile.split())
    if isinstance(profile, dict):
        for key in ("scope", "role"):
            if isinstance(profile.get(key), str):
                return " ".join(profile[key].split())
    return ""
