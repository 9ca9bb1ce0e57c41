"""Which decision a turn runs under, where its own work takes the leave away: found in the record of writes."""

from __future__ import annotations

import pytest

from .conftest import BUILDER, WRITER, Build, Harbor
from .test_spend import SPEND

GATE = (
    "- [ ] May the chart be shown?\n"
    "  <!-- loopx:todo todo_id=todo_gate status=open task_class=user_gate blocks_agent=builder -->\n"
)
ONE = "- [ ] [P1] Chart the basin\n  <!-- loopx:todo todo_id=todo_basin status=open claimed_by=builder -->\n"
REFRESH = ("refresh-state", "--agent-id", BUILDER)


def complete(harbor: Harbor, todo_id: str = "todo_basin", agent: str = BUILDER, *more: str) -> None:
    """Finish a todo, with its evidence."""
    harbor.ask(
        "todo", "complete", "--todo-id", todo_id, "--agent-id", agent, "--evidence", "the depth check passed",
        *(more or ("--no-follow-up", "--reason", "that was all")),
    )  # fmt: skip


def test_a_turn_that_finishes_the_last_todo_is_paid_under_the_decision_before_it(build: Build) -> None:
    harbor = build(ONE)
    assert harbor.mode() == "bounded_delivery"
    complete(harbor)
    assert harbor.mode() == "agent_scope_exhausted"
    harbor.ask(*REFRESH)
    payload = harbor.payload()
    assert payload["decision"]["mode"] == "bounded_delivery"
    assert payload["delivery"]["completed"] == ["todo_basin"]
    harbor.ask(*SPEND)
    assert harbor.spent() == 1


def test_a_finished_todo_without_its_row_is_not_written_back(build: Build) -> None:
    harbor = build(ONE)
    complete(harbor)
    said = harbor.refused(*SPEND)
    assert "IP-001.not_written_back" in said
    assert harbor.accepted(said).code == 0
    harbor.ask(*SPEND)


def test_work_after_a_paid_turn_is_a_turn_of_its_own(build: Build) -> None:
    harbor = build(ONE + ONE.replace("todo_basin", "todo_quay"))
    complete(harbor)
    harbor.ask(*REFRESH)
    harbor.ask(*SPEND)
    harbor.at = 5
    complete(harbor, "todo_quay")
    assert "IP-001.not_written_back" in harbor.refused(*SPEND)
    harbor.ask(*REFRESH)
    assert harbor.payload()["delivery"]["completed"] == ["todo_quay"]
    harbor.ask(*SPEND)
    assert harbor.spent() == 2


def test_leave_of_an_earlier_turn_is_not_carried_into_the_next(build: Build) -> None:
    harbor = build(ONE)
    complete(harbor)
    harbor.ask(*REFRESH)
    harbor.ask(*SPEND)
    harbor.at = 5
    harbor.ask(*REFRESH, "--artifact", "charts/basin.md", "--evidence", "looked again")
    assert harbor.payload()["decision"]["mode"] == "agent_scope_exhausted"
    assert "IP-001.not_permitted" in harbor.refused(*SPEND)


def test_leave_is_not_carried_longer_than_a_decision_speaks(build: Build) -> None:
    harbor = build(ONE)
    complete(harbor)
    harbor.at = 121
    harbor.ask(*REFRESH, "--artifact", "charts/basin.md", "--evidence", "checked")
    assert harbor.payload()["decision"]["mode"] == "agent_scope_exhausted"


def test_leave_of_another_agent_is_not_borrowed(build: Build) -> None:
    harbor = build(ONE.replace("builder", "writer"))
    complete(harbor, "todo_basin", "writer", "--side-agent-self-merged", "--no-follow-up", "--reason", "that was all")
    harbor.ask(*REFRESH, "--artifact", "charts/basin.md", "--evidence", "checked")
    assert harbor.payload()["decision"]["spend_after_validation"] is False
    assert "IP-001.not_permitted" in harbor.refused(*SPEND)


