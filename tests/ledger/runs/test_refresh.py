"""``refresh-state``: what a row holds, who may write it, and what closes a replan obligation."""

from __future__ import annotations

import json

import pytest

from loopx_policy.facts.points.state_refresh import SURFACES

from .conftest import BUILDER, GOAL, TODOS, WRITER, Build, Harbor

REFRESH = ("refresh-state", "--agent-id", BUILDER)
ACK = (*REFRESH, "--autonomous-replan-recorded", "--repair-delta-kind", "runnable_todo_set")
NEW_TODO = "- [ ] [P1] Chart the inner basin\n  <!-- loopx:todo todo_id=todo_inner claimed_by=builder -->\n"


def stall(harbor: Harbor, agent: str = BUILDER, *flags: str) -> None:
    """Two rows of the agent that moved nothing and recommend one action."""
    for _ in range(2):
        harbor.ask(
            "refresh-state", "--agent-id", agent, "--delivery-outcome", "surface_only",
            "--recommended-action", "tidy the charts", *flags,
        )  # fmt: skip
        harbor.at += 10


def replan(harbor: Harbor) -> None:
    """Change the work frontier of the builder."""
    harbor.edit("## Agent Todo\n\n", f"## Agent Todo\n\n{NEW_TODO}")


def test_a_row_says_what_was_done_and_its_files_say_the_rest(harbor: Harbor) -> None:
    harbor.ask(
        *REFRESH, "--classification", "basin_charted", "--delivery-batch-scale", "coherent_batch",
        "--delivery-outcome", "outcome_progress", "--recommended-action", "chart the inner basin",
        "--artifact", "charts/basin.md", "--evidence", "the depth check passed",
    )  # fmt: skip
    (row,) = harbor.rows()
    assert row == {
        "generated_at": "2026-12-01T09:00:00Z",
        "goal_id": GOAL,
        "classification": "basin_charted",
        "recommended_action": "chart the inner basin",
        "health_check": "ok",
        "json_path": "runs/2026-12-01T090000Z.json",
        "markdown_path": "runs/2026-12-01T090000Z.md",
        "agent_id": BUILDER,
        "todo_ids": ["todo_basin"],
        "progress_scope": "agent_lane",
        "delivery_batch_scale": "coherent_batch",
        "delivery_outcome": "outcome_progress",
    }
    payload = harbor.payload()
    assert payload | row == payload
    assert payload["decision"]["mode"] == "bounded_delivery"
    assert payload["decision"]["spend_after_validation"] is True
    assert payload["decision"]["facts_digest"]
    assert payload["replan"] == "none"
    assert payload["frontier"]["runnable_todo_set"] == ["todo_basin", "todo_buoys"]
    assert set(payload["frontier"]) <= set(SURFACES)
    note = (harbor.folder / row["markdown_path"]).read_text(encoding="utf-8")
    assert note.startswith("# basin_charted\n")
    for told in ("builder", "charts/basin.md", "the depth check passed", "chart the inner basin"):
        assert told in note


def test_rows_of_one_second_are_told_apart(harbor: Harbor) -> None:
    for _ in range(4):
        harbor.ask(*REFRESH)
    times = [row["generated_at"] for row in harbor.rows()]
    assert len(set(times)) == 4
    assert times == sorted(times, key=lambda time: time.replace("Z", ""))
    for row in harbor.rows():
        assert (harbor.folder / row["json_path"]).exists()
        assert (harbor.folder / row["markdown_path"]).exists()


def test_a_row_takes_no_name_that_a_file_or_another_program_has(harbor: Harbor) -> None:
    harbor.append(generated_at="2026-12-01T09:00:00.5Z", classification="delivery")
    (harbor.folder / "runs" / "2026-12-01T090000.000006Z.md").write_text("left behind", encoding="utf-8")
    harbor.ask(*REFRESH)
    assert harbor.rows()[-1]["generated_at"] == "2026-12-01T09:00:00.000007Z"


