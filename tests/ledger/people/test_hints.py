"""Feedback from its reward to the next turn, and the owner's edits of what became of it. Seed: reward-style hints."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.people.conftest import Harbor

WORKED = "2026-12-01T08:00:00Z"
LATER = "2026-12-01T09:30:00Z"


@pytest.fixture
def fed(harbor: Harbor) -> Harbor:
    """Two equal todos of the builder, and a run that did the kind of work of the second one and was praised for it."""
    for kind in ("docs_pass", "run_eval"):
        harbor.ask("todo", "add", "--role", "agent", "--text", f"[P0] Do {kind}", "--task-class", "advancement_task",
                   "--action-kind", kind, "--agent-id", "builder")  # fmt: skip
    harbor.append(generated_at=WORKED, delivery_outcome="outcome_progress", action_kind="run_eval")
    harbor.ask("reward", "--run-generated-at", WORKED, "--decision", "right_route", "--reward", "positive",
               "--reason-summary", "a measured result", "--execute")  # fmt: skip
    return harbor


def hints(harbor: Harbor, *more: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = harbor.ask("hint", "list", *more)["hints"]
    return found


def test_a_reward_on_disk_becomes_a_hint_with_its_run_as_source(fed: Harbor) -> None:
    (hint,) = hints(fed)
    assert hint["hint_kind"] == "prefer_candidate"
    assert hint["applies_to"]["action_kinds"] == ["run_eval"]
    assert hint["source_refs"] == [{"kind": "human_reward", "run_generated_at": WORKED}]
    assert hint["hard_gate"] is False


def test_the_preview_shows_each_agent_the_order_without_and_with_hints_and_writes_nothing(fed: Harbor) -> None:
    before = fed.files()
    turns = {turn["agent_id"]: turn for turn in fed.ask("hint", "preview")["turns"]}
    effect = turns["builder"]["effect"]
    assert sorted(effect["before"]) == sorted(effect["after"])
    assert effect["before"] != effect["after"]
    assert fed.files() == before


def test_status_and_explain_show_what_feedback_changed(fed: Harbor) -> None:
    shown = fed.ask("status")["hints"]
    assert [hint["hint_id"] for hint in shown] == [hint["hint_id"] for hint in hints(fed)]
    told = fed.ask("explain", "--agent-id", "builder")["explanation"]["feedback"]
    assert [hint["hint_id"] for hint in told["active"]] == [shown[0]["hint_id"]]
    assert told["effect"]["because"] == [shown[0]["hint_id"]]
    page = fed.loopx("explain", "--agent-id", "builder").out
    assert "WHAT FEEDBACK CHANGED" in page
    assert WORKED in page
    assert "until 2026-12-31T09:00:00Z" in page


def test_the_words_of_a_reward_do_not_come_back_in_a_hint(fed: Harbor) -> None:
    for command in (["hint", "list"], ["hint", "preview"], ["explain", "--agent-id", "builder"]):
        assert "a measured result" not in fed.loopx("--format", "json", *command).out


def test_an_agent_retires_no_hint_and_rewrites_none(fed: Harbor) -> None:
    hint_id = hints(fed)[0]["hint_id"]
    for step in (["retire", "--reason", "no"], ["rewrite", "--strength", "weak"]):
        said = fed.refused("hint", step[0], "--hint-id", hint_id, *step[1:], "--agent-id", "builder", "--execute")
        assert "GR-owner.hint_by_agent" in said


def test_a_retirement_is_a_preview_until_it_is_executed_and_then_one_row(fed: Harbor) -> None:
    hint_id = hints(fed)[0]["hint_id"]
    retire = ["hint", "retire", "--hint-id", hint_id, "--reason", "done with it", "--operator"]
    before, count = fed.files(), len(fed.rows())
    assert not fed.ask(*retire, at=LATER)["written"]
    assert fed.files() == before
    fed.ask(*retire, "--execute", at=LATER)
    assert len(fed.rows()) == count + 1
    assert fed.rows()[-1]["replan_hint"]["hint_id"] == hint_id
    assert hints(fed) != []  # an earlier present does not know of it
    assert fed.ask("hint", "list", at=LATER)["hints"] == []
    assert [each["standing"] for each in fed.ask("hint", "list", "--all", at=LATER)["hints"]] == ["retired"]
    assert fed.ask(*retire, "--execute", at=LATER)["written"] is False


def test_a_rewrite_replaces_effect_words_and_end(fed: Harbor) -> None:
    hint_id = hints(fed)[0]["hint_id"]
    fed.ask("hint", "rewrite", "--hint-id", hint_id, "--effect", "avoid", "--strength", "strong", "--summary",
            "Measure less for a week", "--expires-after-days", "7", "--operator", "--execute", at=LATER)  # fmt: skip
    (hint,) = fed.ask("hint", "list", at=LATER)["hints"]
    assert (hint["hint_kind"], hint["strength"], hint["summary"]) == (
        "avoid_candidate",
        "strong",
        "Measure less for a week",
    )
    assert hint["expires_at"] == "2026-12-08T09:30:00Z"
    assert fed.ask("hint", "list", at="2026-12-08T09:30:00Z")["hints"] == []


def test_private_words_are_refused_with_their_field_and_never_repeated(fed: Harbor) -> None:
    hint_id = hints(fed)[0]["hint_id"]
    secret = "see /home/ada/notes.txt"
    for option in ("--summary", "--reason", "--action-kind"):
        words = [option, secret] if option != "--reason" else ["--strength", "weak", option, secret]
        said = fed.refused("hint", "rewrite", "--hint-id", hint_id, *words, "--operator", "--execute")
        assert "ada" not in said


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--effect", "force"],
        ["--strength", "absolute"],
        ["--expires-after-days", "9999"],
        ["--summary", "two\nlines"],
    ],
    ids=["nothing", "effect", "strength", "days", "lines"],
)
def test_a_slip_is_named_and_changes_nothing(fed: Harbor, words: list[str]) -> None:
    fed.refused("hint", "rewrite", "--hint-id", hints(fed)[0]["hint_id"], *words, "--operator", "--execute", code=2)


def test_an_unknown_hint_is_named_with_the_nearest_one(fed: Harbor) -> None:
    known = hints(fed)[0]["hint_id"]
    assert known in fed.refused("hint", "retire", "--hint-id", known[:-1], "--operator", code=2)


def test_a_row_says_which_todos_its_turn_worked_on(harbor: Harbor) -> None:
    me = ["--agent-id", "builder"]
    made = harbor.ask("todo", "add", "--role", "agent", "--text", "[P0] Measure", "--task-class", "advancement_task",
                      "--action-kind", "run_eval", *me)["result"]["todo_id"]  # fmt: skip
    harbor.ask("todo", "claim", "--todo-id", made, "--claimed-by", "builder", *me)
    harbor.ask("todo", "complete", "--todo-id", made, "--evidence", "commit 1234abc", "--no-follow-up", "--reason",
               "measured", *me)  # fmt: skip
    harbor.ask("refresh-state", "--classification", "measured", "--delivery-outcome", "outcome_progress", *me)
    assert harbor.rows()[-1]["todo_ids"] == [made]
