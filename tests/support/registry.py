"""The registry of a random project: who is registered, what may be written, how much may be spent."""

from __future__ import annotations

from typing import Any

from tests.support.chooser import lean
from tests.support.scene import (
    AGENTS,
    CAPABILITIES,
    DAY,
    GOAL,
    HOUR,
    MERGED,
    ODD_AGENT,
    OTHER_GOAL,
    SCOPES,
    STRANGER,
    Scene,
)
from tests.support.words import ACTIONS

Json = dict[str, Any]

COMPUTE = {"whole": 70, "absent": 12, "half": 10, "zero": 3}
SLOTS = {"absent": 70, "many": 6, "few": 12, "none": 2}
AWAKE = {"primary": 30, "side": 55, "nobody": 4, "stranger": 4}

WAITS = (
    ("external_evidence", 26),
    ("codex", 14),
    ("user_or_controller", 32),
    ("monitor_signal", 16),
    ("focus_wait", 14),
    ("weather_window", 18),
)


def cast_agents(scene: Scene) -> None:
    """Who is registered, who is primary, who is awake."""
    choose = scene.choose
    count = int(choose.weighted([(str(n), w) for n, w in zip("0123", _agent_weights(scene), strict=True)]))
    agents = list(AGENTS[:count])
    if count == 3 and choose.maybe(12):
        agents[2] = ODD_AGENT
    if count > 1 and choose.maybe(15):
        agents.reverse()
    scene.agents = tuple(agents)
    scene.primary = choose.choice(agents) if agents and choose.maybe(20) else agents[0] if agents else ""
    if choose.maybe(14):
        scene.primary = ""
    if not agents:
        scene.me = choose.weighted([(None, 75), (AGENTS[0], 25)])
        return
    awake = choose.weighted(lean(AWAKE, scene.lean.awake))
    sides = [agent for agent in agents if agent != scene.primary] or agents
    scene.me = {
        "primary": scene.primary or agents[0],
        "side": choose.choice(sides),
        "nobody": None,
        "stranger": STRANGER,
    }[awake]


def _agent_weights(scene: Scene) -> list[int]:
    base = {"none": 24, "one": 10, "two": 40, "three": 26}
    return [weight for _, weight in lean(base, scene.lean.agents)]


def build_registry(scene: Scene) -> Json:
    """The whole registry file, with ``$ROOT`` for the folder that the project is laid out in."""
    choose = scene.choose
    goals = [_goal(scene)]
    if choose.maybe(14):
        goals.append({"id": OTHER_GOAL, "status": "active", "repo": "$ROOT/tide", "state_file": "STATE.md"})
        if choose.maybe(50):
            goals.reverse()
    registry: Json = {
        "schema_version": choose.weighted([("0.1", 80), (1, 20)]),
        "updated_at": choose.weighted([("2026-11-30", 60), (scene.at(-DAY), 40)]),
        "common_runtime_root": "$ROOT/runtime",
        "goals": goals,
    }
    if choose.maybe(6):
        registry["x_fleet"] = {"harbors": 3}
    return registry


def _goal(scene: Scene) -> Json:
    choose = scene.choose
    goal: Json = {
        "id": GOAL,
        "status": choose.weighted([("active", 94), ("running", 3), ("planned", 3)]),
        "domain": "harbor",
        "repo": "$ROOT/project",
        "state_file": choose.weighted([("STATE.md", 85), (".loopx/goals/harbor-goal/ACTIVE_GOAL_STATE.md", 15)]),
        "adapter": {
            "kind": "generic_project_goal_v0",
            "status": choose.weighted(
                [("connected", 88), ("connected-delivery", 4), ("connected-read-only", 4), ("pre-tick-runnable", 4)]
            ),
        },
    }
    coordination = _coordination(scene)
    if coordination or choose.maybe(50):
        goal["coordination"] = coordination
    quota = _quota(scene)
    if quota or choose.maybe(50):
        goal["quota"] = quota
    if choose.maybe(scene.lean.wait):
        _declare_wait(scene, goal)
    if choose.maybe(scene.lean.floor):
        goal["execution_profile"] = {"outcome_floor": _outcome_floor(scene)}
    if choose.maybe(50 if "waiting_on" in goal else 16):
        goal["control_plane"] = {
            "self_repair": {
                "enabled": choose.maybe(60),
                "allow_health_blocker_repair": choose.maybe(50),
                "allow_waiting_projection_repair": choose.maybe(50),
            }
        }
    if choose.maybe(14):
        required = choose.weighted([(True, 40), (False, 60)])
        goal["workspace_guard_policy"] = {"side_agent_independent_worktree_required": required}
    if choose.maybe(12):
        goal["repository"] = MERGED[0]
    if choose.maybe(6):
        goal["next_probe"] = scene.text()
    if choose.maybe(6):
        goal["spawn_policy"] = {"allowed": False}
        goal["x_berth"] = ["north", "east"]
    return goal


