"""Who is who in a project that is made to show a record, and the plan of its open todos."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.record import Record
from loopx_policy.errors import LoopxError

Json = dict[str, Any]

PRIMARY, SIDE, OTHER = "main-agent", "side-agent", "quay-agent"
STRAY, GUEST = "stray-agent", "guest-agent"


class UnrealisableError(LoopxError):
    """A record that no project shows, as far as the realiser knows: an axiom is missing, or a rule blocks otherwise."""

    kind = "unrealisable"


@dataclass(slots=True, frozen=True)
class Cast:
    """``me`` is the caller's name or empty; ``agents`` are registered; ``elsewhere`` is another agent than the caller.

    Where ``several`` agents are registered, a gate has to say whom it blocks.
    """

    me: str
    agents: tuple[str, ...]
    primary: str
    elsewhere: str

    @property
    def several(self) -> bool:
        return len(self.agents) > 1


def cast(record: Record) -> Cast:
    """The agents of a record's identity.

    A full lane may have to be filled with gates of the caller, which then must not name it: that takes a goal with a
    single agent.
    """
    held = PRIMARY if record["others.primary"] else ""
    alone = bool(record["lanes.hidden"]) and not record["gates.elsewhere"]
    match record["agent.identity"]:
        case "anonymous":
            return Cast("", (), held, OTHER)
        case "guest":
            return Cast(GUEST, (), held, OTHER)
        case "missing":
            return Cast("", (PRIMARY,), held, PRIMARY)
        case "unknown":
            return Cast(STRAY, (PRIMARY,), held, PRIMARY)
        case "primary":
            return Cast(PRIMARY, (PRIMARY,) if alone else (PRIMARY, OTHER), PRIMARY, OTHER)
        case "side":
            return Cast(SIDE, (SIDE,) if alone else (PRIMARY, SIDE, OTHER), PRIMARY, OTHER)
    return Cast(SIDE, (SIDE,) if alone else (SIDE, OTHER), "", OTHER)


@dataclass(slots=True)
class Scene:
    """The project so far: todos of the user's and the agents' lists as parts of a snapshot document, in file order.

    ``stuck`` are blocked todos of the caller or of nobody; ``spare`` are open todos that lie in no pile that a fact
    counts. ``leases`` and ``bullets`` are as in the document. ``held_lane`` asks that a full lane be one of held work.
    """

    record: Record
    cast: Cast
    facts: Mapping[str, Fact]
    held_lane: bool = False
    gates: list[Json] = field(default_factory=list)
    gates_elsewhere: list[Json] = field(default_factory=list)
    actions: list[Json] = field(default_factory=list)
    actions_elsewhere: list[Json] = field(default_factory=list)
    frontier: list[Json] = field(default_factory=list)
    monitors: list[Json] = field(default_factory=list)
    others: list[Json] = field(default_factory=list)
    stuck: list[Json] = field(default_factory=list)
    spare: list[Json] = field(default_factory=list)
    parked: list[Json] = field(default_factory=list)
    finished: list[Json] = field(default_factory=list)
    leases: list[Json] = field(default_factory=list)
    bullets: list[str] = field(default_factory=list)
    write_scope: list[str] = field(default_factory=list)
    capabilities: list[str] = field(default_factory=list)

    def count(self, fact: str) -> int:
        """A count of the record."""
        return int(self.record[fact])

    def full(self, fact: str) -> bool:
        """Whether a count stands at its maximum, so that there may be more than it says."""
        return self.count(fact) == self.facts[fact].maximum


def todo(prefix: str, number: int, text: str, **fields: Any) -> Json:
    """A todo with an id such as ``todo_a01``; fields without a value are left out."""
    kept = {name: value for name, value in fields.items() if value not in (None, "", (), [], False)}
    return {"todo_id": f"todo_{prefix}{number:02d}", "text": text, **kept}
