"""How a todo ends, and what follows (IP-019, IP-020, IP-029)."""

from __future__ import annotations

import pytest

from loopx_policy.model import Todo
from tests.cli.conftest import NOW

from .conftest import BUILDER, GATE, PLAIN, WRITER, Build, Harbor, by, result, state, todo

DONE = ("--evidence", "commit abc1234; the checks pass")


@pytest.fixture
def quay(build: Build) -> Harbor:
    return build(PLAIN, users=GATE)


def complete(harbor: Harbor, todo_id: str, *options: str) -> tuple[Todo, list[Todo]]:
    """The completed todo and its successors."""
    said = result(harbor.ask("todo", "complete", "--todo-id", todo_id, *DONE, *options))
    done = todo(harbor, todo_id)
    assert list(done.successor_todo_ids) == said["successor_todo_ids"]
    return done, [todo(harbor, name) for name in done.successor_todo_ids]


def test_a_completed_slice_shows_its_evidence_and_names_its_successor(quay: Harbor) -> None:
    done, (new,) = complete(quay, "todo_basin", "--next-agent-todo", "[P2] Print the charts", *by(BUILDER))
    assert (done.status, done.evidence) == ("done", "commit abc1234; the checks pass")
    assert (done.completed_at, done.updated_at) == (NOW, NOW)
    assert "- [x] [P1] Chart the basin" in quay.state()
    assert (new.text, new.status, new.claimed_by, new.section) == ("[P2] Print the charts", "open", "", "Agent Todo")


def test_several_successors_take_their_options_once_for_all_or_one_each(quay: Harbor) -> None:
    _, new = complete(
        quay, "todo_basin", "--next-agent-todo", "Print", "--next-agent-todo", "Watch the tide",
        "--next-claimed-by", BUILDER, "--next-claimed-by", WRITER, "--next-priority", "P3",
        "--next-task-class", "advancement_task", "--next-task-class", "continuous_monitor",
        "--next-set", "required_write_scopes=docs/**", "--next-user-todo", "Say where the charts go",
        "--next-user-task-class", "user_action", *by(BUILDER),
    )  # fmt: skip
    assert [each.claimed_by for each in new] == [BUILDER, WRITER, ""]
    assert [each.priority for each in new] == [3, 3, 9]
    assert [each.task_class for each in new] == ["advancement_task", "continuous_monitor", "user_action"]
    assert [each.role for each in new] == ["agent", "agent", "user"]
    assert [each.required_write_scopes for each in new] == [("docs/**",), ("docs/**",), ()]


def test_options_for_successors_that_are_not_there_are_slips(quay: Harbor) -> None:
    ask = ("todo", "complete", "--todo-id", "todo_basin", *DONE, *by(BUILDER))
    assert "No --next-agent-todo" in quay.refused(*ask, "--next-claimed-by", WRITER, code=2)
    two = ("--next-agent-todo", "a", "--next-agent-todo", "b", "--next-agent-todo", "c")
    holders = ("--next-claimed-by", WRITER, "--next-claimed-by", BUILDER)
    assert "2 times for 3" in quay.refused(*ask, *two, *holders, code=2)


def test_a_successor_that_is_there_already_can_be_named(quay: Harbor) -> None:
    done, _ = complete(quay, "todo_basin", "--successor-todo-id", "todo_buoys", *by(BUILDER))
    assert done.successor_todo_ids == ("todo_buoys",)
    said = quay.refused("todo", "complete", "--todo-id", "todo_manual", *DONE, "--successor-todo-id", "todo_bouys",
                        "--side-agent-self-merged", *by(WRITER), code=2)  # fmt: skip
    assert "Did you mean todo_buoys?" in said


def test_a_slice_without_evidence_or_without_a_word_on_what_follows_is_not_done(quay: Harbor) -> None:
    ask = ("todo", "complete", "--todo-id", "todo_basin", *by(BUILDER))
    assert "IP-020.no_evidence" in quay.refused(*ask, "--no-follow-up", "--reason", "all charted")
    assert "IP-020.no_follow_up_said" in quay.refused(*ask, *DONE)
    assert "IP-020.bare_no_follow_up" in quay.refused(*ask, *DONE, "--no-follow-up")
    both = ("--no-follow-up", "--reason", "done", "--next-agent-todo", "more")
    assert "IP-020.two_answers" in quay.refused(*ask, *DONE, *both)


