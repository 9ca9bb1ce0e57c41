"""Which needs of a todo make the candidate rules block it in which ways: tried with the rules themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from loopx_policy.decide import judged
from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.conditions import Value
from loopx_policy.engine.evaluate import conditions
from loopx_policy.engine.interpret import Interpreter
from loopx_policy.engine.record import Record
from loopx_policy.prove.realise.people import has_scoped

Kinds: TypeAlias = frozenset[str]


@dataclass(slots=True, frozen=True)
class Needs:
    """What a todo needs or is under. ``safety``, ``decides`` (it names decision scopes of its own that nothing covers),
    ``linked`` (a gate names it), ``overlapping`` and ``own_lease`` matter only where one candidate record is asked for
    exactly.
    """

    covered: bool = False
    bridge: bool = False
    owner: bool = False
    unsupported: bool = False
    outside: bool = False
    leased: bool = False
    overlapping: bool = False
    own_lease: bool = False
    decides: bool = False
    linked: bool = False
    safety: str = "unstated"


def candidate_record(needs: Needs, turn: Record, mine: bool) -> dict[str, Value]:
    """The candidate record that a todo with these needs has in a turn."""
    blanket, unclear = bool(turn["gates.blanket"]), bool(turn["gates.unclear"])
    scoped = has_scoped(turn)
    lease = "taken" if needs.leased else "overlapping" if needs.overlapping else "mine" if needs.own_lease else "free"
    return {
        "candidate.claim": "mine" if mine else "unclaimed",
        "candidate.safety": needs.safety,
        "candidate.requires_decision": needs.covered or needs.decides,
        "gate.blanket": blanket,
        "gate.unclear": unclear,
        "gate.scoped": scoped,
        "gate.covers": needs.covered and scoped,
        "capability.lacks_bridge": needs.bridge,
        "capability.lacks_owner": needs.owner,
        "capability.lacks_unsupported": needs.unsupported,
        "boundary.projected": not needs.outside,
        "lease.state": lease,
    }


class Judge:
    """The candidate rules of one catalog, asked directly."""

    __slots__ = ("_cases", "_interpreter")

    def __init__(self, catalog: Catalog) -> None:
        self._cases = catalog.cases.get("candidate", ())
        self._interpreter = Interpreter(conditions(catalog, "candidate"))

    def kinds(self, record: Record) -> Kinds | None:
        """The kinds of block of a candidate; empty where it is runnable, None where no rule speaks for it."""
        keys = self._interpreter.matched(record)
        verdict = judged([case for case in self._cases if f"case:{case.key}" in keys])
        return verdict.blocks if verdict.runnable or verdict.blocks else None

    def palette(self, turn: Record) -> dict[Kinds, Needs]:
        """For each set of blocks that some todo of this turn can have, the fewest needs that give it."""
        found: dict[Kinds, Needs] = {}
        for needs in _every():
            kinds = self.kinds(candidate_record(needs, turn, False))
            if kinds is not None:
                found.setdefault(kinds, needs)
        return found


def _every() -> Iterator[Needs]:
    """Every combination of needs, the fewest first."""
    for combination in sorted(product((False, True), repeat=6), key=sum):
        covered, bridge, owner, unsupported, outside, leased = combination
        yield Needs(covered, bridge, owner, unsupported, outside, leased)
