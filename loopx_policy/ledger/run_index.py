"""The run index as it stands on disk: how long it is, and which run an exact time names.

Source: the run index; the direct-write contract asks for one exact row and for the raw number of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from ..model import Run
from ..project.files import open_regular
from ..project.pending import read_pending
from ..project.runs import LINE_LIMIT, artifact, identity_of, read_runs, row_of
from .events import encode
from .places import Ground

Json = dict[str, Any]
IDENTITY = ("generated_at", "json_path", "markdown_path")
"""What an overlay shares with the row that it lies over."""
_LATEST = 400


@dataclass(slots=True)
class Named:
    """The runs that a time names: ``rows`` has the first line of each.

    ``lines`` counts every line of the index, overlays and torn ones included; ``near`` are times of other runs that
    look alike; ``available`` says that a file of the one run can be read.
    """

    lines: int
    rows: list[Json] = field(default_factory=list)
    near: list[str] = field(default_factory=list)
    available: bool = False

    @property
    def key(self) -> str:
        """The identity of the one run in one text; empty where there is none, or more than one."""
        return "|".join(str(self.rows[0].get(name) or "") for name in IDENTITY) if len(self.rows) == 1 else ""


def find_run(here: Ground, generated_at: str) -> Named:
    """The runs of the goal that were recorded at exactly this time, as it is written in the index.

    Rows that say nothing about the goal's state (IP-023) are no runs.
    """
    lines = index_lines(here)
    found = Named(len(lines))
    known: set[object] = set()
    for row in _runs(here, [line for line in lines if _may_hold(line, encode(generated_at))]):
        identity = identity_of(row) or object()
        if row.get("generated_at") == generated_at and identity not in known:
            known.add(identity)
            found.rows.append(row)
    if not found.rows:
        times = {str(row.get("generated_at")): None for row in _runs(here, lines[-_LATEST:])}
        found.near = get_close_matches(generated_at, list(times), n=2)
    if len(found.rows) == 1:
        found.available = any(_exists(here, found.rows[0].get(name)) for name in IDENTITY[1:])
    return found


def open_gate_rows(here: Ground, gate_id: str) -> int:
    """How many gates that stand in rows only (``operator_gate.gate_id`` without a decision) have this id: 0 or 1."""
    last: Json = {"decision": "none was asked"}
    for row in _runs(here, [line for line in index_lines(here) if _may_hold(line, encode(gate_id))]):
        gate = row.get("operator_gate")
        if isinstance(gate, dict) and gate.get("gate_id") == gate_id:
            last = gate
    return 0 if last.get("decision") else 1


def every_run(here: Ground) -> list[Run]:
    """All rows of the index, newest first, however far back."""
    return read_runs(
        here.places.runs,
        goal_id=here.goal.goal_id,
        window_start=-(10**12),
        neutral=here.caller.neutral,
        pending=read_pending(here.places.folder),
    ).rows


def index_lines(here: Ground) -> list[bytes]:
    """Every line of the index that is not blank, with one that a killed writer left to be appended."""
    lines: list[bytes] = []
    with suppress(FileNotFoundError), open_regular(here.places.index) as stream:
        while line := stream.readline(LINE_LIMIT):
            if line.strip():
                lines.append(line)
    due = read_pending(here.places.folder).line(here.places.index)
    if due and lines and due.startswith(lines[-1]):
        lines.pop()  # a part of the line that is due
    return [*lines, due] if due else lines


def _may_hold(line: bytes, value: bytes) -> bool:
    """Whether a text may stand in a line of JSON; an escaped one cannot be told from outside."""
    return value in line or b"\\u" in line


def _runs(here: Ground, lines: Sequence[bytes]) -> list[Json]:
    goal_id, neutral = here.goal.goal_id, here.caller.neutral
    rows = [row for line in lines if (row := row_of(line)) is not None]
    return [
        row for row in rows if row.get("goal_id", goal_id) == goal_id and row.get("classification", "") not in neutral
    ]


def _exists(here: Ground, name: object) -> bool:
    return isinstance(name, str) and bool(artifact(name, here.places.runs))
