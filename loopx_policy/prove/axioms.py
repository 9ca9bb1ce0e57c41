"""Axioms as terms, and over one record."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from loopx_policy.catalog_source.laws import AtMost, Axiom, Law
from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import Compare, Condition
from loopx_policy.engine.interpret import holds
from loopx_policy.engine.record import Record
from loopx_policy.prove.space import Space, Term, top


def keeps(axiom: Axiom, record: Record, facts: Mapping[str, Fact]) -> bool:
    """Whether a record keeps an axiom. For a candidate the record has its outcomes and its turn's facts too."""
    if not holds(axiom.when, record):
        return True
    return any(all(_keeps(law, record, facts) for law in laws) for laws in axiom.alternatives)


def _keeps(law: Law, record: Record, facts: Mapping[str, Fact]) -> bool:
    if not isinstance(law, AtMost):
        return holds(law, record)
    if any(facts[name].type == "count" and record[name] == facts[name].maximum for name in law.of):
        return True
    return law.plus + sum(int(record[name]) for name in law.sum) <= law.of_plus + sum(
        int(record[name]) for name in law.of
    )


class Reader:
    """Axioms as terms over a space; ``read`` turns a condition into a term (it may know outcomes)."""

    __slots__ = ("_read", "_space")

    def __init__(self, space: Space, read: Callable[[Condition], Term]) -> None:
        self._space = space
        self._read = read

    def term(self, axiom: Axiom) -> Term:
        """The axiom as one term."""
        z3 = self._space.z3
        body = z3.Or([z3.And([self._law(law) for law in laws]) for laws in axiom.alternatives])
        return z3.Implies(self._read(axiom.when), body)

    def _law(self, law: Law) -> Term:
        if not isinstance(law, AtMost):
            return self._read(law)
        z3, space = self._space.z3, self._space
        counts = [name for name in dict.fromkeys(law.of) if name in space.facts and space.facts[name].type == "count"]
        full = [space.variables[name] == top(space.facts[name]) for name in counts]
        return z3.Or([*full, self._sum(law.sum, law.plus) <= self._sum(law.of, law.of_plus)])

    def _sum(self, names: tuple[str, ...], plus: int) -> Term:
        z3 = self._space.z3
        total = z3.IntVal(plus)
        for name in names:
            if name in self._space.facts and self._space.facts[name].type == "count":
                total = total + self._space.variables[name]
            else:
                flag = self._read(Compare(name, "eq", True))
                total = total + z3.If(flag, z3.IntVal(1), z3.IntVal(0))
        return total
