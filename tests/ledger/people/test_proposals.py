"""A planning proposal is advice until an operator decides. Seed: IP-013."""

from __future__ import annotations

import pytest

from tests.ledger.people.conftest import Harbor

ADVISORY = "IP-013.dreaming_is_advisory"


def propose(harbor: Harbor, *more: str) -> str:
    """A proposal of the builder's planning lane, by the time of its row."""
    words = ("--title", "a second quay", "--summary", "twice the berths", "--agent-id", "builder")
    return str(harbor.ask("dreaming", "propose", *words, *more, "--execute")["result"]["proposal"])


def decide(verb: str, proposal: str, *more: str) -> list[str]:
    return ["dreaming", verb, "--proposal", proposal, *(more or ("--operator",)), "--execute"]


def test_a_proposal_is_shown_and_moves_nothing(harbor: Harbor) -> None:
    before = harbor.decision()
    propose(harbor)
    after = harbor.decision()
    assert ADVISORY in str(after["obligations"])
    assert after["lead"] == before["lead"]
    chosen = [each["interaction_contract"]["agent_channel"]["selected_todo_id"] for each in (before, after)]
    assert chosen == ["todo_importer", "todo_importer"]
    assert harbor.rows()[-1]["dreaming_proposal"]["carries_command"] is False


@pytest.mark.parametrize(("verb", "said"), [("promote", "promoted"), ("reject", "rejected")])
def test_an_operator_decides_it_once(harbor: Harbor, verb: str, said: str) -> None:
    proposal = propose(harbor)
    harbor.ask(*decide(verb, proposal))
    row = harbor.rows()[-1]
    assert row["dreaming_decision"]["ref"] == proposal
    assert row["dreaming_decision"]["decision"] == said
    assert ADVISORY not in str(harbor.decision()["obligations"])
    assert "IP-013.decided_before" in harbor.refused(*decide(verb, proposal))


@pytest.mark.parametrize("verb", ["promote", "reject"])
def test_no_agent_decides_it(harbor: Harbor, verb: str) -> None:
    proposal = propose(harbor)
    said = harbor.refused(*decide(verb, proposal, "--agent-id", "builder"))
    assert "IP-013.proposal_decided_by_agent" in said


def test_a_promotion_waits_for_an_open_replan(harbor: Harbor) -> None:
    proposal = propose(harbor)
    for minute in (10, 20):
        stalled = {"delivery_outcome": "surface_only", "recommended_action": "tidy", "agent_id": "writer"}
        harbor.append(generated_at=f"2026-12-01T08:{minute}:00Z", progress_scope="agent_lane", **stalled)
    assert "IP-013.proposal_before_replan" in harbor.refused(*decide("promote", proposal))
    assert harbor.ask(*decide("reject", proposal))["written"]


def test_a_promotion_passes_the_boundary_check(harbor: Harbor) -> None:
    outside, inside = (
        propose(harbor, "--wants-write-scope", "infra/**"),
        propose(harbor, "--wants-write-scope", "docs/a"),
    )
    assert "IP-013.proposal_unchecked" in harbor.refused(*decide("promote", outside))
    assert harbor.ask(*decide("promote", inside))["written"]


def test_a_promotion_needs_what_the_goal_can_do(harbor: Harbor) -> None:
    proposal = propose(harbor, "--wants-capability", "network")
    assert "IP-013.proposal_unchecked" in harbor.refused(*decide("promote", proposal))


def test_a_paused_goal_promotes_nothing(harbor: Harbor) -> None:
    proposal = propose(harbor)
    registry = harbor.project / ".loopx" / "registry.json"
    registry.write_text(registry.read_text(encoding="utf-8").replace('"compute": 1.0', '"compute": 0'))
    assert "IP-013.proposal_unchecked" in harbor.refused(*decide("promote", proposal))


def test_a_proposal_with_a_command_is_not_promoted(harbor: Harbor) -> None:
    proposal = {"title": "dig", "agent_command": "dig --deep"}
    harbor.append(generated_at="2026-12-01T08:10:00Z", dreaming_proposal=proposal)
    assert "IP-013.proposal_with_command" in harbor.refused(*decide("promote", "2026-12-01T08:10:00Z"))


def test_a_proposal_that_nobody_made_is_not_decided(harbor: Harbor) -> None:
    proposal = propose(harbor)
    said = harbor.refused(*decide("promote", proposal.replace("09:00:00", "09:00:01")))
    assert "IP-013.no_such_proposal" in said
    assert proposal in said


def test_private_text_is_refused_with_its_field(harbor: Harbor) -> None:
    words = ("--title", "use db.corp", "--summary", "x", "--agent-id", "builder", "--execute")
    said = harbor.refused("dreaming", "propose", *words)
    assert "title" in said
    assert "db.corp" not in said
