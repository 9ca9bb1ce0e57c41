"""The writer that the loopback server calls. Seed: dashboard reward write boundary (preview handshake)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide_point import decide_point
from loopx_policy.errors import ConflictError, LoopxError, RefusedError
from loopx_policy.ledger.places import Caller
from loopx_policy.ledger.reward import Channel, Reward, append_reward
from loopx_policy.ledger.write import Order, Outcome, perform
from tests.cli.conftest import NOW
from tests.ledger.people.conftest import RUN, Harbor

CATALOG = load_catalog()
GIVEN = Reward(RUN, "continue_route", "positive", "comparable validation improved", "take the longer window")
SERVER = {
    "bind_host": "127.0.0.1",
    "write_api_enabled": True,
    "origin": "http://127.0.0.1:5173",
    "allowed_origins": ["http://127.0.0.1:5173"],
    "host": "127.0.0.1:8765",
    "content_type": "application/json",
}


def send(harbor: Harbor, reward: Reward, append: bool, **server: Any) -> Outcome:
    """What the server does with one request: /reward/dry-run, or /reward/append."""
    body = {"goal_id": "harbor", "run_generated_at": reward.run_generated_at, **reward.payload()}
    body |= {"preview_id": reward.preview_id} if reward.preview_id else {}
    channel = Channel(append, "browser", request=body, server=SERVER | server)
    caller = Caller(cwd=str(harbor.project), env={}, now=NOW, goal_id="harbor")

    def judge(point: str, document: dict[str, Any]) -> Any:
        return decide_point(CATALOG, point, document)

    return perform(caller, Order("reward", body, append), lambda here: append_reward(here, judge, reward, channel))


def previewed(harbor: Harbor) -> Reward:
    return replace(GIVEN, preview_id=send(harbor, GIVEN, False).result["preview_id"])


def refused(harbor: Harbor, error: type[LoopxError], reward: Reward, **server: Any) -> str:
    """Why an append is refused; the index must be as it was."""
    before = harbor.index.read_bytes()
    with pytest.raises(error) as caught:
        send(harbor, reward, True, **server)
    assert harbor.index.read_bytes() == before
    return caught.value.message


def test_a_dry_run_is_compact_appends_nothing_and_names_the_preview(harbor: Harbor) -> None:
    before = harbor.files()
    outcome = send(harbor, GIVEN, False)
    assert harbor.files() == before
    assert not outcome.written
    assert len(outcome.result["preview_id"]) == 16
    assert str(harbor.project.parent) not in str(outcome.result)
    assert not {"index_path", "json_path", "markdown_path"} & set(outcome.result)


def test_the_previewed_reward_is_appended_once(harbor: Harbor) -> None:
    reward = previewed(harbor)
    lines = len(harbor.rows())
    assert send(harbor, reward, True).written
    assert len(harbor.rows()) == lines + 1
    assert "IP-014.stale_preview" in refused(harbor, ConflictError, reward)


def test_a_changed_payload_is_stale(harbor: Harbor) -> None:
    assert "stale" in refused(harbor, ConflictError, replace(previewed(harbor), reward="negative"))


def test_a_longer_index_is_stale(harbor: Harbor) -> None:
    reward = previewed(harbor)
    harbor.append(generated_at="2026-12-01T08:30:00Z")
    assert "stale" in refused(harbor, ConflictError, reward)


@pytest.mark.parametrize(
    ("server", "case"),
    [
        ({"write_api_enabled": False}, "api_disabled"),
        ({"bind_host": "0.0.0.0"}, "bound_outside"),
        ({"origin": "http://harbor.example"}, "foreign_origin"),
        ({"host": "harbor.example"}, "rebound_host"),
    ],
)
def test_only_this_machine_with_the_flag_appends(harbor: Harbor, server: dict[str, Any], case: str) -> None:
    assert f"IP-014.{case}" in refused(harbor, RefusedError, previewed(harbor), **server)


def test_without_a_preview_nothing_is_appended(harbor: Harbor) -> None:
    assert "IP-014.no_preview" in refused(harbor, RefusedError, GIVEN)


def test_the_command_line_and_the_browser_name_a_preview_alike(harbor: Harbor) -> None:
    words = ("--decision", GIVEN.decision, "--reward", GIVEN.reward, "--reason-summary", GIVEN.reason_summary)
    typed = harbor.ask("reward", "--run-generated-at", RUN, *words, "--follow-up", GIVEN.follow_up)
    assert typed["result"]["preview_id"] == previewed(harbor).preview_id
