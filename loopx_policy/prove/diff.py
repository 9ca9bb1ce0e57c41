"""What a change of the policy changes: the states that are decided otherwise, as a few regions in words.

Decided otherwise means: another case leads, or the same one with another mode or state; another obligation is carried;
something else is withheld or another flag of the answer set; a candidate is judged otherwise; another verdict is given.
Where the solver finds no such state, there is none that the axioms allow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from loopx_policy.catalog_source.approved import Version
from loopx_policy.catalog_source.laws import ALWAYS, Laws
from loopx_policy.catalog_source.outcomes import NONE, WITHHELD
from loopx_policy.decide_point import strictest
from loopx_policy.engine.catalog import Case, Catalog
from loopx_policy.engine.combine import combine
from loopx_policy.engine.conditions import AllOf, Compare
from loopx_policy.engine.domain import Runs, allowed, complement, intersect
from loopx_policy.engine.evaluate import conditions
from loopx_policy.engine.interpret import Interpreter
from loopx_policy.engine.record import Record
from loopx_policy.prove.minimal import minimal
from loopx_policy.prove.pair import Pair, pair_up
from loopx_policy.prove.phrases import join, say_condition, say_range
from loopx_policy.prove.regions import Literal, Region, cover
from loopx_policy.prove.result import Shown
from loopx_policy.prove.space import Term, top
from loopx_policy.prove.theories import Theories
from loopx_policy.prove.theory import CANDIDATE, TURN

FLAGS = (
    "decision.must_attempt",
    "decision.delivery_allowed",
    "decision.quiet_noop_allowed",
    "decision.spend_after_validation",
    "decision.lists_candidates",
    "decision.action_required",
    "decision.notify",
)
MOST_PAIRS = 40
"""Pairs of an old and a new lead that are told; a rewrite of the catalog has more, and nobody reads them."""


@dataclass(slots=True)
class Change:
    """One set of states that are decided otherwise in one way.

    ``kind``: lead, reason (only the reason and the name of the lead), obligation, withholding, flag, candidate or
    verdict. ``before`` and ``after`` are what is decided; ``where`` is one clause a region.
    """

    point: str
    kind: str
    before: str
    after: str
    patterns: tuple[str, ...]
    where: list[str] = field(default_factory=list)
    rest: bool = False
    touches_p0: bool = False
    shown: Shown | None = None

    def to_dict(self) -> dict[str, Any]:
        """``{point, kind, before, after, patterns, where, rest, touches_p0, witness}``."""
        return {
            "point": self.point,
            "kind": self.kind,
            "before": self.before,
            "after": self.after,
            "patterns": list(self.patterns),
            "where": self.where,
            "rest": self.rest,
            "touches_p0": self.touches_p0,
            "witness": self.shown.to_dict() if self.shown else None,
        }


@dataclass(slots=True)
class Difference:
    """All changes between two versions, invariants that fail in the new one, and facts that only one of them has."""

    old: str
    new: str
    changes: list[Change] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def serious(self) -> bool:
        """Whether an invariant fails or a P0 pattern decides otherwise: what somebody has to agree to."""
        return bool(self.broken) or any(change.touches_p0 for change in self.changes)


def compare(old: Version, new: Version, laws: Laws) -> Difference:
    """Every set of states that the two versions decide otherwise."""
    found = Difference(old.label, new.label)
    theories = Theories(new.catalog, laws)
    for point in dict.fromkeys((*old.catalog.points, *new.catalog.points)):
        if point not in new.catalog.points or point not in old.catalog.points:
            found.notes.append(f"The decision point {point} is in one of the versions only.")
            continue
        if _alike(old.catalog, new.catalog, point):
            continue
        pair = pair_up(old, new, laws, point)
        if pair.unknown:
            found.notes.append(f"Only the old version reads {', '.join(pair.unknown)}; any value was allowed.")
        comparer = _Comparer(pair, laws, theories.default(point))
        found.changes += comparer.changes()
        touched = {point, CANDIDATE} if point == TURN else {point}  # laws of a candidate speak of its turn
        for invariant in laws.invariants:
            if not invariant.relative and invariant.point in touched:
                theory = theories.of(invariant.point)
                if theory.possible(theory.violated(invariant)):
                    found.broken.append(f"{invariant.id}: {invariant.says}")
    found.broken = list(dict.fromkeys(found.broken))
    return found


def _alike(old: Catalog, new: Catalog, point: str) -> bool:
    """Whether everything that decides a point is written alike in both, so that there is nothing to prove."""
    if old.points[point] != new.points[point] or _deciding(old, point) != _deciding(new, point):
        return False
    return point != TURN or (old.modes, old.strata) == (new.modes, new.strata)


def _deciding(catalog: Catalog, point: str) -> list[object]:
    """The conditions of a point in order, and what each case decides."""
    cases = [(it.key, it.when, it.verdict, it.blocks, _outcome(catalog, it.key)) for it in catalog.cases[point]]
    if point != TURN:
        return [*cases]
    duties = [(item.key, item.kind, item.when, item.beside) for item in catalog.obligations]
    return [*cases, *duties, *((item.key, item.what, item.when) for item in catalog.withholdings)]


class _Comparer:
    """The changes of one decision point."""

    __slots__ = ("default", "facts", "laws", "pair", "theory", "z3")

    def __init__(self, pair: Pair, laws: Laws, default: dict[str, Any]) -> None:
        self.pair = pair
        self.laws = laws
        self.theory = pair.theory
        self.z3 = pair.theory.space.z3
        self.facts = pair.theory.space.facts
        self.default = {name: default.get(name, _least(fact)) for name, fact in self.facts.items()}

    def changes(self) -> Iterator[Change]:
        if self.pair.point == TURN:
            yield from self.leads()
            yield from self.obligations()
            yield from self.flags()
        elif self.pair.point == CANDIDATE:
            yield from self.candidates()
        else:
            yield from self.verdicts()

    # Who leads.

    def leads(self) -> Iterator[Change]:
        """Pairs of an old and a new lead; those that share one of the two are told together where there are many."""
        z3 = self.z3
        old, new = self.pair.before.values["lead.case"], self.pair.after.values["lead.case"]
        left = z3.Not(self.same_outcome())
        pairs = list(self.pairs(old, new, left))
        for group in grouped(pairs):
            states = z3.And(left, z3.Or([z3.And(old[before], new[after]) for before, after in group]))
            befores, afters = in_order(self.pair, group)
            was = [_outcome(self.pair.old.catalog, key)[1:] for key in befores]
            now = [_outcome(self.pair.new.catalog, key)[1:] for key in afters]
            kind = "reason" if len({*was, *now}) == 1 else "lead"
            above = [key for key in self.unchanged() if all(self.silent(key, pair) for pair in group)]
            first, second = _told(self.pair.old.catalog, befores), _told(self.pair.new.catalog, afters)
            yield self.change(kind, states, first, second, [*befores, *afters], above)

    def pairs(self, old: dict[str, Term], new: dict[str, Term], left: Term) -> Iterator[tuple[str, str]]:
        """The pairs of an old and a new decision that some state has, each once."""
        for _ in range(MOST_PAIRS):
            answer = self.theory.ask(left)
            if answer.record is None:
                return
            before, after = (self.decided(one.catalog, answer.record) for one in (self.pair.old, self.pair.new))
            yield before, after
            left = self.z3.And(left, self.z3.Not(self.z3.And(old[before], new[after])))

    def decided(self, catalog: Catalog, record: Record) -> str:
        """The case that leads or decides in a state."""
        keys = Interpreter(conditions(catalog, self.pair.point)).matched(record)
        if self.pair.point == TURN:
            lead = combine(catalog, keys).lead
        else:
            cases = [case for case in catalog.cases[self.pair.point] if f"case:{case.key}" in keys]
            lead = strictest(cases, catalog.points[self.pair.point]) if cases else None
        return lead.key if lead else NONE

    def unchanged(self) -> list[str]:
        """The cases whose condition both versions share."""
        cases = self.pair.new.catalog.cases.get(self.pair.point, ())
        return [case.key for case in cases if self.pair.same(f"case:{case.key}")]

    def silent(self, key: str, pair: tuple[str, str]) -> bool:
        """Whether an unchanged case does not match wherever a pair leads: it stands above one of the two."""
        before, after = pair
        return self.is_above(self.pair.old.catalog, key, before) or self.is_above(self.pair.new.catalog, key, after)

    def is_above(self, catalog: Catalog, key: str, lead: str) -> bool:
        order = [case.key for case in catalog.cases.get(TURN, ())]
        return key in order and (lead not in order or order.index(key) < order.index(lead))

    # What is carried, withheld and flagged where the lead is the same.

    def same_lead(self) -> Term:
        old, new = self.pair.before.values["lead.case"], self.pair.after.values["lead.case"]
        return self.z3.Or([self.z3.And(old[key], new[key]) for key in old if key in new])

    def same_outcome(self) -> Term:
        old, new = self.pair.before.values["lead.case"], self.pair.after.values["lead.case"]
        one, other = self.pair.old.catalog, self.pair.new.catalog
        keys = [key for key in old if key in new and _outcome(one, key) == _outcome(other, key)]
        return self.z3.Or([self.z3.And(old[key], new[key]) for key in keys])

    def obligations(self) -> Iterator[Change]:
        z3, same = self.z3, self.same_lead()
        old, new = self.pair.before.flags, self.pair.after.flags
        for name in dict.fromkeys(name for name in (*old, *new) if name.startswith("obliged.")):
            was, now = old.get(name, z3.BoolVal(False)), new.get(name, z3.BoolVal(False))
            key = name.removeprefix("obliged.")
            for states, before, after in (
                (z3.And(same, was, z3.Not(now)), f"{key} is carried", "not carried"),
                (z3.And(same, now, z3.Not(was)), "not carried", f"{key} is carried"),
            ):
                if self.theory.possible(states):
                    # Where the lead differs too, the change of the lead has been told already.
                    yield self.change("obligation", z3.And(states), before, after, [key], [], self.beside(key), same)

    def beside(self, key: str) -> list[Literal]:
        """That a lead is there which an obligation accompanies."""
        found = []
        for version, translation in ((self.pair.old, self.pair.before), (self.pair.new, self.pair.after)):
            for item in version.catalog.obligations:
                if item.key == key and item.beside:
                    strata = translation.values["lead.stratum"]
                    term = self.z3.Or([strata[name] for name in item.beside if name in strata])
                    found.append(Literal("", ALWAYS, term, says=f"{' or '.join(item.beside)} leads"))
        return found[:1]

    def flags(self) -> Iterator[Change]:
        """Flags and withholdings that differ although the same lead has the same outcome and the same is carried."""
        old, new = self.pair.before.flags, self.pair.after.flags
        duties = [name for name in new if name.startswith("obliged.") and name in old]
        equal = self.z3.And(self.same_outcome(), *(old[name] == new[name] for name in duties))
        for name in (*(f"withheld.{what}" for what in WITHHELD), *FLAGS):
            for states, before, after in (
                (self.z3.And(equal, old[name], self.z3.Not(new[name])), "", "not "),
                (self.z3.And(equal, new[name], self.z3.Not(old[name])), "not ", ""),
            ):
                if self.theory.possible(states):
                    kind = "withholding" if name.startswith("withheld.") else "flag"
                    word = name.partition(".")[2] if kind == "flag" else f"{name.partition('.')[2]} withheld"
                    keys = [key.partition(":")[2] for key, _ in self.pair.changed()]
                    yield self.change(kind, states, before + word, after + word, keys, [])

    # How a candidate is judged, and what another point says.

    def candidates(self) -> Iterator[Change]:
        z3, old, new = self.z3, self.pair.before.flags, self.pair.after.flags
        runs = "verdict.runnable"
        keys = [key.partition(":")[2] for key, _ in self.pair.changed()]
        for name in [runs, *(name for name in new if name.startswith("blocked.") and name in old)]:
            # A todo that is no longer blocked in one way, and blocked still, is told apart from one that runs now.
            apart = z3.BoolVal(True) if name == runs else z3.And(z3.Not(old[runs]), z3.Not(new[runs]))
            for states, before, after in (
                (z3.And(apart, old[name], z3.Not(new[name])), _judged(name, True), _judged(name, False)),
                (z3.And(apart, new[name], z3.Not(old[name])), _judged(name, False), _judged(name, True)),
            ):
                if self.theory.possible(states):
                    blocking = {case.key for case in self.pair.new.catalog.cases[CANDIDATE] if case.blocks}
                    above = [key for key in self.unchanged() if key in blocking] if name == runs else []
                    yield self.change("candidate", states, before, after, keys, above, within=apart)

    def verdicts(self) -> Iterator[Change]:
        old, new = self.pair.before.values["verdict.case"], self.pair.after.values["verdict.case"]
        was, now = self.pair.before.values["verdict"], self.pair.after.values["verdict"]
        left = self.z3.Not(self.z3.Or([self.z3.And(was[name], now[name]) for name in was if name in now]))
        point = self.pair.point
        for group in grouped(list(self.pairs(old, new, left))):
            states = self.z3.And(left, self.z3.Or([self.z3.And(old[one], new[other]) for one, other in group]))
            befores, afters = in_order(self.pair, group)
            first = _told(self.pair.old.catalog, befores, point)
            second = _told(self.pair.new.catalog, afters, point)
            named = {*befores, *afters}
            above = [key for key in self.unchanged() if key not in named and not self.matches(key, states)]
            yield self.change("verdict", states, first, second, [*befores, *afters], above)

    def matches(self, key: str, states: Term) -> bool:
        """Whether a case matches somewhere in a set of states."""
        return self.theory.possible(states, self.pair.after.case(key))

    # In words.

    def change(
        self,
        kind: str,
        states: Term,
        before: str,
        after: str,
        keys: list[str],
        above: list[str],
        own: Sequence[Literal] = (),
        within: Term = None,
    ) -> Change:
        """One change told: its regions, its patterns, and the plainest state that shows it.

        ``within`` is a set whose border is told already: regions may reach beyond it.
        """
        wide = states if within is None else self.z3.Implies(within, states)
        found = cover(self.pair, states, above, own, wide)
        patterns = tuple(dict.fromkeys(key.partition(".")[0] for key in keys if key != NONE))
        p0 = any(version.is_p0(name) for version in (self.pair.old, self.pair.new) for name in patterns)
        record = minimal(self.theory, [states], self.default)
        differs = {name: value for name, value in (record or {}).items() if value != self.default[name]}
        shown = Shown(self.pair.point, record, differs) if record is not None else None
        where = list(dict.fromkeys(self.region(region) for region in found.regions))
        return Change(self.pair.point, kind, before, after, patterns, where, found.rest, p0 and kind != "reason", shown)

    def narrow(self, ranges: dict[str, Runs], leaf: Compare, holds: bool) -> None:
        """Keep of a fact what a comparison leaves."""
        fact = self.facts[leaf.fact]
        low, high = 0, top(fact)
        runs = intersect(allowed(leaf, fact), ((low, high),))
        runs = runs if holds else complement(runs, low, high)
        ranges[leaf.fact] = intersect(ranges.get(leaf.fact, ((low, high),)), runs)

    def region(self, region: Region) -> str:
        """A region as a clause: what changed comparisons leave of each fact, then the cases that match or do not."""
        ranges: dict[str, Runs] = {}
        others: list[str] = []
        for literal in region.literals:
            leaf = literal.condition
            if literal.says:
                others.append(literal.says if literal.holds else f"not where {literal.says}")
            elif literal.holds:
                for part in leaf.parts if isinstance(leaf, AllOf) else (leaf,):
                    if isinstance(part, Compare):
                        self.narrow(ranges, part, True)
                    else:
                        others.append(say_condition(self.laws, part, self.facts))
            elif isinstance(leaf, Compare) and not literal.key:
                self.narrow(ranges, leaf, False)
            else:
                others.append(f"{literal.key} does not match")
        told = [say_range(self.laws, self.facts[name], runs) for name, runs in ranges.items()]
        clause = join(dict.fromkeys((*told, *others)))
        rest = "nothing else blocks it" if self.pair.point == CANDIDATE else "nothing stricter matches"
        if region.stricter:
            return f"{clause}; {rest}" if clause else rest
        return clause or "in every state"


def in_order(pair: Pair, group: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """The old and the new decisions of a group, each in the order of its catalog."""
    found = []
    for version, keys in ((pair.old, {one for one, _ in group}), (pair.new, {other for _, other in group})):
        order = [case.key for case in version.catalog.cases.get(pair.point, ())]
        found.append(sorted(keys, key=lambda key: (order.index(key) if key in order else len(order), key)))
    return found[0], found[1]


def grouped(pairs: Sequence[tuple[str, str]], least: int = 3) -> list[list[tuple[str, str]]]:
    """Pairs that share their first or their second part, where there are many of them; the others alone."""
    left = list(pairs)
    found: list[list[tuple[str, str]]] = []
    while left:
        shared = [[pair for pair in left if pair[side] == key] for side in (0, 1) for key in {p[side] for p in left}]
        largest = max(shared, key=lambda group: (len(group), group))
        if len(largest) < least:
            break
        found.append(largest)
        left = [pair for pair in left if pair not in largest]
    return found + [[pair] for pair in left]


def _least(fact: Any) -> Any:
    return False if fact.type == "bool" else 0 if fact.type == "count" else fact.values[0]


def _by_key(catalog: Catalog, point: str = TURN) -> dict[str, Case]:
    return {case.key: case for case in catalog.cases.get(point, ())}


def _outcome(catalog: Catalog, key: str) -> tuple[Any, ...]:
    """What a lead decides: first its own name, then everything that shows in an answer but words."""
    case = _by_key(catalog).get(key)
    if case is None:
        return (key,)
    mode = catalog.modes[case.mode]
    flags = (mode.must_attempt, mode.delivery_allowed, mode.quiet_noop_allowed, mode.spend_after_validation)
    more = (mode.spend_policy, mode.notify, mode.lists_candidates, mode.waiting_on)
    return (key, case.mode, case.state, case.effective_action, case.silent, case.asks, case.contract, flags, more)


def _told(catalog: Catalog, keys: Sequence[str], point: str = TURN) -> str:
    """Who leads or decides, with what: one case, or the several that may."""
    cases = _by_key(catalog, point)
    declared = catalog.points[point]
    said = []
    for key in keys:
        case = cases.get(key)
        if case is None:
            said.append(f"no rule ({declared.default or 'health_blocked'})")
        else:
            said.append(f"{key} ({case.mode or case.verdict})")
    if len(said) == 1:
        return said[0]
    shown = ", ".join(said[:5]) + (f" and {len(said) - 5} more" if len(said) > 5 else "")
    return f"whichever matches of {shown}"


def _judged(name: str, holds: bool) -> str:
    if name == "verdict.runnable":
        return "runnable" if holds else "blocked"
    return f"blocked, {'also' if holds else 'but not'} as {name.partition('.')[2]}"
