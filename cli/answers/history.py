"""``loopx history``: what happened to a goal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loopx_policy.chronicle import KINDS, read_chronicle
from loopx_policy.engine.catalog import Catalog
from loopx_policy.errors import UsageError
from loopx_policy.ledger.places import places_of
from loopx_policy.project.pending import Reading

from ..request import Globals, Result
from .policy import load
from .writing import Writer

Data = dict[str, Any]


def history(options: Globals, goal_id: str | None, agent_id: str | None, kinds: Sequence[str], limit: int) -> Result:
    """``{goal_id, agent_id, kinds, entries, hidden, torn}``; ``limit`` cuts ``entries`` and nothing else."""
    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(f"There is no kind {kind[:40]}.", fix=f"Kinds: {', '.join(KINDS)}.")
    data = read(Writer(options, goal_id, agent_id), load(options), kinds, limit)
    return Result(data, "history")


def read(writer: Writer, catalog: Catalog, kinds: Sequence[str], limit: int) -> Data:
    """What ``history`` shows of the goal that a caller names."""
    agent_id = writer.agent_id
    goal, places = places_of(writer.caller(catalog))
    with Reading(places.folder) as pending:
        told = read_chronicle(places.folder, goal.goal_id, pending)
    entries = [
        entry
        for entry in told.entries
        if (not kinds or entry.kind in kinds) and (agent_id is None or entry.concerns(agent_id))
    ]
    return {
        "schema_version": "loopx_history_v0",
        "goal_id": goal.goal_id,
        "agent_id": agent_id,
        "kinds": list(kinds),
        "entries": [entry.to_dict() for entry in entries[:limit]],
        "hidden": max(0, len(entries) - limit),
        "torn": told.torn,
    }
