"""The plainest record that shows something: as many facts as possible as in a project where nothing is the matter,
and counts as low as they go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loopx_policy.engine.conditions import Value
from loopx_policy.prove.space import Term
from loopx_policy.prove.theory import Theory


def minimal(theory: Theory, terms: Sequence[Term], default: Mapping[str, Value]) -> dict[str, Value] | None:
    """A record that keeps the axioms and meets the terms, close to ``default``; None where there is none.

    No fact of it can be set back to its default, and no count lowered, with the others left as they are or freed in
    their order: it is minimal, though another record might differ in fewer facts.
    """
    space, z3 = theory.space, theory.space.z3
    answer = theory.ask(*terms)
    if answer.record is None:
        return None
    record, kept = answer.record, list(terms)
    for name in space.facts:
        wanted = space.equals(name, default[name])
        if record[name] != default[name]:
            closer = theory.ask(*kept, wanted)
            record = closer.record if closer.record is not None else record
        if record[name] == default[name]:
            kept.append(wanted)
    for name, fact in space.facts.items():
        while fact.type == "count" and record[name] != default[name] and int(record[name]) > 0:
            lower = theory.ask(*kept, z3.ULT(space.variables[name], int(record[name])))
            if lower.record is None:
                break
            record = lower.record
        if record[name] != default[name]:
            kept.append(space.equals(name, record[name]))
    return record
