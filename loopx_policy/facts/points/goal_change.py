"""Facts of ``goal_change``: a change of what a goal is, who works on it, where it may write and what it may spend.

Seed: IP-006 (only a structured, sourced, dated approval widens the boundary), IP-019 (registered agents), IP-022 (an
agent's lane does not rewrite the goal's route), the ground states of quota and pause.
"""

from __future__ import annotations

from loopx_policy.facts.points.projection import (
    Document,
    Parameters,
    Projection,
    as_typed,
    identity,
    number,
    part,
    private_texts,
    seconds,
    text,
    texts,
)  # fmt: skip


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``change.*``, ``actor.*``, ``goal.*``, ``agent.*``, ``agents.*``, ``boundary.*``, ``burst.*``."""
    del parameters
    made = Projection()
    goal, actor, keys = part(document, "goal"), part(document, "actor"), texts(document, "keys")
    registered, primary = texts(goal, "registered_agents"), text(goal, "primary_agent")
    me = text(actor, "agent_id")
    who = "operator" if actor["kind"] == "operator" else identity(me, registered, primary)
    made.values.update(
        {
            "change.operation": document["operation"],
            "change.keys": len(set(keys)),
            "change.next_action": "next_action" in keys,
            "change.write_scope": "write_scope" in keys,
            "actor.identity": who,
            "goal.known": bool(text(goal, "goal_id")),
            "goal.paused": goal.get("paused") is not False,
        }
    )
    made.say(
        acting_agent=me or "an unnamed caller",
        registered_agents=registered,
        goal=text(goal, "goal_id"),
        changed_keys=keys,
    )
    boundary = part(document, "boundary")
    scope = next(iter(texts(boundary, "write_scope")), "")
    made.say(owner_ask=_ask(document, keys))
    made.typed["gate_flags"] = as_typed(
        ("--blocks-agent", me if who in ("primary", "side", "peer") else ""),
        ("--decision-scope", f"write_scope:goal:{scope}" if scope else ""),
    )
    _agent(made, part(document, "agent"), registered, primary)
    _boundary(made, boundary, seconds(document, "now"))
    _burst(made, part(document, "burst"), seconds(document, "now"))
    private_texts(made, dict(part(document, "texts")))
    return made


def _ask(document: Document, keys: list[str]) -> str:
    """What the owner would be asked, in one sentence."""
    goal = text(part(document, "goal"), "goal_id") or "the goal"
    agent = text(part(document, "agent"), "agent_id")
    scopes = ", ".join(texts(part(document, "boundary"), "write_scope"))
    asked = {
        "approve_boundary": f"May {scopes} be written?",
        "revoke_boundary": f"Take the approval of {scopes} back?",
        "register_agent": f"Register {agent} for {goal}?",
        "unregister_agent": f"Unregister {agent} from {goal}?",
        "set_quota": f"Change the quota of {goal}?",
        "pause": f"Pause {goal}?",
        "resume": f"Resume {goal}?",
        "burst": f"Allow {goal} a burst?",
    }
    return asked.get(document["operation"], f"Change {', '.join(keys)} of {goal}?")


def _agent(made: Projection, agent: Document, registered: list[str], primary: str) -> None:
    """About the agent that would be registered, or would leave."""
    name, held, awaiting = text(agent, "agent_id"), texts(agent, "holds"), texts(agent, "awaited_by")
    others = [each for each in registered if each != name]
    made.values.update(
        {
            "agent.role": "primary" if name and name == primary else "plain",
            "agent.holds": len(held),
            "agent.awaited": len(awaiting),
            "agents.others": len(others),
        }
    )
    heir = primary if primary in others else next(iter(others), "")
    made.say(leaving_agent=name, held_todos=held, held_todo=held[0] if held else "", awaiting_todos=awaiting, heir=heir)


def _boundary(made: Projection, boundary: Document, now: int | None) -> None:
    scopes = texts(boundary, "write_scope")
    made.values.update(
        {
            "boundary.scopes": len(scopes),
            "boundary.sourced": bool(text(boundary, "source") and text(boundary, "provenance")),
            "boundary.end": _end(boundary, "expires_at", now) if "expires_at" in boundary else "open",
        }
    )
    made.say(asked_scopes=scopes)


def _burst(made: Projection, burst: Document, now: int | None) -> None:
    slots, normal = number(burst, "slots"), burst.get("allowed_slots")
    more = isinstance(normal, int) and slots > normal
    ends = seconds(burst, "until") is not None
    made.values["burst.size"] = "missing" if "slots" not in burst else "more" if more else "no_more"
    made.values["burst.end"] = _end(burst, "until", now) if ends else "missing"
    made.say(normal_slots=str(normal) if isinstance(normal, int) else "")


def _end(document: Document, name: str, now: int | None) -> str:
    end = seconds(document, name)
    return "ahead" if end is not None and now is not None and end > now else "past"
