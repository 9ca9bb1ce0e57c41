"""What earlier rows of the run index say to a writer: deliveries with the decision they stand under, slots spent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..model import Run
from ..project.runs import SPENT, read_payload, unvoided
from ..project.times import parse_time
from .places import Ground

Json = dict[str, Any]


@dataclass(slots=True, frozen=True)
class Recorded:
    """A row of an agent with what its payload keeps.

    ``decisions`` are those that the turn ran under, oldest first; ``frontier`` the surfaces as of ``frontier_at``
    (seconds), and ``replan`` the standing of the lane's replan obligation, both at its writing; ``delivery`` says what
    was done.
    """

    run: Run
    decisions: tuple[Json, ...]
    frontier: Json | None
    frontier_at: int
    replan: str
    delivery: Json


def recorded(here: Ground, agent: str | None = None, *, neutral: bool = False) -> Iterator[Recorded]:
    """Rows with a recorded decision, newest first: of one agent (empty: of nobody), or of all for ``None``.

    Status-neutral rows are among them only with ``neutral``.
    """
    for run in here.snapshot.runs.rows:
        if agent in (None, run.agent_id) and (neutral or run.classification not in here.caller.neutral):
            found = recorded_in(here, run)
            if found is not None:
                yield found


def recorded_in(here: Ground, run: Run) -> Recorded | None:
    """A row with what its payload keeps; ``None`` where no decision is recorded in it."""
    payload = read_payload(str(run.raw.get("json_path") or ""), here.places.runs) or {}
    frontier, delivery, also = (payload.get(key) for key in ("frontier", "delivery", "also_under"))
    listed = [payload.get("decision"), *(also if isinstance(also, list) else ())]
    decisions = tuple(one for one in listed if isinstance(one, dict))
    if not decisions:
        return None
    at = seconds(payload.get("frontier_at"))
    known = isinstance(frontier, dict) and at is not None
    return Recorded(
        run=run,
        decisions=decisions,
        frontier=frontier if known else None,
        frontier_at=at or 0,
        replan=str(payload.get("replan", "none")),
        delivery=delivery if isinstance(delivery, dict) else {},
    )


def seconds(stamp: object) -> int | None:
    """A time as the ledger writes it, in seconds."""
    time = parse_time(stamp) if isinstance(stamp, str) else None
    return time[0] if time else None


@dataclass(slots=True, frozen=True)
class Spending:
    """A row that booked slots: for which run, with the mark of its artifact, and whether they were taken back."""

    run: Run
    spent_on: str
    mark: str
    voided: bool


def spendings(here: Ground) -> list[Spending]:
    """The bookings that the index shows, newest first."""
    rows = here.snapshot.runs.rows
    standing = {id(run) for run in unvoided(rows, here.caller.now)}
    found: list[Spending] = []
    for run in rows:
        if run.classification == SPENT:
            event = run.raw.get("quota_event")
            event = event if isinstance(event, dict) else {}
            spent_on, mark = (str(event.get(name, "")) for name in ("run", "artifact_mark"))
            found.append(Spending(run, spent_on, mark, id(run) not in standing))
    return found


def booked(here: Ground, run: str) -> int:
    """Slots booked for a run and not taken back."""
    return sum(one.run.slots for one in spendings(here) if one.spent_on == run and not one.voided)
