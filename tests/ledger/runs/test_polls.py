"""``quota monitor-poll``: free, once for an unchanged state, and a duty after six looks that found nothing."""

from __future__ import annotations

import pytest

from .conftest import BUILDER, TODOS, WATCH, WRITER, Build, Harbor

POLL = ("quota", "monitor-poll", "--agent-id", BUILDER)
ACK = ("refresh-state", "--agent-id", BUILDER, "--autonomous-replan-recorded")


@pytest.fixture
def gauge(build: Build) -> Harbor:
    """A goal with nothing but one watch, due every half hour from nine o'clock on."""
    return build(WATCH)


def test_a_look_is_a_neutral_row_and_stands_at_its_watch(gauge: Harbor) -> None:
    answer = gauge.ask(*POLL, "--result-hash", "a1")
    row = gauge.rows()[-1]
    assert row["classification"] == "quota_monitor_poll"
    assert row["monitor_target"] == {
        "schema_version": "quota_monitor_target_v0",
        "target_id": "tide_gauge",
        "todo_id": "todo_gauge",
        "result_hash": "a1",
        "consecutive_no_change": 1,
        "material_change": False,
    }
    assert answer["result"]["next_due_at"] == "2026-12-01T09:30:00Z"
    for token in ("last_checked_at=2026-12-01T09:00:00Z", "result_hash=a1", "consecutive_no_change=1",
                  "next_due_at=2026-12-01T09:30:00Z"):  # fmt: skip
        assert token in gauge.state()
    assert gauge.spent() == 0


def test_the_printed_command_records_the_look(gauge: Harbor) -> None:
    assert gauge.mode() == "external_evidence_observation"
    gauge.loopx(*gauge.turn()["cli_channel"]["next_cli_actions"][0].split()[1:])
    assert gauge.rows()[-1]["classification"] == "quota_monitor_poll"
    assert gauge.mode() == "monitor_quiet_skip"
    (command,) = gauge.turn()["cli_channel"]["next_cli_actions"]
    assert gauge.loopx(*command.split()[1:]).code == 0


def test_a_second_look_before_it_is_due_changes_nothing(gauge: Harbor) -> None:
    gauge.ask(*POLL, "--result-hash", "a1")
    before = gauge.files()
    gauge.at = 29
    answer = gauge.ask(*POLL, "--result-hash", "a1")
    assert answer["written"] is False
    assert answer["diff"] == ""
    assert "not due" in answer["summary"]
    assert answer["result"]["next_due_at"] == "2026-12-01T09:30:00Z"
    assert gauge.files() == before
    gauge.at = 30
    assert gauge.ask(*POLL, "--result-hash", "a1")["result"]["consecutive_no_change"] == 2


def test_another_result_is_recorded_before_the_watch_is_due_and_starts_the_count_anew(gauge: Harbor) -> None:
    gauge.ask(*POLL, "--result-hash", "a1")
    gauge.at = 1
    answer = gauge.ask(*POLL, "--result-hash", "b2")
    assert answer["written"] is True
    assert answer["result"]["consecutive_no_change"] == 0
    assert "result_hash=b2" in gauge.state()


def test_a_look_that_nobody_took_yet_may_be_taken_early(build: Build) -> None:
    harbor = build(WATCH.replace("T09:00:00Z", "T11:00:00Z"))
    assert harbor.mode() == "monitor_quiet_skip"
    assert harbor.ask(*POLL)["written"] is True
    assert harbor.ask(*POLL)["written"] is False


def test_six_looks_without_a_change_owe_a_replan_and_forbid_a_seventh(gauge: Harbor) -> None:
    for number in range(6):
        gauge.at = 30 * number
        assert gauge.mode() == "external_evidence_observation"
        gauge.ask(*POLL)
    gauge.at += 30
    assert gauge.mode() == "autonomous_replan"
    said = gauge.refused(*POLL)
    assert "IP-008.dead_watch" in said
    gauge.ask(*ACK)
    assert gauge.rows()[-1]["classification"] == "replan_noop"
    assert gauge.mode() == "autonomous_replan"
    gauge.edit("## Agent Todo\n\n", "## Agent Todo\n\n- [ ] Read the almanac instead\n")
    gauge.ask(*ACK)
    assert gauge.rows()[-1]["autonomous_replan_ack"]["recorded"] is True
    assert gauge.mode() == "bounded_delivery"
    assert gauge.ask(*POLL)["written"] is True


def test_an_intentional_watch_goes_on_once_its_reason_is_written(gauge: Harbor) -> None:
    for number in range(6):
        gauge.at = 30 * number
        gauge.ask(*POLL)
    gauge.edit("target_key=tide_gauge", "target_key=tide_gauge note=the%20flood%20comes%20in%20spring")
    gauge.ask(*ACK)
    assert gauge.rows()[-1]["autonomous_replan_ack"]["delta_contract"]["delta_kinds"] == ["watch_lane"]
    gauge.at += 30
    assert gauge.mode() == "external_evidence_observation"


