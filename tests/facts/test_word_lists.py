"""Every word of a parameter list means what the requirements say of it, and a word that is in none means nothing."""

from __future__ import annotations

from typing import Any

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide import Evaluation, Policy
from loopx_policy.project.document import from_document

POLICY = Policy(load_catalog())
NOW = "2026-12-01T12:00:00Z"
WORK = {"todo_id": "todo_a01", "text": "[P1] Chart the basin"}


def turn(goal: dict[str, Any] | None = None, **document: Any) -> Evaluation:
    full = {"id": "harbor", "write_scope": ["**"], **(goal or {})}
    return POLICY.evaluate(from_document({"now": NOW, "goal": full, **document}))


def lead(evaluation: Evaluation) -> str:
    assert evaluation.combined.lead is not None
    return evaluation.combined.lead.key


def words(parameter: str) -> set[str]:
    value = POLICY.catalog.parameters[parameter]
    assert isinstance(value, tuple)
    return {str(word) for word in value}


# What a turn with work comes to where the registry declares the word. The formats name external_evidence and
# focus_wait, the seed waiting_on=monitor_signal for a watch that is nobody's question, and IP-004 a wait for a person.
WAITS = {
    "agent_waits": (("codex", "agent", "project_agent", "monitor_signal", "none"), "IP-001.deliver", False),
    "evidence_waits": (("external_evidence",), "IP-012.missing_handle", False),
    "user_waits": (
        ("user", "owner", "operator", "controller", "user_or_controller", "human", "person"),
        "IP-001.deliver",
        True,
    ),
    "goal_waits": (("focus_wait",), "GR-waiting.hold", False),
}
QUIET = ("active", "ok", "normal", "ready", "running", "eligible", "watch")


@pytest.mark.parametrize("key", ["waiting_on", "attention_status"])
@pytest.mark.parametrize(("parameter", "word"), [(name, word) for name, row in WAITS.items() for word in row[0]])
def test_a_declared_wait_means_the_same_in_both_keys_and_in_any_case(parameter: str, word: str, key: str) -> None:
    _, wanted, told = WAITS[parameter]
    for written in (word, word.upper(), word.replace("_", "-"), f" {word.replace('_', ' ')} "):
        evaluation = turn({key: written}, todos=[WORK])
        assert lead(evaluation) == wanted
        assert any(item.kind == "user" for item in evaluation.combined.obligations) is told


@pytest.mark.parametrize("word", QUIET)
def test_a_quiet_attention_declares_no_wait_and_is_no_word_for_one(word: str) -> None:
    assert lead(turn({"attention_status": word}, todos=[WORK])) == "IP-001.deliver"
    assert lead(turn({"waiting_on": word}, todos=[WORK])) == "GR-waiting.hold"


@pytest.mark.parametrize("word", ["spring_tide", "users", "external", "paused", "0", "?"])
def test_any_other_word_holds_every_lane_and_is_told(word: str) -> None:
    for key in ("waiting_on", "attention_status"):
        evaluation = turn({key: word}, todos=[WORK])
        assert lead(evaluation) == "GR-waiting.hold"
        assert [item.key for item in evaluation.combined.obligations] == ["GR-waiting.unknown_wait"]


def test_the_lists_of_waits_have_no_other_word() -> None:
    assert {name: words(name) for name in WAITS} == {name: set(row[0]) for name, row in WAITS.items()}
    assert words("quiet_attention") == set(QUIET)


# Capability: three are always there, four are bridges, three are held by the owner; all else is unsupported.
CAPABILITIES = {
    "builtin_capabilities": (("shell", "filesystem_read", "filesystem_write"), "IP-001.deliver"),
    "bridge_capabilities": (
        ("benchmark_runner", "external_evidence_poll", "worker_bridge", "cli_bridge"),
        "IP-021.repair_bridge",
    ),
    "owner_capabilities": (("network", "credentials", "production_access"), "IP-021.ask_owner"),
}


