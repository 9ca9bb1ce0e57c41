"""The seven validations of the reward write boundary, against the running server, and what each answer looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loopx_policy.ledger.reward import Channel, Reward, contract_of, document_of
from tests.ledger.people.conftest import RUN, Harbor
from tests.server.conftest import REWARD, WRITE, Server

PRIVATE_KEYS = {"index_path", "json_path", "markdown_path", "repo", "registry"}


def keys_of(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {key for item in value.values() for key in keys_of(item)}
    return {key for item in value for key in keys_of(item)} if isinstance(value, list) else set()


def test_1_without_the_flag_an_append_is_forbidden_and_the_index_stays(harbor: Harbor, reading: Server) -> None:
    before = harbor.files()
    body = reading.previewed()
    reply = reading.append(body)
    assert (reply.status, reply.json["case"]) == (403, "IP-014.api_disabled")
    assert reply.json["appended"] is False
    assert harbor.files() == before


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "harbor.example"])
def test_2_a_server_bound_outside_does_not_start_with_the_flag(harbor: Harbor, host: str) -> None:
    said = harbor.refused("serve-status", "--host", host, "--port", "0", WRITE)
    assert "IP-014.bound_outside" in said


def test_3_a_stale_preview_appends_nothing(harbor: Harbor, writing: Server) -> None:
    body = writing.previewed()
    harbor.append(generated_at="2026-12-01T08:30:00Z")
    before = harbor.index.read_bytes()
    reply = writing.append(body)
    assert (reply.status, reply.json["case"]) == (409, "IP-014.stale_preview")
    assert harbor.index.read_bytes() == before


@pytest.mark.parametrize(
    "change",
    [{"reward": "negative"}, {"decision": "stop_route"}, {"reason_summary": "it got worse"}, {"follow_up": ""}],
)
@pytest.mark.usefixtures("untouched")
def test_4_a_changed_payload_appends_nothing(target: Server, change: dict[str, str]) -> None:
    assert target.append(target.previewed() | change).status == 409


def test_4_a_preview_of_one_run_is_stale_for_another(harbor: Harbor, writing: Server) -> None:
    harbor.append(generated_at="2026-12-01T08:30:00Z")
    body = writing.previewed()
    before = harbor.index.read_bytes()
    assert writing.append(body | {"run_generated_at": "2026-12-01T08:30:00Z"}).status == 409
    assert harbor.index.read_bytes() == before


def test_5_a_public_safe_reward_is_one_line_more(harbor: Harbor, writing: Server) -> None:
    before, rows = harbor.index.read_bytes(), harbor.rows()
    reply = writing.append(writing.previewed())
    assert (reply.status, reply.json["appended"]) == (200, True)
    assert harbor.index.read_bytes().startswith(before)
    assert len(harbor.rows()) == len(rows) + 1
    added = harbor.rows()[-1]
    assert added["generated_at"] == RUN
    payload = {name: REWARD[name] for name in ("decision", "reward", "reason_summary", "follow_up")}
    assert payload.items() <= added["human_reward"].items()


def test_6_the_status_shows_the_reward_and_no_path(harbor: Harbor, writing: Server) -> None:
    assert writing.append(writing.previewed()).status == 200
    reply = writing.get("/status.json")
    (goal,) = reply.json["goals"]
    judged = {row["generated_at"]: row["human_reward"] for row in goal["rows"] if row["human_reward"]}
    assert judged[RUN]["reward"] == "positive"
    assert judged[RUN]["reason_summary"] == REWARD["reason_summary"]
    assert str(harbor.project.parent) not in reply.body.decode()
    assert not PRIVATE_KEYS & keys_of(reply.json)


def test_answers_about_rewards_are_compact_and_name_no_path(harbor: Harbor, writing: Server) -> None:
    body = writing.previewed()
    replies = [writing.dry_run(), writing.append(body), writing.append(body), writing.dry_run(REWARD | {"reward": "x"})]
    for reply in replies:
        assert len(reply.body) < 2_048
        assert str(harbor.project.parent) not in reply.body.decode()
        assert not PRIVATE_KEYS & keys_of(reply.json)


def test_a_dry_run_needs_no_flag_and_leaves_no_trace(harbor: Harbor, reading: Server) -> None:
    before = harbor.files()
    reply = reading.dry_run()
    assert (reply.status, reply.json["appended"]) == (200, False)
    assert reply.json["preview_id"]
    assert harbor.files() == before


def test_a_dry_run_checks_that_the_run_can_be_looked_at(harbor: Harbor, reading: Server) -> None:
    (row,) = [row for row in harbor.rows() if row["generated_at"] == RUN]
    (harbor.folder / row["json_path"]).unlink()
    reply = reading.dry_run()
    assert (reply.status, reply.json["case"]) == (422, "IP-014.artifact_gone")


def test_an_append_without_a_preview_is_rejected(harbor: Harbor, writing: Server) -> None:
    reply = writing.append(REWARD)
    assert (reply.status, reply.json["fields"]) == (422, ["preview_id"])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"goal_id": ""}, "goal_id"),
        ({"goal_id": "other"}, "goal_id"),
        ({"goal_id": None}, "goal_id"),
        ({"goal_id": ["harbor"]}, "goal_id"),
        ({"run_generated_at": ""}, "run_generated_at"),
        ({"run_generated_at": "latest"}, "run_generated_at"),
        ({"run_generated_at": "2026-12-01T07:00:01Z"}, "run_generated_at"),
        ({"decision": ""}, "decision"),
        ({"reward": "splendid"}, "reward"),
        ({"reason_summary": ""}, "reason_summary"),
        ({"reason_summary": "token = sk-abcdefghijklmnop1234"}, "reason_summary"),
        ({"follow_up": 7}, "follow_up"),
        ({"reason_summary": "x " * 900}, "reason_summary"),
        ({"follow_up": "one\ntwo"}, "follow_up"),
        ({"index_path": "x"}, "index_path"),
    ],
)
@pytest.mark.usefixtures("untouched")
def test_what_is_wrong_with_a_field_is_said_with_its_name(target: Server, change: dict[str, Any], field: str) -> None:
    reply = target.dry_run(REWARD | change)
    assert reply.status == 422
    assert field in reply.json["fields"] or field in reply.json["error"]


@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("missing", ["goal_id", "run_generated_at", "decision", "reward", "reason_summary"])
def test_no_field_is_filled_in_for_the_browser(target: Server, missing: str) -> None:
    reply = target.append({name: value for name, value in target.previewed().items() if name != missing})
    assert reply.status == 422
    assert missing in reply.json["fields"]


def test_no_gate_is_answered_here(reading: Server, writing: Server) -> None:
    for server in (reading, writing):
        for path in ("/operator-gate", "/operator-gate/append", "/operator_gate/append", "/gate/append"):
            assert server.post(path, {"gate_id": "todo_tariffs", "decision": "approve"}).status == 404
        assert server.get("/status.json").json["capabilities"]["operator_gate_append"] is False


def test_the_capabilities_say_what_a_page_may_offer(reading: Server, writing: Server) -> None:
    assert reading.get("/status.json").json["capabilities"]["reward_append"] is False
    assert writing.get("/status.json").json["capabilities"]["reward_append"] is True


def test_the_command_asks_the_same_rule_as_the_server(harbor: Harbor, reading: Server) -> None:
    body = reading.previewed()
    reward = Reward(**{name: body[name] for name in body if name != "goal_id"})
    facts = {
        "bind_host": "127.0.0.1",
        "write_api_enabled": False,
        "origin": reading.origin,
        "allowed_origins": [reading.origin],
        "host": f"127.0.0.1:{reading.port}",
        "content_type": "application/json",
    }
    channel = Channel(True, "browser", request=body, server=facts)
    target = {"matches": 1, "artifact_available": True, "run_key": "k", "raw_index_count": 3, "near": []}
    document = document_of(contract_of("harbor", reward), reward, channel, {"kind": "operator"}, target)
    answer = harbor.ask("decide", "decision_write", "--input", "-", stdin=json.dumps(document))
    reply = reading.append(body)
    assert answer["kind"] == "forbidden"
    assert reply.json["case"] == f"{answer['pattern']}.{answer['case']}"
