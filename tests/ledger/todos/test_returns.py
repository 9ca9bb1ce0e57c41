"""Parking, coming back, and the archive (IP-020, IP-027)."""

from __future__ import annotations

import pytest

from loopx_policy.facts.record import Record
from loopx_policy.facts.view import look
from loopx_policy.facts.waits import project
from loopx_policy.messages import source_name
from loopx_policy.project.document import from_document
from loopx_policy.project.state import parse_state
from loopx_policy.records import replace

from .conftest import BUILDER, GATE, PLAIN, WRITER, Build, Harbor, by, result, state, todo

CHARTED = ("--evidence", "map", "--no-follow-up", "--reason", "charted")


@pytest.fixture
def quay(build: Build) -> Harbor:
    return build(PLAIN, users=GATE)


def test_a_parked_todo_says_what_brings_it_back(quay: Harbor) -> None:
    ask = ("todo", "defer", "--todo-id", "todo_buoys", "--reason", "the paint is not here", *by(BUILDER))
    assert "IP-020.defer_without_return" in quay.refused(*ask)
    result(quay.ask(*ask, "--resume-when", "todo_done:todo_basin"))
    parked = todo(quay, "todo_buoys")
    assert (parked.status, parked.resume_when, parked.reason) == (
        "deferred", "todo_done:todo_basin", "the paint is not here",
    )  # fmt: skip
    assert "- [-] [P2] Paint the buoys" in quay.state()


def test_another_todo_that_unblocks_it_brings_it_back_too(build: Build) -> None:
    link = "- [ ] Buy paint\n  <!-- loopx:todo todo_id=todo_paint unblocks_todo_id=todo_buoys -->\n"
    quay = build(PLAIN + link)
    result(quay.ask("todo", "defer", "--todo-id", "todo_buoys", *by(BUILDER)))
    assert "IP-020.reopen_early" in quay.refused("todo", "reopen", "--todo-id", "todo_buoys", *by(BUILDER))
    quay.ask("todo", "complete", "--todo-id", "todo_paint", "--evidence", "bill", "--trivial", *by(BUILDER))
    result(quay.ask("todo", "reopen", "--todo-id", "todo_buoys", *by(BUILDER)))


PAINT = "- [{mark}] Buy paint\n  <!-- loopx:todo todo_id=todo_paint {says} -->\n"
BUOYS = "- [{mark}] Paint the buoys\n  <!-- loopx:todo todo_id=todo_buoys {says} -->\n"
UNBLOCKS = "unblocks_todo_id=todo_buoys"


@pytest.mark.parametrize(
    ("paint", "buoys", "returns"),
    [
        ((" ", UNBLOCKS), "", True),
        (("x", f"status=done no_followup=true {UNBLOCKS}"), "", True),
        (("-", f"status=deferred resume_when=pr_merged:quay/paint#7 {UNBLOCKS}"), "", True),
        ((" ", f"superseded_by=todo_glue {UNBLOCKS}"), "", False),
        ((" ", ""), "", False),
        ((" ", ""), "unblocks_todo_id=todo_paint", False),
        ((" ", ""), "unblocks_todo_id=todo_buoys", False),
        ((" ", ""), "resume_when=todo_done:todo_paint", True),
        ((" ", "superseded_by=todo_glue"), "resume_when=todo_done:todo_paint", False),
        (("x", "status=done superseded_by=todo_glue"), "resume_when=todo_done:todo_paint", True),
        ((" ", ""), "resume_when=pr_merged:quay/buoys#7", True),
        ((" ", ""), "resume_when=pr_merged:#7", False),
    ],
)
def test_a_step_parks_what_a_turn_will_see_a_way_back_for_and_nothing_else(
    build: Build, paint: tuple[str, str], buoys: str, returns: bool
) -> None:
    others = PAINT.format(mark=paint[0], says=paint[1]) + "- [ ] Buy glue\n  <!-- loopx:todo todo_id=todo_glue -->\n"
    quay = build(others + BUOYS.format(mark=" ", says=buoys))
    ask = ("todo", "defer", "--todo-id", "todo_buoys", *by(BUILDER))
    if returns:
        result(quay.ask(*ask))
    else:
        assert "IP-020.defer_without_return" in quay.refused(*ask)
    parked = BUOYS.format(mark="-", says=f"status=deferred {buoys}")
    todos = parse_state(f"## Agent Todo\n\n{others}{parked}", file="STATE.md").todos
    snapshot = from_document({"now": quay.now, "goal": {"id": "harbor"}})
    facts = Record()
    project(look(replace(snapshot, state=replace(snapshot.state, todos=todos)), {}), facts)
    seen = {name: [source_name(todo) for todo in found.sources] for name, found in facts.evidence.items()}
    assert ("todo_buoys" in seen.get("waiting.unwakeable", [])) is not returns
    assert ("todo_buoys" in [*seen.get("deferred.ready", []), *seen.get("waiting.wakeable", [])]) is returns


