"""Whether the translation says what the program does: the solver's terms, the interpreter and the rule engine
over random records.

Three readings of every record are compared, and none shares code with another beyond the syntax tree: the terms,
evaluated by z3 itself; our interpreter; durable_rules. What matches is compared key by key, and what follows from it
(who leads, what is carried and withheld, every flag of the answer, every verdict) against ``combine``, ``channels``,
``judged`` and ``strictest``, which the program decides with.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from random import Random

from loopx_policy.catalog_source.outcomes import NONE, WITHHELD
from loopx_policy.decide import judged
from loopx_policy.decide_point import strictest
from loopx_policy.engine.catalog import Catalog, Fact
from loopx_policy.engine.channels import channels
from loopx_policy.engine.combine import combine
from loopx_policy.engine.conditions import Compare, Condition, Value
from loopx_policy.engine.evaluate import Evaluator, conditions
from loopx_policy.engine.interpret import Interpreter, holds
from loopx_policy.engine.record import Record
from loopx_policy.prove.defaults import default_record
from loopx_policy.prove.space import Bits, Space, Term, top
from loopx_policy.prove.translate import OPEN_ITEMS, Translation

SPREAD = 6
"""Facts of a record near the default one that may differ from it."""


@dataclass(slots=True)
class Disagreement:
    """One record over which the readings differ, and about what: names that one of them has and another has not."""

    point: str
    record: dict[str, Value]
    about: tuple[str, ...]
    between: str


@dataclass(slots=True)
class Faithful:
    """How many records were compared, by decision point; ``engine`` is false where durable_rules is not there."""

    records: dict[str, int] = field(default_factory=dict)
    engine: bool = True
    disagreements: list[Disagreement] = field(default_factory=list)


def compare(catalog: Catalog, records: int, seed: int, *, most: int = 5) -> Faithful:
    """Compare the readings over ``records`` records, half of them near the default record of their point.

    Half of all records are the turn's, and the rest is spread over the other points. At most ``most`` disagreements
    are kept.
    """
    found = Faithful()
    chance = Random(seed)
    points = [point for point in catalog.points if catalog.cases.get(point)]
    others = max(1, len(points) - 1)
    for point in points:
        number = records - records // 2 if point == "turn" else -(-(records // 2) // others)
        reader = _Reader(catalog, point)
        found.engine = found.engine and reader.engine
        found.records[point] = number
        for record in random_records(catalog, point, number, chance):
            for between, about in reader.differences(record):
                if len(found.disagreements) < most:
                    found.disagreements.append(Disagreement(point, record, about, between))
    return found


def random_records(catalog: Catalog, point: str, number: int, chance: Random) -> Iterator[dict[str, Value]]:
    """Random records of a point over its whole declared domain, every second one near the default record."""
    facts = catalog.points[point].facts
    default = default_record(catalog, point)
    figures = literals(conditions(catalog, point).values(), facts)
    for count in range(number):
        record = dict(default)
        changed = chance.sample(list(facts), min(len(facts), chance.randint(0, SPREAD))) if count % 2 else facts
        for name in changed:
            record[name] = _value(facts[name], figures.get(name, ()), chance)
        yield record


def literals(read: Iterable[Condition], facts: Mapping[str, Fact]) -> dict[str, tuple[int, ...]]:
    """For each count, the figures that conditions compare it with, and their neighbours."""
    found: dict[str, set[int]] = {}

    def visit(condition: Condition) -> None:
        if not isinstance(condition, Compare):
            for part in condition.parts:
                visit(part)
        elif facts[condition.fact].type == "count":
            wanted = condition.value if isinstance(condition.value, tuple) else (condition.value,)
            near = {int(value) + step for value in wanted for step in (-1, 0, 1)}
            highest = top(facts[condition.fact])
            found.setdefault(condition.fact, set()).update(value for value in near if 0 <= value <= highest)

    for condition in read:
        visit(condition)
    return {name: tuple(sorted(values)) for name, values in found.items()}


def _value(fact: Fact, figures: tuple[int, ...], chance: Random) -> Value:
    if fact.type == "bool":
        return chance.random() < 0.5
    if fact.type == "enum":
        return chance.choice(fact.values)
    if figures and chance.random() < 0.6:
        return chance.choice(figures)
    return chance.choice((0, 0, 1, 2, fact.maximum, chance.randint(0, fact.maximum)))


class _Reader:
    """The three readings of one decision point."""

    __slots__ = ("_bits", "_catalog", "_conditions", "_evaluator", "_interpreter", "_point", "engine")

    def __init__(self, catalog: Catalog, point: str) -> None:
        space = Space(catalog.points[point].facts)
        translation = Translation(catalog, point, space)
        self._bits = Bits(space, _terms(translation))
        self._catalog = catalog
        self._point = point
        self._conditions = conditions(catalog, point)
        self._interpreter = Interpreter(self._conditions)
        self._evaluator = Evaluator(catalog, point, catalog.shards.get(point))
        self.engine = self._evaluator.has_engine

    def differences(self, record: Record) -> Iterator[tuple[str, tuple[str, ...]]]:
        """``(between whom, about what)`` for each pair of readings that differ."""
        terms = self._bits.true_on(record)
        ours = self._interpreter.matched(record)
        said = frozenset(f"matched {key}" for key in ours)
        said |= frozenset(expected(self._catalog, self._point, record, ours))
        if said != terms:
            yield "the solver and the interpreter", tuple(sorted(said ^ terms))
        if self.engine:
            theirs = frozenset(self._evaluator.evaluate(record).by_engine)
            if theirs != ours:
                yield "durable_rules and the interpreter", tuple(sorted(theirs ^ ours))


def _terms(translation: Translation) -> dict[str, Term]:
    """Every term of a translation under a name."""
    found = {f"matched {key}": term for key, term in translation.matched.items()}
    found |= {f"flag {name}": term for name, term in translation.flags.items()}
    for name, terms in translation.values.items():
        found |= {f"value {name} {value}": term for value, term in terms.items()}
    return found


def expected(catalog: Catalog, point: str, record: Record, keys: frozenset[str]) -> Iterator[str]:
    """The names of the outcomes that hold where ``keys`` matched, by the program's own functions."""
    if point == "turn":
        yield from _expected_turn(catalog, record, keys)
        return
    cases = [case for case in catalog.cases.get(point, ()) if f"case:{case.key}" in keys]
    if point == "candidate":
        verdict = judged(cases)
        yield from (f"flag blocked.{kind}" for kind in verdict.blocks)
        if verdict.runnable:
            yield "flag verdict.runnable"
        return
    declared = catalog.points[point]
    lead = strictest(cases, declared) if cases else None
    yield f"value verdict {lead.verdict if lead else declared.default}"
    yield f"value verdict.case {lead.key if lead else NONE}"
    if declared.blocks:
        yield f"value verdict.kind {(lead.blocks if lead else '') or NONE}"


