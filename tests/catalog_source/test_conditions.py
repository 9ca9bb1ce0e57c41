"""Conditions as they are written: what they mean, and that writing and reading are each other's inverse."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings

from loopx_policy.catalog_source.conditions import Scope, read_condition, write_condition
from loopx_policy.catalog_source.findings import Report
from loopx_policy.catalog_source.lint_use import canonical
from loopx_policy.catalog_source.yaml_nodes import load
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf
from tests.catalog_source.strategies import FACTS, conditions


def scope(**own: Any) -> Scope:
    shared: dict[str, Any] = {"many": 4, "some": (1, 2), "few": 9}
    return Scope("turn", FACTS, own, shared, set(), set(), "IP-101")


def parse(text: str, used: Scope | None = None) -> Condition:
    report = Report()
    node = load(text.encode(), "rule.yaml", report)
    assert node is not None
    condition = read_condition(node, used or scope(), report)
    assert [finding for finding in report.findings if finding.severity == "error"] == []
    return condition


@pytest.mark.parametrize(
    "text, condition",
    [
        ("{}", AllOf(())),
        ("goal.paused: true", Compare("goal.paused", "eq", True)),
        ("agent.role: side", Compare("agent.role", "eq", "side")),
        ("agent.role: {not: side}", Compare("agent.role", "ne", "side")),
        ("agent.role: {in: [side, alone]}", Compare("agent.role", "in", ("side", "alone"))),
        ("agent.role: {not: {in: [side]}}", Compare("agent.role", "not_in", ("side",))),
        ("gates.open: {gte: 1}", Compare("gates.open", "gte", 1)),
        (
            "gates.open: 0\ngoal.paused: false",
            AllOf((Compare("gates.open", "eq", 0), Compare("goal.paused", "eq", False))),
        ),
        ("gates.open: {gt: 1, lt: 4}", AllOf((Compare("gates.open", "gt", 1), Compare("gates.open", "lt", 4)))),
        ("any: [{gates.open: 1}, {}]", AnyOf((Compare("gates.open", "eq", 1), AllOf(())))),
        ("none: [{gates.open: 1}]", NoneOf((Compare("gates.open", "eq", 1),))),
        ("all: [{gates.open: 1}]", AllOf((Compare("gates.open", "eq", 1),))),
        ("gates.open: $many", Compare("gates.open", "eq", 4)),
        ("gates.open: {in: $some}", Compare("gates.open", "in", (1, 2))),
        ("gates.open: {in: [$some, 7]}", Compare("gates.open", "in", (1, 2, 7))),
    ],
)  # fmt: skip
def test_a_written_condition_means_this(text: str, condition: Condition) -> None:
    assert parse(text) == condition


def test_a_parameter_of_the_rule_goes_before_one_of_the_catalog() -> None:
    used = scope(many=3)
    assert parse("gates.open: $many", used) == Compare("gates.open", "eq", 3)
    assert used.parameters_read == {"IP-101.many"}


def test_what_a_condition_reads_is_noted() -> None:
    used = scope()
    parse("any: [{gates.open: $many}, {none: [{goal.paused: true}]}]", used)
    assert used.facts_read == {"gates.open", "goal.paused"}
    assert used.parameters_read == {"many"}


@settings(max_examples=300, deadline=None)
@given(condition=conditions())
def test_writing_and_reading_a_condition_gives_it_back(condition: Condition) -> None:
    text = yaml.safe_dump(write_condition(condition), sort_keys=False)
    assert parse(text) == condition


@settings(max_examples=100, deadline=None)
@given(condition=conditions())
def test_the_canonical_form_ignores_order_and_nesting(condition: Condition) -> None:
    def turned(item: Condition) -> Condition:
        if isinstance(item, Compare):
            return item
        return type(item)(tuple(turned(part) for part in reversed(item.parts)))

    assert canonical(turned(condition)) == canonical(condition)
    assert canonical(AllOf((condition,))) == canonical(condition)
    assert canonical(AnyOf((condition,))) == canonical(condition)


def test_the_canonical_form_keeps_apart_what_differs() -> None:
    one, two = Compare("gates.open", "eq", 1), Compare("gates.open", "eq", 2)
    forms: list[Condition] = [
        AllOf((one, two)),
        AnyOf((one, two)),
        NoneOf((one, two)),
        one,
        two,
        NoneOf((one,)),
        AllOf(()),
    ]
    assert len({canonical(form) for form in forms}) == len(forms)