def test_next_action_is_replaced_and_recommended(build: Build) -> None:
    harbor = build(next_action="tidy the charts")
    harbor.ask(*REFRESH, "--next-action", "todo_basin first", "--next-action", "then  the\nbuoys")
    assert harbor.state().endswith("## Next Action\n\n- todo_basin first\n- then the buoys\n")
    assert harbor.rows()[-1]["recommended_action"] == "todo_basin first"
    before = harbor.state()
    harbor.ask(*REFRESH)
    assert harbor.state() == before
    assert harbor.rows()[-1]["recommended_action"] == "todo_basin first"


def test_a_dry_run_shows_the_row_and_leaves_no_trace(harbor: Harbor) -> None:
    before = harbor.files()
    answer = harbor.ask(*REFRESH, "--next-action", "todo_basin first", "--dry-run")
    assert "progress_recorded" in answer["diff"]
    assert "+- todo_basin first" in answer["diff"]
    assert harbor.files() == before


@pytest.mark.parametrize("flag", ["--artifact", "--evidence", "--recommended-action", "--next-action"])
def test_private_text_is_refused_and_not_repeated(harbor: Harbor, flag: str) -> None:
    secret = "pass" + "word=hunter2xyz"
    said = harbor.refused(*REFRESH, flag, f"see {secret}")
    assert "IP-013.private_text" in said
    assert "hunter2xyz" not in said


@pytest.mark.parametrize("label", ["quota_slot_spent", "quota_slot_voided", "quota_monitor_poll", "replan_noop"])
def test_nobody_writes_a_row_that_a_command_of_its_own_writes(harbor: Harbor, label: str) -> None:
    assert "IP-023.reserved_label" in harbor.refused(*REFRESH, "--classification", label)
    assert harbor.spent() == 0


@pytest.mark.parametrize("arguments, said", [
    (("--delivery-outcome", "outcome_progres"), "Did you mean outcome_progress?"),
    (("--repair-delta-kind", "runnable_todos"), "Did you mean runnable_todo_set?"),
    (("--progress-scope", "lane"), "agent_lane"),
    (("--classification", "Two Words"), "a-z"),
])  # fmt: skip
def test_a_mistyped_word_gets_the_right_one(harbor: Harbor, arguments: tuple[str, ...], said: str) -> None:
    assert said in harbor.refused(*REFRESH, *arguments, code=2)


def test_an_agent_that_the_goal_does_not_register_writes_no_row(harbor: Harbor) -> None:
    assert "IP-019.unknown_agent" in harbor.refused("refresh-state", "--agent-id", "stranger")
    assert "IP-019.unknown_agent" in harbor.refused("refresh-state")


def test_who_drops_the_name_of_the_turn_is_told_it(harbor: Harbor) -> None:
    harbor.ask("todo", "claim", "--todo-id", "todo_buoys", "--agent-id", BUILDER)
    said = harbor.refused("refresh-state", "--classification", "buoys_painted")
    assert "IP-019.other_identity" in said
    assert harbor.accepted(said).code == 0
    row = harbor.rows()[-1]
    assert (row["agent_id"], row["classification"]) == (BUILDER, "buoys_painted")


def test_progress_closes_no_obligation(harbor: Harbor) -> None:
    stall(harbor)
    assert harbor.mode() == "autonomous_replan"
    replan(harbor)
    harbor.ask(*REFRESH, "--classification", "autonomous_replan_validated", "--delivery-outcome", "outcome_progress")
    assert harbor.mode() == "autonomous_replan"


def test_an_acknowledgement_that_changes_nothing_is_stored_as_a_noop_whatever_it_claims(harbor: Harbor) -> None:
    stall(harbor)
    answer = harbor.ask(*ACK, "--delivery-outcome", "primary_goal_outcome")
    row = harbor.rows()[-1]
    assert row["classification"] == "replan_noop"
    assert row["delivery_outcome"] == "outcome_gap"
    ack = row["autonomous_replan_ack"]
    assert ack["schema_version"] == "autonomous_replan_ack_v0"
    assert ack["recorded"] is False
    assert ack["delta_contract"] == {
        "schema_version": "repair_delta_contract_v0",
        "delta_present": False,
        "delta_kinds": [],
    }
    assert answer["result"]["claimed_but_unchanged"] == ["runnable_todo_set"]
    assert harbor.mode() == "autonomous_replan"
    assert harbor.turn()["mode"] == "autonomous_replan"