def test_that_nothing_follows_is_recorded_with_its_reason(quay: Harbor) -> None:
    done, _ = complete(quay, "todo_basin", "--no-follow-up", "--reason", "the basin is charted", *by(BUILDER))
    assert (done.no_followup, done.reason) == (True, "the basin is charted")
    assert "IP-020.already_done" in quay.refused(
        "todo", "complete", "--todo-id", "todo_basin", *DONE, "--trivial", *by(BUILDER)
    )


def test_a_side_agent_that_merged_its_small_change_may_go_on_with_the_lane(quay: Harbor) -> None:
    _, (new,) = complete(
        quay, "todo_manual", "--side-agent-self-merged", "--scale", "small", "--validation", "passed",
        "--self-merge-policy", "allows", "--next-agent-todo", "Write the index", "--next-claimed-by", WRITER,
        "--claimed-by", WRITER,
    )  # fmt: skip
    assert (new.claimed_by, new.blocks_agent) == (WRITER, "")


@pytest.mark.parametrize(
    "options, case",
    [
        (("--scale", "broad"), "merged_too_much"),
        (("--validation", "failed"), "merged_unchecked"),
        (("--self-merge-policy", "forbids"), "merge_forbidden"),
    ],
)
def test_a_self_merge_that_is_broad_unchecked_or_forbidden_is_refused(
    quay: Harbor, options: tuple[str, ...], case: str
) -> None:
    ask = ("todo", "complete", "--todo-id", "todo_manual", *DONE, "--side-agent-self-merged", "--trivial")
    assert f"IP-019.{case}" in quay.refused(*ask, *options, *by(WRITER))


def test_a_side_agent_that_did_not_merge_hands_over_to_the_primary_agent(quay: Harbor) -> None:
    _, (new,) = complete(quay, "todo_manual", "--next-agent-todo", "Review the manual", *by(WRITER))
    assert (new.claimed_by, new.blocks_agent, new.unblocks_todo_id) == (BUILDER, WRITER, "todo_manual")


def test_a_configured_handoff_owner_comes_before_the_primary_agent(build: Build) -> None:
    quay = build(PLAIN, agents=(BUILDER, WRITER, "pilot"))
    quay.configure(coordination={"side_agent_handoff_agent": "pilot"})
    _, (new,) = complete(quay, "todo_manual", "--next-agent-todo", "Review the manual", *by(WRITER))
    assert new.claimed_by == "pilot"


def test_the_handoff_owner_hands_its_own_work_to_the_primary_agent(build: Build) -> None:
    quay = build(PLAIN.replace("claimed_by=writer", "claimed_by=pilot"), agents=(BUILDER, WRITER, "pilot"))
    quay.configure(coordination={"side_agent_handoff_agent": "pilot"})
    ask = ("todo", "complete", "--todo-id", "todo_manual", *DONE, "--next-agent-todo", "Review", *by("pilot"))
    said = quay.refused(*ask, "--next-claimed-by", "pilot")
    assert "IP-019.handoff_to_self" in said
    assert "for builder" in said
    _, (new,) = complete(quay, "todo_manual", "--next-agent-todo", "Review the manual", *by("pilot"))
    assert (new.claimed_by, new.blocks_agent, new.unblocks_todo_id) == (BUILDER, "pilot", "todo_manual")


def test_a_handoff_owner_that_nobody_registered_is_told_and_passed_over(quay: Harbor) -> None:
    quay.configure(coordination={"side_agent_handoff_agent": "ghost"})
    assert "side_agent_handoff_agent 'ghost' is no registered agent" in quay.loopx("check").out
    _, (new,) = complete(quay, "todo_manual", "--next-agent-todo", "Review the manual", *by(WRITER))
    assert new.claimed_by == BUILDER


def test_a_side_agent_does_not_hand_over_to_itself_nor_to_nobody(quay: Harbor) -> None:
    ask = ("todo", "complete", "--todo-id", "todo_manual", *DONE, *by(WRITER))
    more = ("--next-agent-todo", "Review the manual")
    assert "IP-019.handoff_to_self" in quay.refused(*ask, *more, "--next-claimed-by", WRITER)
    assert "IP-019.no_handoff" in quay.refused(*ask, "--no-follow-up", "--reason", "all said")


