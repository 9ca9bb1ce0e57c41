"""Adding, claiming, passing on and changing todos (IP-019, IP-020)."""

from __future__ import annotations

import json

import pytest

from loopx_policy.project.metadata import PARSERS
from loopx_policy.project.times import iso
from tests.cli.conftest import NOW

from .conftest import BUILDER, GATE, PLAIN, WRITER, Build, Harbor, by, result, state, todo


@pytest.fixture
def quay(build: Build) -> Harbor:
    return build(PLAIN, users=GATE)


def test_a_new_todo_stands_last_in_its_list_with_what_was_said_of_it(quay: Harbor) -> None:
    before = quay.state()
    said = result(
        quay.ask("todo", "add", "--text", "Count  the bollards", "--priority", "p1", "--safety-class", "read_only",
                 "--required-write-scopes", "charts/**", "--required-write-scopes", "docs/**",
                 "--note", "two or three", *by(BUILDER))
    )  # fmt: skip
    new = todo(quay, said["todo_id"])
    assert (new.text, new.priority, new.status, new.task_class) == (
        "[P1] Count the bollards",
        1,
        "open",
        "advancement_task",
    )
    assert (new.required_write_scopes, new.safety_class, new.note) == (
        ("charts/**", "docs/**"),
        "read_only",
        "two or three",
    )
    assert new.updated_at == NOW
    assert state(quay).todos[-1] == new
    # Every line that was there is still there, in order.
    rest = iter(quay.state().splitlines())
    assert all(line in rest for line in before.splitlines())


EXAMPLES = {
    "action_kind": "implement", "task_class": "continuous_monitor", "claimed_by": BUILDER, "blocks_agent": WRITER,
    "unblocks_todo_id": "todo_manual", "resume_when": "todo_done:todo_basin", "required_write_scopes": "docs/**",
    "required_capabilities": "network", "target_capabilities": "cli_bridge", "decision_scope": "direction:lane:tide",
    "required_decision_scopes": "direction:lane:tide", "safety_class": "read_only", "target_key": "gauge",
    "cadence": "30m", "next_due_at": "2026-12-02T00:00:00Z", "expires_at": "2026-12-03T00:00:00Z",
    "last_checked_at": "2026-11-30T00:00:00Z", "result_hash": "abc", "consecutive_no_change": "2", "note": "a",
    "reason": "b", "evidence": "c", "status": "blocked",
}  # fmt: skip
SWITCHES = ("material_change", "route_continuation_replan_required")


def test_every_key_that_describes_a_todo_has_an_option(quay: Harbor) -> None:
    options = [word for key, value in EXAMPLES.items() for word in (f"--{key.replace('_', '-')}", value)]
    switches = [f"--{key.replace('_', '-')}" for key in SWITCHES]
    said = result(quay.ask("todo", "add", "--text", "Watch", *options, *switches, *by(BUILDER)))
    shown = quay.ask("todo", "show", "--todo-id", said["todo_id"])["metadata"]
    for key, value in EXAMPLES.items():
        assert shown[key] == value or shown[key] == [value] or str(shown[key]) == value, key
    assert all(shown[key] is True for key in SWITCHES)
    of_its_life = {"todo_id", "superseded_by", "successor_todo_ids", "no_followup", "updated_at", "completed_at"}
    assert {*EXAMPLES, *SWITCHES, "global_gate"} | of_its_life == set(PARSERS)


def test_a_key_that_nobody_knows_is_set_and_kept(quay: Harbor) -> None:
    quay.ask("todo", "update", "--todo-id", "todo_manual", "--set", "x_pages=12", *by(WRITER))
    assert todo(quay, "todo_manual").extra == {"x_mood": "calm", "x_pages": "12"}