def test_an_acknowledgement_with_a_real_delta_closes_the_obligation(harbor: Harbor) -> None:
    stall(harbor)
    replan(harbor)
    harbor.ask(*ACK, "--delivery-outcome", "outcome_progress")
    row = harbor.rows()[-1]
    assert row["classification"] == "autonomous_replan_recorded"
    assert row["delivery_outcome"] == "outcome_progress"
    assert row["autonomous_replan_ack"]["recorded"] is True
    contract = row["autonomous_replan_ack"]["delta_contract"]
    assert contract["delta_present"] is True
    assert contract["delta_kinds"] == ["runnable_todo_set", "claimed_lane"]
    assert harbor.mode() == "bounded_delivery"


def test_half_a_repair_that_was_recorded_under_the_obligation_still_counts(harbor: Harbor) -> None:
    stall(harbor)
    replan(harbor)
    harbor.ask(*REFRESH)
    harbor.ask(*ACK)
    assert harbor.rows()[-1]["autonomous_replan_ack"]["recorded"] is True


def test_a_noop_does_not_become_the_state_before_the_repair(harbor: Harbor) -> None:
    stall(harbor)
    replan(harbor)
    harbor.ask(*ACK)
    stall(harbor)
    harbor.ask(*ACK)
    assert harbor.rows()[-1]["classification"] == "replan_noop"
    harbor.ask(*ACK)
    assert harbor.rows()[-1]["classification"] == "replan_noop"


def test_next_action_counts_as_a_surface_of_the_frontier(harbor: Harbor) -> None:
    stall(harbor)
    harbor.ask(*ACK, "--next-action", "leave the charts, paint the buoys")
    assert harbor.rows()[-1]["autonomous_replan_ack"]["delta_contract"]["delta_kinds"] == ["next_action"]


def test_time_alone_changes_no_frontier(build: Build) -> None:
    from .conftest import WATCH

    harbor = build(TODOS + WATCH.replace("next_due_at=2026-12-01T09:00:00Z", "next_due_at=2026-12-01T09:05:00Z"))
    harbor.edit("status=open task_class=advancement_task claimed_by=builder", "status=blocked claimed_by=builder")
    harbor.edit("status=open task_class=advancement_task -->", "status=blocked -->")
    stall(harbor)
    harbor.at = 60
    harbor.ask(*ACK)
    assert harbor.rows()[-1]["classification"] == "replan_noop"


def test_without_a_recorded_frontier_the_refusal_says_how_to_get_one(harbor: Harbor) -> None:
    for minute in (50, 55):
        harbor.append(
            generated_at=f"2026-12-01T08:{minute}:00Z", classification="tidied", agent_id=BUILDER,
            delivery_outcome="surface_only", recommended_action="tidy", progress_scope="agent_lane",
        )  # fmt: skip
    assert harbor.mode() == "autonomous_replan"
    said = harbor.refused(*ACK)
    assert "IP-024.not_compared" in said
    assert harbor.accepted(said).code == 0
    replan(harbor)
    harbor.at = 1
    harbor.ask(*ACK)
    assert harbor.mode() == "bounded_delivery"


def test_only_the_lane_that_owes_a_replan_acknowledges_it(harbor: Harbor) -> None:
    stall(harbor, WRITER)
    assert (harbor.mode(BUILDER), harbor.mode(WRITER)) == ("bounded_delivery", "autonomous_replan")
    harbor.ask(*REFRESH)
    replan(harbor)
    said = harbor.refused(*ACK)
    assert "IP-013.other_lanes_obligation" in said
    assert "writer" in said
    harbor.edit("[P2] Paint the buoys", "[P2] Paint the buoys\n  <!-- loopx:todo claimed_by=writer -->")
    assert harbor.accepted(said).code == 0
    assert harbor.mode(WRITER) == "bounded_delivery"


