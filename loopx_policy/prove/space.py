"""Facts as variables of the solver, conditions as its terms, and records in and out.

A bool is a Boolean; a count is an integer, and so is the place of an enum's value in its declaration, with the domain
as bounds. All that proves or compares is built on these terms, so what they say is what ``faithful`` tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from operator import ge, gt, le, lt
from typing import TYPE_CHECKING, Any, TypeAlias

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, Value
from loopx_policy.engine.domain import decode, encode
from loopx_policy.engine.record import Record
from loopx_policy.errors import CatalogError, UsageError

if TYPE_CHECKING:
    from types import ModuleType

Term: TypeAlias = Any
"""A term of the solver; the package has no types."""

_ORDER: dict[str, Callable[[Term, Term], Term]] = {"gt": gt, "gte": ge, "lt": lt, "lte": le}


@cache
def solver() -> ModuleType:
    """The module ``z3``; a :class:`UsageError` that names the extra where it is not installed."""
    try:
        import z3
    except ImportError:
        raise UsageError(
            "This needs the solver z3, which is not installed.", fix="pip install 'loopx-policy[prove]'"
        ) from None
    module: ModuleType = z3
    return module


def installed() -> bool:
    """Whether the solver is there."""
    try:
        solver()
    except UsageError:
        return False
    return True


class Space:
    """Some facts as variables. Names are unique: where two decision points share a space, their facts differ."""

    __slots__ = ("bounds", "facts", "variables", "z3")

    def __init__(self, facts: Mapping[str, Fact]) -> None:
        self.z3 = solver()
        self.facts = dict(facts)
        self.variables: dict[str, Term] = {}
        self.bounds: list[Term] = []
        for name, fact in self.facts.items():
            if fact.type == "bool":
                self.variables[name] = self.z3.Bool(name)
                continue
            variable = self.variables[name] = self.z3.Int(name)
            self.bounds += [variable >= 0, variable <= top(fact)]

    def term(self, condition: Condition) -> Term:
        """A condition as a term."""
        if isinstance(condition, Compare):
            return self._compare(condition)
        parts = [self.term(part) for part in condition.parts]
        if isinstance(condition, AllOf):
            return self.z3.And(parts)
        some = self.z3.Or(parts)
        return some if isinstance(condition, AnyOf) else self.z3.Not(some)

    def equals(self, name: str, value: Value) -> Term:
        """That a fact has a value."""
        fact, variable = self.facts[name], self.variables[name]
        if fact.type == "bool":
            return variable if value else self.z3.Not(variable)
        return variable == code_of(fact, value)

    def same(self, record: Record, names: Iterable[str] | None = None) -> list[Term]:
        """That facts have the values of a record, one term each; all facts of the space by default."""
        return [self.equals(name, record[name]) for name in (self.facts if names is None else names)]

    def record(self, model: Any) -> dict[str, Value]:
        """The record that a model describes; a fact that it leaves open has its lowest value."""
        found: dict[str, Value] = {}
        for name, fact in self.facts.items():
            value = model.eval(self.variables[name], model_completion=True)
            code = bool(self.z3.is_true(value)) if fact.type == "bool" else int(value.as_long())
            found[name] = decode(fact, code)
        return found

    def _compare(self, leaf: Compare) -> Term:
        fact = self.facts.get(leaf.fact)
        if fact is None:
            raise CatalogError(f"The condition reads the fact {leaf.fact}, which is not declared.")
        if isinstance(leaf.value, tuple):
            among = self.z3.Or([self.equals(leaf.fact, value) for value in leaf.value])
            return among if leaf.op == "in" else self.z3.Not(among)
        if leaf.op in ("eq", "ne"):
            same = self.equals(leaf.fact, leaf.value)
            return same if leaf.op == "eq" else self.z3.Not(same)
        return _ORDER[leaf.op](self.variables[leaf.fact], code_of(fact, leaf.value))


def top(fact: Fact) -> int:
    """The greatest code of a fact."""
    return 1 if fact.type == "bool" else fact.maximum if fact.type == "count" else len(fact.values) - 1


def width(fact: Fact) -> int:
    """The bits that a fact takes in the word of ``Bits``."""
    return max(1, top(fact).bit_length())


def code_of(fact: Fact, value: Value) -> int:
    """The code of a value; :class:`CatalogError` for one outside the declared domain."""
    code = encode(fact, value)
    if not 0 <= code <= top(fact):
        raise CatalogError(f"{value!r} is beyond the domain of the fact {fact.name}.")
    return code


class Bits:
    """Terms made ready to be evaluated on many records: z3 reads all of them off one long word a record.

    The variables of the space are replaced, by z3 itself, by slices of one word; what is evaluated are the terms.
    """

    __slots__ = ("_places", "_space", "_word", "_words", "names")

    def __init__(self, space: Space, terms: Mapping[str, Term]) -> None:
        z3 = space.z3
        self._space = space
        self.names = tuple(terms)
        self._places: dict[str, int] = {}
        position = 0
        for name, fact in space.facts.items():
            self._places[name] = position
            position += width(fact)
        self._word = z3.BitVec("record", position)
        slices = [(variable, self._slice(name)) for name, variable in space.variables.items()]
        one, zero = z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)
        bits = [zero, *(z3.If(term, one, zero) for term in terms.values())]  # a Concat needs two or more
        self._words = z3.substitute(z3.Concat(bits), *slices) if terms else None

    def true_on(self, record: Record) -> frozenset[str]:
        """The names of the terms that hold over a record."""
        if self._words is None:
            return frozenset()
        z3 = self._space.z3
        packed = sum(code_of(fact, record[name]) << self._places[name] for name, fact in self._space.facts.items())
        model = z3.Model()
        model.update_value(self._word, z3.BitVecVal(packed, self._word.size()))
        return frozenset(self._read(int(model.eval(self._words).as_long())))

    def _read(self, bits: int) -> Iterator[str]:
        for number, name in enumerate(reversed(self.names)):
            if bits >> number & 1:
                yield name

    def _slice(self, name: str) -> Term:
        z3, fact, low = self._space.z3, self._space.facts[name], self._places[name]
        part = z3.Extract(low + width(fact) - 1, low, self._word)
        return part == 1 if fact.type == "bool" else z3.BV2Int(part)
