"""A set of states as a few regions in words.

A region is a conjunction of literals: that an unchanged case matches or does not, and comparisons of the conditions
that changed. "Nothing stricter matches" is factored out, since it is part of every lead. Each region starts from one
state of the set: of all literals that hold there, those are kept without which the region would leave the set; that
something does not match is given up before that something does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from loopx_policy.engine.conditions import Compare, Condition
from loopx_policy.engine.interpret import holds
from loopx_policy.engine.record import Record
from loopx_policy.prove.pair import Pair
from loopx_policy.prove.space import Term
from loopx_policy.prove.theory import Assumption, Theory

MOST = 4
"""Regions of one set that are told."""


@dataclass(slots=True)
class Literal:
    """A condition that holds (or does not): a case of its key, or a comparison, whose key is empty.

    ``says`` are words of its own for where it holds.
    """

    key: str
    condition: Condition
    term: Term
    holds: bool = True
    says: str = ""


@dataclass(slots=True)
class Region:
    """Where all of the literals hold; ``stricter`` tells whether it is part of it that nothing stricter matches.

    ``term`` is the region itself for the solver, within the set that it is part of.
    """

    literals: list[Literal]
    stricter: bool
    term: Term


@dataclass(slots=True)
class Cover:
    """The regions of a set; ``rest`` tells whether there are further states beside them."""

    regions: list[Region] = field(default_factory=list)
    rest: bool = False


def cover(pair: Pair, states: Term, above: Collection[str], own: Sequence[Literal] = (), within: Term = None) -> Cover:
    """The regions of a set of states.

    ``above`` are unchanged cases of which none matches anywhere in it. ``own`` are literals made for this set; where
    they and the comparisons of what changed say enough, no other case is named. ``within``, if given, is the set that
    a region must keep to, and may be larger than the set that is covered.
    """
    few = [*own, *_comparisons(pair)]
    keep = states if within is None else within
    found = _cover(pair, states, keep, above, few)
    if found is None:
        found = _cover(pair, states, keep, above, [*few, *_cases(pair, above)])
    return found or Cover(rest=True)


def _cover(pair: Pair, states: Term, keep: Term, above: Collection[str], choices: Sequence[Literal]) -> Cover | None:
    """The regions made of these choices; None where they cannot tell the set from the rest."""
    theory, z3 = pair.theory, pair.theory.space.z3
    nothing = z3.Not(z3.Or([pair.after.case(key) for key in above]))
    found = Cover()
    left = states
    while len(found.regions) < MOST:
        answer = theory.ask(left)
        if answer.record is None:
            found.regions = _needed(theory, states, found.regions)
            return found
        region = _region(theory, keep, nothing, [_as_in(theory, answer.record, literal) for literal in choices])
        if region is None:
            return None
        found.regions.append(region)
        left = z3.And(left, z3.Not(region.term))
    found.rest = theory.possible(left)
    return found


def _needed(theory: Theory, states: Term, regions: list[Region]) -> list[Region]:
    """The regions without those that others cover; the earlier ones were found first and are often the narrower."""
    z3 = theory.space.z3
    kept = list(regions)
    for region in regions:
        rest = [other for other in kept if other is not region]
        if rest and not theory.possible(states, region.term, *(z3.Not(other.term) for other in rest)):
            kept = rest
    return kept


def _comparisons(pair: Pair) -> Iterator[Literal]:
    """The comparisons of the conditions that changed."""
    seen: set[Compare] = set()
    for _, condition in pair.changed():
        for leaf in leaves(condition):
            if leaf not in seen:
                seen.add(leaf)
                yield Literal("", leaf, pair.after.term(leaf))


def _cases(pair: Pair, above: Collection[str]) -> Iterator[Literal]:
    """Unchanged cases as wholes."""
    for key, condition in _unchanged(pair):
        if key not in above:
            yield Literal(key, condition, pair.after.case(key))


def _unchanged(pair: Pair) -> Iterator[tuple[str, Condition]]:
    for case in pair.new.catalog.cases.get(pair.point, ()):
        if pair.same(f"case:{case.key}"):
            yield case.key, case.when


def leaves(condition: Condition) -> Iterator[Compare]:
    """The comparisons of a condition, in reading order."""
    if isinstance(condition, Compare):
        yield condition
    else:
        for part in condition.parts:
            yield from leaves(part)


def _as_in(theory: Theory, record: Record, literal: Literal) -> Literal:
    """The literal as it holds in a state."""
    held = literal.says != "" or holds(literal.condition, record)
    term = literal.term if held else theory.space.z3.Not(literal.term)
    return Literal(literal.key, literal.condition, term, held, literal.says)


def _region(theory: Theory, states: Term, nothing: Term, literals: list[Literal]) -> Region | None:
    """The fewest literals that keep to the set, from an unsat core and then by leaving out one at a time.

    None where even all of them reach beyond it.
    """
    z3 = theory.space.z3
    outside = z3.Not(states)
    named = {f"literal {number}": literal for number, literal in enumerate(literals)}
    asked = [Assumption(name, it.term) for name, it in named.items()]
    answer = theory.ask(outside, Assumption("stricter", nothing), *asked)
    if answer:
        return None
    kept = [name for name in answer.core if name in named]
    use = "stricter" in answer.core

    def place(name: str) -> int:
        return int(name.split()[1])

    # That a case does not match is given up first, then comparisons, the later ones first.
    for name in sorted(kept, key=lambda name: (not (named[name].key and not named[name].holds), -place(name))):
        rest = [other for other in kept if other != name]
        if not theory.possible(outside, *([nothing] if use else []), *(named[other].term for other in rest)):
            kept = rest
    if use and not theory.possible(outside, *(named[name].term for name in kept)):
        use = False
    chosen = [named[name] for name in sorted(kept, key=place)]
    return Region(chosen, use, z3.And([*(it.term for it in chosen), *([nothing] if use else [])]))
