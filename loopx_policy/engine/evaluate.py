"""Evaluating a decision point: both matchers on every record, and what each of them said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Literal, TypeAlias

from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.conditions import Condition, Value
from loopx_policy.engine.interpret import Interpreter
from loopx_policy.engine.match import EngineError, Matcher, engine_available
from loopx_policy.engine.record import PYTHON_TYPES, Record, RecordError, check_record
from loopx_policy.engine.shard import Shard
from loopx_policy.records import record

if TYPE_CHECKING:
    from loopx_policy.engine.trace import Trace

EngineName: TypeAlias = Literal["durable_rules", "interpreter"]

MEMO_SIZE = 4096


@record(frozen=True)
class Matches:
    """What matched at a decision point.

    ``keys``: ``case:IP-021.repair_bridge``, ``obligation:...``, ``withhold:...`` in catalog order; where the
    matchers disagree, what either of them said, so that the combination can choose the stricter.
    ``engine``: ``durable_rules`` if both ran, ``interpreter`` if it decided alone; ``reason`` says why.
    """

    keys: tuple[str, ...]
    engine: EngineName
    disagreement: bool = False
    by_engine: tuple[str, ...] = ()
    by_interpreter: tuple[str, ...] = ()
    reason: str = ""


class Evaluator:
    """The conditions of one decision point of a catalog, ready to be asked.

    ``shards``, if given, are what ``engine.plan.plan`` gave earlier for the same catalog and point.
    :class:`CatalogError` if the conditions do not fit the engine. Answers are remembered by record, the latest
    ``MEMO_SIZE`` of them, so that many candidates cost what their distinct records cost.
    """

    __slots__ = ("_facts", "_interpreter", "_matcher", "_memo", "_reason", "_types", "_values", "conditions", "point")

    def __init__(self, catalog: Catalog, point: str, shards: Sequence[Shard] | None = None) -> None:
        self.point = point
        self.conditions = conditions(catalog, point)
        self._facts = catalog.points[point].facts
        self._types = tuple(PYTHON_TYPES[fact.type] for fact in self._facts.values())
        self._values = _values_of(tuple(self._facts))
        self._interpreter = Interpreter(self.conditions)
        available, self._reason = engine_available()
        self._matcher: Matcher | None = None
        if available:
            try:
                self._matcher = Matcher(point, self.conditions, self._facts, shards)
            except EngineError as error:
                self._reason = str(error)
        self._memo: dict[tuple[Value, ...], Matches] = {}

    def evaluate(self, record: Record) -> Matches:
        """What holds over a record; :class:`RecordError` if it is not what the point declares.

        Never raises for a failure of the engine: the interpreter decides alone then.
        """
        try:
            values = self._values(record)
        except KeyError as missing:
            raise RecordError(f"The record lacks the fact {missing.args[0]}.") from None
        if tuple(map(type, values)) != self._types:  # True and 1 are one key of a dict
            check_record(record, self._facts)
        known = self._memo.get(values)
        if known is not None:
            return known
        check_record(record, self._facts)
        matches = self._evaluate(record)
        if matches.engine == "durable_rules" or self._matcher is None:
            self._remember(values, matches)
        return matches

    def forget(self) -> None:
        """Drop the remembered answers."""
        self._memo.clear()

    @property
    def has_engine(self) -> bool:
        """Whether ``durable_rules`` runs beside the interpreter."""
        return self._matcher is not None

    def trace(self, key: str, record: Record) -> Trace:
        """Why the condition of a key matched or did not."""
        from loopx_policy.engine.trace import trace

        return trace(self.conditions[key], record)

    def _evaluate(self, record: Record) -> Matches:
        ours = self._interpreter.matched(record)
        in_order = self._in_order(ours)
        if self._matcher is None:
            return Matches(in_order, "interpreter", by_interpreter=in_order, reason=self._reason)
        try:
            theirs = self._matcher.matched(record)
        except EngineError as error:
            return Matches(in_order, "interpreter", by_interpreter=in_order, reason=str(error))
        if theirs == ours:
            return Matches(in_order, "durable_rules", by_engine=in_order, by_interpreter=in_order)
        return Matches(
            keys=self._in_order(ours | theirs),
            engine="durable_rules",
            disagreement=True,
            by_engine=self._in_order(theirs),
            by_interpreter=in_order,
            reason=f"The matchers disagree about {', '.join(sorted(ours ^ theirs))}.",
        )

    def _in_order(self, keys: frozenset[str]) -> tuple[str, ...]:
        return tuple([key for key in self.conditions if key in keys])

    def _remember(self, values: tuple[Value, ...], matches: Matches) -> None:
        if len(self._memo) >= MEMO_SIZE:
            for old in list(islice(self._memo, MEMO_SIZE // 4)):
                del self._memo[old]
        self._memo[values] = matches


def conditions(catalog: Catalog, point: str) -> dict[str, Condition]:
    """Every condition of a decision point by its key, in catalog order; obligations and withholdings are the turn's."""
    found = {f"case:{case.key}": case.when for case in catalog.cases.get(point, ())}
    if point == "turn":
        found.update((f"obligation:{each.key}", each.when) for each in catalog.obligations)
        found.update((f"withhold:{each.key}", each.when) for each in catalog.withholdings)
    return found


def _values_of(names: tuple[str, ...]) -> Callable[[Record], tuple[Value, ...]]:
    """A function from a record to the values of some facts; ``itemgetter`` alone gives a tuple only for two or more."""
    if len(names) > 1:
        return itemgetter(*names)
    return lambda record: tuple([record[name] for name in names])
