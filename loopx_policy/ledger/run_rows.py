"""A new run: one row of the run index, its payload beside it as JSON, and the same for people as Markdown.

Source: the run index and ``runs/<time>.json``, ``runs/<time>.md``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..project.times import iso
from .edits import Append, Edit, Replace
from .events import encode
from .places import Ground

Json = dict[str, Any]


@dataclass(slots=True)
class NewRun:
    """What a command records. ``fields`` stand in the row and in the payload, ``payload`` in the payload alone.

    ``title`` and ``lines`` are the Markdown for people; ``agent_id`` is empty for a row that counts for every lane.
    """

    classification: str
    title: str
    recommended_action: str = ""
    agent_id: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    payload: Mapping[str, Any] = field(default_factory=dict)
    lines: Sequence[str] = ()


@dataclass(slots=True)
class Recorded:
    """The row's time, by which others refer to it, and the edits that write it."""

    generated_at: str
    row: Json
    edits: list[Edit]


def record_run(here: Ground, run: NewRun) -> Recorded:
    """The edits of one new run; no two runs of a goal get the same time."""
    time, name = _free(here)
    row: Json = {
        "generated_at": time,
        "goal_id": here.goal.goal_id,
        "classification": run.classification,
        "recommended_action": run.recommended_action,
        "health_check": health(here),
        "json_path": f"runs/{name}.json",
        "markdown_path": f"runs/{name}.md",
    }
    row |= {"agent_id": run.agent_id, "progress_scope": "agent_lane"} if run.agent_id else {"progress_scope": "goal"}
    row |= run.fields
    document = json.dumps({**row, **run.payload}, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    shown = "\n".join([f"# {run.title}", "", f"{time}, {run.classification}", "", *run.lines]).rstrip() + "\n"
    edits: list[Edit] = [
        Append(here.places.index, encode(row)),
        Replace(os.path.join(here.places.runs, f"{name}.json"), None, document.encode()),
        Replace(os.path.join(here.places.runs, f"{name}.md"), None, shown.encode()),
    ]
    return Recorded(time, row, edits)


def health(here: Ground) -> str:
    """The row's ``health_check``: how much of the project broke its contract when it was written."""
    state = here.snapshot.state
    broken = sum(problem.breaks_contract for problem in (*here.snapshot.problems, *state.problems))
    return "ok" if state.readable and not broken else f"{max(broken, 1)} contract errors"


def _free(here: Ground) -> tuple[str, str]:
    """A time for the row, and the name of its files; within one second, a fraction tells rows apart."""
    second = iso(here.caller.now)
    time, number = second, 0
    while True:
        name = time.replace(":", "")
        if not any(os.path.lexists(os.path.join(here.places.runs, name + end)) for end in (".json", ".md")):
            return time, name
        number += 1
        time = f"{second[:-1]}.{number:06d}Z"