def test_a_turn_of_two_decisions_is_paid_under_the_one_that_fits(build: Build) -> None:
    harbor = build(ONE + ONE.replace("todo_basin", "todo_quay"))
    for _ in range(2):
        harbor.ask(*REFRESH, "--delivery-outcome", "surface_only", "--recommended-action", "tidy")
    harbor.at = 5
    assert harbor.mode() == "autonomous_replan"
    complete(harbor)
    harbor.ask(*REFRESH, "--autonomous-replan-recorded")
    assert harbor.mode() == "bounded_delivery"
    harbor.at = 10
    complete(harbor, "todo_quay")
    harbor.append(
        generated_at="2026-12-01T09:11:00Z", classification="tidied", delivery_outcome="surface_only",
        recommended_action="tidy", agent_id=BUILDER, progress_scope="agent_lane",
    )  # fmt: skip
    harbor.append(
        generated_at="2026-12-01T09:12:00Z", classification="tidied", delivery_outcome="surface_only",
        recommended_action="tidy", agent_id=BUILDER, progress_scope="agent_lane",
    )  # fmt: skip
    harbor.at = 15
    assert harbor.mode() == "autonomous_replan"
    harbor.ask(*REFRESH, "--autonomous-replan-recorded", "--next-action", "rest")
    payload = harbor.payload()
    assert [payload["decision"]["mode"], *(one["mode"] for one in payload["also_under"])] == [
        "bounded_delivery", "autonomous_replan",
    ]  # fmt: skip
    harbor.ask(*SPEND)
    assert harbor.spent() == 1


def test_a_capability_of_the_turn_is_carried_from_the_guard_to_the_spending(build: Build) -> None:
    harbor = build(ONE.replace("status=open", "status=open required_capabilities=network"))
    flags = ("--available-capability", "network")
    assert harbor.mode() == "user_action_required"
    assert harbor.turn(BUILDER, *flags)["mode"] == "bounded_delivery"
    complete(harbor, "todo_basin", BUILDER, "--no-follow-up", "--reason", "that was all", *flags)
    harbor.ask(*REFRESH, *flags)
    assert "IP-021.other_capabilities" in harbor.refused(*SPEND)
    harbor.ask(*SPEND, *flags)
    assert harbor.spent() == 1


def test_a_completion_with_its_successor_is_paid_and_leads_to_the_next_turn(build: Build) -> None:
    harbor = build(ONE)
    complete(harbor, "todo_basin", BUILDER, "--next-agent-todo", "Chart the inner basin")
    harbor.ask(*REFRESH, "--delivery-outcome", "outcome_progress")
    assert "successor" in harbor.payload()["frontier"]
    harbor.ask(*SPEND)
    assert harbor.mode() == "bounded_delivery"
    assert "IP-001.used_decision" in harbor.refused(*SPEND)


HANDOFF = (
    "- [x] Review the chart\n  <!-- loopx:todo todo_id=todo_review claimed_by=builder blocks_agent=writer -->\n"
    "- [-] Print the chart\n"
    "  <!-- loopx:todo todo_id=todo_print claimed_by=writer resume_when=todo_done:todo_review -->\n"
)


@pytest.mark.parametrize(
    "way",
    [
        ("reopen", "--todo-id", "todo_print", "--reason", "the review is done"),
        ("supersede", "--todo-id", "todo_print", "--reason", "in colour", "--next-agent-todo", "Print it in colour"),
        ("no-followup", "--todo-id", "todo_print", "--reason", "nobody prints any more"),
    ],
    ids=lambda way: str(way[0]),
)
def test_the_very_first_turn_of_a_lane_is_paid_for_its_way_out_of_a_successor_replan(
    build: Build, way: tuple[str, ...]
) -> None:
    harbor = build(HANDOFF)
    assert harbor.mode(WRITER) == "successor_replan_required"
    harbor.ask("todo", *way, "--agent-id", WRITER)
    row = ("refresh-state", "--classification", "successor_replan", "--agent-id", WRITER, "--evidence", "read again")
    harbor.ask(*row)
    spend = ("quota", "spend-slot", "--agent-id", WRITER, "--execute")
    harbor.ask(*spend)
    harbor.at = 10
    harbor.ask(*row)
    harbor.refused(*spend)
    assert harbor.spent() == 1


def test_a_first_turn_without_a_step_is_not_paid_for_what_was_there_before(build: Build) -> None:
    harbor = build(HANDOFF, users=GATE)
    harbor.ask("todo", "update", "--todo-id", "todo_print", "--note", "seen", "--agent-id", WRITER)
    harbor.ask("refresh-state", "--agent-id", WRITER, "--evidence", "read again")
    harbor.refused("quota", "spend-slot", "--agent-id", WRITER, "--execute")


def test_a_first_turn_is_paid_for_the_blocker_that_it_wrote(build: Build) -> None:
    harbor = build(ONE)
    ask = ("--role", "user", "--task-class", "user_action", "--text", "Lend a sounding lead")
    harbor.ask("todo", "add", *ask, "--agent-id", BUILDER)
    harbor.ask(*REFRESH, "--evidence", "the lead is missing")
    assert harbor.payload()["delivery"]["product"] == "blocker"
    harbor.ask(*SPEND)