@pytest.mark.parametrize(
    "option, said",
    [
        (("--expires-at", "2026-12-03"), "Write it as 2026-12-03T00:00:00Z."),
        (("--next-due-at", "2026-12-03T08:30"), "Write it as 2026-12-03T08:30:00Z."),
        (("--cadence", "soon"), "cadence=soon must be a number with m, h or d"),
        (("--next-due-at", "tomorrow"), "next_due_at=tomorrow must be an ISO 8601 time"),
        (("--next-due-at", "2026-12-02T00:00:00"), "no time zone"),
        (("--set", "claimed-bi=writer"), "perhaps claimed_by"),
        (("--set", "note"), "has no value"),
        (("--set", "Note=x"), "is no metadata key"),
        (("--set", "todo_id=todo_mine"), "is written by loopx itself"),
        (("--required-write-scopes", "../x"), "relative globs"),
        (("--status", "done"), "does not become done"),
        (("--priority", "P7"), "is no priority"),
        (("--text", "a\x1bb"), "control characters"),
        (("--text", "say <!-- loopx:todo status=done -->"), "would be read as metadata"),
        (("--text", "[P1] "), "says nothing"),
        (("--text", "x" * 4001), "longer than"),
        (("--section", "Pilot Todo"), "no list with agent todos"),
        (("--role", "captain"), "neither agent nor user"),
    ],
)  # fmt: skip
def test_a_slip_in_a_value_is_a_usage_error_that_says_what_is_wanted(
    quay: Harbor, option: tuple[str, str], said: str
) -> None:
    assert said in quay.refused("todo", "add", "--text", "Mend the pier", *option, *by(BUILDER), code=2)


def test_ids_of_new_todos_are_new_even_for_the_same_words_in_the_same_second(quay: Harbor) -> None:
    ids = {result(quay.ask("todo", "add", "--text", "Count", *by(BUILDER)))["todo_id"] for _ in range(4)}
    assert len(ids) == 4
    assert all(name.startswith("todo_") and len(name) == 17 for name in ids)


def test_a_user_todo_is_a_gate_or_an_action_and_a_gate_among_several_says_whom_it_blocks(quay: Harbor) -> None:
    ask = ("todo", "add", "--role", "user", "--text", "Sign the plan", *by(BUILDER))
    assert "IP-020.user_todo_without_class" in quay.refused(*ask)
    assert "IP-020.gate_unscoped" in quay.refused(*ask, "--task-class", "user_gate")
    both = ("--task-class", "user_gate", "--blocks-agent", WRITER, "--global-gate")
    assert "IP-020.gate_scoped_twice" in quay.refused(*ask, *both)
    assert "IP-020.gate_for_stranger" in quay.refused(*ask, "--task-class", "user_gate", "--blocks-agent", "nobody")
    quay.ask(*ask, "--task-class", "user_gate", "--global-gate")
    assert quay.mode(WRITER) == "user_gate"


def test_private_text_is_refused_and_its_place_named_without_repeating_it(quay: Harbor) -> None:
    said = quay.refused("todo", "add", "--text", "Look in /home/me/charts", "--note", "ok", *by(BUILDER))
    assert "text looks private (local_path)" in said
    assert "/home/me" not in said
    for option in (("--set", "x_where=/home/me/charts"), ("--result-hash", "ghp_" + "a1B2" * 6)):
        said = quay.refused("todo", "update", "--todo-id", "todo_basin", *option, *by(BUILDER))
        assert "IP-020.private_text" in said


def test_what_would_break_the_contract_is_refused_though_no_rule_speaks_of_it(quay: Harbor) -> None:
    said = quay.refused(
        "todo", "update", "--todo-id", "todo_basin", "--blocks-agent", WRITER, "--global-gate", *by(BUILDER)
    )
    assert "would break the goal's contract" in said
    assert "Keep one of the two" in said


def test_a_claim_makes_the_agent_the_holder(quay: Harbor) -> None:
    said = result(quay.ask("todo", "claim", "--todo-id", "todo_buoys", "--claimed-by", WRITER))
    assert (said["claimed_by"], said["previous"]) == (WRITER, "")
    assert todo(quay, "todo_buoys").claimed_by == WRITER
    assert todo(quay, "todo_buoys").updated_at == NOW


def test_claiming_again_changes_nothing(quay: Harbor) -> None:
    quay.ask("todo", "claim", "--todo-id", "todo_buoys", *by(WRITER))
    before = quay.files()
    quay.at = 5
    again = quay.ask("todo", "claim", "--todo-id", "todo_buoys", *by(WRITER))
    assert again["written"] is False
    assert quay.files() == before


