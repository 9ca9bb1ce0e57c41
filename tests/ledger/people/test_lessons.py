"""A person's correction goes on record and is promoted before delivery goes on. Seed: IP-017."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ledger.people.conftest import Harbor

CORRECTION = {
    "--rule": "benchmarks run on the remote machine",
    "--scope": "all benchmarks",
    "--superseded": "everything is staged locally",
    "--owner": "builder",
    "--validation": "the guard names the remote machine",
}
AS_BUILDER = ("--agent-id", "builder")


def record(*more: str, **changes: str) -> list[str]:
    words = CORRECTION | {"--" + name: value for name, value in changes.items()}
    return ["lesson", "record", *(word for pair in words.items() for word in pair), *AS_BUILDER, *more]


def told(harbor: Harbor, *more: str) -> str:
    """The id of a correction that is on record."""
    return str(harbor.ask(*record(*more), "--execute")["result"]["lesson"])


def mode(harbor: Harbor) -> Any:
    return harbor.decision()["interaction_contract"]["mode"]


def test_a_correction_keeps_all_five_parts(harbor: Harbor) -> None:
    key = told(harbor)
    lesson = harbor.rows()[-1]["lesson"]
    assert lesson["id"] == key
    assert {"--" + name: lesson[name] for name in ("rule", "scope", "superseded", "owner", "validation")} == CORRECTION


def test_delivery_waits_until_the_correction_is_promoted(harbor: Harbor) -> None:
    key = told(harbor)
    assert mode(harbor) == "state_writeback_required"
    harbor.ask("lesson", "promote", "--lesson", key, "--todo-id", "todo_importer", *AS_BUILDER, "--execute")
    assert mode(harbor) == "scoped_user_gate_fallback"


def test_the_todo_that_carries_it_says_so_and_the_state_stays_clean(harbor: Harbor) -> None:
    key = told(harbor)
    harbor.ask("lesson", "promote", "--lesson", key, "--todo-id", "todo_importer", *AS_BUILDER, "--execute")
    assert f"lesson_ref={key}" in harbor.state()
    assert harbor.ask("status")["problems"] == []


def test_a_correction_with_its_todo_is_promoted_at_once(harbor: Harbor) -> None:
    told(harbor, "--todo-id", "todo_importer")
    assert mode(harbor) == "scoped_user_gate_fallback"


def test_one_todo_may_carry_two_corrections(harbor: Harbor) -> None:
    keys = [
        told(harbor, "--todo-id", "todo_importer"),
        str(harbor.ask(*record("--todo-id", "todo_importer", rule="no staging"), "--execute")["result"]["lesson"]),
    ]
    assert f"lesson_ref={','.join(keys)}" in harbor.state()
    assert mode(harbor) == "scoped_user_gate_fallback"


def test_a_document_may_carry_it_instead(harbor: Harbor) -> None:
    key = told(harbor)
    where = ("--recorded-in", "the self-repair pattern table")
    harbor.ask("lesson", "promote", "--lesson", key, *where, *AS_BUILDER, "--execute")
    assert harbor.rows()[-1]["lesson_promotion"] == {"recorded_in": "the self-repair pattern table"}
    assert mode(harbor) == "scoped_user_gate_fallback"


def test_a_correction_of_another_program_is_promoted_by_the_time_of_its_row(harbor: Harbor) -> None:
    harbor.append(generated_at="2026-12-01T08:10:00Z", lesson={"rule": "benchmarks run remotely"})
    assert mode(harbor) == "state_writeback_required"
    words = ("--lesson", "2026-12-01T08:10:00Z", "--todo-id", "todo_importer")
    harbor.ask("lesson", "promote", *words, *AS_BUILDER, "--execute")
    assert mode(harbor) == "scoped_user_gate_fallback"


def test_a_person_may_correct_without_an_agents_name(harbor: Harbor) -> None:
    words = record()[: -len(AS_BUILDER)]
    assert "IP-019.unknown_agent" in harbor.refused(*words, "--execute")
    assert harbor.ask(*words, "--operator", "--execute")["written"]
    assert "agent_id" not in harbor.rows()[-1]


@pytest.mark.parametrize(
    ("arguments", "case"),
    [
        (["--lesson", "lesson_00", "--todo-id", "todo_importer"], "IP-017.mistyped"),
        (["--lesson", "{key}"], "IP-017.carried_by_nothing"),
        (["--lesson", "{key}", "--recorded-in", "see 10.0.0.7"], "IP-013.private_text"),
    ],
)
def test_a_promotion_into_nothing_is_refused(harbor: Harbor, arguments: list[str], case: str) -> None:
    key = told(harbor)
    words = [word.format(key=key) for word in arguments]
    assert case in harbor.refused("lesson", "promote", *words, *AS_BUILDER, "--execute")


def test_a_finished_todo_carries_no_correction(harbor: Harbor) -> None:
    key = told(harbor)
    harbor.edit("todo_id=todo_importer status=open", "todo_id=todo_importer status=done")
    words = ("--lesson", key, "--todo-id", "todo_importer")
    assert "IP-017.carrier_gone" in harbor.refused("lesson", "promote", *words, *AS_BUILDER, "--execute")


def test_a_correction_is_promoted_once(harbor: Harbor) -> None:
    key = told(harbor, "--todo-id", "todo_importer")
    words = ("--lesson", key, "--todo-id", "todo_importer")
    assert "IP-017.promoted_before" in harbor.refused("lesson", "promote", *words, *AS_BUILDER, "--execute")


def test_a_slip_in_the_todo_names_the_nearest(harbor: Harbor) -> None:
    said = harbor.refused(*record("--todo-id", "todo_importr"), "--execute", code=2)
    assert "todo_importer" in said


def test_private_text_is_refused_with_its_field(harbor: Harbor) -> None:
    said = harbor.refused(*record(rule="use password=hunter22"), "--execute")
    assert "rule" in said
    assert "hunter22" not in said


def test_a_preview_leaves_no_trace(harbor: Harbor) -> None:
    before = harbor.files()
    assert not harbor.ask(*record("--todo-id", "todo_importer"))["written"]
    assert harbor.files() == before
