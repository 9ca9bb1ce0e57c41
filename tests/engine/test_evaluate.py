"""An evaluation runs both matchers and says what each of them found."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from loopx_policy.engine.catalog import Case, Catalog, Fact, Obligation, Point, Withholding
from loopx_policy.engine.conditions import AllOf, Compare
from loopx_policy.engine.evaluate import MEMO_SIZE, Evaluator, conditions
from loopx_policy.engine.plan import plan
from loopx_policy.engine.record import RecordError, check_record
from loopx_policy.errors import CatalogError
from tests.engine.strategies import FACTS, chance_condition, chance_record, truth

OPEN, RUNNABLE = Compare("gate.open", "eq", True), Compare("frontier.runnable", "gte", 1)


def catalog(*cases: Case, facts: dict[str, Fact] = FACTS) -> Catalog:
    return Catalog(
        digest="0" * 16,
        points={"turn": Point("turn", facts), "candidate": Point("candidate", facts)},
        cases={"turn": tuple(case for case in cases if case.point == "turn"),
               "candidate": tuple(case for case in cases if case.point == "candidate")},
        obligations=(Obligation("IP-004", "show", "user", OPEN, "t"),
                     Obligation("IP-022", "cap", "view", AllOf(()), "t")),
        withholdings=(Withholding("IP-010", "hold", "spending", OPEN),),
        modes={},
        strata=(),
    )  # fmt: skip


TURN = Case("IP-004", "gate", "turn", OPEN), Case("IP-001", "run", "turn", RUNNABLE)
BLOCKED = Case("IP-021", "lacks", "candidate", Compare("frontier.first", "in", ("lacks_bridge", "gated")))
QUIET: dict[str, Any] = {"gate.open": False, "gate.clear": True, "quota.spent": False, "frontier.runnable": 0,
                         "frontier.open": 0, "polls.unchanged": 0, "frontier.first": "none", "agent.role": "",
                         "sole": "only"}  # fmt: skip


def test_the_keys_are_cases_obligations_and_withholdings_in_catalog_order() -> None:
    evaluator = Evaluator(catalog(*TURN, BLOCKED), "turn")
    everything = (
        "case:IP-004.gate",
        "case:IP-001.run",
        "obligation:IP-004.show",
        "obligation:IP-022.cap",
        "withhold:IP-010.hold",
    )
    assert tuple(evaluator.conditions) == everything
    matches = evaluator.evaluate({**QUIET, "gate.open": True, "frontier.runnable": 3})
    assert matches.keys == matches.by_engine == matches.by_interpreter == everything
    assert (matches.engine, matches.disagreement, matches.reason) == ("durable_rules", False, "")
    assert evaluator.evaluate(QUIET).keys == ("obligation:IP-022.cap",)


def test_obligations_and_withholdings_are_only_of_the_turn() -> None:
    assert tuple(conditions(catalog(*TURN, BLOCKED), "candidate")) == ("case:IP-021.lacks",)
    evaluator = Evaluator(catalog(*TURN, BLOCKED), "candidate")
    assert evaluator.evaluate({**QUIET, "frontier.first": "gated"}).keys == ("case:IP-021.lacks",)


def test_an_evaluation_is_the_truth_of_every_condition() -> None:
    chance = Random(5)
    evaluator = Evaluator(
        catalog(*(Case("IP-001", f"c{n}", "turn", chance_condition(chance, 2)) for n in range(30))), "turn"
    )
    for _ in range(300):
        record = chance_record(chance)
        matches = evaluator.evaluate(record)
        assert matches.keys == tuple(key for key, when in evaluator.conditions.items() if truth(when, record))
        assert not matches.disagreement


def test_where_the_matchers_disagree_the_answer_holds_what_either_said() -> None:
    items = {**conditions(catalog(*TURN), "turn"), "case:IP-001.run": Compare("frontier.runnable", "gte", 0)}
    evaluator = Evaluator(catalog(*TURN), "turn", plan("turn", items, FACTS))
    matches = evaluator.evaluate({**QUIET, "gate.open": True})
    assert matches.disagreement
    assert set(matches.by_engine) - set(matches.by_interpreter) == {"case:IP-001.run"}
    assert matches.keys == tuple(evaluator.conditions)
    assert matches.reason == "The matchers disagree about case:IP-001.run."


def test_where_the_engine_fails_the_interpreter_decides_alone_and_says_so() -> None:
    facts = {f"f{number:02}": Fact(f"f{number:02}", "bool") for number in range(70)}
    cases = [Case("IP-001", name, "candidate", Compare(name, "eq", True)) for name in facts]
    items = conditions(catalog(*cases, facts=facts), "candidate")
    first, second = plan("candidate", items, facts)
    # One ruleset where there must be two: more alphas wait than the engine allows.
    rules = [f'"{n}":{{"all":[{{"m":{{"f{n}":1}}}}],"pri":{n}}}' for n in range(70)]
    broken = type(first)(
        definition="{" + ",".join(rules) + ',"end":{"all":[{"m":{"z":1}}],"pri":70}}',
        template='{"sid":"s","id":"r","z":1' + "".join(f',"f{n}":%d' for n in range(70)) + "}",
        facts=first.facts + second.facts,
        owners=first.owners + second.owners,
    )
    evaluator = Evaluator(catalog(*cases, facts=facts), "candidate", [broken])
    few = {**dict.fromkeys(facts, False), "f03": True}
    assert evaluator.evaluate(few).engine == "durable_rules"
    matches = evaluator.evaluate(dict.fromkeys(facts, True))
    assert matches.engine == "interpreter"
    assert matches.keys == matches.by_interpreter == tuple(items)
    assert (matches.by_engine, matches.disagreement) == ((), False)
    assert "303" in matches.reason
    assert evaluator.evaluate({**few, "f04": True}).engine == "durable_rules"


def test_rules_that_the_engine_refuses_leave_the_interpreter() -> None:
    (good,) = plan("turn", conditions(catalog(*TURN), "turn"), FACTS)
    bad = type(good)('{"0":1}', good.template, good.facts, good.owners)
    matches = Evaluator(catalog(*TURN), "turn", [bad]).evaluate({**QUIET, "frontier.runnable": 1})
    assert (matches.engine, matches.keys) == ("interpreter", ("case:IP-001.run", "obligation:IP-022.cap"))
    assert "refused the rules of turn" in matches.reason


def test_a_catalog_that_does_not_fit_is_refused() -> None:
    with pytest.raises(CatalogError, match=r"case:IP-001\.bad: .*frontier\.frist"):
        Evaluator(catalog(Case("IP-001", "bad", "turn", Compare("frontier.frist", "eq", "none"))), "turn")


def test_equal_records_are_evaluated_once() -> None:
    evaluator = Evaluator(catalog(*TURN), "turn")
    chance = Random(2)
    distinct = [chance_record(chance) for _ in range(5)]
    answers = {id(evaluator.evaluate(dict(distinct[number % 5]))) for number in range(20_000)}
    assert len(answers) == 5


def test_what_is_remembered_is_bounded() -> None:
    facts = {"n": Fact("n", "count"), "m": Fact("m", "count")}
    evaluator = Evaluator(catalog(Case("IP-001", "c", "candidate", Compare("n", "gte", 3)), facts=facts), "candidate")
    first = evaluator.evaluate({"n": 0, "m": 0})
    for number in range(MEMO_SIZE + 10):
        matches = evaluator.evaluate({"n": number, "m": 1})
        assert bool(matches.keys) is (number >= 3)
    assert len(evaluator._memo) <= MEMO_SIZE
    again = evaluator.evaluate({"n": 0, "m": 0})
    assert again == first
    assert again is not first


@pytest.mark.parametrize(
    ("fact", "value", "message"),
    [("gate.open", 0, "declared as bool"), ("frontier.runnable", False, "declared as count"),
     ("frontier.first", "unheard_of", "no value 'unheard_of'"), ("frontier.first", None, "declared as enum")],
)  # fmt: skip
def test_a_record_that_breaks_its_declaration_is_an_error_even_if_a_like_one_is_remembered(
    fact: str, value: Any, message: str
) -> None:
    evaluator = Evaluator(catalog(*TURN), "turn")
    evaluator.evaluate(QUIET)
    with pytest.raises(RecordError, match=message):
        evaluator.evaluate({**QUIET, fact: value})
    with pytest.raises(RecordError, match=message):
        check_record({**QUIET, fact: value}, FACTS)


def test_a_missing_fact_is_an_error() -> None:
    short = {name: value for name, value in QUIET.items() if name != "sole"}
    with pytest.raises(RecordError, match="lacks the fact sole"):
        Evaluator(catalog(*TURN), "turn").evaluate(short)
    with pytest.raises(RecordError, match="lacks the fact sole"):
        check_record(short, FACTS)


def test_a_point_with_one_fact_or_none() -> None:
    one = {"n": Fact("n", "count")}
    assert Evaluator(catalog(Case("A", "c", "candidate", Compare("n", "eq", 1)), facts=one), "candidate").evaluate(
        {"n": 1}
    ).keys == ("case:A.c",)
    assert Evaluator(catalog(Case("A", "c", "candidate", AllOf(())), facts={}), "candidate").evaluate({}).keys == (
        "case:A.c",
    )


def test_a_key_can_be_explained() -> None:
    trace = Evaluator(catalog(*TURN), "turn").trace("case:IP-001.run", QUIET)
    assert [(leaf.fact, leaf.op, leaf.wanted, leaf.found) for leaf in trace.failed] == [
        ("frontier.runnable", "gte", 1, 0)
    ]
