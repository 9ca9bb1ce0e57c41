"""The theories of one catalog, made when they are asked for, and the records that stay close to the default."""

from __future__ import annotations

from loopx_policy.catalog_source.laws import Laws
from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.conditions import Value
from loopx_policy.prove.defaults import default_record
from loopx_policy.prove.minimal import minimal
from loopx_policy.prove.result import Shown
from loopx_policy.prove.space import Term
from loopx_policy.prove.theory import CANDIDATE, TURN, Theory


class Theories:
    """Everything that a check asks of one catalog. ``unfounded`` are axioms that rest on an invariant which fails."""

    __slots__ = ("_defaults", "_theories", "catalog", "laws", "unfounded")

    def __init__(self, catalog: Catalog, laws: Laws) -> None:
        self.catalog = catalog
        self.laws = laws
        self._theories: dict[str, Theory] = {}
        self._defaults: dict[str, dict[str, Value]] = {}
        self.unfounded = _unfounded(catalog, laws)

    def of(self, point: str) -> Theory:
        """The theory of a decision point."""
        if point not in self._theories:
            self._theories[point] = Theory(self.catalog, self.laws, point, without=self.unfounded)
        return self._theories[point]

    def default(self, point: str) -> dict[str, Value]:
        """The default record of the space of a decision point: a candidate's has its turn's facts too."""
        if point not in self._defaults:
            found = default_record(self.catalog, point)
            self._defaults[point] = {**self.default(TURN), **found} if point == CANDIDATE else found
        return self._defaults[point]

    def shown(self, point: str, *terms: Term) -> Shown | None:
        """The plainest record that meets the terms, if any does."""
        default = self.default(point)
        record = minimal(self.of(point), terms, default)
        if record is None:
            return None
        return Shown(point, record, {name: value for name, value in record.items() if value != default[name]})

    @property
    def relied(self) -> set[str]:
        """The axioms that ruled something out so far."""
        return {name for theory in self._theories.values() for name in theory.relied}


def _unfounded(catalog: Catalog, laws: Laws) -> frozenset[str]:
    """Axioms of the projection that rest on the candidate rules, where these do not keep what they rest on.

    The invariants are judged without any axiom, so that no axiom can vouch for itself.
    """
    resting = [axiom for axiom in laws.axioms if axiom.rests_on]
    wanted = {name for axiom in resting for name in axiom.rests_on}
    failing: set[str] = set()
    for point in {invariant.point for invariant in laws.invariants if invariant.id in wanted}:
        theory = Theory(catalog, Laws(), point)
        resting_on = [it for it in laws.invariants if it.id in wanted and it.point == point]
        failing |= {it.id for it in resting_on if theory.possible(theory.violated(it))}
    return frozenset(axiom.id for axiom in resting if failing.intersection(axiom.rests_on))