def test_anothers_claim_is_refused_and_names_the_owner_and_a_command_that_is_accepted(quay: Harbor) -> None:
    said = quay.refused("todo", "claim", "--todo-id", "todo_basin", *by(WRITER))
    assert "builder holds todo_basin" in said
    listed = quay.accepted(said)
    assert listed.code == 0
    assert "todo_buoys" in listed.out
    assert "todo_basin" not in listed.out


def test_the_primary_agent_does_not_take_by_claiming_either_but_passes_on(quay: Harbor) -> None:
    said = quay.refused("todo", "claim", "--todo-id", "todo_manual", *by(BUILDER))
    assert "writer holds todo_manual" in said
    assert quay.accepted(said).code == 0
    assert todo(quay, "todo_manual").claimed_by == BUILDER


def test_a_side_agent_does_not_pass_on_what_another_holds(quay: Harbor) -> None:
    reassign = ("todo", "reassign", "--claimed-by", WRITER, *by(WRITER))
    assert "IP-019.foreign_reassign" in quay.refused(*reassign, "--todo-id", "todo_basin")
    own = ("todo", "reassign", "--todo-id", "todo_manual", "--claimed-by", BUILDER, *by(WRITER))
    assert result(quay.ask(*own))["previous"] == WRITER


@pytest.mark.parametrize("holder", ["stranger", "Writer", "-x"])
def test_only_a_registered_agent_holds_a_todo(quay: Harbor, holder: str) -> None:
    code = 4 if holder == "stranger" else 2
    quay.refused("todo", "claim", "--todo-id", "todo_buoys", f"--claimed-by={holder}", *by(BUILDER), code=code)


def test_an_unknown_todo_suggests_the_nearest(quay: Harbor) -> None:
    for step in ("claim", "reopen", "defer"):
        said = quay.refused("todo", step, "--todo-id", "todo_bouys", *by(BUILDER), code=2)
        assert "Did you mean todo_buoys?" in said


def test_two_todos_with_one_id_are_told_apart_by_nobody(build: Build) -> None:
    twin = build(PLAIN + PLAIN.replace("todo_basin", "todo_other").replace("todo_manual", "todo_book"))
    said = twin.refused("todo", "claim", "--todo-id", "todo_buoys", *by(WRITER), code=3)
    assert "is the id of 2 todos" in said


def test_an_agent_completes_wording_and_supersedes_what_changes_the_work(quay: Harbor) -> None:
    update = ("todo", "update", "--todo-id", "todo_manual", "--text", "Write the manual and its index", *by(WRITER))
    assert "IP-020.reworded_route" in quay.refused(*update)
    result(quay.ask(*update, "--same-route"))
    assert todo(quay, "todo_manual").text == "[P2] Write the manual and its index"
    person = (
        "todo",
        "update",
        "--todo-id",
        "todo_manual",
        "--text",
        "Burn the manual",
        "--priority",
        "P0",
        "--operator",
    )
    result(quay.ask(*person))
    assert todo(quay, "todo_manual").text == "[P0] Burn the manual"


def test_a_gate_asks_in_the_words_that_it_had_when_a_person_read_it(quay: Harbor) -> None:
    for agent in (BUILDER, WRITER):
        update = ("todo", "update", "--todo-id", "todo_gate", *by(agent))
        assert "IP-020.gate_reworded" in quay.refused(*update, "--text", "May the lamps be lit?", "--same-route")
        result(quay.ask(*update, "--note", f"{agent} has seen the charts"))
    assert todo(quay, "todo_gate").text == "[P0] May the charts be published?"
    result(quay.ask("todo", "update", "--todo-id", "todo_gate", "--text", "May chart 7 be published?", "--operator"))
    assert todo(quay, "todo_gate").text == "[P0] May chart 7 be published?"


