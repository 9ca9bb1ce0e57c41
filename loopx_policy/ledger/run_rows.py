"""Rows of the run index: one line, with a payload and a note for people in files beside it.

A row is known by its ``generated_at``, which no other row of the goal has: where several fall into one second, the
later ones count on in the fraction. Source: the run index.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..project.times import iso
from .edits import Append, Edit, Replace
from .events import encode
from .places import Ground

Json = dict[str, Any]
SCHEMA = "loopx_run_v0"
LANE, GOAL = "agent_lane", "goal"


def scope_of(here: Ground) -> str:
    """The ``progress_scope`` of a row that says nothing else: the lane of the agent that writes it, if one is named."""
    return LANE if here.caller.agent_id else GOAL


def new_row(
    here: Ground,
    classification: str,
    recommended_action: str,
    fields: Mapping[str, Any],
    payload: Mapping[str, Any],
    note: Mapping[str, str],
) -> tuple[Json, list[Edit]]:
    """A row and the edits that write it.

    Parameters
    ----------
    fields:  further keys of the row; empty texts and ``None`` are left out
    payload: what stands in the JSON file only
    note:    the lines of the Markdown file by label; empty ones are left out
    """
    stamp = _stamp(here)
    name = _name(stamp)
    row: Json = {
        "generated_at": stamp,
        "goal_id": here.goal.goal_id,
        "classification": classification,
        "recommended_action": recommended_action,
        "health_check": health(here),
        "json_path": f"runs/{name}.json",
        "markdown_path": f"runs/{name}.md",
        "agent_id": here.caller.agent_id or "",
        **fields,
    }
    row = {key: value for key, value in row.items() if value not in ("", None) or key == "recommended_action"}
    told = {"When": stamp, "Agent": here.caller.agent_id or "", **note, "Next": recommended_action}
    lines = [f"# {classification}", "", *(f"- {label}: {text}" for label, text in told.items() if text)]
    runs = here.places.runs
    return row, [
        Append(here.places.index, encode(row)),
        Replace(os.path.join(runs, f"{name}.json"), None, encode({"schema_version": SCHEMA, **row, **payload}) + b"\n"),
        Replace(os.path.join(runs, f"{name}.md"), None, "\n".join(lines).encode() + b"\n"),
    ]


def health(here: Ground) -> str:
    """``health_check`` of a row: ``ok``, or how many things break the contract of the state."""
    snapshot = here.snapshot
    broken = sum(1 for problem in (*snapshot.problems, *snapshot.state.problems) if problem.breaks_contract)
    return f"{broken} contract errors" if broken else "ok"


def _stamp(here: Ground) -> str:
    """The present second, counted on where rows or files of it exist."""
    second = iso(here.caller.now)[:-1]
    taken = -1
    for row in here.snapshot.runs.rows:
        if row.generated_at_text.startswith(second):
            rest = row.generated_at_text[len(second) :].rstrip("Z")
            taken = max(taken, int(rest[1:]) if rest[:1] == "." and rest[1:].isdecimal() else 0)
    while True:
        taken += 1
        stamp = f"{second}.{taken:06d}Z" if taken else f"{second}Z"
        path = os.path.join(here.places.runs, _name(stamp))
        if not (os.path.lexists(f"{path}.json") or os.path.lexists(f"{path}.md")):
            return stamp


def _name(stamp: str) -> str:
    return stamp.replace(":", "")