@pytest.mark.parametrize(("word", "wanted"), [(word, wanted) for row, wanted in CAPABILITIES.values() for word in row])
def test_the_class_of_a_capability_says_what_its_absence_leads_to(word: str, wanted: str) -> None:
    assert lead(turn(todos=[{**WORK, "required_capabilities": [word]}])) == wanted


@pytest.mark.parametrize("word", ["gpu", "browser", "quantum_link", "networks"])
def test_any_other_capability_is_unsupported(word: str) -> None:
    assert lead(turn(todos=[{**WORK, "required_capabilities": [word]}])) == "IP-021.skip"


def test_the_lists_of_capabilities_have_no_other_word() -> None:
    assert {name: words(name) for name in CAPABILITIES} == {name: set(row) for name, (row, _) in CAPABILITIES.items()}


# Outcomes of a row: surface_only and outcome_gap moved nothing, outcome_progress and primary_goal_outcome did.
def rows(count: int, **fields: str) -> list[dict[str, str]]:
    fields = {"classification": "note", "progress_scope": "goal", "recommended_action": "tidy", **fields}
    return [{"generated_at": f"-{hours}h", **fields} for hours in range(count, 0, -1)]


@pytest.mark.parametrize("outcome", ["surface_only", "outcome_gap"])
def test_two_rows_that_moved_nothing_are_a_stall_and_count_for_the_outcome_floor(outcome: str) -> None:
    assert lead(turn(todos=[WORK], runs=rows(2, delivery_outcome=outcome))) == "IP-013.no_progress"
    evaluation = turn({"outcome_floor": {}}, todos=[WORK], runs=rows(3, delivery_outcome=outcome))
    assert evaluation.turn.record.values["outcome.floor_crossed"] is True


@pytest.mark.parametrize("outcome", ["outcome_progress", "primary_goal_outcome"])
def test_rows_that_moved_the_goal_are_no_loop(outcome: str) -> None:
    assert lead(turn(todos=[WORK], runs=rows(5, delivery_outcome=outcome))) == "IP-001.deliver"


def test_rows_that_say_nothing_of_an_outcome_are_no_stall_and_may_be_a_loop() -> None:
    assert lead(turn(todos=[WORK], runs=rows(2))) == "IP-001.deliver"
    assert lead(turn(todos=[WORK], runs=rows(3))) == "IP-013.repeated_action"


@pytest.mark.parametrize("scale", ["single_surface", "status_only"])
def test_two_thin_rows_hint_at_a_wider_turn(scale: str) -> None:
    thin = turn(todos=[WORK], runs=rows(2, delivery_batch_scale=scale))
    assert "IP-010.widen" in [item.key for item in thin.combined.obligations]
    wide = turn(todos=[WORK], runs=rows(2, delivery_batch_scale="multi_surface"))
    assert "IP-010.widen" not in [item.key for item in wide.combined.obligations]


# IP-023: polls, slot bookings, readiness pings and display refreshes are evidence of cadence, never the state.
CADENCE = ("quota_slot_spent", "quota_slot_voided", "quota_monitor_poll", "readiness_ping", "display_refresh")
# Reward-style hints: advice that an owner edits says nothing of the goal's state either.
NEUTRAL = (*CADENCE, "replan_hint_retired", "replan_hint_rewritten")


@pytest.mark.parametrize("classification", NEUTRAL)
def test_a_neutral_row_is_no_meaningful_run(classification: str) -> None:
    quiet = turn(todos=[WORK], runs=rows(3, classification=classification))
    assert "IP-023.no_meaningful_run" in [item.key for item in quiet.combined.obligations]
    assert lead(quiet) == "IP-001.deliver"


def test_the_lists_of_rows_have_no_other_word() -> None:
    assert words("stalled_outcomes") == {"surface_only", "outcome_gap"}
    assert words("progress_outcomes") == {"outcome_progress", "primary_goal_outcome"}
    assert words("thin_scales") == {"single_surface", "status_only"}
    assert words("IP-023.neutral") == set(NEUTRAL)
