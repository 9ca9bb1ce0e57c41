"""A gate is answered by one decision run. Seeds: direct-write contract (operator gate), IP-014, IP-004."""

from __future__ import annotations

import json

import pytest

from tests.ledger.people.conftest import GATE, RUN, Harbor

READS = ["registry", "active_state", "quota", "repo_snapshot", "policy", "run_status"]
"""What the receiver of an approval must read again (direct-write contract, operator gate)."""


def gate(decision: str = "approve", gate_id: str = GATE, reason: str = "the tariffs are public already") -> list[str]:
    return ["operator-gate", "--gate-id", gate_id, "--decision", decision, "--reason-summary", reason]


def test_an_approval_is_one_decision_run_with_its_payload(harbor: Harbor) -> None:
    before = harbor.index.read_bytes()
    harbor.ask(*gate(), "--execute")
    after = harbor.index.read_bytes()
    assert after.startswith(before)
    row = json.loads(after[len(before) :])
    assert row["operator_gate"]["gate_id"] == GATE
    assert row["operator_gate"]["decision"] == "approve"
    payload = json.loads((harbor.folder / row["json_path"]).read_text(encoding="utf-8"))
    contract = payload["decision_write_contract_v0"]
    assert contract["source_of_truth"] == "operator_gate_decision_run"
    assert contract["target_ref"] == GATE
    assert contract["write_effect"]
    assert contract["project_agent_visibility"]
    assert "preview_id" not in contract
    note = (harbor.folder / row["markdown_path"]).read_text(encoding="utf-8")
    assert GATE in note
    assert "the tariffs are public already" in note


def test_an_approval_makes_its_receiver_read_everything_again(harbor: Harbor) -> None:
    harbor.ask(*gate(), "--execute")
    assert harbor.rows()[-1]["operator_gate_resume_contract"]["reread"] == READS


def test_after_an_approval_the_gate_is_gone_and_the_gated_work_runs(harbor: Harbor) -> None:
    before = harbor.decision()["interaction_contract"]
    assert [item["todo_id"] for item in before["user_channel"]["items"]] == [GATE]
    harbor.edit("\n- todo_importer", "\n- todo_publish")
    harbor.ask(*gate(), "--execute")
    after = harbor.decision()["interaction_contract"]
    assert after["user_channel"]["items"] == []
    assert after["agent_channel"]["selected_todo_id"] == "todo_publish"
    assert after["mode"] == "bounded_delivery"


def test_an_approval_names_its_run_in_the_state(harbor: Harbor) -> None:
    answer = harbor.ask(*gate(), "--execute")
    line = next(line for line in harbor.state().splitlines() if "decision_ref" in line)
    assert f"decision_ref={answer['result']['generated_at']}" in line
    assert "decision=approve" in line
    assert harbor.ask("status")["problems"] == []


def test_only_the_lines_of_the_gate_change_in_the_state(harbor: Harbor) -> None:
    before = harbor.state().splitlines()
    harbor.ask(*gate(), "--execute")
    after = harbor.state().splitlines()
    gone = [line for line in before if line not in after]
    new = [line for line in after if line not in before]
    assert gone
    assert all("tariffs" in line for line in gone)
    assert all("tariffs" in line or line.strip().startswith("<!-- loopx:todo ") for line in new)


@pytest.mark.parametrize("decision", ["reject", "deny", "defer", "hold"])
def test_a_refusal_is_on_record_and_keeps_the_work_blocked(harbor: Harbor, decision: str) -> None:
    before = harbor.decision()["interaction_contract"]
    answer = harbor.ask(*gate(decision), "--execute")
    assert not answer["result"]["gate_closed"]
    row = harbor.rows()[-1]
    assert row["operator_gate"]["decision"] == decision
    assert "operator_gate_resume_contract" not in row
    after = harbor.decision()["interaction_contract"]
    assert [item["todo_id"] for item in after["user_channel"]["items"]] == [GATE]
    assert after["agent_channel"]["blocked"] == before["agent_channel"]["blocked"]


def test_a_word_that_nobody_knows_leaves_the_gate_open(harbor: Harbor) -> None:
    answer = harbor.ask(*gate("nope"), "--execute")
    assert not answer["result"]["gate_closed"]
    assert harbor.rows()[-1]["operator_gate_resume_contract"]["reread"] == READS


