"""Which pattern reads which fact, and which decision points it decides: from the compiled catalog."""

from __future__ import annotations

from collections.abc import Iterable

from loopx_policy.decide_point import TURNS
from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.conditions import Condition, facts_read
from loopx_policy.records import record

Fact = tuple[str, str]
"""``(point, fact)``."""


@record(frozen=True)
class Use:
    """``readers`` are the patterns that read a fact; ``points`` the decision points for which a pattern has a rule;
    ``declared`` the facts of each point.
    """

    readers: dict[Fact, frozenset[str]]
    points: dict[str, frozenset[str]]
    declared: dict[str, frozenset[str]]

    def decides_turn(self, pattern: str) -> bool:
        """Whether a turn, or a candidate of one, is decided by a pattern."""
        return not self.points.get(pattern, frozenset()).isdisjoint(TURNS)

    def deciding(self, point: str) -> frozenset[str]:
        """The patterns that decide a point."""
        return frozenset(pattern for pattern, points in self.points.items() if point in points)

    def reading(self, facts: Iterable[Fact]) -> dict[str, list[Fact]]:
        """The patterns that read some of the facts, each with those that it reads."""
        found: dict[str, list[Fact]] = {}
        for fact in sorted(facts):
            for pattern in sorted(self.readers.get(fact, ())):
                found.setdefault(pattern, []).append(fact)
        return dict(sorted(found.items()))


def use_of(catalog: Catalog) -> Use:
    """The use that a catalog makes of its facts: in conditions, and in asking for the todos behind one."""
    readers: dict[Fact, set[str]] = {}
    points: dict[str, set[str]] = {}

    def note(pattern: str, point: str, condition: Condition) -> None:
        points.setdefault(pattern, set()).add(point)
        for fact in facts_read(condition):
            readers.setdefault((point, fact), set()).add(pattern)

    for point, cases in catalog.cases.items():
        for case in cases:
            note(case.pattern, point, case.when)
            if case.asks:
                readers.setdefault((point, case.asks), set()).add(case.pattern)
    for duty in catalog.obligations:
        note(duty.pattern, "turn", duty.when)
    for withheld in catalog.withholdings:
        note(withheld.pattern, "turn", withheld.when)
    return Use(
        {fact: frozenset(names) for fact, names in readers.items()},
        {pattern: frozenset(names) for pattern, names in points.items()},
        {name: frozenset(point.facts) for name, point in catalog.points.items()},
    )
