"""Fixtures that are missing, as ready as a program can make them: the situation, not what ought to come of it.

A situation of the shipped fixtures in which the comparison decides is changed, by one or two of the changes that
some near miss makes at the same decision point, until the comparison decides with the other value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import yaml

from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.evaluate import conditions
from loopx_policy.engine.interpret import compile_test
from loopx_policy.errors import LoopxError
from loopx_policy.fixtures.change import changed
from loopx_policy.fixtures.run import Runner
from loopx_policy.fixtures.shape import TURNS
from loopx_policy.workshop.bench import Situation, records_of
from loopx_policy.workshop.coverage import Decides, Leaf
from loopx_policy.workshop.words import comparison, plain

Change = tuple[str, Any]
TRIES = 6000
"""Changed documents that are tried for one comparison."""


@dataclass(slots=True)
class Proposal:
    """A near miss to write: which situation to change, how, and what the catalog says then (which may be wrong)."""

    leaf: Leaf
    situation: Situation
    changes: tuple[Change, ...]
    answer: dict[str, Any]

    def yaml(self) -> str:
        """The near miss as YAML, to be appended to its fixture once its expectation is written."""
        shown = {name: self.answer[name] for name in ("lead", "mode", "verdict", "case") if self.answer.get(name)}
        entry = {
            "name": f"TODO: {comparison(self.leaf.compare)} decides alone",
            "change": {path: plain(value) for path, value in self.changes},
            "expect": {},
        }
        text = yaml.safe_dump([entry], sort_keys=False, allow_unicode=True, width=110)
        said = ", ".join(f"{name} {value}" for name, value in shown.items())
        head = f"# {self.situation.label}\n# {self.leaf.key}; today's answer, to be judged by its seed: {said}\n"
        return head + text


def propose(catalog: Catalog, leaf: Leaf, found: Sequence[Situation]) -> Proposal | None:
    """A situation in which the comparison decides with a value that no fixture shows; ``None`` where none was found."""
    runner = Runner(catalog)
    condition = conditions(catalog, leaf.point)[leaf.key]
    test, decides = compile_test(leaf.compare), Decides(condition, leaf.path)
    wanted = leaf.lacks[0]
    at_point = [each for each in found if leaf.point in each.records]
    near = sorted(
        at_point, key=lambda each: (each.fixture.covers.rpartition(":")[2] != leaf.key.partition(":")[2], each.label)
    )
    pool = _pool(at_point, leaf)
    tries = 0
    for situation in near:
        for changes in _changes(pool):
            tries += 1
            if tries > TRIES:
                return None
            made = _answered(runner, situation, changes)
            if made is None:
                continue
            answer, records = made
            if any(test(record) is wanted and decides(record) for record in records.get(leaf.point, ())):
                return Proposal(leaf, situation, changes, answer)
    return None


def _pool(found: Sequence[Situation], leaf: Leaf) -> list[Change]:
    """Changes that near misses make, those that speak of the fact first."""
    word = leaf.compare.fact.rpartition(".")[2]
    pool: dict[str, Change] = {}
    for situation in found:
        for miss in situation.fixture.near_misses:
            for path, value in miss.changes.items():
                pool.setdefault(f"{path}={value!r}", (path, value))
    return sorted(pool.values(), key=lambda change: (word not in change[0], change[0]))


def _changes(pool: Sequence[Change]) -> Iterator[tuple[Change, ...]]:
    for change in pool:
        yield (change,)
    yield from combinations(pool[:24], 2)


def _answered(
    runner: Runner, situation: Situation, changes: Sequence[Change]
) -> tuple[dict[str, Any], dict[str, Any]] | None:
    given = situation.given
    try:
        for path, value in changes:
            given = changed(given, path, value)
        answer, behind = runner.answer(situation.fixture, given)
    except LoopxError:
        return None
    point = "turn" if situation.fixture.point in TURNS else situation.fixture.point
    return answer, records_of(point, behind)