def _coordination(scene: Scene) -> Json:
    choose = scene.choose
    coordination: Json = {}
    if scene.agents:
        shape = choose.weighted([("text", 70), ("id", 12), ("agent_id", 9), ("name", 9)])
        coordination["registered_agents"] = [
            agent if shape == "text" else {shape: agent, "role": "delivery"} for agent in scene.agents
        ]
    if scene.primary:
        coordination["primary_agent"] = scene.primary
    if len(scene.agents) > 1 and choose.maybe(10):
        coordination["side_agent_handoff_agent"] = choose.choice(scene.agents)
    if scene.agents and choose.maybe(10):
        coordination["agent_profiles"] = {agent: {"scope": "delivery"} for agent in scene.agents}
    scopes = choose.weighted([(["**"], 38), (["docs/**", "src/**"], 22), (["docs/**"], 16), ([], 12), (None, 12)])
    if scopes is not None:
        coordination["write_scope"] = scopes
        scene.write_scope = tuple(scopes)
    if choose.maybe(14):
        coordination["available_capabilities"] = choose.some(CAPABILITIES, 3)
    if choose.maybe(10):
        coordination["claim_ttl_minutes"] = choose.choice((30, 120))
    if choose.maybe(scene.lean.authority):
        coordination["checkpointed_boundary_authority"] = [
            _authority(scene) for _ in range(choose.weighted([(1, 60), (2, 30), (3, 10)]))
        ]
    return coordination


AUTHORITY = {
    "fresh": 34,
    "no_expiry": 14,
    "expired": 12,
    "rejected": 12,
    "no_provenance": 8,
    "no_time": 8,
    "future": 8,
    "inactive": 6,
}


def _authority(scene: Scene) -> Json:
    choose = scene.choose
    kind = choose.weighted(list(AUTHORITY.items()))
    entry: Json = {
        "schema_version": "checkpointed_boundary_authority_v0",
        "write_scope": choose.choice(SCOPES),
        "source": "operator_gate",
        "recorded_at": scene.at(-DAY),
        "expires_at": scene.at(DAY),
        "decision": "approve",
        "status": "active",
    }
    match kind:
        case "no_expiry":
            entry["expires_at"] = None
        case "expired":
            entry["expires_at"] = scene.at(-HOUR)
        case "rejected":
            entry["decision"] = "reject"
        case "no_provenance":
            del entry["source"]
        case "no_time":
            del entry["recorded_at"]
        case "future":
            entry["recorded_at"] = scene.at(6 * HOUR)
        case "inactive":
            entry["status"] = choose.choice(("revoked", "superseded"))
        case _:
            pass
    return entry


def _quota(scene: Scene) -> Json:
    choose = scene.choose
    quota: Json = {}
    match choose.weighted(lean(COMPUTE, scene.lean.compute)):
        case "whole":
            quota["compute"] = choose.weighted([(1.0, 60), (1, 40)])
        case "half":
            quota["compute"] = 0.5
        case "zero":
            quota["compute"] = choose.weighted([(0, 70), (0.0, 30)])
        case _:
            pass
    if choose.maybe(70):
        quota["window_hours"] = choose.weighted([(24, 85), (1, 8), (168, 7)])
    if choose.maybe(12):
        quota["slot_minutes"] = choose.choice((1, 5, 60))
    match choose.weighted(lean(SLOTS, scene.lean.slots)):
        case "many":
            quota["allowed_slots"] = 1000
        case "few":
            quota["allowed_slots"] = choose.choice((2, 1, 3, 4))
        case "none":
            quota["allowed_slots"] = 0
        case _:
            pass
    if choose.maybe(8):
        quota["next_eligible_at"] = scene.at(choose.weighted([(-HOUR, 45), (HOUR, 55)]))
    return quota


def _declare_wait(scene: Scene, goal: Json) -> None:
    choose = scene.choose
    word = choose.weighted(WAITS)
    match choose.weighted([("waiting_on", 65), ("attention", 15), ("both", 20)]):
        case "attention":
            goal["attention_status"] = word
        case "both":
            goal["waiting_on"] = word
            goal["attention_status"] = choose.weighted([(word, 60), ("focus_wait", 40)])
        case _:
            goal["waiting_on"] = word
    if choose.maybe(70):
        goal["recommended_action"] = choose.choice(ACTIONS)


def _outcome_floor(scene: Scene) -> Json:
    choose = scene.choose
    floor: Json = {}
    if choose.maybe(55):
        floor["surface_streak_threshold"] = choose.weighted([(3, 40), (2, 40), (5, 20)])
    if choose.maybe(80):
        floor["must_advance"] = choose.some(("outcome_evidence", "berth_metric", "validated_writeback"), 2)
    if choose.maybe(30):
        floor["avoid"] = ["docs_only_refresh"]
    if choose.maybe(30):
        floor["outcome_markers"] = ["primary_goal_outcome"]
    return floor