def test_a_reworded_todo_keeps_its_derived_id(build: Build) -> None:
    bare = build("- [ ] Mend the slip\n  and the rail\n- [ ] Mend the pier\n")
    first, second = (each.todo_id for each in state(bare).todos)
    bare.ask("todo", "update", "--todo-id", first, "--text", "Mend slip and rail", "--same-route", *by(BUILDER))
    assert [each.todo_id for each in state(bare).todos] == [first, second]
    assert todo(bare, first).text == "Mend slip and rail"


def test_an_agent_writes_what_blocks_its_work_and_frees_it_again(quay: Harbor) -> None:
    block = ("todo", "update", "--todo-id", "todo_manual", "--status", "blocked", "--reason", "no paper", *by(WRITER))
    result(quay.ask(*block))
    assert (todo(quay, "todo_manual").status, todo(quay, "todo_manual").reason) == ("blocked", "no paper")
    result(quay.ask("todo", "update", "--todo-id", "todo_manual", "--status", "open", "--unset", "reason", *by(WRITER)))
    assert (todo(quay, "todo_manual").status, todo(quay, "todo_manual").reason) == ("open", "")


def test_lifecycle_keys_change_by_their_own_commands_only(quay: Harbor) -> None:
    for pair in (
        "claimed_by=builder",
        "no_followup=true",
        "successor_todo_ids=todo_basin",
        "resume_when=todo_done:todo_basin",
    ):
        said = quay.refused("todo", "update", "--todo-id", "todo_manual", "--set", pair, *by(WRITER))
        assert "IP-020.lifecycle_by_update" in said
    assert "IP-020.lifecycle_by_update" in quay.refused(
        "todo", "update", "--todo-id", "todo_manual", "--unset", "claimed_by", *by(WRITER)
    )


def test_setting_what_is_so_already_changes_nothing(quay: Harbor) -> None:
    before = quay.files()
    answer = quay.ask(
        "todo", "update", "--todo-id", "todo_manual", "--set", "x_mood=calm", "--status", "open", *by(WRITER)
    )
    assert answer["written"] is False
    assert quay.files() == before
    assert "Nothing is to change" in quay.refused("todo", "update", "--todo-id", "todo_manual", *by(WRITER), code=2)


def test_an_agent_does_not_make_a_gate_smaller_and_a_person_may(quay: Harbor) -> None:
    smaller = ("todo", "update", "--todo-id", "todo_gate", "--task-class", "user_action")
    assert "IP-020.gate_weakened" in quay.refused(*smaller, *by(BUILDER))
    result(quay.ask(*smaller, "--operator"))


@pytest.mark.parametrize(
    "change",
    [
        ("--set", "decision=approve"),
        ("--set", "decision_ref=2026-12-01T09:00:00Z"),
        ("--decision-scope", "public_claim:goal:charts"),
        ("--expires-at", "2026-12-01T09:01:00Z"),
    ],
)
def test_an_agent_neither_answers_a_gate_nor_changes_what_it_decides(quay: Harbor, change: tuple[str, str]) -> None:
    update = ("todo", "update", "--todo-id", "todo_gate", *change)
    assert "IP-020.gate_weakened" in quay.refused(*update, *by(WRITER))
    assert "IP-020.gate_weakened" in quay.refused(*update, *by(BUILDER))
    result(quay.ask(*update, "--operator"))


@pytest.mark.parametrize("pair", ["password=hunter22", "api_key=abcd1234efgh", "client_secret=abcd1234efgh"])
def test_a_secret_that_only_its_key_betrays_is_refused(quay: Harbor, pair: str) -> None:
    update = ("todo", "update", "--todo-id", "todo_manual", "--set", pair, *by(WRITER))
    add = ("todo", "add", "--text", "Count the cleats", "--set", pair, *by(WRITER))
    follow = ("--evidence", "checked", "--side-agent-self-merged", "--next-agent-todo", "Go on", "--next-set", pair)
    done = ("todo", "complete", "--todo-id", "todo_manual", *follow, *by(WRITER))
    for command in (update, add, done):
        said = quay.refused(*command)
        assert "IP-020.private_text" in said
        assert pair.partition("=")[2] not in said