def test_a_direction_may_be_settled_in_its_own_word(harbor: Harbor) -> None:
    answer = harbor.ask(*gate("the_second_page"), "--settles", "--execute")
    assert answer["result"]["gate_closed"]
    assert harbor.decision()["interaction_contract"]["user_channel"]["items"] == []


def test_a_refusal_may_be_followed_by_an_approval(harbor: Harbor) -> None:
    harbor.ask(*gate("defer"), "--execute")
    harbor.ask(*gate("approve"), "--execute", at="2026-12-01T10:00:00Z")
    assert [row["operator_gate"]["decision"] for row in harbor.rows() if "operator_gate" in row] == ["defer", "approve"]
    assert harbor.state().count("decision_ref=") == 1


def test_two_answers_within_one_second_are_two_runs(harbor: Harbor) -> None:
    harbor.ask(*gate("defer"), "--execute")
    harbor.ask(*gate("defer"), "--execute")
    first, second = (row for row in harbor.rows() if "operator_gate" in row)
    assert first["generated_at"] != second["generated_at"]
    assert first["json_path"] != second["json_path"]


def test_a_preview_leaves_no_trace(harbor: Harbor) -> None:
    before = harbor.files()
    answer = harbor.ask(*gate())
    assert harbor.files() == before
    assert answer["result"]["gate_closed"]
    assert answer["result"]["reread"] == READS


@pytest.mark.parametrize(
    ("gate_id", "case"),
    [
        ("todo_tarifs", "mistyped_target"),
        ("todo_publish", "no_such_gate"),
        ("current", "implicit_target"),
        (RUN, "no_such_gate"),
    ],
    ids=["a slip", "work is no gate", "a word", "a run is no gate"],
)
def test_only_an_open_gate_is_answered(harbor: Harbor, gate_id: str, case: str) -> None:
    assert f"IP-014.{case}" in harbor.refused(*gate(gate_id=gate_id), "--execute")


def test_a_mistyped_gate_is_answered_with_the_nearest_one(harbor: Harbor) -> None:
    assert GATE in harbor.refused(*gate(gate_id="todo_tariff"))


def test_a_gate_is_closed_once(harbor: Harbor) -> None:
    harbor.ask(*gate(), "--execute")
    assert "IP-014.no_such_gate" in harbor.refused(*gate(), "--execute")


def test_a_gate_that_only_a_row_asks_is_answered_once(harbor: Harbor) -> None:
    harbor.append(generated_at="2026-12-01T08:10:00Z", operator_gate={"gate_id": "handoff-7", "command": "publish"})
    state = harbor.state()
    harbor.ask(*gate(gate_id="handoff-7"), "--execute")
    assert harbor.state() == state
    assert harbor.rows()[-1]["operator_gate"]["decision"] == "approve"
    assert "IP-014.no_such_gate" in harbor.refused(*gate(gate_id="handoff-7"), "--execute")


def test_an_agent_answers_no_gate(harbor: Harbor) -> None:
    said = harbor.refused(*gate(), "--agent-id", "builder", "--execute")
    assert "IP-014.by_agent" in said


@pytest.mark.parametrize("flag", ["--reason-summary", "--follow-up", "--decision"])
def test_private_text_is_refused_with_its_field(harbor: Harbor, flag: str) -> None:
    said = harbor.refused(*gate(), flag, "token=abcd1234efgh", "--execute")
    assert "contract." + flag.removeprefix("--").replace("-", "_") in said
    assert "abcd1234" not in said


def test_a_decision_is_one_short_line(harbor: Harbor) -> None:
    assert "IP-014.not_compact" in harbor.refused(*gate(reason="x" * 400), "--execute")


def test_a_repeated_key_answers_once(harbor: Harbor) -> None:
    first = harbor.ask(*gate(), "--execute", "--idempotency-key", "k1")
    again = harbor.ask(*gate(), "--execute", "--idempotency-key", "k1")
    assert again["repeated"]
    assert again["result"] == first["result"]


def test_a_key_stands_for_one_request(harbor: Harbor) -> None:
    harbor.ask(*gate("defer"), "--execute", "--idempotency-key", "k1")
    harbor.refused(*gate("approve"), "--execute", "--idempotency-key", "k1", code=5)