def _expected_turn(catalog: Catalog, record: Record, keys: frozenset[str]) -> Iterator[str]:
    combined = combine(catalog, keys)
    lead = combined.lead
    asked = lead is not None and bool(lead.asks) and bool(record[lead.asks])
    says = channels(catalog, combined, holds(OPEN_ITEMS, record), asked)
    for name in ("pattern", "stratum", "mode", "effective_action"):
        yield f"value lead.{name} {getattr(lead, name) if lead else NONE}"
    yield f"value lead.case {lead.key if lead else NONE}"
    yield from (f"flag obliged.{item.key}" for item in combined.obligations)
    yield from (f"flag withheld.{what}" for what in WITHHELD if combined.withholds(what))
    mode, granted = says.mode, catalog.modes[lead.mode] if lead else None
    flags = {
        "decision.must_attempt": mode.must_attempt,
        "decision.delivery_allowed": mode.delivery_allowed,
        "decision.spend_after_validation": mode.spend_after_validation,
        "decision.lists_candidates": mode.lists_candidates,
        "decision.quiet_noop_allowed": says.quiet_noop_allowed,
        "decision.action_required": says.action_required,
        "decision.notify": says.notify,
        "decision.silent": says.silent,
        "decision.failed_closed": bool(says.fault),
        "lead.grants_delivery": granted is not None and granted.delivery_allowed,
        "lead.grants_spending": granted is not None and granted.spend_after_validation,
        "lead.asks": asked,
    }
    yield from (f"flag {name}" for name, holds_ in flags.items() if holds_)
    yield f"value decision.mode {mode.name}"
    yield f"value decision.state {says.state}"
    yield f"value decision.spend_policy {mode.spend_policy}"
    yield f"value decision.waiting_on {mode.waiting_on}"
