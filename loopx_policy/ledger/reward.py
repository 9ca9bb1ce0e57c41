"""A person's judgement of one exact run: one overlay row over it, and nothing else changes.

Source: the direct-write contract (``decision_write_contract_v0``), the dashboard's reward boundary, IP-014. The command
line and the loopback server call the same ``append_reward``; the point ``decision_write`` decides for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ..facts.points.decision_write import PAYLOAD, SOURCES, preview_id
from ..project.times import iso
from .edits import Append
from .events import encode
from .places import Caller, Ground
from .run_index import IDENTITY, find_run
from .write import Judge, Plan, allow

Json = dict[str, Any]
KIND: Final = "human_reward"
SCHEMA: Final = "human_reward_v0"
EFFECT: Final = (
    "appends one human_reward row to the run index; the run, its payload, every other row and the goal state stay as "
    "they are"
)
VISIBILITY: Final = "loopx history --kind reward shows it; read registry, state and quota anew before acting on it"


@dataclass(slots=True, frozen=True)
class Reward:
    """What the person says. ``run_generated_at`` is the run's time as the index has it; ``preview_id`` may be empty.

    ``reward`` is one of the catalog's ``reward_values``; all texts are one short line.
    """

    run_generated_at: str
    decision: str
    reward: str
    reason_summary: str
    follow_up: str = ""
    preview_id: str = ""

    def payload(self) -> Json:
        """The compact payload that a preview id is bound to."""
        return {name: value for name in PAYLOAD if (value := getattr(self, name))}


@dataclass(slots=True, frozen=True)
class Channel:
    """Where the reward comes from: ``cli`` or ``browser``, the caller's own words, and the server that got them.

    ``append`` is false for a dry-run; ``operator`` says that a person decides, whoever the caller is. ``request`` and
    ``server`` are as the schema of ``decision_write`` has them.
    """

    append: bool
    surface: str = "cli"
    operator: bool = False
    request: Json | None = None
    server: Json | None = None


def append_reward(here: Ground, judge: Judge, reward: Reward, channel: Channel) -> Plan:
    """The plan of one overlay row; its result is the contract, with the ``preview_id`` that holds now.

    ``RefusedError`` where the catalog denies it, ``ConflictError`` where the preview is stale.
    """
    goal_id = here.goal.goal_id
    run = find_run(here, reward.run_generated_at)
    contract = contract_of(goal_id, reward)
    target: Json = {
        "matches": len(run.rows),
        "artifact_available": run.available,
        "run_key": run.key,
        "raw_index_count": run.lines,
        "near": run.near,
    }
    document = document_of(contract, reward, channel, decider(here.caller, channel.operator), target)
    allow(judge, "decision_write", document)
    current = preview_id(goal_id, reward.run_generated_at, run.key, contract, run.lines)
    judged = run.rows[0]
    row = {name: judged[name] for name in IDENTITY if name in judged} | {"goal_id": goal_id}
    row[KIND] = {"schema_version": SCHEMA, "recorded_at": iso(here.caller.now), **reward.payload()}
    result = contract | {"preview_id": current, "recorded_at": iso(here.caller.now)}
    agent_id = judged.get("agent_id")
    if isinstance(agent_id, str) and agent_id:
        result["agent_id"] = agent_id
    said = f"Append the reward {reward.reward} ({reward.decision}) to the run of {reward.run_generated_at}"
    return Plan(said, result, [Append(here.places.index, encode(row))])


def contract_of(goal_id: str, reward: Reward) -> Json:
    """``decision_write_contract_v0`` of a reward, without a ``preview_id``."""
    return {
        "decision_kind": KIND,
        "goal_id": goal_id,
        "target_ref": reward.run_generated_at,
        **reward.payload(),
        "source_of_truth": SOURCES[KIND],
        "write_effect": EFFECT,
        "project_agent_visibility": VISIBILITY,
    }


def document_of(contract: Json, reward: Reward, channel: Channel, actor: Json, target: Json) -> Json:
    """The input of ``decision_write``; an empty ``target`` where nothing is known of the run."""
    document: Json = {
        "decision_kind": KIND,
        "step": "append" if channel.append else "preview",
        "surface": channel.surface,
        "actor": actor,
        "contract": contract | ({"preview_id": reward.preview_id} if reward.preview_id else {}),
        "target": target,
        "effect": {"rows": 1, "rewrites": False},
    }
    return document | {name: value for name in ("request", "server") if (value := getattr(channel, name)) is not None}


def decider(caller: Caller, operator: bool) -> Json:
    """Who decides, as ``decision_write`` reads it: these commands are a person's, unless an agent is named."""
    if operator or caller.agent_id is None:
        return {"kind": "operator"}
    return {"kind": "agent", "agent_id": caller.agent_id}
