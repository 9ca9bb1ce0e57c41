"""Masking MC/DC of the rules: whether the fixtures show each comparison of each condition deciding alone.

A comparison decides in a record where turning it round, everything else as it is, turns the whole condition round.
It is covered where the fixtures have a record in which it decides and is true, and one in which it decides and is
false (masking modified condition/decision coverage, as in DO-178C's CAST-6 paper, for each comparison as it stands).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.conditions import AllOf, Compare, Condition
from loopx_policy.engine.evaluate import conditions
from loopx_policy.engine.interpret import compile_test
from loopx_policy.workshop.bench import Record, Situation, distinct
from loopx_policy.workshop.words import comparison

Path = tuple[int, ...]


@dataclass(slots=True)
class Leaf:
    """One comparison: where it stands in which condition, and the situations that show it deciding."""

    point: str
    key: str
    path: Path
    compare: Compare
    shown: dict[bool, str] = field(default_factory=dict)
    excused: str = ""

    @property
    def id(self) -> str:
        """``quota_spend case:IP-001.spent spend.operation: spend``: what an excuse names."""
        return f"{self.point} {self.key} {comparison(self.compare)}"

    @property
    def covered(self) -> bool:
        return len(self.shown) == 2

    @property
    def lacks(self) -> list[bool]:
        """The values with which it is never seen to decide."""
        return [value for value in (True, False) if value not in self.shown]

    def to_dict(self) -> dict[str, Any]:
        return {
            "point": self.point,
            "key": self.key,
            "comparison": comparison(self.compare),
            "shown_true": self.shown.get(True, ""),
            "shown_false": self.shown.get(False, ""),
            "excused": self.excused,
        }


@dataclass(slots=True)
class Coverage:
    """``unused`` are excuses that name nothing, or something that is covered."""

    leaves: list[Leaf]
    unused: list[str]

    @property
    def missing(self) -> list[Leaf]:
        return [leaf for leaf in self.leaves if not leaf.covered and not leaf.excused]

    def by_pattern(self) -> dict[str, dict[str, int]]:
        """``{IP-001: {all, covered}}``; what is excused counts as covered."""
        found: dict[str, dict[str, int]] = {}
        for leaf in self.leaves:
            each = found.setdefault(_pattern(leaf.key), {"all": 0, "covered": 0})
            each["all"] += 1
            each["covered"] += leaf.covered or bool(leaf.excused)
        return dict(sorted(found.items()))

    def to_dict(self) -> dict[str, Any]:
        done = sum(leaf.covered for leaf in self.leaves)
        excused = sum(bool(leaf.excused) and not leaf.covered for leaf in self.leaves)
        return {
            "schema_version": "loopx_coverage_v0",
            "comparisons": len(self.leaves),
            "covered": done,
            "excused": excused,
            "missing": [leaf.to_dict() for leaf in self.missing],
            "unused_excuses": self.unused,
        }


def cover(
    catalog: Catalog, found: Sequence[Situation], excuses: Mapping[str, str], patterns: Sequence[str] = ()
) -> Coverage:
    """Which comparisons of the catalog, or of some patterns, the situations show deciding.

    ``excuses`` are reasons by ``Leaf.id``.
    """
    leaves: list[Leaf] = []
    for point in catalog.points:
        records = distinct(found, point)
        for key, condition in conditions(catalog, point).items():
            if patterns and _pattern(key) not in patterns:
                continue
            leaves += [_covered(Leaf(point, key, path, leaf), condition, records) for path, leaf in walk(condition)]
    for leaf in leaves:
        if not leaf.covered:
            leaf.excused = excuses.get(leaf.id, "")
    needed = {leaf.id for leaf in leaves if leaf.excused}
    return Coverage(leaves, [name for name in excuses if name not in needed and not patterns])


def _pattern(key: str) -> str:
    """``IP-021`` of ``case:IP-021.ask_owner``."""
    return key.partition(":")[2].partition(".")[0]


def _covered(leaf: Leaf, condition: Condition, records: Iterable[tuple[Record, Situation]]) -> Leaf:
    test = compile_test(leaf.compare)
    decides = Decides(condition, leaf.path)
    for record, situation in records:
        value = test(record)
        if value not in leaf.shown and decides(record):
            leaf.shown[value] = situation.label
            if len(leaf.shown) == 2:
                break
    return leaf


def walk(condition: Condition, path: Path = ()) -> Iterator[tuple[Path, Compare]]:
    """The comparisons of a condition in reading order, each with its place."""
    if isinstance(condition, Compare):
        yield path, condition
        return
    for number, part in enumerate(condition.parts):
        yield from walk(part, (*path, number))


class Decides:
    """Whether the comparison at a place decides its condition in a record."""

    __slots__ = ("_quiet",)

    def __init__(self, condition: Condition, path: Path) -> None:
        # Beside it, whatever is joined by "all" must be true, and whatever is joined by "any" or "none" false.
        self._quiet = []
        for number in path:
            assert not isinstance(condition, Compare)
            wanted = isinstance(condition, AllOf)
            for other, part in enumerate(condition.parts):
                if other != number:
                    self._quiet.append((compile_test(part), wanted))
            condition = condition.parts[number]

    def __call__(self, record: Record) -> bool:
        return all(test(record) is wanted for test, wanted in self._quiet)