def test_the_primary_agents_successor_is_no_handoff(quay: Harbor) -> None:
    _, (new,) = complete(quay, "todo_basin", "--next-agent-todo", "Print", *by(BUILDER))
    assert (new.claimed_by, new.blocks_agent) == ("", "")


def test_who_completes_is_said_once(quay: Harbor) -> None:
    ask = ("todo", "complete", "--todo-id", "todo_manual", *DONE, "--claimed-by", WRITER, *by(BUILDER))
    assert "Say once who completes" in quay.refused(*ask, code=2)


def test_an_agent_closes_no_gate_and_a_person_does(quay: Harbor) -> None:
    action = ("--next-user-todo", "Sign it", "--next-user-task-class", "user_action")
    for step in (
        ("complete", *DONE, "--trivial"),
        ("supersede", "--reason", "x", *action),
        ("defer", "--resume-when", "todo_done:todo_basin"),
    ):
        said = quay.refused("todo", step[0], "--todo-id", "todo_gate", *step[1:], *by(BUILDER))
        assert "IP-020.gate_undecided" in said
    result(quay.ask("todo", "complete", "--todo-id", "todo_gate", "--operator", "--reason", "yes"))
    assert todo(quay, "todo_gate").status == "done"


def test_a_gate_whose_recorded_answer_closes_it_may_be_closed_by_an_agent(quay: Harbor) -> None:
    gate = {"gate_id": "todo_gate", "decision": "approve", "gate_closed": True}
    quay.append(generated_at="2026-12-01T08:00:00Z", classification="operator_gate_recorded", operator_gate=gate)
    result(quay.ask("todo", "complete", "--todo-id", "todo_gate", *DONE, "--trivial", *by(BUILDER)))


def test_a_gate_that_unblocks_what_ends_is_named(build: Build) -> None:
    quay = build(PLAIN, users=GATE.replace("blocks_agent=writer", "blocks_agent=builder unblocks_todo_id=todo_manual"))
    said = result(quay.ask("todo", "complete", "--todo-id", "todo_manual", *DONE, "--trivial",
                           "--side-agent-self-merged", *by(WRITER)))  # fmt: skip
    assert said["gates_left"] == ["todo_gate"]


LIMITED = """\
- [ ] [P1] Dredge the basin
  <!-- loopx:todo todo_id=todo_dredge status=open claimed_by=builder required_write_scopes=charts/** -->
  <!-- loopx:todo required_decision_scopes=direction:lane:dredging safety_class=external_run note=old x_mood=calm -->
- [ ] [P2] Survey
  <!-- loopx:todo todo_id=todo_survey status=open -->
"""


def test_supersede_keeps_the_old_todo_and_links_both_ways(build: Build) -> None:
    quay = build(LIMITED)
    said = result(quay.ask("todo", "supersede", "--todo-id", "todo_dredge", "--reason", "the owner wants it deeper",
                           "--next-agent-todo", "Dredge to nine metres", *by(BUILDER)))  # fmt: skip
    old, new = todo(quay, "todo_dredge"), todo(quay, said["superseded_by"])
    assert (old.status, old.superseded_by, old.reason, old.text) == (
        "done", new.todo_id, "the owner wants it deeper", "[P1] Dredge the basin",
    )  # fmt: skip
    assert new.note == "supersedes todo_dredge"
    assert (new.text, new.claimed_by, new.status) == ("[P1] Dredge to nine metres", BUILDER, "open")


def test_a_replacement_takes_over_every_limit_unless_it_says_otherwise(build: Build) -> None:
    quay = build(LIMITED)
    said = result(quay.ask("todo", "supersede", "--todo-id", "todo_dredge", "--reason", "deeper", "--next-agent-todo",
                           "[P0] Dredge", "--next-set", "safety_class=read_only", *by(BUILDER)))  # fmt: skip
    old, new = todo(quay, "todo_dredge"), todo(quay, said["superseded_by"])
    assert new.required_decision_scopes == old.required_decision_scopes != ()
    assert new.required_write_scopes == old.required_write_scopes != ()
    assert (new.safety_class, new.priority, new.extra) == ("read_only", 0, {})