@pytest.mark.parametrize(
    "condition, code", [("tomorrow", 2), ("todo_done:x", 2), ("pr_merged:#0", 2), ("todo_done:todo_gone", 4)]
)
def test_a_condition_that_nobody_can_evaluate_is_refused(quay: Harbor, condition: str, code: int) -> None:
    quay.refused("todo", "defer", "--todo-id", "todo_buoys", "--resume-when", condition, *by(BUILDER), code=code)


def test_a_todo_does_not_wait_for_itself_in_however_many_steps(build: Build) -> None:
    quay = build(PLAIN)
    itself = ("todo", "defer", "--todo-id", "todo_buoys", "--resume-when", "todo_done:todo_buoys", *by(BUILDER))
    assert "IP-020.defer_in_circle" in quay.refused(*itself)
    result(quay.ask("todo", "defer", "--todo-id", "todo_basin", "--resume-when", "todo_done:todo_manual", *by(BUILDER)))
    result(quay.ask("todo", "defer", "--todo-id", "todo_buoys", "--resume-when", "todo_done:todo_basin", *by(BUILDER)))
    circle = ("todo", "defer", "--todo-id", "todo_manual", "--resume-when", "todo_done:todo_buoys", *by(WRITER))
    assert "IP-020.defer_in_circle" in quay.refused(*circle)


def test_a_ready_todo_comes_back_by_the_printed_command(quay: Harbor) -> None:
    quay.ask("todo", "defer", "--todo-id", "todo_buoys", "--resume-when", "todo_done:todo_manual", *by(BUILDER))
    quay.ask("todo", "complete", "--todo-id", "todo_manual", "--evidence", "pdf", "--side-agent-self-merged",
             "--no-follow-up", "--reason", "all said", *by(WRITER))  # fmt: skip
    quay.ask("todo", "complete", "--todo-id", "todo_basin", *CHARTED, *by(BUILDER))
    assert quay.mode(BUILDER) == "successor_replan_required"
    first, *_ = quay.turn(BUILDER)["cli_channel"]["next_cli_actions"]
    answer = quay.ask(*first.split()[1:])
    assert result(answer)["taken_out"] == {"resume_when": "todo_done:todo_manual"}
    assert answer["decision"]["interaction_contract"]["mode"] == "bounded_delivery"
    assert (todo(quay, "todo_buoys").status, todo(quay, "todo_buoys").resume_when) == ("open", "")


def test_a_person_reopens_early(quay: Harbor) -> None:
    quay.ask("todo", "defer", "--todo-id", "todo_buoys", "--resume-when", "todo_done:todo_basin", *by(BUILDER))
    result(quay.ask("todo", "reopen", "--todo-id", "todo_buoys", "--operator"))
    assert todo(quay, "todo_buoys").status == "open"


def test_a_merge_that_a_parked_todo_begins_to_wait_for_is_looked_up(build: Build) -> None:
    quay = build(PLAIN)
    quay.folder.mkdir(parents=True)
    merged = (
        '{"event_kind":"pr_merged","goal_id":"harbor","recorded_at":"2026-12-01T08:00:00Z",'
        '"details":{"repo":"quay/buoys","number":7}}\n'
    )
    (quay.folder / "rollout-event-log.jsonl").write_text(merged, encoding="utf-8")
    answer = quay.ask(
        "todo", "defer", "--todo-id", "todo_buoys", "--resume-when", "pr_merged:quay/buoys#7", *by(BUILDER)
    )
    assert result(answer)["status"] == "deferred"
    result(quay.ask("todo", "reopen", "--todo-id", "todo_buoys", *by(BUILDER)))


