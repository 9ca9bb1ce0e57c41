"""Slots: one for each validated delivery, under the decision that permitted its turn, and back again."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import variables_for

from .conftest import BUILDER, WRITER, Build, Harbor

DELIVER = (
    "refresh-state", "--agent-id", BUILDER, "--classification", "basin_charted", "--delivery-outcome",
    "outcome_progress", "--artifact", "charts/basin.md", "--evidence", "the depth check passed",
)  # fmt: skip
SPEND = ("quota", "spend-slot", "--agent-id", BUILDER, "--execute")
VOID = ("quota", "void-slot", "--agent-id", BUILDER, "--execute")


def chart(harbor: Harbor, words: str) -> None:
    """What the delivery leaves behind, in these words."""
    (harbor.project / "charts").mkdir(exist_ok=True)
    (harbor.project / "charts" / "basin.md").write_text(words, encoding="utf-8")


def without(arguments: tuple[str, ...], flag: str) -> tuple[str, ...]:
    at = arguments.index(flag)
    return arguments[:at] + arguments[at + 2 :]


def test_a_whole_turn_costs_one_slot(harbor: Harbor) -> None:
    assert harbor.turn()["cli_channel"]["spend_after_validation"] is True
    written = harbor.ask(*DELIVER)["result"]
    answer = harbor.ask(*SPEND)
    assert answer["written"] is True
    assert answer["result"]["run"] == written["run"]
    assert harbor.spent() == 1
    row = harbor.rows()[-1]
    assert row["classification"] == "quota_slot_spent"
    assert row["quota_event"]["slots"] == 1
    assert row["quota_event"]["run"] == written["run"]
    assert row["agent_id"] == BUILDER


def test_the_second_spending_of_a_delivery_is_refused_as_a_duplicate(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    harbor.ask(*SPEND)
    said = harbor.refused(*SPEND)
    assert "IP-001.used_decision" in said
    assert "already been spent on" in said
    assert harbor.accepted(said).code == 0
    assert harbor.spent() == 1


def test_a_spending_of_a_named_run_is_refused_once_it_is_paid(harbor: Harbor) -> None:
    run = harbor.ask(*DELIVER)["result"]["run"]
    harbor.ask(*SPEND, "--run", run)
    assert "IP-001.used_decision" in harbor.refused(*SPEND, "--run", run)


def test_without_execute_a_spending_is_only_shown(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    before = harbor.files()
    answer = harbor.ask(*SPEND[:-1])
    assert answer["written"] is False
    assert "quota_slot_spent" in answer["diff"]
    assert harbor.files() == before


def test_the_same_key_reports_the_first_spending(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    first = harbor.ask(*SPEND, "--idempotency-key", "turn-1")
    again = harbor.ask(*SPEND, "--idempotency-key", "turn-1")
    assert again["repeated"] is True
    assert again["result"] == first["result"]
    assert harbor.spent() == 1


def test_two_deliveries_cost_two_slots(harbor: Harbor) -> None:
    for minutes in (0, 10):
        harbor.at = minutes
        chart(harbor, f"{minutes} fathoms")
        harbor.ask(*DELIVER)
        harbor.ask(*SPEND)
    assert harbor.spent() == 2


def test_a_second_row_for_an_artifact_that_is_as_it_was_is_not_paid(harbor: Harbor) -> None:
    chart(harbor, "3 fathoms")
    harbor.ask(*DELIVER)
    harbor.ask(*SPEND)
    for again in (DELIVER, (*without(DELIVER, "--artifact"), "--artifact", "./charts//basin.md")):
        harbor.at += 10
        harbor.ask(*again)
        assert "IP-001.paid_artifact" in harbor.refused(*SPEND)
    chart(harbor, "4 fathoms")
    harbor.at += 10
    harbor.ask(*DELIVER)
    harbor.ask(*SPEND)
    assert harbor.spent() == 2


def test_an_artifact_that_is_no_file_is_known_by_its_name(harbor: Harbor) -> None:
    for commit, paid in (("commit 1f2e3d4", True), ("commit 1f2e3d4", False), ("commit 5a6b7c8", True)):
        harbor.at += 10
        harbor.ask(*without(DELIVER, "--artifact"), "--artifact", commit)
        if paid:
            harbor.ask(*SPEND)
        else:
            assert "IP-001.paid_artifact" in harbor.refused(*SPEND)


def test_a_todo_that_is_done_is_paid_whatever_artifact_its_row_names(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    harbor.ask(*SPEND)
    harbor.at = 10
    done = ("--todo-id", "todo_basin", "--agent-id", BUILDER, "--evidence", "sounded", "--no-follow-up")
    harbor.ask("todo", "complete", *done, "--reason", "the basin is all there is")
    harbor.ask(*DELIVER)
    harbor.ask(*SPEND)
    assert harbor.spent() == 2


def test_an_artifact_is_looked_for_in_the_project_only(harbor: Harbor) -> None:
    (harbor.root / "secret.txt").write_text("1", encoding="utf-8")
    (harbor.project / "link.txt").symlink_to(harbor.root / "secret.txt")
    marks = []
    for words in ("1", "2"):
        (harbor.root / "secret.txt").write_text(words, encoding="utf-8")
        harbor.at += 1
        harbor.ask(*without(DELIVER, "--artifact"), "--artifact", "link.txt")
        marks.append(harbor.payload()["delivery"]["artifact_mark"])
    assert marks[0] == marks[1]


def test_who_names_nobody_is_told_who_may_spend(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    said = harbor.refused("quota", "spend-slot", "--execute")
    assert "IP-019.identity_dropped" in said
    assert "decided for builder" in said
    assert harbor.accepted(said).code == 0
    assert harbor.spent() == 1


def test_another_agent_than_the_decisions_is_told_who_may_spend(harbor: Harbor) -> None:
    run = harbor.ask(*DELIVER)["result"]["run"]
    for named in ((), ("--run", run)):
        said = harbor.refused("quota", "spend-slot", "--agent-id", WRITER, "--execute", *named)
        assert "IP-019.identity_changed" in said
    assert harbor.accepted(said).code == 0
    assert harbor.rows()[-1]["agent_id"] == BUILDER


def test_a_spending_carries_the_capabilities_of_the_guard(harbor: Harbor) -> None:
    harbor.ask(*DELIVER, "--available-capability", "network")
    said = harbor.refused(*SPEND)
    assert "IP-021.other_capabilities" in said
    assert "--available-capability network" in said
    assert harbor.accepted(said).code == 0


def test_unvalidated_work_is_not_paid_until_its_check_is_told(harbor: Harbor) -> None:
    harbor.ask(*without(DELIVER, "--evidence"))
    assert "IP-001.not_validated" in harbor.refused(*SPEND)
    harbor.ask(*SPEND, "--evidence", "the depth check passed")
    assert harbor.spent() == 1


def test_a_turn_that_left_nothing_behind_is_not_paid(harbor: Harbor) -> None:
    harbor.ask(*without(DELIVER, "--artifact"))
    assert "IP-001.nothing_left_behind" in harbor.refused(*SPEND)


def test_work_that_no_row_records_is_not_paid(harbor: Harbor) -> None:
    said = harbor.refused(*SPEND, "--evidence", "the depth check passed")
    assert "IP-001.nothing_left_behind" in said or "IP-001.not_written_back" in said
    assert "loopx refresh-state" in said


def test_a_turn_without_leave_to_spend_is_not_paid(build: Build) -> None:
    gate = (
        "- [ ] May the basin be charted?\n"
        "  <!-- loopx:todo todo_id=todo_gate1 status=open task_class=user_gate global_gate=true -->\n"
    )
    harbor = build(users=gate)
    assert harbor.mode() == "user_gate"
    harbor.ask(*DELIVER)
    said = harbor.refused(*SPEND)
    assert "IP-001.not_permitted" in said
    assert "user_gate" in said


def test_a_gate_that_opens_after_the_delivery_row_does_not_unpay_the_turn(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    harbor.edit(
        "## User Todo\n",
        "## User Todo\n\n- [ ] May it be shown?\n"
        "  <!-- loopx:todo todo_id=todo_gate1 status=open task_class=user_gate global_gate=true -->\n",
    )
    assert harbor.mode() == "user_gate"
    harbor.ask(*SPEND)
    assert harbor.spent() == 1


def test_a_decision_speaks_for_its_turn_for_two_hours(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    harbor.at = 121
    assert "IP-001.stale_decision" in harbor.refused(*SPEND)
    harbor.at = 120
    harbor.ask(*SPEND)


def test_a_clock_that_is_set_back_does_not_move_a_slot_out_of_the_window(harbor: Harbor) -> None:
    harbor.at = 3000
    harbor.ask(*DELIVER)
    harbor.at = 0
    assert "IP-001.stale_decision" in harbor.refused(*SPEND)
    harbor.at = 2999
    harbor.ask(*SPEND)
    harbor.at = 3001
    assert harbor.spent() == 1


def test_a_turn_that_is_dated_back_whole_is_not_paid_either(harbor: Harbor) -> None:
    harbor.at = 3000
    chart(harbor, "3 fathoms")
    harbor.ask(*DELIVER)
    harbor.ask(*SPEND)
    chart(harbor, "4 fathoms")
    harbor.at = 0
    harbor.ask(*DELIVER)
    assert "IP-001.dated_back" in harbor.refused(*SPEND)
    harbor.at = 2996  # clocks of two machines differ by minutes
    harbor.ask(*DELIVER)
    harbor.ask(*SPEND)


def test_a_later_row_of_the_same_agent_overtakes_the_decision(harbor: Harbor) -> None:
    run = harbor.ask(*DELIVER)["result"]["run"]
    harbor.at = 5
    harbor.ask(*DELIVER)
    assert "IP-001.stale_decision" in harbor.refused(*SPEND, "--run", run)
    harbor.ask(*SPEND)


def test_a_row_of_another_agent_overtakes_nothing(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    harbor.ask("refresh-state", "--agent-id", WRITER)
    harbor.ask(*SPEND)
    assert harbor.rows()[-1]["quota_event"]["run"] == harbor.rows()[0]["generated_at"]


def test_a_row_that_no_program_of_ours_wrote_is_no_delivery(harbor: Harbor) -> None:
    harbor.append(
        generated_at="2026-12-01T08:59:00Z", classification="delivery", agent_id=BUILDER, progress_scope="agent_lane"
    )
    said = harbor.refused(*SPEND, "--run", "2026-12-01T08:59:00Z", code=2)
    assert "can be meant" in said


def test_a_run_that_is_mistyped_gets_the_nearest(harbor: Harbor) -> None:
    run = harbor.ask(*DELIVER)["result"]["run"]
    assert f"Did you mean {run}?" in harbor.refused(*SPEND, "--run", run.replace("09:00", "09:01"), code=2)


def test_private_evidence_is_refused_and_not_repeated(harbor: Harbor) -> None:
    harbor.ask(*without(DELIVER, "--evidence"))
    secret = "pass" + "word=hunter2xyz"
    said = harbor.refused(*SPEND, "--evidence", f"checked with {secret}")
    assert "IP-001.private_text" in said
    assert "hunter2xyz" not in said


def test_a_goal_without_agents_spends_without_a_name(build: Build) -> None:
    harbor = build(TODOS_OF_NOBODY, agents=())
    harbor.ask("refresh-state", "--artifact", "charts/basin.md", "--evidence", "checked")
    harbor.ask("quota", "spend-slot", "--execute")
    assert harbor.spent() == 1
    assert "agent_id" not in harbor.rows()[-1]


TODOS_OF_NOBODY = "- [ ] [P1] Chart the basin\n  <!-- loopx:todo todo_id=todo_basin status=open -->\n"


def test_a_void_takes_one_slot_back_and_no_more_than_was_spent(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    harbor.ask(*SPEND)
    harbor.at = 1
    answer = harbor.ask(*VOID, "--reason", "it was the wrong run")
    assert harbor.rows()[-1]["classification"] == "quota_slot_voided"
    assert answer["result"]["slots"] == 1
    assert harbor.spent() == 0
    assert "IP-001.nothing_to_void" in harbor.refused(*VOID)


@pytest.mark.parametrize("by", ["run", "spend"])
def test_a_void_takes_back_the_slot_that_is_named(harbor: Harbor, by: str) -> None:
    spends = []
    for minutes in (0, 10):
        harbor.at = minutes
        chart(harbor, f"{minutes} fathoms")
        harbor.ask(*DELIVER)
        spends.append(harbor.ask(*SPEND)["result"])
    harbor.at = 20
    harbor.ask(*VOID, "--run", spends[0][by])
    assert harbor.rows()[-1]["quota_event"]["spend"] == spends[0]["spend"]
    assert "IP-001.nothing_to_void" in harbor.refused(*VOID, "--run", spends[0][by])
    assert harbor.spent() == 1


def test_a_void_of_an_old_slot_gives_none_back_in_this_window(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    old = harbor.ask(*SPEND)["result"]["spend"]
    harbor.at = 25 * 60
    chart(harbor, "7 fathoms")
    harbor.ask(*DELIVER)
    harbor.ask(*SPEND)
    assert harbor.spent() == 1
    harbor.ask(*VOID, "--run", old)
    assert harbor.spent() == 1


def test_a_void_leaves_the_delivery_to_be_paid_again(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    harbor.ask(*SPEND)
    harbor.ask(*VOID)
    harbor.ask(*SPEND)
    assert harbor.spent() == 1


def test_only_its_own_agent_or_a_person_takes_a_slot_back(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    spend = harbor.ask(*SPEND)["result"]["spend"]
    said = harbor.refused("quota", "void-slot", "--agent-id", WRITER, "--run", spend, "--execute")
    assert "IP-019.identity_changed" in said
    assert "void-slot" in said.rpartition("Accepted: ")[2]
    harbor.ask("quota", "void-slot", "--operator", "--execute")
    assert harbor.spent() == 0


def test_a_void_without_execute_is_only_shown(harbor: Harbor) -> None:
    harbor.ask(*DELIVER)
    harbor.ask(*SPEND)
    before = harbor.files()
    assert "quota_slot_voided" in harbor.ask(*VOID[:-1])["diff"]
    assert harbor.files() == before


@pytest.mark.slow
def test_of_many_processes_one_books_the_slot(harbor: Harbor, home: Path) -> None:
    run = harbor.ask(*DELIVER)["result"]["run"]
    command = [sys.executable, "-m", "loopx_policy", "--now", harbor.now, *SPEND, "--run", run]
    environment = variables_for(home, {})
    racers = [
        subprocess.Popen(command, cwd=harbor.project, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(6)
    ]
    for racer in racers:
        racer.communicate(timeout=60)
    assert sorted(racer.returncode for racer in racers) == [0, 4, 4, 4, 4, 4]
    assert harbor.spent() == 1