def test_a_material_change_says_what_follows(gauge: Harbor) -> None:
    said = gauge.refused(*POLL, "--material-change")
    assert "IP-008.change_alone" in said
    assert "IP-008.change_alone" in gauge.refused(*POLL, "--material-change", "--no-follow-up")
    answer = gauge.ask(*POLL, "--material-change", "--result-hash", "b2", "--next-agent-todo", "Raise the quay")
    todo_id = answer["result"]["follow_up"]
    assert f"- [ ] Raise the quay\n  <!-- loopx:todo todo_id={todo_id}" in gauge.state()
    assert f"successor_todo_ids={todo_id}" in gauge.state()
    assert "material_change=true" in gauge.state()
    contract = gauge.turn()
    assert (contract["mode"], contract["agent_channel"]["selected_todo_id"]) == ("bounded_delivery", todo_id)


def test_a_material_change_may_lead_to_nothing_with_a_reason(gauge: Harbor) -> None:
    answer = gauge.ask(*POLL, "--material-change", "--no-follow-up", "--reason", "the quay is high enough")
    assert answer["result"]["material_change"] is True
    assert gauge.payload()["reason"] == "the quay is high enough"


def test_an_observation_is_paid_only_where_it_took_something_in(gauge: Harbor) -> None:
    spend = ("quota", "spend-slot", "--agent-id", BUILDER, "--execute")
    gauge.ask(*POLL, "--result-hash", "a1")
    gauge.ask("refresh-state", "--agent-id", BUILDER, "--artifact", "a look", "--evidence", "read twice")
    assert "IP-001.not_permitted" in gauge.refused(*spend)
    gauge.at = 30
    gauge.ask("refresh-state", "--agent-id", BUILDER, "--artifact", "a look", "--evidence", "read twice")
    assert "IP-001.nothing_observed" in gauge.refused(*spend)
    gauge.ask(*POLL, "--material-change", "--next-agent-todo", "Raise the quay")
    gauge.ask("refresh-state", "--agent-id", BUILDER, "--evidence", "read twice")
    assert gauge.payload()["decision"]["mode"] == "external_evidence_observation"
    gauge.ask(*spend)
    assert gauge.spent() == 1


def test_a_watch_of_another_agent_is_left_to_it(gauge: Harbor) -> None:
    said = gauge.refused("quota", "monitor-poll", "--agent-id", WRITER, "--todo-id", "todo_gauge")
    assert "IP-008.foreign_watch" in said
    assert "IP-008.no_watch" in gauge.refused("quota", "monitor-poll", "--agent-id", WRITER)


@pytest.mark.parametrize("old, new, case", [
    ("target_key", "expires_at=2026-12-01T08:00:00Z target_key", "IP-008.closed_watch"),
    ("target_key", "superseded_by=todo_other target_key", "IP-008.closed_watch"),
    ("status=open", "status=done", "IP-008.closed_watch"),
    ("continuous_monitor", "advancement_task", "IP-008.not_a_watch"),
])  # fmt: skip
def test_what_is_no_open_watch_is_not_polled(build: Build, old: str, new: str, case: str) -> None:
    harbor = build(WATCH.replace(old, new))
    assert case in harbor.refused(*POLL, "--todo-id", "todo_gauge")


def test_an_unknown_watch_gets_the_nearest(gauge: Harbor) -> None:
    assert "Did you mean todo_gauge?" in gauge.refused(*POLL, "--todo-id", "todo_gouge", code=2)


def test_a_watch_without_cadence_needs_a_new_schedule_after_its_look(build: Build) -> None:
    harbor = build(WATCH.replace(" cadence=30m", ""))
    harbor.ask(*POLL)
    assert "next_due_at" not in harbor.state()
    assert harbor.turn()["mode"] == "control_plane_self_repair"


def test_the_due_watch_is_looked_at_first(build: Build) -> None:
    later = WATCH.replace("todo_gauge", "todo_later").replace("tide_gauge", "wind").replace("T09:00", "T10:00")
    harbor = build(later + WATCH + TODOS)
    assert harbor.ask(*POLL)["result"]["todo_id"] == "todo_gauge"
    assert harbor.ask(*POLL)["result"]["todo_id"] == "todo_later"


def test_a_dry_run_looks_without_a_trace(gauge: Harbor) -> None:
    before = gauge.files()
    assert "quota_monitor_poll" in gauge.ask(*POLL, "--dry-run")["diff"]
    assert gauge.files() == before


def test_private_text_about_a_watch_is_refused(gauge: Harbor) -> None:
    secret = "pass" + "word=hunter2xyz"
    said = gauge.refused(*POLL, "--material-change", "--next-agent-todo", f"Use {secret}")
    assert "IP-001.private_text" in said
    assert "hunter2xyz" not in said


def test_a_replan_that_polls_led_to_is_paid_as_a_replan(gauge: Harbor) -> None:
    for number in range(6):
        gauge.at = 30 * number
        gauge.ask(*POLL)
    gauge.at += 1
    assert gauge.mode() == "autonomous_replan"
    gauge.edit("## Agent Todo\n\n", "## Agent Todo\n\n- [ ] Read the almanac instead\n")
    gauge.ask(*ACK, "--evidence", "looked at the board")
    assert gauge.payload()["decision"]["mode"] == "autonomous_replan"
    gauge.ask("quota", "spend-slot", "--agent-id", BUILDER, "--execute")
    assert gauge.spent() == 1