def test_a_done_todo_comes_back_with_a_reason_and_without_its_end(quay: Harbor) -> None:
    quay.ask("todo", "complete", "--todo-id", "todo_basin", *CHARTED, *by(BUILDER))
    ask = ("todo", "reopen", "--todo-id", "todo_basin", *by(BUILDER))
    assert "IP-020.reopen_without_reason" in quay.refused(*ask)
    result(quay.ask(*ask, "--reason", "a wreck was missed"))
    again = todo(quay, "todo_basin")
    assert (again.status, again.no_followup, again.completed_at, again.reason) == (
        "open", False, None, "a wreck was missed",
    )  # fmt: skip
    assert "IP-020.reopen_open" in quay.refused(*ask, "--reason", "again")


FINISHED = """\
- [x] One
- [ ] Two
- [x] Three
  <!-- loopx:todo todo_id=todo_three status=done completed_at=2026-11-01T00:00:00Z -->
  and its second line
- [x] Four
  <!-- loopx:todo todo_id=todo_four status=done completed_at=2026-12-01T08:00:00Z x_mood=calm -->
- [x] Review
  <!-- loopx:todo todo_id=todo_review status=done blocks_agent=writer -->
- [ ] Five
"""


def test_the_archive_takes_done_todos_as_they_stand_and_no_id_changes(build: Build) -> None:
    quay = build(FINISHED)
    before = {each.text: each.todo_id for each in state(quay).todos}
    said = result(quay.ask("todo", "archive", "--all-done", *by(BUILDER)))
    assert said["archived"] == 3
    assert said["kept"] == ["1: IP-020.archive_unsettled: Somebody still waits for what follows todo_review."]
    after = state(quay)
    assert {each.text: each.todo_id for each in [*after.todos, *after.archived]} == before
    assert [each.text for each in after.archived] == ["One", "Three and its second line", "Four"]
    assert after.archived[2].extra == {"x_mood": "calm"}


def test_the_archive_takes_what_ended_long_enough_ago(build: Build) -> None:
    quay = build(FINISHED)
    result(quay.ask("todo", "archive", "--all-done", "--older-than", "7d", *by(BUILDER)))
    assert [each.todo_id for each in state(quay).archived] == ["todo_three"]


def test_the_archive_takes_named_todos_or_none_of_them(build: Build) -> None:
    quay = build(FINISHED)
    two = ("--todo-id", "todo_three", "--todo-id", "todo_review")
    assert "IP-020.archive_unsettled" in quay.refused("todo", "archive", *two, *by(BUILDER))
    result(quay.ask("todo", "archive", "--todo-id", "todo_three", "--todo-id", "todo_four", *by(BUILDER)))
    said = quay.refused("todo", "reopen", "--todo-id", "todo_three", "--reason", "x", *by(BUILDER), code=2)
    assert "todo_three is archived" in said


def test_open_work_does_not_go_to_the_archive(quay: Harbor) -> None:
    assert "IP-020.archive_unfinished" in quay.refused("todo", "archive", "--todo-id", "todo_basin", *by(BUILDER))
    before = quay.files()
    assert quay.ask("todo", "archive", "--all-done", *by(BUILDER))["written"] is False
    assert quay.files() == before


def test_parked_work_of_which_nothing_follows_is_history(quay: Harbor) -> None:
    quay.ask("todo", "defer", "--todo-id", "todo_buoys", "--resume-when", "todo_done:todo_basin", *by(BUILDER))
    archive = ("todo", "archive", "--todo-id", "todo_buoys", *by(BUILDER))
    assert "IP-020.archive_unfinished" in quay.refused(*archive)
    result(quay.ask("todo", "no-followup", "--todo-id", "todo_buoys", "--reason", "the buoys are gone", *by(BUILDER)))
    assert todo(quay, "todo_buoys").status == "deferred"
    result(quay.ask(*archive))


@pytest.mark.parametrize(
    "options", [(), ("--todo-id", "todo_basin", "--all-done"), ("--all-done", "--older-than", "long"),
                ("--todo-id", "todo_basin", "--older-than", "7d")],
)  # fmt: skip
def test_what_goes_to_the_archive_is_said_clearly(quay: Harbor, options: tuple[str, ...]) -> None:
    quay.refused("todo", "archive", *options, *by(BUILDER), code=2)
