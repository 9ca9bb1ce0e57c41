"""The plainest record that shows something: as many facts as possible as in a project where nothing is the matter,
and counts as low as they go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loopx_policy.engine.conditions import Value
from loopx_policy.prove.space import Term
from loopx_policy.prove.theory import Assumption, Theory

FEW = 25
"""Counts of a witness stay at or below this where they can: no count of a small record has reached its maximum."""
LAST = ("lanes.hidden",)
"""Facts that are changed only where nothing else will do."""


def minimal(theory: Theory, terms: Sequence[Term], default: Mapping[str, Value]) -> dict[str, Value] | None:
    """A record that keeps the axioms and meets the terms, close to ``default``; None where there is none.

    No fact of it can be set back to its default while those that are at their default stay there, and no count
    lowered; another record might still differ in fewer facts. Facts that are declared first are changed last.
    """
    space = theory.space
    few = [space.variables[name] <= FEW for name, fact in space.facts.items() if fact.type == "count"]
    kept = [*terms, *few] if theory.possible(*terms, *few) else list(terms)
    if not theory.possible(*kept):
        return None
    order = {name: -1 if name in LAST else place for place, name in enumerate(space.facts)}

    def latest(names: tuple[str, ...]) -> str:
        return max(names, key=order.__getitem__)

    wishes = {name: Assumption(name, space.equals(name, default[name])) for name in space.facts}
    record = theory.grant(list(wishes.values()), latest, kept)
    kept += [wishes[name].term for name in space.facts if record[name] == default[name]]
    for name in sorted((name for name in space.facts if record[name] != default[name]), key=order.__getitem__):
        closer = theory.ask(*kept, wishes[name].term)
        if closer.record is not None:
            record = closer.record
            kept.append(wishes[name].term)
    for name in [name for name in space.facts if record[name] != default[name]]:
        record = _lowest(theory, kept, name, record)
        kept.append(space.equals(name, record[name]))
    return record


def _lowest(theory: Theory, kept: list[Term], name: str, record: dict[str, Value]) -> dict[str, Value]:
    """The record with one count as low as it goes: one where that will do, else step by step."""
    space = theory.space
    if space.facts[name].type != "count" or int(record[name]) <= 1:
        return record
    single = theory.ask(*kept, space.equals(name, 1))
    if single.record is not None:
        return single.record
    while True:
        lower = theory.ask(*kept, space.variables[name] < int(record[name]))
        if lower.record is None:
            return record
        record = lower.record
