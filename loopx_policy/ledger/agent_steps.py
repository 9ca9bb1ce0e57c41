"""``agent register`` and ``agent unregister``: who may work on a goal, and as what (IP-019)."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from ..errors import UsageError
from ..project.contract import check_contract
from ..project.grammar import is_agent_id
from .documents import change_part
from .places import Ground
from .registry_text import RegistryText
from .write import Judge, Plan, allow

Json = dict[str, Any]
AGENTS = ("coordination", "registered_agents")
PRIMARY = ("coordination", "primary_agent")
HANDOFF = ("coordination", "side_agent_handoff_agent")


def register(
    here: Ground,
    judge: Judge,
    agent: str,
    *,
    primary: bool = False,
    handoff: bool = False,
    scope: str | None = None,
    operator: bool = False,
) -> Plan:
    """Register an agent, or change what a registered one is.

    Parameters
    ----------
    primary: it leads the goal from now on
    handoff: side agents hand their work over to it
    scope:   what it is for, as its heartbeat prompt says

    The result names the todos that break the contract once the goal has this agent: with a second one an open gate
    has to say whom it blocks.
    """
    if not is_agent_id(agent):
        raise UsageError(f"{agent[:60]!r} is no agent id.", fix="Write a-z first, then a-z, 0-9, _.:@-, at most 80.")
    document = {"operation": "register_agent", **change_part(here, operator), "agent": _about(here, agent)}
    allow(judge, "goal_change", document | {"texts": {"agent": agent, "scope": scope}})
    text = RegistryText(here)
    if agent not in here.goal.agents:
        objects = text.get(*AGENTS) or []
        as_object = bool(objects) and all(isinstance(each, dict) for each in objects)
        text.append(*AGENTS, value={"id": agent} if as_object else agent)
    if primary:
        text.put(*PRIMARY, value=agent)
    if handoff:
        text.put(*HANDOFF, value=agent)
    if scope is not None:
        profile = ("coordination", "agent_profiles", agent)
        place = profile if isinstance(text.get(*profile), str) else (*profile, "scope")
        text.put(*place, value=" ".join(scope.split()))
    result: Json = {"agent": agent, "registered_agents": list(dict.fromkeys((*here.goal.agents, agent)))}
    was = here.goal.primary_agent
    result["primary_agent"] = agent if primary else was
    if primary and was not in ("", agent):
        result["previous_primary_agent"] = was
    result["breaks_contract"] = new_errors(here, result["registered_agents"])
    return Plan(f"Register {agent} for {here.goal.goal_id}", result, text.edits())


def unregister(here: Ground, judge: Judge, agent: str, *, operator: bool = False) -> Plan:
    """Take an agent out of the goal. Its profile stays, for the case that it comes back."""
    if agent not in here.goal.agents:
        near = get_close_matches(agent, here.goal.agents, n=1)
        fix = f"Did you mean {near[0]}?" if near else f"Registered: {', '.join(here.goal.agents) or 'nobody'}."
        raise UsageError(f"Goal {here.goal.goal_id} registers no agent {agent[:60]}.", fix=fix)
    document = {"operation": "unregister_agent", **change_part(here, operator), "agent": _about(here, agent)}
    allow(judge, "goal_change", document)
    text = RegistryText(here)
    for number, item in reversed(list(enumerate(text.get(*AGENTS)))):
        if _name(item) == agent:
            text.remove(*AGENTS, number)
    for place in (PRIMARY, HANDOFF):
        if text.get(*place) == agent:
            text.remove(*place)
    left = [each for each in here.goal.agents if each != agent]
    result: Json = {"agent": agent, "registered_agents": left, "breaks_contract": new_errors(here, left)}
    return Plan(f"Unregister {agent} from {here.goal.goal_id}", result, text.edits())


def new_errors(here: Ground, agents: Sequence[str]) -> list[str]:
    """Contract errors that the state has with these agents registered and has not now, each with its place."""
    todos, file = here.snapshot.state.todos, here.snapshot.state.file
    known = {problem.message for problem in check_contract(todos, here.goal.agents, file) if problem.breaks_contract}
    found = [problem for problem in check_contract(todos, agents, file) if problem.breaks_contract]
    return [f"{each.at}: {each.message} {each.fix}".strip() for each in found if each.message not in known]


def _about(here: Ground, agent: str) -> Json:
    """The agent as the document of ``goal_change`` has it."""
    now = here.caller.now
    todos = [todo for todo in here.snapshot.state.todos if todo.status != "done"]
    leased = [each for each in here.snapshot.leases if each.expires_at is None or each.expires_at > now]
    holds = [todo.todo_id for todo in todos if todo.claimed_by == agent]
    holds += [lease.todo_id for lease in leased if lease.owner == agent]
    return {
        "agent_id": agent,
        "holds": list(dict.fromkeys(holds)),
        "awaited_by": [todo.todo_id for todo in todos if todo.blocks_agent == agent],
    }


def _name(item: Any) -> Any:
    return item.get("id") or item.get("agent_id") or item.get("name") if isinstance(item, dict) else item
