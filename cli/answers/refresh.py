"""``loopx refresh-state``: the row of a turn."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from loopx_policy.errors import UsageError
from loopx_policy.facts.points.state_refresh import SURFACES
from loopx_policy.ledger import refreshes
from loopx_policy.project.grammar import is_action_kind

from ..request import Result
from .writing import Writer, observed

OUTCOMES = ("surface_only", "outcome_gap", "outcome_progress", "primary_goal_outcome")
SCOPES = ("goal", "agent_lane")


def refresh(writer: Writer, said: dict[str, Any]) -> Result:
    """Record what a turn did; ``said`` are the fields of ``ledger.refreshes.Refresh``."""
    checked(said)
    return observed(
        writer,
        "refresh-state",
        {**said, "capabilities": list(writer.available_capability)},
        lambda here, judge, observer: refreshes.refresh(here, judge, observer, refreshes.Refresh(**said)),
        remembered=False,
    )


def checked(said: dict[str, Any]) -> None:
    """``UsageError`` for a word that is none of those an option takes."""
    for flag, word, known in (
        ("--delivery-outcome", said["outcome"], OUTCOMES),
        ("--progress-scope", said["progress_scope"], SCOPES),
        *(("--repair-delta-kind", kind, SURFACES) for kind in said["delta_kinds"]),
    ):
        if word and word not in known:
            near = get_close_matches(word, known, n=1)
            fix = f"Did you mean {near[0]}?" if near else f"Use one of {', '.join(known)}."
            raise UsageError(f"{flag} {word[:60]} is unknown.", fix=fix)
    for flag, word in (("--classification", said["classification"]), ("--delivery-batch-scale", said["scale"])):
        if word and not is_action_kind(word):
            raise UsageError(
                f"{flag} is no name.", fix="Write a-z first, then a-z, 0-9, _ and -, at most 64 characters."
            )
