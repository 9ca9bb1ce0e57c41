"""The default answer stays under 2,048 bytes for any state, and what must stay stays."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.budget import LIMIT, encode, fit, size
from loopx_policy.decide import Evaluation, Policy
from loopx_policy.decision import build
from loopx_policy.project.document import from_document
from loopx_policy.text import ELLIPSIS, cut, listed

Turn = Callable[..., Evaluation]
NOW = "2026-12-01T12:00:00Z"


def ids(letter: str, count: int) -> list[str]:
    """The longest todo ids that the grammar has."""
    return [f"todo_{letter}{number:03d}" + "x" * 60 for number in range(count)]


SHAPES = st.fixed_dictionaries(
    {
        "user": st.lists(st.sampled_from(["user_gate", "user_action"]), max_size=6),
        "needs": st.lists(st.sets(st.sampled_from(["network", "benchmark_runner", "q"])), max_size=8),
        "scopes": st.integers(0, 4),
        "text": st.text(min_size=1, max_size=6).filter(str.strip),
        "repeat": st.sampled_from([1, 20, 100]),
        "agent": st.sampled_from(["", "long", "side.agent"]),
        "goal": st.sampled_from(["harbor", "long", "wide"]),
        "registered": st.booleans(),
        "open": st.booleans(),
        "registry": st.sampled_from([0, 13, 900]),
        "capabilities": st.integers(0, 6),
        "action": st.booleans(),
        "folders": st.sampled_from([0, 200]),
    }
)


def crowded(shape: dict[str, Any]) -> dict[str, Any]:
    """A state in which everything may be long and much: gates, blocked work, capabilities, scopes, names, paths."""
    text = shape["text"] * shape["repeat"]
    todos: list[dict[str, Any]] = []
    for todo_id, kind in zip(ids("u", len(shape["user"])), shape["user"], strict=True):
        todo = {"todo_id": todo_id, "role": "user", "task_class": kind, "text": text}
        todos.append(todo | ({"decision_scope": "resource:lane:pool"} if kind == "user_gate" else {}))
    scopes = [f"area{number}/" + "d" * 100 + "/**" for number in range(shape["scopes"])]
    for todo_id, needs in zip(ids("a", len(shape["needs"])), shape["needs"], strict=True):
        names = sorted("q" * 64 if name == "q" else name for name in needs)
        entry = {"todo_id": todo_id, "text": text, "required_capabilities": names, "required_write_scopes": scopes}
        todos.append(entry)
    return {
        "now": NOW,
        "agent": {"": None, "long": "a" * 80}.get(shape["agent"], shape["agent"]),
        "goal": {
            "id": {"long": "g" * 200, "wide": "\u0027" * 200}.get(shape["goal"], shape["goal"]),
            "agents": ["main-agent", "side.agent", "a" * 80] if shape["registered"] else [],
            "primary_agent": "a" * 80,
            "write_scope": ["**"] if shape["open"] else [],
        },
        "todos": todos,
        "registry": "/" + "p" * shape["registry"] if shape["registry"] else "",
        "capabilities": [f"cap_{number}" + "c" * 50 for number in range(shape["capabilities"])],
        "next_action": [text] if shape["action"] else [],
        "state": {"file": "s/" * shape["folders"] + "STATE.md"},
    }


@settings(max_examples=300, deadline=None)
@given(shape=SHAPES)
def test_any_state_fits_and_keeps_what_must_stay(policy: Policy, shape: dict[str, Any]) -> None:
    decision = build(policy.evaluate(from_document(crowded(shape))))
    full = decision.to_dict()
    kept = fit(json.loads(json.dumps(full)))
    assert size(kept) <= LIMIT
    for key in ("goal_id", "agent_id", "lead", "should_run", "state", "effective_action", "engine", "facts_digest"):
        assert kept[key] == full[key]
    contract, whole = kept["interaction_contract"], full["interaction_contract"]
    assert contract["mode"] == whole["mode"]
    for channel, flags in {
        "user_channel": ("action_required", "notify"),
        "agent_channel": ("must_attempt", "delivery_allowed", "quiet_noop_allowed", "selected_todo_id", "counts"),
        "cli_channel": ("spend_allowed_now", "spend_after_validation"),
    }.items():
        for flag in flags:
            assert contract[channel][flag] == whole[channel][flag]
    if whole["user_channel"]["items"]:
        first = whole["user_channel"]["items"][0]["todo_id"]
        assert contract["user_channel"]["items"][0]["todo_id"] == first
    assert len(contract["cli_channel"]["next_cli_actions"]) >= 1


def test_a_calm_answer_is_not_cut(turn: Turn) -> None:
    full = build(turn(todos=[{"todo_id": "todo_a01", "text": "[P1] Chart the basin"}])).to_dict()
    assert fit(json.loads(json.dumps(full))) == full


def test_only_the_agents_duties_keep_their_text(turn: Turn) -> None:
    action = {"todo_id": "todo_u01", "role": "user", "task_class": "user_action", "text": "Sign"}
    kept = fit(
        build(
            turn(
                {"agents": ["main"], "primary_agent": "main"},
                agent="main",
                todos=[action, {"todo_id": "todo_a01", "text": "Chart"}],
            )
        ).to_dict()
    )
    texts = {duty["id"]: "text" in duty for duty in kept["obligations"]}
    assert texts["IP-004.show_items"] is False
    assert texts["IP-020.claim_first"] is True


@given(st.text(), st.integers(3, 200))
def test_a_cut_text_is_one_line_of_at_most_so_many_bytes(text: str, limit: int) -> None:
    short = cut(text, limit)
    assert len(short.encode("utf-8")) <= limit
    assert "\n" not in short
    assert short.isprintable()
    assert cut(short, limit) == short or short.endswith(ELLIPSIS)


@given(st.lists(st.text(alphabet="abc", min_size=1, max_size=5), max_size=8))
def test_a_list_names_three_and_counts_the_rest(names: list[str]) -> None:
    shown = listed(names)
    assert all(name in shown for name in names[:3])
    assert (f"+{len(names) - 3}" in shown) == (len(names) > 3)


def test_the_encoding_is_compact_utf8() -> None:
    assert encode({"a": "ü", "b": [1, True, None]}) == '{"a":"ü","b":[1,true,null]}'
