"""Conditions become rulesets that stay inside what the rule engine can do."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, Value
from loopx_policy.engine.match import Matcher
from loopx_policy.engine.plan import MAX_FACTS, MAX_PENDING, Step, pending, plan
from loopx_policy.engine.shard import SENTINEL, Shard
from loopx_policy.errors import CatalogError
from tests.engine.strategies import FACTS, chance_condition, truth

MANY = {f"flag.{number}": Fact(f"flag.{number}", "bool") for number in range(900)}


def flag(number: int) -> Compare:
    return Compare(f"flag.{number}", "eq", True)


def test_without_conditions_there_is_one_ruleset_with_the_sentinel_in_it() -> None:
    (shard,) = plan("turn", {}, FACTS)
    assert list(json.loads(shard.definition)) == [SENTINEL]
    assert json.loads(shard.template) == {"sid": "s", "id": "r", "z": 1}


def test_equal_conjuncts_are_one_rule_for_all_their_keys() -> None:
    (shard,) = plan("turn", {"a": flag(1), "b": AllOf((flag(1),)), "c": AnyOf((flag(1), flag(2)))}, MANY)
    assert sorted(shard.owners) == [("a", "b", "c"), ("c",)]


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_every_ruleset_keeps_the_measured_limits(seed: int) -> None:
    chance = Random(seed)
    items = {f"k{number}": chance_condition(chance, 2) for number in range(30)}
    shards = plan("turn", items, FACTS)
    assert plan("turn", dict(reversed(items.items())), FACTS) == shards, "the order of the conditions does not matter"
    for shard in shards:
        rules = json.loads(shard.definition)
        assert list(rules) == [str(number) for number in range(len(shard.owners))] + [SENTINEL]
        assert [rule["pri"] for rule in rules.values()] == list(range(len(rules))), "unique, and the sentinel last"
        for rule in rules.values():
            (test,) = rule["all"]
            assert test["m"] == {"z": 1} or len(test["m"]["$and"]) > 0
        assert Shard.from_data(json.loads(json.dumps(shard.to_data()))) == shard


def waiting(paths: list[tuple[Step, ...]], values: dict[str, int]) -> int:
    """The most alphas that wait when the engine walks these paths over one message, as its source does it."""
    stack: list[tuple[tuple[Step, ...], int]] = [((), 0)]
    most = 0
    while stack:
        prefix, depth = stack.pop()
        below = sorted({path[depth] for path in paths if len(path) > depth and path[:depth] == prefix})
        for fact, op, code in below:
            found = values[fact]
            if {"": found == code, "$neq": found != code, "$gte": found >= code, "$lte": found <= code}[op]:
                stack.append(((*prefix, (fact, op, code)), depth + 1))
        most = max(most, len(stack))
    return most


@settings(max_examples=150, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_no_record_makes_more_alphas_wait_than_was_calculated(seed: int) -> None:
    chance = Random(seed)

    def step() -> tuple[str, str, int]:
        return chance.choice("abcd"), chance.choice(["", "$neq", "$gte", "$lte"]), chance.randint(0, 3)

    paths = [tuple(step() for _ in range(chance.randint(0, 4))) for _ in range(20)]
    bound = pending(paths)
    for _ in range(20):
        assert waiting(paths, {fact: chance.randint(-1, 4) for fact in "abcd"}) <= bound


@pytest.mark.parametrize(
    ("conditions", "rulesets"), [(MAX_PENDING - 1, 1), (MAX_PENDING, 2), (200, 4), (316, 6), (504, 8)]
)
def test_independent_conditions_are_spread_over_as_many_rulesets_as_they_need(conditions: int, rulesets: int) -> None:
    items: dict[str, Condition] = {f"k{number:03}": flag(number) for number in range(conditions)}
    matcher = Matcher("turn", items, MANY)
    assert matcher.shards == rulesets
    assert matcher.matched(dict.fromkeys(MANY, True)) == set(items)
    assert matcher.matched(dict.fromkeys(MANY, False)) == set()
    some = Random(1)
    record: dict[str, Value] = {name: some.random() < 0.5 for name in MANY}
    assert matcher.matched(record) == {key for key, condition in items.items() if truth(condition, record)}


def test_a_key_may_have_its_conjuncts_in_several_rulesets() -> None:
    items = {"any": AnyOf(tuple(flag(number) for number in range(150)))}
    matcher = Matcher("turn", items, MANY)
    assert matcher.shards > 1
    for number in (0, 75, 149):
        assert matcher.matched({**dict.fromkeys(MANY, False), f"flag.{number}": True}) == {"any"}


def test_what_needs_too_many_rulesets_is_refused() -> None:
    items: dict[str, Condition] = {f"k{number:03}": flag(number) for number in range(600)}
    with pytest.raises(CatalogError, match="The decision point turn needs more than the 8 rulesets"):
        plan("turn", items, MANY)


def test_a_condition_over_more_facts_than_a_message_has_room_for_is_refused_by_name() -> None:
    widest = AllOf(tuple(flag(number) for number in range(MAX_FACTS)))
    matcher = Matcher("turn", {"wide": widest}, MANY)
    assert matcher.matched(dict.fromkeys(MANY, True)) == {"wide"}
    with pytest.raises(CatalogError, match=f"case:IP-001.wide: the condition reads more than {MAX_FACTS} facts"):
        plan("turn", {"case:IP-001.wide": AllOf((widest, flag(MAX_FACTS)))}, MANY)


def test_an_error_in_a_condition_names_its_key() -> None:
    with pytest.raises(CatalogError, match=r"case:IP-002\.x: .*flag\.none"):
        plan("turn", {"case:IP-002.x": Compare("flag.none", "eq", True)}, MANY)


def test_a_count_compared_with_many_numbers_stays_within_one_node() -> None:
    facts = {"n": Fact("n", "count")}
    items: dict[str, Condition] = {f"k{number:04}": Compare("n", "eq", number) for number in range(700)}
    matcher = Matcher("turn", items, facts)
    assert [matcher.matched({"n": found}) for found in (0, 511, 699, 700)] == [{"k0000"}, {"k0511"}, {"k0699"}, set()]


def test_wide_gaps_become_rules_and_narrow_ones_comparisons() -> None:
    facts = {"n": Fact("n", "count")}
    (narrow,) = plan("turn", {"k": Compare("n", "not_in", (3, 7))}, facts)
    (wide,) = plan("turn", {"k": Compare("n", "in", (3, 70))}, facts)
    assert (len(narrow.owners), len(wide.owners)) == (1, 2)


def test_the_names_that_the_engine_sees_have_different_hashes() -> None:
    """It compares names by their 32-bit FNV-1a hash only."""

    def fnv(name: str) -> int:
        value = 0x811C9DC5
        for byte in name.encode():
            value = (value ^ byte) * 16777619 & 0xFFFFFFFF
        return value

    names = [f"f{number}" for number in range(MAX_FACTS)] + ["z", "id", "sid", "$s", "$forward"]
    assert len({fnv(name) for name in names}) == len(names)
