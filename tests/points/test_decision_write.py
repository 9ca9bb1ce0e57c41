"""The preview handshake and the names that are this machine. Seed: dashboard reward write boundary."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy import loopback
from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide_point import decide_point
from loopx_policy.facts.points.decision_write import preview_id

CATALOG = load_catalog()
GOAL, RUN, KEY = "harbor", "2026-06-01T00:00:00+00:00", "2026-06-01T00:00:00+00:00 runs/a.json runs/a.md"
PAYLOAD = {
    "decision": "continue_route",
    "reward": "positive",
    "reason_summary": "the route holds",
    "follow_up": "measure",
}
COUNT = 41


def append(**changes: Any) -> dict[str, Any]:
    """A browser's request to append the reward that it previewed."""
    given_id = preview_id(GOAL, RUN, KEY, PAYLOAD, COUNT)
    contract = {
        "decision_kind": "human_reward", "goal_id": GOAL, "target_ref": RUN, **PAYLOAD, "preview_id": given_id,
        "source_of_truth": "run_bound_human_reward_overlay", "write_effect": "one overlay row; nothing else changes",
        "project_agent_visibility": "loopx status",
    }  # fmt: skip
    request = {"goal_id": GOAL, "run_generated_at": RUN, "preview_id": given_id, **PAYLOAD}
    server = {
        "bind_host": "127.0.0.1", "write_api_enabled": True, "origin": "http://127.0.0.1:5173",
        "allowed_origins": ["http://127.0.0.1:5173"], "host": "127.0.0.1:8765", "content_type": "application/json",
    }  # fmt: skip
    document: dict[str, Any] = {
        "decision_kind": "human_reward", "step": "append", "surface": "browser", "contract": contract,
        "request": request,
        "target": {"matches": 1, "artifact_available": True, "run_key": KEY, "raw_index_count": COUNT},
        "effect": {"rows": 1, "rewrites": False}, "server": server,
    }  # fmt: skip
    for path, value in changes.items():
        where, _, name = path.partition("__")
        document[where][name] = value
    return document


def asked(document: dict[str, Any]) -> tuple[str, str]:
    decision = decide_point(CATALOG, "decision_write", document)
    return decision.verdict, decision.kind


def test_the_reviewed_preview_is_appended() -> None:
    assert asked(append()) == ("allow", "")


def test_without_the_write_flag_nothing_is_appended() -> None:
    assert asked(append(server__write_api_enabled=False)) == ("deny", "forbidden")


def test_the_write_flag_is_worth_nothing_on_another_host() -> None:
    assert asked(append(server__bind_host="0.0.0.0")) == ("deny", "forbidden")


@pytest.mark.parametrize(
    "change",
    [
        {"target__raw_index_count": COUNT + 1},
        {"target__run_key": "2026-06-01T00:00:00+00:00 runs/b.json runs/b.md"},
    ],
)
def test_a_preview_of_another_state_is_stale(change: dict[str, Any]) -> None:
    assert asked(append(**change)) == ("deny", "stale")


@pytest.mark.parametrize("name", sorted(PAYLOAD))
def test_a_preview_of_another_payload_is_stale(name: str) -> None:
    changed = {
        f"{where}__{name}": "negative" if name == "reward" else "other words" for where in ("contract", "request")
    }
    assert asked(append(**changed)) == ("deny", "stale")


@pytest.mark.parametrize(
    "origin",
    [None, "", "null", "http://localhost.evil.example:5173", "http://127.0.0.1:5174", "https://127.0.0.1:5173",
     "http://127.0.0.1:5173/", "http://127.0.0.1:5173@evil.example", "http://evil.example"],
)  # fmt: skip
def test_any_other_origin_is_forbidden(origin: str | None) -> None:
    assert asked(append(server__origin=origin)) == ("deny", "forbidden")


def test_an_origin_that_is_listed_by_mistake_and_not_loopback_is_forbidden() -> None:
    assert asked(append(server__origin="http://evil.example", server__allowed_origins=["http://evil.example"])) == (
        "deny",
        "forbidden",
    )


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "[::2]"])
def test_a_rebound_host_is_forbidden(host: str) -> None:
    assert asked(append(server__host=host)) == ("deny", "forbidden")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8765", "LOCALHOST", "[::1]:80", "127.9.8.7:1"])
def test_loopback_hosts_are_this_machine(host: str) -> None:
    assert loopback.is_loopback_authority(host)


@pytest.mark.parametrize(
    "host", ["127.0.0.256", "127.0.0", "127.0.0.1:99999", "127.0.0.1:", "1270.0.0.1", "localhost."]
)
def test_what_only_looks_like_loopback_is_not(host: str) -> None:
    assert not loopback.is_loopback_authority(host)


def test_an_unknown_field_is_refused_and_not_dropped() -> None:
    document = append()
    document["request"]["index_path"] = "runs/index.jsonl"
    assert asked(document) == ("deny", "rejected")


@given(
    st.text(max_size=20),
    st.text(max_size=20),
    st.integers(0, 99),
    st.dictionaries(st.sampled_from(sorted(PAYLOAD)), st.text()),
)
def test_a_preview_id_is_bound_to_run_payload_and_index(
    run: str, key: str, count: int, payload: dict[str, str]
) -> None:
    made = preview_id(GOAL, run, key, payload, count)
    assert made == preview_id(GOAL, run, key, dict(reversed(payload.items())), count)
    assert made not in (
        preview_id(GOAL, run + "x", key, payload, count),
        preview_id(GOAL, run, key + "x", payload, count),
        preview_id(GOAL, run, key, payload, count + 1),
        preview_id(GOAL, run, key, {**payload, "decision": payload.get("decision", "") + "x"}, count),
    )
