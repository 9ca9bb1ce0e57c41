"""The checks of a whole catalog: total, deterministic, invariant. ``alive`` and ``used`` have modules of their own."""

from __future__ import annotations

from itertools import combinations

from loopx_policy.catalog_source.outcomes import NONE
from loopx_policy.engine.catalog import Case
from loopx_policy.prove.result import Check, Finding
from loopx_policy.prove.theories import Theories
from loopx_policy.prove.theory import CANDIDATE, TURN


def total(theories: Theories) -> Check:
    """Every state has exactly one lead, and every candidate a verdict. Other points have a default by declaration."""
    check = Check(
        "total", "In every state that the axioms allow exactly one case leads, and every candidate is judged."
    )
    check.number = 2
    turn = theories.of(TURN).translation
    shown = theories.shown(TURN, turn.leads(NONE))
    if shown is not None:
        check.findings.append(Finding("turn", "No case leads in this state; the answer fails closed.", shown=shown))
    theory = theories.of(CANDIDATE)
    z3 = theory.space.z3
    cases = theories.catalog.cases.get(CANDIDATE, ())
    unjudged = z3.Not(z3.Or([theory.translation.case(case.key) for case in cases]))
    shown = theories.shown(CANDIDATE, unjudged)
    if shown is not None:
        check.findings.append(Finding("candidate", "No rule says anything of this todo; it does not run.", shown=shown))
    return check


def deterministic(theories: Theories) -> Check:
    """Cases of one stratum that can match together are ordered: by ``after``, by their file, or as accepted."""
    check = Check("deterministic", "No two cases of a stratum overlap without a declared or an accepted order.")
    catalog, theory = theories.catalog, theories.of(TURN)
    accepted = {(pair.first, pair.second): pair for pair in theories.laws.default_order}
    resting: set[tuple[str, str]] = set()
    behind = _behind(catalog.cases[TURN])
    for first, second in combinations(catalog.cases[TURN], 2):
        if first.stratum != second.stratum:
            continue
        check.number += 1
        if first.pattern == second.pattern or first.key in behind[second.key]:
            continue
        both = (theory.translation.leads(first.key), theory.translation.case(second.key))
        if not theory.possible(*both):
            continue
        resting.add((first.key, second.key))
        pair = accepted.get((first.key, second.key))
        says = f"The default order alone puts the first before the second in {first.stratum}; declare or accept it."
        told = f"accepted in {first.stratum}: {pair.why}" if pair else says
        check.findings.append(
            Finding(f"{first.key} > {second.key}", told, failed=pair is None, shown=theories.shown(TURN, *both))
        )
    for names, pair in accepted.items():
        if names not in resting:
            says = "This pair is accepted, and no longer rests on the default order; take it out."
            check.findings.append(Finding(f"{pair.first} > {pair.second}", says))
    return check


def _behind(cases: tuple[Case, ...]) -> dict[str, set[str]]:
    """For each case, those that go before it by ``after``, directly or by way of others."""
    direct = {case.key: set(case.after) for case in cases}
    found: dict[str, set[str]] = {}
    for key in direct:
        seen: set[str] = set()
        waiting = list(direct[key])
        while waiting:
            other = waiting.pop()
            if other not in seen:
                seen.add(other)
                waiting += direct.get(other, ())
        found[key] = seen
    return found


def invariants(theories: Theories) -> Check:
    """Every invariant that speaks of one catalog holds in every state. What added rules may do is ``added``."""
    check = Check("invariants", "Every invariant holds in every state that the axioms allow.")
    for invariant in theories.laws.invariants:
        if invariant.relative:
            continue
        check.number += 1
        theory = theories.of(invariant.point)
        if theory.possible(theory.violated(invariant)):
            shown = theories.shown(invariant.point, theory.violated(invariant))
            check.findings.append(Finding(invariant.id, invariant.says, shown=shown))
    return check
