"""What rules that somebody adds may do to the catalog: withhold, and grant nothing.

The catalog with the added rules and the one without are translated over one space, so that "granted here and not
there" is one question to the solver, for every state.
"""

from __future__ import annotations

from loopx_policy.catalog_source.laws import Invariant
from loopx_policy.catalog_source.outcomes import BASE, RELATIVE
from loopx_policy.engine.catalog import Catalog
from loopx_policy.prove.result import Check, Finding
from loopx_policy.prove.theories import Theories
from loopx_policy.prove.theory import CANDIDATE, TURN, Theory
from loopx_policy.prove.translate import Translation


def added(theories: Theories, base: Catalog) -> Check:
    """Each relative invariant holds of the catalog of ``theories`` against ``base``, and no verdict got softer."""
    check = Check("added", "Added rules only withhold: they allow nothing that the catalog does not allow.")
    for invariant in theories.laws.invariants:
        if invariant.relative:
            check.number += 1
            theory = theories.of(invariant.point)
            _beside(theory, base)
            _keeps(theories, theory, invariant, check)
    for point in theories.catalog.points:
        if point not in (TURN, CANDIDATE):
            check.number += 1
            _softer(theories, base, point, check)
    return check


def _beside(theory: Theory, base: Catalog) -> None:
    """Give a theory the outcomes of the base, under their own names."""
    translation = theory.translation
    if any(name.startswith(BASE) for name in (*translation.flags, *translation.values)):
        return
    points = (TURN, CANDIDATE) if theory.point == CANDIDATE else (theory.point,)
    for point in points:
        other = Translation(base, point, theory.space)
        translation.flags |= {BASE + name: term for name, term in other.flags.items() if name in RELATIVE}
        translation.values |= {BASE + name: terms for name, terms in other.values.items() if name in RELATIVE}


def _keeps(theories: Theories, theory: Theory, invariant: Invariant, check: Check) -> None:
    if theory.possible(theory.violated(invariant)):
        shown = theories.shown(invariant.point, theory.violated(invariant))
        check.findings.append(Finding(invariant.id, invariant.says, shown=shown))


def _softer(theories: Theories, base: Catalog, point: str, check: Check) -> None:
    """A verdict of another decision point may become stricter and never more lenient."""
    theory = theories.of(point)
    z3 = theory.space.z3
    now = theory.translation.values["verdict"]
    before = Translation(base, point, theory.space).values["verdict"]
    order = theories.catalog.points[point].verdicts
    softer = z3.Or([z3.And(before[old], now[new]) for place, old in enumerate(order) for new in order[place + 1 :]])
    if theory.possible(softer):
        says = "An added rule makes a verdict more lenient than the catalog's."
        check.findings.append(Finding(point, says, shown=theories.shown(point, softer)))