def test_what_the_whole_goal_owes_is_closed_for_all_by_anyone(harbor: Harbor) -> None:
    for agent in (BUILDER, WRITER):
        harbor.ask("refresh-state", "--agent-id", agent)
    stall(harbor, BUILDER, "--progress-scope", "goal")
    assert (harbor.mode(BUILDER), harbor.mode(WRITER)) == ("autonomous_replan", "autonomous_replan")
    harbor.edit("[P2] Paint the buoys", "[P2] Paint the buoys\n  <!-- loopx:todo claimed_by=writer -->")
    harbor.ask("refresh-state", "--agent-id", WRITER, "--autonomous-replan-recorded")
    assert harbor.rows()[-1]["progress_scope"] == "goal"
    assert (harbor.mode(BUILDER), harbor.mode(WRITER)) == ("bounded_delivery", "bounded_delivery")


def test_closing_what_the_goal_owes_leaves_open_what_another_lane_owes(harbor: Harbor) -> None:
    for agent in (BUILDER, WRITER):
        harbor.ask("refresh-state", "--agent-id", agent)
    stall(harbor, BUILDER, "--progress-scope", "goal")
    stall(harbor, WRITER, "--recommended-action", "read the almanac")
    replan(harbor)
    said = harbor.refused(*ACK, "--progress-scope", "goal")
    assert "IP-013.other_lanes_obligation" in said
    harbor.ask(*ACK)
    assert harbor.rows()[-1]["progress_scope"] == "agent_lane"
    assert (harbor.mode(BUILDER), harbor.mode(WRITER)) == ("bounded_delivery", "autonomous_replan")


def test_a_repair_that_changes_nothing_is_a_repair_noop(harbor: Harbor) -> None:
    harbor.ask(*REFRESH)
    harbor.ask(*REFRESH, "--repair-delta-kind", "goal_boundary", "--delivery-outcome", "outcome_progress")
    row = harbor.rows()[-1]
    assert (row["classification"], row["delivery_outcome"]) == ("repair_noop", "outcome_gap")
    harbor.configure(coordination={"write_scope": ["charts/**", "buoys/**", "docs/**", "tides/**"]})
    harbor.ask(*REFRESH, "--repair-delta-kind", "goal_boundary", "--delivery-outcome", "outcome_progress")
    row = harbor.rows()[-1]
    assert (row["classification"], row["delivery_outcome"]) == ("repair_recorded", "outcome_progress")
    assert row["repair_delta"]["delta_kinds"] == ["goal_boundary"]


def test_a_replan_is_paid_only_for_its_accountable_delta(harbor: Harbor) -> None:
    spend = ("quota", "spend-slot", "--agent-id", BUILDER, "--execute")
    stall(harbor)
    assert harbor.turn()["cli_channel"]["spend_policy"] == "once_for_accountable_delta_only"
    harbor.ask(*ACK, "--evidence", "looked at the board")
    assert "IP-001.nothing_replanned" in harbor.refused(*spend)
    replan(harbor)
    harbor.ask(*REFRESH, "--evidence", "looked at the board")
    assert "IP-001.nothing_replanned" in harbor.refused(*spend)
    harbor.ask(*ACK, "--evidence", "looked at the board")
    harbor.ask(*spend)
    assert harbor.spent() == 1


def test_the_written_row_is_one_line_of_json_in_the_characters_of_its_text(harbor: Harbor) -> None:
    harbor.ask(*REFRESH, "--artifact", "Seekarte für den Hafen ☃", "--recommended-action", "Hafen öffnen")
    line = harbor.index.read_text(encoding="utf-8").splitlines()[-1]
    assert "Hafen öffnen" in line
    assert json.dumps(json.loads(line), ensure_ascii=False, separators=(",", ":")) == line
