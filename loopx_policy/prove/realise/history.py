"""The run index that a record speaks of: rows of the caller's lane, of others, and neutral ones, newest first."""

from __future__ import annotations

from loopx_policy.project.times import iso
from loopx_policy.prove.realise.scene import OTHER, Json, Scene

POLL, PING = "quota_monitor_poll", "readiness_ping"
TARGET = "beacon"
MINUTE = 60
NEVER = 1000
"""A threshold of the outcome floor that no streak of a record reaches."""


def rows_of(scene: Scene, now: int) -> list[Json]:
    """The rows as in a snapshot document, newest first, a minute apart, all inside the quota window."""
    count = scene.count
    since, thin, loop, stalled = (
        count("replan.rows_since"),
        count("cadence.thin_rows"),
        count("replan.repeated_rows"),
        count("replan.stalled_rows"),
    )
    crossed = bool(scene.record["outcome.floor_crossed"])
    lonely = crossed and not stalled  # a row that crosses the floor and stalls nothing: it repeats no action
    durable = max(since, thin, loop + 1 if lonely else 0)
    lane = [_mine(scene, "validated_progress") for _ in range(durable)]
    for number, row in enumerate(lane[:loop]):
        row["recommended_action"] = "Dredge the channel."
        if number < stalled:
            row["delivery_outcome"] = "outcome_gap"
    if lonely:
        lane[loop]["delivery_outcome"] = "outcome_gap"
    for row in lane[:thin]:
        row["delivery_batch_scale"] = "single_surface"
    if durable > since:
        lane[since] |= {"classification": "autonomous_replan", "autonomous_replan_ack": _ack(True)}
    meaningful, neutral = count("runs.meaningful"), count("runs.neutral")
    noops = count("replan.noops")
    plain = noops if scene.full("runs.meaningful") else max(0, min(noops, meaningful - durable))
    idle = [_mine(scene, POLL if number < count("polls.unchanged") else PING) for number in range(neutral)]
    for row in idle[: count("polls.unchanged")]:
        row["monitor_target"] = TARGET
    for row in idle[: noops - plain]:
        row["autonomous_replan_ack"] = _ack(False)
    foreign = {"agent_id": OTHER, "progress_scope": "agent_lane", "classification": "validated_progress"}
    rows = [
        *(_mine(scene, "replan_noop") for _ in range(plain)),
        *idle,
        *lane,
        *(dict(foreign) for _ in range(meaningful - durable - plain)),
    ]
    _carry(scene, rows)
    return [_stamped(row, now - MINUTE * (number + 1)) for number, row in enumerate(rows)]


def floor_of(scene: Scene) -> Json | None:
    """The outcome floor of the goal's entry."""
    crossed, named = bool(scene.record["outcome.floor_crossed"]), bool(scene.record["outcome.target_named"])
    if not crossed and not named:
        return None
    return {"surface_streak_threshold": 1 if crossed else NEVER, "must_advance": ["parity_run"] if named else []}


def _mine(scene: Scene, classification: str) -> Json:
    own = {"agent_id": scene.cast.me, "progress_scope": "agent_lane"} if scene.cast.me else {"progress_scope": "goal"}
    return {**own, "classification": classification}


def _ack(delta: bool) -> Json:
    kinds = ["runnable_todo_set"] if delta else []
    return {"recorded": True, "delta_contract": {"delta_present": delta, "delta_kinds": kinds}}


def _carry(scene: Scene, rows: list[Json]) -> None:
    """Corrections, proposals and a plan ride in the newest rows."""
    for number, row in enumerate(rows[: scene.count("lesson.unpromoted")]):
        row.setdefault("raw", {})["lesson"] = {"id": f"lesson_{number + 1:02d}", "rule": "measure at low tide"}
    for row in rows[: scene.count("dreaming.proposed")]:
        row.setdefault("raw", {})["dreaming_proposal"] = {"title": "a second pier"}
    if scene.count("plan.unwritten") and rows:
        items = [{"text": f"item {number + 1}"} for number in range(scene.count("plan.unwritten"))]
        rows[0].setdefault("raw", {})["plan"] = {"items": items}


def _stamped(row: Json, second: int) -> Json:
    return {"generated_at": iso(second), **row}
