"""``todo list`` and ``todo show``: what stands there, and what blocks it now."""

from __future__ import annotations

import pytest

from .conftest import BUILDER, WRITER, Build, Harbor, by

TODOS = """\
- [ ] [P0] Publish the charts
  <!-- loopx:todo todo_id=todo_publish claimed_by=builder required_decision_scopes=public_claim:goal:charts -->
- [ ] [P1] Chart the basin
  <!-- loopx:todo todo_id=todo_basin claimed_by=builder required_write_scopes=charts/** x_mood=calm -->
- [ ] [P2] Measure the tide
  <!-- loopx:todo todo_id=todo_tide required_capabilities=network -->
- [ ] [P2] Write the manual
  <!-- loopx:todo todo_id=todo_manual claimed_by=writer -->
- [-] Print
  <!-- loopx:todo todo_id=todo_print status=deferred resume_when=todo_done:todo_basin -->
- [ ] Wait for ink
  <!-- loopx:todo todo_id=todo_ink status=blocked reason=no%20ink -->
- [ ] [P3-monitor] Watch the gauge
  <!-- loopx:todo todo_id=todo_gauge cadence=30m next_due_at=2026-12-01T10:00:00Z -->
- [x] Survey
  <!-- loopx:todo todo_id=todo_survey status=done successor_todo_ids=todo_basin completed_at=2026-11-30T00:00:00Z -->
"""
USERS = """\
- [ ] May the charts be published?
  <!-- loopx:todo todo_id=todo_gate task_class=user_gate blocks_agent=builder -->
  <!-- loopx:todo decision_scope=public_claim:goal:charts -->
"""
HISTORY = """
## Agent Todo Archive

- [x] Old
  <!-- loopx:todo todo_id=todo_old status=done superseded_by=todo_survey -->
"""


@pytest.fixture
def quay(build: Build) -> Harbor:
    harbor = build(TODOS, users=USERS)
    harbor.state_file.write_text(harbor.state() + HISTORY, encoding="utf-8")
    return harbor


def listed(quay: Harbor, *options: str) -> list[str]:
    return [each["todo_id"].removeprefix("todo_") for each in quay.ask("todo", "list", *options)["todos"]]


@pytest.mark.parametrize(
    "options, expected",
    [
        ((), "gate publish basin tide manual print ink gauge survey"),
        (("--role", "user"), "gate"),
        (("--status", "deferred", "--status", "blocked"), "print ink"),
        (("--task-class", "continuous_monitor"), "gauge"),
        (("--claimed-by", "builder"), "publish basin"),
        (("--unclaimed", "--status", "open"), "tide gauge"),
        (("--section", "agent todo", "--status", "done"), "survey"),
        (("--archived",), "old"),
        (("--limit", "2"), "gate publish"),
        (("--claimed-by", "nobody"), ""),
    ],
)
def test_filters_leave_what_fits_in_file_order(quay: Harbor, options: tuple[str, ...], expected: str) -> None:
    assert listed(quay, *options) == expected.split()


def test_a_list_counts_what_it_leaves_out_and_places_what_it_shows(quay: Harbor) -> None:
    data = quay.ask("todo", "list", "--limit", "2")
    assert (data["found"], data["hidden"], data["counts"]) == (
        9,
        7,
        {"blocked": 1, "deferred": 1, "done": 1, "open": 6},
    )
    line = quay.state().splitlines().index("- [ ] May the charts be published?") + 1
    assert data["todos"][0]["at"] == f"STATE.md:{line}"


@pytest.mark.parametrize(
    "options", [("--status", "opn"), ("--task-class", "work"), ("--role", "me"), ("--section", "Agents"),
                ("--claimed-by", "builder", "--unclaimed")],
)  # fmt: skip
def test_a_filter_that_nothing_can_fit_is_a_slip(quay: Harbor, options: tuple[str, ...]) -> None:
    quay.refused("todo", "list", *options, code=2)


def test_lists_and_todos_are_shown_to_people_too(quay: Harbor) -> None:
    for form in ("rich", "markdown"):
        out = quay.loopx("todo", "list", "--format", form).out
        assert all(name in out for name in ("todo_publish", "todo_survey", "builder"))
        out = quay.loopx("todo", "show", "--todo-id", "todo_publish", *by(BUILDER), "--format", form).out
        assert "todo_gate" in out
        assert "public_claim:goal:charts" in out
    assert quay.loopx("todo", "list").out.isascii()