def test_an_open_todo_may_be_the_replacement(build: Build) -> None:
    quay = build(LIMITED)
    ask = ("todo", "supersede", "--todo-id", "todo_dredge", "--reason", "survey first", *by(BUILDER))
    assert "IP-020.nothing_supersedes" in quay.refused(*ask)
    assert "IP-020.nothing_supersedes" in quay.refused(*ask, "--replacement-todo-id", "todo_dredge")
    said = quay.refused(*ask, "--replacement-todo-id", "todo_survey", "--next-agent-todo", "x", code=2)
    assert "superseded by one other" in said
    result(quay.ask(*ask, "--replacement-todo-id", "todo_survey"))
    assert todo(quay, "todo_dredge").superseded_by == "todo_survey"
    assert todo(quay, "todo_survey").note == "supersedes todo_dredge"
    assert "IP-020.superseded_before" in quay.refused("todo", "reopen", "--todo-id", "todo_dredge", "--reason", "x",
                                                      *by(BUILDER))  # fmt: skip


def test_superseding_needs_its_reason(build: Build) -> None:
    quay = build(LIMITED)
    ask = ("todo", "supersede", "--todo-id", "todo_dredge", "--next-agent-todo", "x", *by(BUILDER))
    assert "IP-020.supersede_without_reason" in quay.refused(*ask)


def test_what_waits_for_a_superseded_todo_waits_for_its_replacement(build: Build) -> None:
    waiting = (
        "- [-] Sound\n  <!-- loopx:todo todo_id=todo_sound status=deferred resume_when=todo_done:todo_dredge -->\n"
    )
    quay = build(LIMITED + waiting)
    said = result(quay.ask("todo", "supersede", "--todo-id", "todo_dredge", "--reason", "deeper", "--next-agent-todo",
                           "Dredge to nine metres", *by(BUILDER)))  # fmt: skip
    early = quay.refused("todo", "reopen", "--todo-id", "todo_sound", *by(BUILDER))
    assert "IP-020.reopen_early" in early
    complete(quay, said["superseded_by"], "--no-follow-up", "--reason", "deep enough", *by(BUILDER))
    result(quay.ask("todo", "reopen", "--todo-id", "todo_sound", *by(BUILDER)))


HANDOFF = """\
- [x] Review the manual
  <!-- loopx:todo todo_id=todo_review status=done claimed_by=builder blocks_agent=writer evidence=seen -->
"""
WAYS = [
    ("reopen", "--reason", "the review missed a chapter"),
    ("supersede", "--reason", "the manual moved", "--next-agent-todo", "Move the manual"),
    ("no-followup", "--reason", "nothing is left of it"),
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
def test_each_of_the_three_ways_leads_out_of_a_handoff_that_named_no_successor(
    build: Build, way: tuple[str, ...]
) -> None:
    quay = build(HANDOFF)
    assert quay.mode(WRITER) == "successor_replan_required"
    shown = next(c for c in quay.turn(WRITER)["cli_channel"]["next_cli_actions"] if c.startswith("loopx todo show"))
    assert "todo_review" in shown
    assert any(way[0] in step for step in quay.ask(*shown.split()[1:])["steps"])
    result(quay.ask("todo", way[0], "--todo-id", "todo_review", *way[1:], *by(WRITER)))
    assert quay.mode(WRITER) != "successor_replan_required"


def test_what_replaces_a_cleared_handoff_is_the_route_of_whoever_waited(build: Build) -> None:
    quay = build(HANDOFF)
    said = result(quay.ask("todo", "supersede", "--todo-id", "todo_review", *WAYS[1][1:], *by(WRITER)))
    new = todo(quay, said["superseded_by"])
    assert (new.claimed_by, new.blocks_agent) == (WRITER, "")
    assert quay.mode(WRITER) == "bounded_delivery"


STALE = HANDOFF.replace("[x]", "[ ]").replace("status=done", "status=open route_continuation_replan_required=true")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
def test_each_of_the_three_ways_leads_out_of_a_stale_handoff(build: Build, way: tuple[str, ...]) -> None:
    quay = build(STALE)
    assert quay.mode(WRITER) == "successor_replan_required"
    result(quay.ask("todo", way[0], "--todo-id", "todo_review", *way[1:], *by(WRITER)))
    assert quay.mode(WRITER) != "successor_replan_required"


def test_nobody_records_that_nothing_follows_work_that_goes_on(quay: Harbor) -> None:
    ask = ("todo", "no-followup", "--todo-id", "todo_basin", "--reason", "bored", *by(BUILDER))
    assert "IP-020.still_work" in quay.refused(*ask)
    assert len(state(quay).todos) == 4
