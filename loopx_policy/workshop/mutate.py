"""Which mutants of the rules the fixtures notice: a fixture notices where its expectation no longer holds.

Every situation has been answered once. A mutant is judged only on the situations in which the changed condition
says something else than before, or in which its entry took part in the answer; everything else stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from loopx_policy.decide import RUNNABLE, Evaluation, saturate
from loopx_policy.decide_point import PointDecision, projector, settle
from loopx_policy.decision import build
from loopx_policy.engine.catalog import Case, Catalog
from loopx_policy.engine.combine import combine
from loopx_policy.engine.evaluate import Matches, conditions
from loopx_policy.engine.interpret import Interpreter, Test, compile_test
from loopx_policy.facts import turn as turn_facts
from loopx_policy.facts.frontier import Verdict
from loopx_policy.fixtures.answer import compare, point_answer, turn_answer
from loopx_policy.fixtures.reach import Behind
from loopx_policy.records import replace
from loopx_policy.workshop.bench import Record, Situation
from loopx_policy.workshop.mutants import Mutant, mutants


@dataclass(slots=True)
class Survey:
    """``alive`` are mutants that no fixture notices, ``excused`` those of them with a reason; ``unused`` are excuses
    for what is not alive.
    """

    made: int = 0
    alive: list[str] = field(default_factory=list)
    excused: dict[str, str] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {
            "schema_version": "loopx_mutation_v0",
            "mutants": self.made,
            "noticed": self.made - len(self.alive) - len(self.excused),
            "alive": self.alive,
            "excused": self.excused,
            "unused_excuses": self.unused,
        }


def survey(
    catalog: Catalog, found: Sequence[Situation], excuses: Mapping[str, str], patterns: Sequence[str] = ()
) -> Survey:
    """Judge every mutant of the catalog, or of some patterns."""
    result = Survey()
    bench = Bench(catalog, found)
    for mutant in mutants(catalog):
        if patterns and mutant.key.partition(".")[0] not in patterns:
            continue
        result.made += 1
        if bench.notices(mutant):
            continue
        if mutant.id in excuses:
            result.excused[mutant.id] = excuses[mutant.id]
        else:
            result.alive.append(mutant.id)
    if not patterns:
        result.unused = [name for name in excuses if name not in result.excused]
    return result


class Bench:
    """The situations by decision point, and what the unchanged catalog makes of them."""

    def __init__(self, catalog: Catalog, found: Sequence[Situation]) -> None:
        self.catalog = catalog
        self._tests = {point: dict(_tests(catalog, point)) for point in catalog.points}
        self._turn = Interpreter(conditions(catalog, "turn"))
        self._found: dict[str, list[Situation]] = {}
        for situation in found:
            for point in situation.records:
                self._found.setdefault(point, []).append(situation)
        self._near: dict[tuple[str, str], list[Situation]] = {}

    def notices(self, mutant: Mutant) -> bool:
        """Whether some situation no longer has the answer that its fixture expects."""
        near = self._nearest(mutant.point, mutant.key.partition(".")[0])
        changed = changed_catalog(self.catalog, mutant)
        before = self._tests[mutant.point][f"{mutant.kind}:{mutant.key}"]
        after = compile_test(mutant.entry.when) if mutant.entry is not None else _never
        judge = self._by_candidate if mutant.point == "candidate" else self._by_record
        return any(judge(situation, mutant, changed, before, after) for situation in near)

    def _nearest(self, point: str, pattern: str) -> list[Situation]:
        """The situations of a point, those of one pattern first: they notice soonest."""
        if (point, pattern) not in self._near:
            found = self._found.get(point, ())
            self._near[point, pattern] = sorted(found, key=lambda each: pattern not in each.fixture.patterns)
        return self._near[point, pattern]

    def _by_record(self, situation: Situation, mutant: Mutant, changed: Catalog, before: Test, after: Test) -> bool:
        (record,) = situation.records[mutant.point]
        was, now = before(record), after(record)
        if was is now and (mutant.condition or not now):
            return False
        if isinstance(situation.behind, Evaluation):
            keys = set(situation.behind.matches.keys)
            name = f"{mutant.kind}:{mutant.key}"
            keys = keys | {name} if now else keys - {name}
            return self._fails(situation, changed, situation.behind, keys)
        return self._point_fails(situation, mutant, changed, situation.behind, now)

    def _fails(self, situation: Situation, changed: Catalog, was: Evaluation, keys: set[str]) -> bool:
        ordered = tuple(key for key in conditions(changed, "turn") if key in keys)
        matches = Matches(ordered, "interpreter", by_interpreter=ordered)
        evaluation = replace(was, catalog=changed, matches=matches, combined=combine(changed, ordered))
        return _misses(situation, evaluation, turn_answer(build(evaluation), evaluation))

    def _point_fails(
        self, situation: Situation, mutant: Mutant, changed: Catalog, was: PointDecision, now: bool
    ) -> bool:
        held = set(was.matched) - {mutant.key} | ({mutant.key} if now else set())
        cases = [case for case in changed.cases[mutant.point] if case.key in held]
        made = projector(mutant.point)(situation.given, changed.parameters)
        decision = settle(changed, mutant.point, cases, made)
        return _misses(situation, decision, point_answer(decision))

    def _by_candidate(self, situation: Situation, mutant: Mutant, changed: Catalog, before: Test, after: Test) -> bool:
        records = situation.records["candidate"]
        held = [(before(record), after(record)) for record in records]
        if not any(was is not now or (was and not mutant.condition) for was, now in held):
            return False
        was = situation.behind
        assert isinstance(was, Evaluation)
        judge = _Judge(changed, Interpreter(conditions(changed, "candidate")))
        turn = turn_facts.project(was.snapshot, changed.parameters, judge)
        saturate(turn.record.values, changed.points["turn"])
        keys = self._turn.matched(turn.record.values)
        return self._fails(situation, changed, replace(was, turn=turn), set(keys))


class _Judge:
    """Judges candidates by the interpreter alone."""

    def __init__(self, catalog: Catalog, interpreter: Interpreter) -> None:
        self._cases = {f"case:{case.key}": case for case in catalog.cases["candidate"]}
        self._interpreter = interpreter

    def __call__(self, values: Record) -> Verdict:
        matched = self._interpreter.matched(values)
        cases = [case for key, case in self._cases.items() if key in matched]
        denied = [case for case in cases if case.verdict != RUNNABLE]
        return Verdict(
            runnable=bool(cases) and not denied,
            blocks=frozenset(case.blocks for case in denied),
            cases=tuple(case.key for case in denied or cases),
        )


def _misses(situation: Situation, behind: Behind, answer: dict[str, Any]) -> bool:
    if compare(situation.expect, answer):
        return True
    return situation.reach.answered(behind) != situation.positive


def changed_catalog(catalog: Catalog, mutant: Mutant) -> Catalog:
    """The catalog with the mutant in it; its rulesets are left out, since only the interpreter is asked."""
    if mutant.kind == "case":
        cases = _swapped(catalog.cases[mutant.point], mutant)
        if mutant.moved:
            cases = in_order(catalog, cases)
        return replace(catalog, cases=catalog.cases | {mutant.point: cases}, shards={})
    if mutant.kind == "obligation":
        return replace(catalog, obligations=_swapped(catalog.obligations, mutant), shards={})
    return replace(catalog, withholdings=_swapped(catalog.withholdings, mutant), shards={})


def _swapped(entries: Sequence[Any], mutant: Mutant) -> tuple[Any, ...]:
    found = (mutant.entry if entry.key == mutant.key else entry for entry in entries)
    return tuple(entry for entry in found if entry is not None)


def in_order(catalog: Catalog, cases: Sequence[Case]) -> tuple[Case, ...]:
    """The turn's cases by stratum; within one, as they stood."""
    return tuple(sorted(cases, key=lambda case: catalog.strata.index(case.stratum)))


def _tests(catalog: Catalog, point: str) -> list[tuple[str, Test]]:
    return [(key, compile_test(condition)) for key, condition in conditions(catalog, point).items()]


def _never(record: Mapping[str, Any]) -> bool:
    del record
    return False
