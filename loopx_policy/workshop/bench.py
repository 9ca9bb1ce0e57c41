"""Every situation of the fixtures, answered once by the catalog as it is: what coverage and mutation work on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from loopx_policy.decide import Evaluation
from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.conditions import Value
from loopx_policy.errors import LoopxError
from loopx_policy.fixtures.change import changed
from loopx_policy.fixtures.cover import resolve
from loopx_policy.fixtures.load import Fixture
from loopx_policy.fixtures.reach import Behind, Reach
from loopx_policy.fixtures.run import Runner

Record = dict[str, Value]


@dataclass(slots=True)
class Situation:
    """One document of a fixture and what the catalog made of it.

    ``reach`` tells whether what the fixture covers holds, which it must here where ``positive``; ``expect`` is what the
    fixture wants of the answer; ``records`` has the fact records that were judged, by decision point.
    """

    fixture: Fixture
    name: str
    given: Any
    expect: dict[str, Any]
    positive: bool
    reach: Reach
    behind: Behind
    records: dict[str, list[Record]]

    @property
    def label(self) -> str:
        """``fixtures/IP-021/ask_owner.yaml`` or ``...yaml: another todo can run``."""
        return f"{self.fixture.file}: {self.name}" if self.name else self.fixture.file


def situations(catalog: Catalog, fixtures: Iterable[Fixture]) -> list[Situation]:
    """The positives and near misses of the fixtures. One that cannot be judged is left to ``catalog test``."""
    runner = Runner(catalog)
    return [situation for fixture in fixtures for situation in _situations(catalog, runner, fixture)]


def _situations(catalog: Catalog, runner: Runner, fixture: Fixture) -> Iterator[Situation]:
    try:
        key = resolve(catalog, fixture)
    except LoopxError:
        return
    reach = runner.reach(fixture, key)
    documents = [("", fixture.given, fixture.expect)]
    for miss in fixture.near_misses:
        given = fixture.given
        try:
            for path, value in miss.changes.items():
                given = changed(given, path, value)
        except LoopxError:
            continue
        documents.append((miss.name, given, miss.expect))
    for name, given, expect in documents:
        try:
            _, behind = runner.answer(fixture, given)
        except LoopxError:
            continue
        yield Situation(fixture, name, given, expect, not name, reach, behind, records_of(fixture.point, behind))


def records_of(point: str, behind: Behind) -> dict[str, list[Record]]:
    """The fact records behind an answer, by decision point."""
    if not isinstance(behind, Evaluation):
        return {point: [behind.facts]}
    candidates = [candidate.values for candidate in behind.turn.frontier.candidates]
    return {"turn": [behind.turn.record.values], "candidate": candidates}


def distinct(found: Iterable[Situation], point: str) -> list[tuple[Record, Situation]]:
    """Each fact record of a decision point once, with the first situation that has it."""
    seen: dict[tuple[Value, ...], tuple[Record, Situation]] = {}
    for situation in found:
        for record in situation.records.get(point, ()):
            seen.setdefault(tuple(record.values()), (record, situation))
    return list(seen.values())
