"""Whether each case and each pattern ever counts; where one does not, what stands in its way."""

from __future__ import annotations

from collections.abc import Sequence

from loopx_policy.engine.catalog import Case, Catalog
from loopx_policy.prove.result import Check, Finding
from loopx_policy.prove.space import Term
from loopx_policy.prove.theories import Theories
from loopx_policy.prove.theory import CANDIDATE, TURN, Assumption, Theory


def alive(theories: Theories) -> Check:
    """Each case leads, decides, blocks or permits somewhere, and each obligation and withholding is carried."""
    check = Check("alive", "Each case leads, or decides, and each obligation is carried in some state.")
    catalog = theories.catalog
    living: dict[str, bool] = {}
    for point, cases in catalog.cases.items():
        for position, case in enumerate(cases):
            check.number += 1
            finding = _case(theories.of(point), point, cases, position)
            living[case.pattern] = living.get(case.pattern, False) or finding is None
            if finding is not None:
                check.findings.append(finding)
    turn = theories.of(TURN)
    carried = [(item.pattern, item.key, turn.translation.flags[f"obliged.{item.key}"]) for item in catalog.obligations]
    carried += [
        (item.pattern, item.key, turn.translation.matched[f"withhold:{item.key}"]) for item in catalog.withholdings
    ]
    for pattern, key, term in carried:
        check.number += 1
        answer = turn.ask(term)
        living[pattern] = living.get(pattern, False) or bool(answer)
        if not answer:
            check.findings.append(Finding(key, "This is carried in no state.", by=smallest(turn, [term], answer.core)))
    check.findings += [
        Finding(pattern, "The whole pattern counts in no state.") for pattern, lives in living.items() if not lives
    ]
    return check


def _case(theory: Theory, point: str, cases: Sequence[Case], position: int) -> Finding | None:
    case = cases[position]
    matches = theory.translation.case(case.key)
    if theory.possible(_counts(theory, point, case)):
        return None
    if not theory.possible(matches):
        core = smallest(theory, [matches], theory.ask(matches).core)
        return Finding(case.key, "This case is dead: its condition is true in no state.", by=core)
    z3 = theory.space.z3
    others = [
        Assumption(other.key, z3.Not(theory.translation.case(other.key))) for other in _above(theory, point, case)
    ]
    core = tuple(name for name in theory.ask(matches, *others).core if name not in theory.axioms)
    by = _fewest(theory, matches, [item for item in others if item.name in core])
    shown = ", ".join(by)
    return Finding(case.key, f"This case is shadowed: wherever it matches, so does one of {shown}.", by=by)


def _counts(theory: Theory, point: str, case: Case) -> Term:
    """That a case counts: it leads a turn, gives another point its verdict, or is part of a candidate's."""
    if point != CANDIDATE:
        return theory.translation.leads(case.key)
    z3, runnable = theory.space.z3, theory.translation.flags["verdict.runnable"]
    permits = not case.blocks
    return z3.And(theory.translation.case(case.key), runnable if permits else z3.Not(runnable))


def _above(theory: Theory, point: str, case: Case) -> list[Case]:
    """The cases that take a state away from a case when they match too."""
    catalog: Catalog = theory.catalog
    cases = catalog.cases[point]
    before = list(cases[: cases.index(case)])
    if point == TURN:
        return before
    order = catalog.points[point].verdicts
    stricter = [other for other in cases if order.index(other.verdict) < order.index(case.verdict)]
    return stricter + [other for other in before if other.verdict == case.verdict and point != CANDIDATE]


def _fewest(theory: Theory, matches: Term, others: list[Assumption]) -> tuple[str, ...]:
    """A set of cases, none of which can be left out, that together cover all states of a case."""
    kept = list(others)
    for item in others:
        rest = [other for other in kept if other is not item]
        if not theory.possible(matches, *(other.term for other in rest)):
            kept = rest
    return tuple(item.name for item in kept)


def smallest(theory: Theory, terms: Sequence[Term], core: Sequence[str]) -> tuple[str, ...]:
    """Axioms of a core, none of which can be left out, that make the terms impossible."""
    kept = [name for name in core if name in theory.axioms]
    for name in list(kept):
        without = [other for other in theory.axioms if other not in kept or other == name]
        if not theory.ask(*terms, without=without):
            kept.remove(name)
    return tuple(kept)