@pytest.mark.parametrize("mark", ["\x1b[31m", "\x07", "\x9b", "\u202e", "\u2066"])
def test_no_text_holds_what_shows_something_else_than_is_there(quay: Harbor, mark: str) -> None:
    text = f"plain {mark} text"
    for command in (
        ("todo", "add", "--text", text, *by(WRITER)),
        ("goal", "set", "--next-action", text, "--operator", "--execute"),
        ("goal", "set", "--objective", text, "--operator", "--execute"),
        ("refresh-state", "--artifact", "charts", "--evidence", text, *by(WRITER)),
        ("operator-gate", "--gate-id", "todo_gate", "--decision", "approve", "--reason-summary", text, "--execute"),
    ):
        said = quay.refused(*command, code=2)
        assert mark not in said


def test_other_scripts_and_joined_signs_are_plain_text(quay: Harbor) -> None:
    text = "Прилив שלום می\u200cروم 👩\u200d🔧"
    result(quay.ask("todo", "add", "--text", text, *by(WRITER)))
    assert text in quay.state()


def test_a_preview_shows_the_diff_and_leaves_no_trace(quay: Harbor) -> None:
    before = quay.files()
    answer = quay.ask("todo", "claim", "--todo-id", "todo_buoys", *by(WRITER), "--dry-run")
    assert answer["written"] is False
    assert "+  <!-- loopx:todo todo_id=todo_buoys status=open claimed_by=writer" in answer["diff"]
    assert quay.files() == before


def test_a_repeated_request_reports_the_first_result_and_adds_nothing(quay: Harbor) -> None:
    add = ("todo", "add", "--text", "Count the bollards", *by(BUILDER), "--idempotency-key", "count-1")
    first = quay.ask(*add)
    quay.at = 90
    again = quay.ask(*add)
    assert (again["repeated"], again["result"]) == (True, first["result"])
    assert quay.state().count("Count the bollards") == 1
    other = ("todo", "add", "--text", "Count the cleats", *by(BUILDER), "--idempotency-key", "count-1")
    assert "was used for another request" in quay.refused(*other, code=5)


def test_each_write_is_on_record_with_who_did_it(quay: Harbor) -> None:
    quay.ask("todo", "claim", "--todo-id", "todo_buoys", *by(WRITER))
    lines = (quay.folder / "rollout-event-log.jsonl").read_text(encoding="utf-8").splitlines()
    event = json.loads(lines[-1])
    assert (event["event_kind"], event["recorded_at"]) == ("ledger_write", iso(NOW))
    assert (event["details"]["command"], event["details"]["agent_id"]) == ("todo claim", WRITER)
    # What somebody wrote into the state by hand is not copied elsewhere.
    assert "Paint the buoys" not in lines[-1]


def test_nobody_writes_unnamed_where_agents_are_registered(quay: Harbor) -> None:
    said = quay.refused("todo", "add", "--text", "Count the bollards")
    assert "IP-019.unknown_agent" in said
    assert "builder" in said


def test_a_goal_without_agents_takes_any_name_or_none(build: Build) -> None:
    alone = build(PLAIN, agents=())
    result(alone.ask("todo", "add", "--text", "Count the bollards"))
    result(alone.ask("todo", "claim", "--todo-id", "todo_buoys", "--claimed-by", "somebody"))


def test_a_state_that_cannot_be_read_is_not_written(quay: Harbor) -> None:
    quay.state_file.write_bytes(b"\xff\xfe")
    quay.refused("todo", "claim", "--todo-id", "todo_buoys", *by(WRITER), code=3)


def test_a_list_is_made_where_there_is_none_and_its_heading_chooses_another(build: Build) -> None:
    bare = build(PLAIN)
    bare.state_file.write_text("# Goal\n\n## Notes\n\nNone.\n", encoding="utf-8")
    said = result(bare.ask("todo", "add", "--text", "Begin", *by(BUILDER)))
    assert said["section"] == "Agent Todo"
    bare.state_file.write_text(bare.state() + "\n## Codex Todo (lane two)\n\n- [ ] Old\n", encoding="utf-8")
    said = result(bare.ask("todo", "add", "--text", "More", "--section", "Codex Todo (lane two)", *by(BUILDER)))
    assert said["section"] == "Codex Todo (lane two)"
