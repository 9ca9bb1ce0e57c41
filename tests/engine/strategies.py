"""Random vocabularies, conditions and records, and what a condition means, written without the library's help."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import strategies as st

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf, Value

FACTS = {
    "gate.open": Fact("gate.open", "bool"),
    "gate.clear": Fact("gate.clear", "bool"),
    "quota.spent": Fact("quota.spent", "bool"),
    "frontier.runnable": Fact("frontier.runnable", "count", maximum=9),
    "frontier.open": Fact("frontier.open", "count", maximum=9),
    "polls.unchanged": Fact("polls.unchanged", "count", maximum=9),
    "frontier.first": Fact("frontier.first", "enum", ("none", "runnable", "gated", "lacks_bridge", "unprojected")),
    "agent.role": Fact("agent.role", "enum", ("", "side", "primary", 'it\'s "quoted" \\ é')),
    "sole": Fact("sole", "enum", ("only",)),
}


def values(fact: Fact) -> st.SearchStrategy[Any]:
    """The values of a fact; counts small and around the literals, and negative now and then."""
    if fact.type == "bool":
        return st.booleans()
    return st.sampled_from(fact.values) if fact.type == "enum" else st.integers(-2, 12)


def leaves(facts: dict[str, Fact]) -> st.SearchStrategy[Compare]:
    def of(fact: Fact) -> st.SearchStrategy[Compare]:
        one = values(fact)
        several = st.lists(one, min_size=1, max_size=5).map(tuple)
        ops = ["eq", "eq", "eq", "ne"] + (["gt", "gte", "lt", "lte"] if fact.type == "count" else [])
        single = st.builds(Compare, st.just(fact.name), st.sampled_from(ops), one)
        return single | st.builds(Compare, st.just(fact.name), st.sampled_from(["in", "not_in"]), several)

    return st.sampled_from(sorted(facts)).flatmap(lambda name: of(facts[name]))


def conditions(facts: dict[str, Fact] = FACTS, *, depth: int = 10) -> st.SearchStrategy[Condition]:
    def combine(inner: st.SearchStrategy[Condition]) -> st.SearchStrategy[Condition]:
        parts = st.lists(inner, min_size=0, max_size=4).map(tuple)
        return st.builds(AllOf, parts) | st.builds(AnyOf, parts) | st.builds(NoneOf, parts)

    return st.recursive(leaves(facts), combine, max_leaves=depth)


def records(facts: dict[str, Fact] = FACTS) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({name: values(fact) for name, fact in facts.items()})


def truth(condition: Condition, record: dict[str, Value]) -> bool:
    """The meaning of a condition, as the rule-file format defines it."""
    match condition:
        case AllOf(parts):
            return all(truth(part, record) for part in parts)
        case AnyOf(parts):
            return any(truth(part, record) for part in parts)
        case NoneOf(parts):
            return not any(truth(part, record) for part in parts)
    found, wanted = record[condition.fact], condition.value
    members = wanted if isinstance(wanted, tuple) else (wanted,)
    same = any(found == each and isinstance(found, bool) == isinstance(each, bool) for each in members)
    if condition.op in ("eq", "in"):
        return same
    if condition.op in ("ne", "not_in"):
        return not same
    assert isinstance(found, int)
    assert isinstance(wanted, int)
    return {"gt": found > wanted, "gte": found >= wanted, "lt": found < wanted, "lte": found <= wanted}[condition.op]


def all_leaves(condition: Condition) -> list[Compare]:
    if isinstance(condition, Compare):
        return [condition]
    return [leaf for part in condition.parts for leaf in all_leaves(part)]


def chance_value(chance: Random, fact: Fact) -> Any:
    if fact.type == "bool":
        return chance.random() < 0.5
    return chance.choice(fact.values) if fact.type == "enum" else chance.randint(-2, 12)


def chance_condition(chance: Random, depth: int = 3, facts: dict[str, Fact] = FACTS) -> Condition:
    """A random condition; a hundred times as quick as the strategy, and it cannot be shrunk."""
    if depth and chance.random() < 0.7:
        shape = chance.choice((AllOf, AllOf, AnyOf, NoneOf))
        return shape(
            tuple(chance_condition(chance, depth - 1, facts) for _ in range(chance.choice((0, 1, 2, 2, 3, 4))))
        )
    fact = chance.choice(list(facts.values()))
    ops = ["eq", "eq", "ne", "in", "not_in"] + (["gt", "gte", "lt", "lte"] if fact.type == "count" else [])
    op: Any = chance.choice(ops)
    if op in ("in", "not_in"):
        return Compare(fact.name, op, tuple(chance_value(chance, fact) for _ in range(chance.randint(1, 4))))
    return Compare(fact.name, op, chance_value(chance, fact))


def chance_record(chance: Random, facts: dict[str, Fact] = FACTS) -> dict[str, Any]:
    return {name: chance_value(chance, fact) for name, fact in facts.items()}
