"""The page before a decision. Seeds: direct-write contract (review packet), IP-004 (the concrete question)."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from tests.ledger.people.conftest import GATE, RUN, Harbor

ACTION = """\
- [ ] [P1] Sign the harbor contract
  <!-- loopx:todo todo_id=todo_sign status=open task_class=user_action -->

## Agent Todo
"""


def packet(harbor: Harbor, *arguments: str) -> Any:
    return harbor.ask("review-packet", *arguments)


def question(harbor: Harbor, todo_id: str = GATE) -> Any:
    return next(each for each in packet(harbor)["pending"] if each["todo_id"] == todo_id)


def test_the_question_is_concrete(harbor: Harbor) -> None:
    asked = question(harbor)
    assert asked["question"] == "[P0] May the berth tariffs be published on the public page?"
    assert asked["at"] == "STATE.md:10"
    assert asked["asks"] == "public_claim:goal:berth_tariffs"
    assert asked["blocks"] == "builder"
    assert [each["todo_id"] for each in asked["covers"]] == ["todo_publish"]


def test_every_answer_says_what_it_leads_to(harbor: Harbor) -> None:
    harbor.edit("\n- todo_importer", "\n- todo_publish")
    then = {answer["answer"]: answer["then"] for answer in question(harbor)["answers"]}
    assert set(then) == {"approve", "reject", "defer"}
    assert then["approve"]["selected"] == "todo_publish"
    assert then["reject"]["selected"] == "todo_importer"


@pytest.mark.parametrize("word", ["approve", "reject", "defer"])
def test_an_answers_command_runs_as_printed_and_leads_where_it_says(harbor: Harbor, word: str) -> None:
    harbor.edit("\n- todo_importer", "\n- todo_publish")
    answer = next(each for each in question(harbor)["answers"] if each["answer"] == word)
    before = harbor.files()
    dry = harbor.loopx(*shlex.split(answer["operator_gate_dry_run_command"])[1:])
    assert dry.code == 0
    assert harbor.files() == before
    assert harbor.loopx(*shlex.split(answer["command"])[1:]).code == 0
    after = harbor.decision()["interaction_contract"]
    assert after["mode"] == answer["then"]["mode"]
    assert after["agent_channel"]["selected_todo_id"] == answer["then"]["selected"]


def test_the_latest_unjudged_run_may_be_judged(harbor: Harbor) -> None:
    unjudged = packet(harbor)["unjudged"]
    assert unjudged["run"] == RUN
    assert harbor.loopx(*shlex.split(unjudged["command"])[1:], "--execute").code == 0
    assert packet(harbor)["unjudged"]["run"] != RUN


def test_a_run_whose_file_is_gone_is_not_offered(harbor: Harbor) -> None:
    (harbor.folder / "runs" / "2026-12-01T070000Z.json").unlink()
    assert packet(harbor)["unjudged"]["run"] == "2026-11-30T08:00:00Z"


def test_recent_runs_are_shown_without_the_noise(harbor: Harbor) -> None:
    assert [run["generated_at"] for run in packet(harbor)["runs"]] == [RUN, "2026-11-30T08:00:00Z"]


def test_a_proposal_is_decided_from_the_page(harbor: Harbor) -> None:
    harbor.append(generated_at="2026-12-01T08:20:00Z", dreaming_proposal={"title": "a second quay"})
    (proposal,) = packet(harbor)["proposals"]
    command = next(each["command"] for each in proposal["answers"] if each["answer"] == "reject")
    assert harbor.loopx(*shlex.split(command)[1:]).code == 0
    assert packet(harbor)["proposals"] == []


def test_what_makes_an_approval_dangerous_is_said(harbor: Harbor) -> None:
    harbor.edit(
        "required_write_scopes=docs/** -->\n- [ ] [P1]",
        "required_write_scopes=infra/** safety_class=external_run -->\n- [ ] [P1]",
    )
    risk = " ".join(question(harbor)["risk"])
    assert "todo_publish runs something outside" in risk
    assert "infra/**" in risk


def test_a_paused_goal_says_that_no_answer_starts_work(harbor: Harbor) -> None:
    registry = harbor.project / ".loopx" / "registry.json"
    registry.write_text(registry.read_text(encoding="utf-8").replace('"compute": 1.0', '"compute": 0'))
    assert any("paused" in risk for risk in packet(harbor)["risk"])


def test_an_action_of_a_person_is_pending_too(harbor: Harbor) -> None:
    harbor.edit("## Agent Todo\n", ACTION)
    (answer,) = question(harbor, "todo_sign")["answers"]
    assert harbor.loopx(*shlex.split(answer["command"])[1:]).code == 0
    assert "todo_id=todo_sign status=done" in harbor.state()


def test_one_agents_page_leaves_out_what_blocks_another(harbor: Harbor) -> None:
    assert packet(harbor, "--agent-id", "builder")["pending"]
    assert packet(harbor, "--agent-id", "writer")["pending"] == []


def test_one_gate_may_be_asked_for(harbor: Harbor) -> None:
    harbor.edit("## Agent Todo\n", ACTION)
    assert [each["todo_id"] for each in packet(harbor, "--gate-id", GATE)["pending"]] == [GATE]
    assert GATE in harbor.refused("review-packet", "--gate-id", "todo_tarifs", code=2)


def test_nothing_pending_is_said_and_implies_no_fault(harbor: Harbor) -> None:
    words = ("--gate-id", GATE, "--decision", "approve", "--reason-summary", "known")
    harbor.ask("operator-gate", *words, "--execute")
    assert packet(harbor)["pending"] == []
    assert "Nothing waits for a person" in harbor.loopx("review-packet").out


def test_private_words_are_withheld_and_their_place_says_so(harbor: Harbor) -> None:
    harbor.edit("on the public page?", "as in /home/ann/tariffs.txt?")
    harbor.append(generated_at="2026-12-01T08:30:00Z", recommended_action="use password=hunter22")
    for wanted in ("json", "markdown", "rich"):
        ran = harbor.loopx("--format", wanted, "review-packet", "--gate-id", GATE)
        assert ran.code == 0
        assert "/home" not in ran.out
        assert "hunter22" not in ran.out
        assert "(private)" in ran.out
    assert packet(harbor)["withheld"] >= 2


def test_a_path_of_this_machine_stays_out_of_the_commands(harbor: Harbor) -> None:
    registry = str(harbor.project / ".loopx" / "registry.json")
    data = harbor.ask("--registry", registry, "review-packet")
    assert registry not in str(data)
    command = data["pending"][0]["answers"][0]["command"]
    assert harbor.loopx(*shlex.split(command)[1:]).code == 0


@pytest.mark.parametrize("wanted", ["rich", "markdown"])
def test_people_read_what_programs_read(harbor: Harbor, wanted: str) -> None:
    ran = harbor.loopx("--format", wanted, "review-packet", COLUMNS="160")
    for word in (GATE, "approve", "reject", "defer", "todo_publish", "--execute", RUN, "needs benchmark_runner"):
        assert word in ran.out, word
