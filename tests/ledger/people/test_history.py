"""What happened, newest first. Issue: history shows run rows, ledger events, rewards and gates."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.people.conftest import GATE, RUN, Harbor

REWARD = ("--decision", "continue_route", "--reward", "positive", "--reason-summary", "it holds")


def entries(harbor: Harbor, *arguments: str) -> list[Any]:
    found: list[Any] = harbor.ask("history", *arguments)["entries"]
    return found


def answer_everything(harbor: Harbor) -> None:
    gate = ("--gate-id", GATE, "--decision", "approve", "--reason-summary", "known")
    harbor.ask("operator-gate", *gate, "--execute", at="2026-12-01T09:10:00Z")
    harbor.ask("reward", "--run-generated-at", RUN, *REWARD, "--execute", at="2026-12-01T09:20:00Z")
    harbor.ask(
        "todo",
        "reassign",
        "--todo-id",
        "todo_compare",
        "--claimed-by",
        "writer",
        "--operator",
        at="2026-12-01T09:30:00Z",
    )


def test_every_kind_of_event_is_told_newest_first(harbor: Harbor) -> None:
    answer_everything(harbor)
    told = [(entry["at"], entry["kind"]) for entry in entries(harbor)]
    assert told == [
        ("2026-12-01T09:30:00Z", "write"),
        ("2026-12-01T09:20:00Z", "reward"),
        ("2026-12-01T09:10:00Z", "gate"),
        ("2026-12-01T07:01:40Z", "quota"),
        ("2026-12-01T07:00:00Z", "run"),
        ("2026-11-30T08:00:00Z", "run"),
    ]


def test_a_write_that_made_a_row_is_told_once(harbor: Harbor) -> None:
    answer_everything(harbor)
    assert [entry["what"] for entry in entries(harbor, "--kind", "write")] == ["todo reassign"]


def test_a_turn_that_is_written_back_and_paid_is_told_by_its_rows(harbor: Harbor) -> None:
    asked = ("--agent-id", "builder", "--evidence", "checked")
    harbor.ask("refresh-state", *asked, "--artifact", "src/a.csv", at="2026-12-01T09:10:00Z")
    harbor.ask("quota", "spend-slot", *asked, "--execute", at="2026-12-01T09:11:00Z")
    harbor.ask("quota", "void-slot", "--agent-id", "builder", "--execute", at="2026-12-01T09:12:00Z")
    assert [entry["kind"] for entry in entries(harbor)][:4] == ["quota", "quota", "run", "quota"]


def test_a_reward_says_what_it_judged_and_how(harbor: Harbor) -> None:
    answer_everything(harbor)
    (reward,) = entries(harbor, "--kind", "reward")
    assert reward["ref"] == RUN
    assert reward["summary"] == "positive continue_route: it holds"


def test_each_entry_names_its_file_and_line(harbor: Harbor) -> None:
    answer_everything(harbor)
    where = {entry["kind"]: entry["where"] for entry in entries(harbor)}
    assert where["gate"] == "runs/index.jsonl:4"
    assert where["write"] == "rollout-event-log.jsonl:3"


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_the_limit_only_cuts_what_is_shown(harbor: Harbor, limit: int) -> None:
    whole = entries(harbor, "--limit", "50")
    cut = harbor.ask("history", "--limit", str(limit))
    assert cut["entries"] == whole[:limit]
    assert cut["hidden"] == max(0, len(whole) - limit)


def test_an_agent_sees_its_lane_and_what_concerns_all(harbor: Harbor) -> None:
    harbor.append(generated_at="2026-12-01T08:10:00Z", agent_id="writer", progress_scope="agent_lane")
    harbor.append(generated_at="2026-12-01T08:20:00Z", agent_id="builder", progress_scope="goal")
    harbor.append(generated_at="2026-12-01T08:30:00Z")
    times = [entry["at"] for entry in entries(harbor, "--agent-id", "writer")]
    assert times == ["2026-12-01T08:30:00Z", "2026-12-01T08:20:00Z", "2026-12-01T08:10:00Z"]


def test_kinds_may_be_combined(harbor: Harbor) -> None:
    answer_everything(harbor)
    assert [entry["kind"] for entry in entries(harbor, "--kind", "gate", "--kind", "reward")] == ["reward", "gate"]


def test_an_unknown_kind_is_a_slip(harbor: Harbor) -> None:
    assert "reward" in harbor.refused("history", "--kind", "rewards", code=2)


def test_torn_lines_and_other_goals_are_left_out_and_counted(harbor: Harbor) -> None:
    harbor.append(generated_at="2026-12-01T08:30:00Z", goal_id="elsewhere")
    with harbor.index.open("ab") as stream:
        stream.write(b'{"torn": ')
    told = harbor.ask("history")
    assert told["torn"] == 1
    assert all(entry["at"] != "2026-12-01T08:30:00Z" for entry in told["entries"])


@pytest.mark.parametrize("wanted", ["rich", "markdown"])
def test_people_read_what_programs_read(harbor: Harbor, wanted: str) -> None:
    answer_everything(harbor)
    ran = harbor.loopx("--format", wanted, "history", COLUMNS="120")
    assert ran.code == 0
    for word in ("reward", "positive", "approve", GATE, "todo reassign", RUN):
        assert word in ran.out