def why(quay: Harbor, todo_id: str, *options: str) -> tuple[bool, list[tuple[str, str]]]:
    standing = quay.ask("todo", "show", "--todo-id", todo_id, *options)["standing"]
    return standing["runnable"], [(each["by"], each["why"]) for each in standing["reasons"]]


def test_show_says_which_rule_blocks_a_todo_and_why(quay: Harbor) -> None:
    assert why(quay, "todo_publish", *by(BUILDER)) == (False, [("IP-003.covered", "gate todo_gate")])
    runnable, ((case, reason),) = why(quay, "todo_tide", *by(BUILDER))
    assert (runnable, case) == (False, "IP-021.lacks_owner")
    assert "network" in reason
    assert why(quay, "todo_tide", *by(BUILDER), "--available-capability", "network")[0] is True


@pytest.mark.parametrize(
    "todo_id, agent, said",
    [
        ("todo_manual", BUILDER, "writer holds it"),
        ("todo_print", BUILDER, "it waits for todo_done:todo_basin"),
        ("todo_ink", BUILDER, "it is blocked: no ink"),
        ("todo_gauge", WRITER, "it is a watch, due at 2026-12-01T10:00:00Z"),
        ("todo_survey", BUILDER, "it is done"),
        ("todo_gate", BUILDER, "a person has to decide it"),
        ("todo_old", BUILDER, "it is archived: history"),
    ],
)
def test_show_says_what_a_todo_itself_stands_in_the_way_with(quay: Harbor, todo_id: str, agent: str, said: str) -> None:
    assert why(quay, todo_id, *by(agent)) == (False, [("", said)])


def test_a_runnable_todo_is_said_to_be_and_the_turn_beside_it(quay: Harbor) -> None:
    data = quay.ask("todo", "show", "--todo-id", "todo_basin", *by(BUILDER))
    assert data["standing"]["runnable"] is True
    assert data["turn"]["mode"] == quay.mode(BUILDER)
    assert data["metadata"]["x_mood"] == "calm"


def test_links_are_shown_in_both_directions(quay: Harbor) -> None:
    data = quay.ask("todo", "show", "--todo-id", "todo_survey")
    assert [(each["key"], each["todo_id"], each["status"]) for each in data["names"]] == [
        ("successor_todo_ids", "todo_basin", "open")
    ]
    assert [(each["key"], each["todo_id"]) for each in data["named_by"]] == [("superseded_by", "todo_old")]
    data = quay.ask("todo", "show", "--todo-id", "todo_basin")
    assert {(each["key"], each["todo_id"]) for each in data["named_by"]} == {
        ("resume_when", "todo_print"), ("successor_todo_ids", "todo_survey"),
    }  # fmt: skip


def test_without_a_name_a_todo_is_shown_as_its_holder_sees_it(quay: Harbor) -> None:
    data = quay.ask("todo", "show", "--todo-id", "todo_manual")
    assert (data["seen_by"], data["turn"], data["standing"]["runnable"]) == (WRITER, None, True)


def test_show_names_leases_and_the_problems_of_the_todo(quay: Harbor) -> None:
    held = ("--ttl-minutes", "60", "--read-only", "--idempotency-key", "m1")
    quay.ask("lease", "claim", "--todo-id", "todo_manual", *held, *by(WRITER))
    quay.edit("todo_id=todo_ink status=blocked", "todo_id=todo_ink status=blocked unblocks_todo_id=todo_gone")
    (lease,) = quay.ask("todo", "show", "--todo-id", "todo_manual")["leases"]
    assert (lease["owner"], lease["in_force"]) == (WRITER, True)
    (problem,) = quay.ask("todo", "show", "--todo-id", "todo_ink")["problems"]
    assert "todo_gone" in problem["message"]


def test_an_unknown_todo_suggests_the_nearest(quay: Harbor) -> None:
    assert "Did you mean todo_manual?" in quay.refused("todo", "show", "--todo-id", "todo_manuel", code=2)


def test_an_unclaimed_todo_is_claimed_by_the_printed_command(build: Build) -> None:
    quay = build("- [ ] Paint\n  <!-- loopx:todo todo_id=todo_paint -->\n")
    first, *_ = quay.turn(WRITER)["cli_channel"]["next_cli_actions"]
    answer = quay.ask(*first.split()[1:])
    assert (answer["command"], answer["result"]["claimed_by"]) == ("todo claim", WRITER)
    after = answer["decision"]["interaction_contract"]["cli_channel"]["next_cli_actions"]
    assert not any(command.startswith("loopx todo claim") for command in after)
