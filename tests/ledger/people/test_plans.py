"""A plan that is told has a place for each of its items. Seed: IP-018."""

from __future__ import annotations

import json
import shlex

import pytest

from tests.ledger.people.conftest import GATE, Harbor

AS_BUILDER = ("--agent-id", "builder")


def plan(*arguments: str) -> list[str]:
    return ["plan", "record", *arguments, *AS_BUILDER]


def accepted(said: str) -> list[str]:
    """The command that a refusal proposes, as it is printed."""
    return shlex.split(said.partition("Accepted: ")[2])[1:]


def test_each_item_is_on_record_with_its_place(harbor: Harbor) -> None:
    harbor.ask(*plan("--item", "todo_importer: reject heights", "--user-item", f"{GATE}: decide"), "--execute")
    items = harbor.rows()[-1]["plan"]["items"]
    assert [(item["text"], item["todo_id"]) for item in items] == [
        ("reject heights", "todo_importer"),
        ("decide", GATE),
    ]


def test_what_is_recorded_leaves_nothing_owed(harbor: Harbor) -> None:
    harbor.append(generated_at="2026-12-01T08:10:00Z", plan={"items": [{"text": "clean the branches"}]})
    assert "IP-018.write_back" in str(harbor.decision()["obligations"])
    harbor.ask(*plan("--item", "todo_importer: clean the branches"), "--execute")
    assert "IP-018.write_back" not in str(harbor.decision()["obligations"])


@pytest.mark.parametrize("places", ["todo_importer", "next_action", "todo_importer+doc", "recommended_action"])
def test_a_todo_next_action_or_recommended_action_holds_an_item(harbor: Harbor, places: str) -> None:
    action = ("--recommended-action", "Go on with the importer.")
    harbor.ask(*plan("--item", f"{places}: reject heights", *action), "--execute")
    assert "IP-018.write_back" not in str(harbor.decision()["obligations"])


@pytest.mark.parametrize(
    ("arguments", "case"),
    [
        (["--item", "clean the branches"], "unwritten"),
        (["--item", "doc: clean the branches"], "document_only"),
        (["--item", "todo_gone: clean the branches"], "dangling"),
        (["--item", "recommended_action: clean the branches"], "unwritten"),
        (["--user-item", "todo_importer: sign the contract"], "misplaced"),
        (["--user-item", "next_action: sign the contract"], "misplaced"),
    ],
)
def test_a_plan_whose_item_stands_nowhere_is_refused(harbor: Harbor, arguments: list[str], case: str) -> None:
    assert f"IP-018.{case}" in harbor.refused(*plan(*arguments), "--execute")


@pytest.mark.parametrize("item", ["clean the branches", "doc: clean the branches", "todo_gone: clean the branches"])
def test_a_refusal_names_the_command_that_gives_the_item_a_place(harbor: Harbor, item: str) -> None:
    said = harbor.refused(*plan("--item", item), "--execute")
    added = json.loads(harbor.loopx("--format", "json", *accepted(said)).out)["result"]
    assert harbor.ask(*plan("--item", f"{added['todo_id']}: clean the branches"), "--execute")["written"]


def test_a_persons_item_gets_a_todo_of_theirs(harbor: Harbor) -> None:
    said = harbor.refused(*plan("--user-item", "todo_importer: sign the contract"), "--execute")
    added = json.loads(harbor.loopx("--format", "json", *accepted(said)).out)["result"]
    assert harbor.ask(*plan("--user-item", f"{added['todo_id']}: sign the contract"), "--execute")["written"]


def test_an_empty_next_action_holds_nothing(harbor: Harbor) -> None:
    harbor.edit("\n- todo_importer", "")
    assert "IP-018.unwritten" in harbor.refused(*plan("--item", "next_action: clean the branches"), "--execute")


def test_speculation_may_be_told_if_it_says_so(harbor: Harbor) -> None:
    harbor.ask(*plan("--item", "a second quay", "--speculative"), "--execute")
    assert harbor.rows()[-1]["plan"]["items"][0]["no_writeback"]
    assert "IP-018.write_back" not in str(harbor.decision()["obligations"])


def test_a_plan_without_items_is_a_slip(harbor: Harbor) -> None:
    assert "--item" in harbor.refused(*plan(), "--execute", code=2)


def test_private_text_is_refused_with_its_item(harbor: Harbor) -> None:
    said = harbor.refused(*plan("--item", "todo_importer: read /home/ann/plan.md"), "--execute")
    assert "item_1" in said
    assert "ann" not in said


def test_nobody_plans_for_a_goal_with_agents(harbor: Harbor) -> None:
    assert "IP-019.unknown_agent" in harbor.refused("plan", "record", "--item", "todo_importer: heights", "--execute")
