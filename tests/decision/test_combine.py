"""First-applicable leads, obligations accompany, withholding denies, and a contradiction fails closed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.decision import build
from loopx_policy.engine.catalog import Withholding
from loopx_policy.engine.combine import combine, stricter
from loopx_policy.engine.conditions import AllOf
from loopx_policy.records import replace

Turn = Callable[..., Evaluation]
WORK = {"todo_id": "todo_a01", "text": "[P1] Chart the basin"}


def test_the_first_matched_case_in_stratum_order_leads(policy: Policy) -> None:
    combined = combine(policy.catalog, ["case:IP-001.deliver", "case:GR-paused.paused", "case:GR-idle.nothing"])
    assert [case.key for case in combined.matched] == ["GR-paused.paused", "IP-001.deliver", "GR-idle.nothing"]
    assert combined.lead is combined.matched[0]


def test_nothing_leads_where_nothing_matches(policy: Policy) -> None:
    assert combine(policy.catalog, []).lead is None


def test_an_obligation_that_names_strata_accompanies_only_those(policy: Policy) -> None:
    claim = "obligation:IP-020.claim_first"
    beside = combine(policy.catalog, ["case:IP-001.deliver", claim])
    elsewhere = combine(policy.catalog, ["case:GR-throttled.spent", claim])
    assert [item.key for item in beside.obligations] == ["IP-020.claim_first"]
    assert elsewhere.obligations == ()


def test_of_two_different_answers_the_stricter_lead_stands_with_the_duties_of_both(policy: Policy) -> None:
    loose = combine(policy.catalog, ["case:IP-001.deliver", "obligation:IP-010.widen"])
    strict = combine(policy.catalog, ["case:IP-004.blanket", "withhold:IP-004.open_items"])
    for pair in ((loose, strict), (strict, loose)):
        chosen = stricter(policy.catalog, *pair)
        assert chosen.lead is not None
        assert chosen.lead.key == "IP-004.blanket"
        assert {item.key for item in chosen.obligations} == {"IP-010.widen"}
        assert {item.key for item in chosen.withheld} == {"IP-004.open_items"}


def test_no_lead_at_all_is_the_strictest_of_two_answers(policy: Policy) -> None:
    some = combine(policy.catalog, ["case:GR-paused.paused"])
    assert stricter(policy.catalog, some, combine(policy.catalog, [])).lead is None


@pytest.mark.parametrize("what", ["delivery", "spending"])
def test_a_grant_that_is_withheld_fails_closed_and_says_who_withholds(turn: Turn, policy: Policy, what: str) -> None:
    evaluation = turn(todos=[WORK])
    withheld = Withholding("IP-999", "no", what, AllOf(()))  # type: ignore[arg-type]
    evaluation.combined = replace(evaluation.combined, withheld=(withheld,))
    decision = build(evaluation)
    assert decision.mode.name == "health_blocked"
    assert decision.state == "blocked_health"
    assert not decision.should_run
    assert decision.notify
    assert decision.candidates == []
    assert decision.reason == f"IP-999.no withholds {what} from IP-001.deliver"


def test_a_state_that_no_rule_decides_fails_closed(turn: Turn, policy: Policy) -> None:
    evaluation = turn(todos=[WORK])
    evaluation.combined = combine(policy.catalog, [])
    decision = build(evaluation)
    assert (decision.mode.name, decision.pattern, decision.notify) == ("health_blocked", "", True)


def test_engines_that_disagree_are_named_and_the_stricter_answer_stands(policy: Policy) -> None:
    class Liar:
        """Stands where the turn's evaluator stands and reports two different answers."""

        def evaluate(self, record: object) -> object:
            from loopx_policy.engine.evaluate import Matches

            one, other = ("case:IP-001.deliver",), ("case:IP-004.blanket", "case:IP-001.deliver")
            return Matches(other, "durable_rules", True, one, other, "they differ")

    from loopx_policy.project.document import from_document

    honest = policy._turn
    try:
        policy._turn = Liar()  # type: ignore[assignment]
        goal = {"id": "harbor", "write_scope": ["**"]}
        decision = policy.decide(from_document({"now": "2026-12-01T12:00:00Z", "goal": goal, "todos": [WORK]}))
    finally:
        policy._turn = honest
    assert decision.engine == "engine_disagreement"
    assert (decision.pattern, decision.case) == ("IP-004", "blanket")
