"""What each axiom is there for: a proof that leans on it, or records that no project shows and that it keeps out."""

from __future__ import annotations

from loopx_policy.prove.result import Check, Finding
from loopx_policy.prove.theories import Theories


def axioms(theories: Theories, relied: set[str]) -> Check:
    """No axiom follows from the others, and none rests on an invariant that fails.

    ``relied`` are the axioms that some other check leaned on. The rest keep witnesses true to life: without one of
    them, a witness could be a record that no project shows.
    """
    check = Check("axioms", "Each axiom is relied on: by a proof, or because without it a witness could be unreal.")
    for axiom in theories.laws.axioms:
        check.number += 1
        if axiom.id in theories.unfounded:
            says = f"This axiom rests on {' and '.join(axiom.rests_on)}, which fails; it was not assumed."
            check.findings.append(Finding(axiom.id, says, by=axiom.rests_on))
            continue
        if axiom.id in relied:
            continue
        theory = theories.of(axiom.point)
        broken = theory.space.z3.Not(theory.axioms[axiom.id])
        answer = theory.ask(broken, without=[axiom.id])
        if answer:
            says = "No proof leans on this axiom; it keeps records out of witnesses that no project shows."
            check.findings.append(Finding(axiom.id, says, failed=False))
        else:
            says = "Nothing relies on this axiom: it follows from others; take it out."
            check.findings.append(Finding(axiom.id, says, by=answer.core))
    return check
