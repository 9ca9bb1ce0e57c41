"""A reward is one overlay row over one exact run. Seeds: direct-write contract, reward write boundary, IP-014."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.ledger.people.conftest import RUN, Harbor

WORDS = {
    "--decision": "continue_route",
    "--reward": "positive",
    "--reason-summary": "comparable validation improved",
    "--follow-up": "promote the route to the longer window",
}


def reward(run: str = RUN, **changes: str) -> list[str]:
    words = WORDS | {"--" + name.replace("_", "-"): value for name, value in changes.items()}
    return ["reward", "--run-generated-at", run, *(word for pair in words.items() for word in pair)]


def test_a_reward_is_one_appended_line_and_rewrites_nothing(harbor: Harbor) -> None:
    before, state = harbor.index.read_bytes(), harbor.state()
    harbor.ask(*reward(), "--execute")
    after = harbor.index.read_bytes()
    assert after.startswith(before)
    assert after[len(before) :].count(b"\n") == 1
    assert harbor.state() == state


def test_the_row_lies_over_the_judged_run_and_says_what_was_said(harbor: Harbor) -> None:
    judged = next(row for row in harbor.rows() if row["generated_at"] == RUN)
    harbor.ask(*reward(), "--execute")
    row = harbor.rows()[-1]
    assert {name: row[name] for name in ("generated_at", "json_path", "markdown_path")} == {
        name: judged[name] for name in ("generated_at", "json_path", "markdown_path")
    }
    assert row["human_reward"] == {
        "schema_version": "human_reward_v0",
        "recorded_at": "2026-12-01T09:00:00Z",
        "decision": "continue_route",
        "reward": "positive",
        "reason_summary": "comparable validation improved",
        "follow_up": "promote the route to the longer window",
    }


def test_a_preview_exposes_the_whole_contract_and_leaves_no_trace(harbor: Harbor) -> None:
    before = harbor.files()
    answer = harbor.ask(*reward())
    assert harbor.files() == before
    assert not answer["written"]
    contract = answer["result"]
    assert contract["decision_kind"] == "human_reward"
    assert contract["goal_id"] == "harbor"
    assert contract["target_ref"] == RUN
    assert contract["source_of_truth"] == "run_bound_human_reward_overlay"
    for name in ("decision", "reason_summary", "follow_up", "write_effect", "project_agent_visibility", "preview_id"):
        assert contract[name], name


def test_the_diff_of_the_preview_is_the_row_that_is_appended(harbor: Harbor) -> None:
    shown = harbor.ask(*reward())["diff"].splitlines()[-1]
    harbor.ask(*reward(), "--execute")
    assert json.loads(shown.removeprefix("+")) == harbor.rows()[-1]


def test_the_preview_that_was_reviewed_is_carried_out(harbor: Harbor) -> None:
    preview = harbor.ask(*reward())["result"]["preview_id"]
    assert harbor.ask(*reward(preview_id=preview), "--execute")["written"]


@pytest.mark.parametrize(
    "change", [{"decision": "stop_route"}, {"reward": "negative"}, {"reason_summary": "other"}, {"follow_up": "wait"}]
)
def test_a_changed_payload_makes_the_preview_stale(harbor: Harbor, change: dict[str, str]) -> None:
    preview = harbor.ask(*reward())["result"]["preview_id"]
    said = harbor.refused(*reward(**change, preview_id=preview), "--execute", code=5)
    assert "IP-014.stale_preview" in said


def test_a_stale_preview_is_answered_with_the_command_that_previews_again(harbor: Harbor) -> None:
    preview = harbor.ask(*reward())["result"]["preview_id"]
    harbor.append(generated_at="2026-12-01T08:30:00Z")
    said = harbor.refused(*reward(preview_id=preview), "--execute", code=5)
    again = json.loads(harbor.loopx("--format", "json", *shlex.split(said.partition("Accepted: ")[2])[1:]).out)
    assert again["result"]["follow_up"] == WORDS["--follow-up"]
    assert harbor.ask(*reward(preview_id=again["result"]["preview_id"]), "--execute")["written"]


def test_an_index_that_grew_makes_the_preview_stale(harbor: Harbor) -> None:
    preview = harbor.ask(*reward())["result"]["preview_id"]
    harbor.append(generated_at="2026-12-01T08:30:00Z")
    harbor.refused(*reward(preview_id=preview), "--execute", code=5)


def test_a_torn_line_counts_for_the_length_of_the_index(harbor: Harbor) -> None:
    preview = harbor.ask(*reward())["result"]["preview_id"]
    with harbor.index.open("ab") as stream:
        stream.write(b'{"generated_at": "2026-12-01T08:')
    harbor.refused(*reward(preview_id=preview), "--execute", code=5)
    assert harbor.ask(*reward(), "--execute")["written"]


@pytest.mark.parametrize(
    ("run", "case"),
    [
        ("latest", "implicit_target"),
        ("2026-12-01T07:00:01Z", "mistyped_target"),
        ("2026-11-30T23:59:59Z", "mistyped_target"),
        ("2026-12-01T07:01:40Z", "mistyped_target"),
    ],
    ids=["a word", "near a run", "another day", "a booked slot is no run"],
)
def test_a_target_that_is_not_one_exact_run_is_refused(harbor: Harbor, run: str, case: str) -> None:
    assert f"IP-014.{case}" in harbor.refused(*reward(run), "--execute")


def test_a_mistyped_time_is_answered_with_the_nearest_run(harbor: Harbor) -> None:
    assert RUN in harbor.refused(*reward("2026-12-01T07:00:09Z"))


def test_two_runs_of_one_time_are_no_exact_target(harbor: Harbor) -> None:
    harbor.append(generated_at=RUN, json_path="runs/other.json")
    assert "IP-014.no_single_target" in harbor.refused(*reward(), "--execute")


def test_a_run_of_another_goal_is_no_target(harbor: Harbor) -> None:
    harbor.append(generated_at="2026-12-01T08:10:00Z", goal_id="elsewhere")
    assert "IP-014." in harbor.refused(*reward("2026-12-01T08:10:00Z"))


def test_a_run_without_its_artifact_is_not_judged(harbor: Harbor) -> None:
    (harbor.folder / "runs" / "2026-12-01T070000Z.json").unlink()
    assert "IP-014.artifact_gone" in harbor.refused(*reward(), "--execute")


@pytest.mark.parametrize("name", ["decision", "reason_summary", "follow_up"])
def test_private_text_is_refused_with_its_field_and_never_repeated(harbor: Harbor, name: str) -> None:
    said = harbor.refused(*reward(**{name: "see /home/ann/notes.txt"}), "--execute")
    assert f"contract.{name}" in said
    assert "local_path" in said
    assert "ann" not in said


def test_a_reward_that_is_not_known_is_refused(harbor: Harbor) -> None:
    assert "IP-014.unknown_reward" in harbor.refused(*reward(reward="splendid"), "--execute")


def test_an_agent_judges_no_run(harbor: Harbor) -> None:
    said = harbor.refused(*reward(), "--agent-id", "builder", "--execute")
    assert "IP-014.by_agent" in said
    assert "loopx review-packet --agent-id builder" in said


def test_a_person_may_judge_beside_an_agents_name(harbor: Harbor) -> None:
    answer = harbor.ask(*reward(), "--operator", "--agent-id", "writer", "--execute")
    assert answer["written"]
    assert answer["decision"]["agent_id"] == "writer"


def test_the_decision_that_now_holds_is_that_of_the_agent_whose_run_it_was(harbor: Harbor) -> None:
    assert harbor.ask(*reward(), "--execute")["decision"]["agent_id"] == "builder"


def test_a_repeated_key_reports_the_first_result_and_appends_nothing(harbor: Harbor) -> None:
    first = harbor.ask(*reward(), "--execute", "--idempotency-key", "k1")
    lines = len(harbor.rows())
    again = harbor.ask(*reward(), "--execute", "--idempotency-key", "k1", at="2026-12-01T10:00:00Z")
    assert again["repeated"]
    assert again["result"] == first["result"]
    assert len(harbor.rows()) == lines


def test_a_second_reward_is_another_line_and_the_first_one_stays(harbor: Harbor) -> None:
    harbor.ask(*reward(), "--execute")
    first = harbor.rows()[-1]
    harbor.ask(*reward(reward="negative"), "--execute")
    assert first in harbor.rows()
    assert [row["human_reward"]["reward"] for row in harbor.rows() if "human_reward" in row] == ["positive", "negative"]


def test_a_reward_neither_adds_a_run_nor_moves_the_turn(harbor: Harbor) -> None:
    before, status = harbor.decision(), harbor.ask("status")
    harbor.ask(*reward(), "--execute")
    assert len(harbor.ask("status")["rows"]) == len(status["rows"])
    latest = harbor.ask("status")["latest"]
    assert latest["human_reward"]["reward"] == "positive"
    assert latest | {"human_reward": None} == status["latest"]
    assert harbor.decision()["interaction_contract"] == before["interaction_contract"]


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp"]), min_size=1, max_size=60)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(reason=TEXTS.filter(lambda text: text.strip() and not text.startswith("-")))
def test_whatever_public_line_is_said_comes_back_as_it_was_typed(harbor: Harbor, reason: str) -> None:
    ran: Any = harbor.loopx("--format", "json", *reward(reason_summary=reason), "--execute")
    if ran.code == 0:
        assert harbor.rows()[-1]["human_reward"]["reason_summary"] == reason
    else:
        assert ran.code == 4
