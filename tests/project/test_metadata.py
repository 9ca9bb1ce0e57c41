"""Metadata tokens: each row of the table of keys, with what it takes and what it refuses."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.model import DecisionScope, Todo
from loopx_policy.project.metadata import PARSERS, RESTRICTING, decode, nearest_key, read_token
from loopx_policy.records import names

LANE = DecisionScope("resource", "lane", "gpu_pool")
T0 = 1796083200  # 2026-12-01T00:00:00Z

GOOD: list[tuple[str, str, Any]] = [
    ("todo_id", "todo_a-b_9", "todo_a-b_9"),
    ("unblocks_todo_id", "todo_abc", "todo_abc"),
    ("superseded_by", "todo_abc", "todo_abc"),
    ("successor_todo_ids", "todo_abc, todo_abd", ("todo_abc", "todo_abd")),
    *[("status", value, value) for value in ("open", "done", "blocked", "deferred")],
    *[
        ("task_class", value, value)
        for value in ("advancement_task", "continuous_monitor", "user_gate", "user_action", "blocker")
    ],
    ("action_kind", "run-eval_2", "run-eval_2"),
    ("claimed_by", "main-agent@host.1:x", "main-agent@host.1:x"),
    ("blocks_agent", "side", "side"),
    *[("global_gate", text, True) for text in ("true", "1", "yes", "True")],
    *[("no_followup", text, False) for text in ("false", "0", "no")],
    ("route_continuation_replan_required", "true", True),
    ("resume_when", "todo_done:todo_abc", "todo_done:todo_abc"),
    ("resume_when", "pr_merged:acme/tool#12", "pr_merged:acme/tool#12"),
    ("resume_when", "pr_merged:#12", "pr_merged:#12"),
    ("required_write_scopes", "src/**;docs/a.md|b,c", ("src/**", "docs/a.md", "b", "c")),
    ("required_capabilities", "cli-bridge,shell", ("cli_bridge", "shell")),
    ("target_capabilities", "network", ("network",)),
    ("decision_scope", "resource:lane:gpu_pool", LANE),
    ("decision_scope", "resource:lane:*", DecisionScope("resource", "lane", "*")),
    (
        "required_decision_scopes",
        "resource:lane:gpu_pool,direction:goal:a:b",
        (LANE, DecisionScope("direction", "goal", "a:b")),
    ),
    *[("safety_class", value, value) for value in ("read_only", "local_write", "external_run", "protected_write")],
    ("target_key", "Watch 1", "Watch 1"),
    ("cadence", "30m", 30),
    ("cadence", "2h", 120),
    ("cadence", "1d", 1440),
    ("next_due_at", "2026-12-01T00:00:00Z", T0),
    ("expires_at", "2026-12-01T08:00:00+08:00", T0),
    ("last_checked_at", "2026-12-01T00:00:00+00:00", T0),
    ("result_hash", "ab", "ab"),
    ("consecutive_no_change", "07", 7),
    ("material_change", "yes", True),
    ("note", "Übung: 100 %", "Übung: 100 %"),
    ("reason", "", ""),
    ("evidence", "x", "x"),
    ("updated_at", "2026-12-01T00:00:00Z", T0),
    ("completed_at", "2026-12-01T00:00:00Z", T0),
]

BAD = [
    ("todo_id", "todo_a"),
    ("todo_id", "todo_ABC"),
    ("superseded_by", "abc"),
    ("successor_todo_ids", "todo_abc;todo_abd"),
    ("successor_todo_ids", ","),
    ("status", "opne"),
    ("status", "Done"),
    ("task_class", "gate"),
    ("action_kind", "Run"),
    ("claimed_by", "Main Agent"),
    ("claimed_by", ""),
    ("blocks_agent", "a" * 81),
    ("global_gate", "maybe"),
    ("resume_when", "todo_done:x"),
    ("resume_when", "pr_merged:12"),
    ("resume_when", "soon"),
    ("required_write_scopes", "src/**,../x"),
    ("required_write_scopes", "/etc"),
    ("required_write_scopes", "src/**,!src/keys/**"),
    ("required_capabilities", "Shell"),
    ("decision_scope", "direction:planet:x"),
    ("decision_scope", "colour:goal:x"),
    ("decision_scope", "direction:goal:"),
    ("required_decision_scopes", "direction:goal:x,nonsense"),
    ("safety_class", "harmless"),
    ("cadence", "soon"),
    ("cadence", "0m"),
    ("next_due_at", "tomorrow"),
    ("consecutive_no_change", "-1"),
    ("consecutive_no_change", "many"),
]


def test_every_key_of_the_table_has_a_row_here_and_a_field_of_its_name() -> None:
    assert {key for key, _, _ in GOOD} == set(PARSERS)
    assert set(PARSERS) <= set(names(Todo))


@pytest.mark.parametrize("key, text, value", GOOD)
def test_a_value_of_a_key_is_typed(key: str, text: str, value: Any) -> None:
    for name in (key, key.replace("_", "-")):
        token = read_token(f"{name}={quote(text, safe='')}")
        assert (token.field, token.value, token.trouble) == (key, value, None)


@pytest.mark.parametrize("key, text", BAD)
def test_a_value_that_breaks_the_grammar_is_bad_and_says_what_is_wanted(key: str, text: str) -> None:
    token = read_token(f"{key}={quote(text, safe='')}")
    assert token.bad
    assert token.field == ""
    assert token.trouble is not None
    assert token.trouble.startswith(f"{key}=")
    assert " must be " in token.trouble


def test_an_unknown_key_is_kept_in_silence() -> None:
    token = read_token("mood=calm%20sea")
    assert (token.bit, token.key, token.value, token.bad) == (0, "mood", "calm sea", False)
    assert token.trouble is None


@pytest.mark.parametrize(
    "slip, key",
    [
        ("required_decision_scope", "required_decision_scopes"),
        ("required_capability", "required_capabilities"),
        ("required_capabilties", "required_capabilities"),
        ("required-write-scope", "required_write_scopes"),
        ("block_agent", "blocks_agent"),
        ("blocksagent", "blocks_agent"),
        ("claimed_yb", "claimed_by"),
        ("resume_wen", "resume_when"),
        ("decision_scopes", "decision_scope"),
        ("global_gates", "global_gate"),
        ("saftey_class", "safety_class"),
        ("todoid", "todo_id"),
        ("succesor_todo_id", "successor_todo_ids"),
        ("notes", "note"),
    ],
)
def test_a_slip_of_one_letter_or_number_is_told_from_another_name(slip: str, key: str) -> None:
    token = read_token(f"{slip}=x")
    assert token.trouble == f"unknown metadata key {slip.replace('-', '_')}, perhaps {key}"
    assert token.bad is (key in RESTRICTING)


@given(st.sampled_from(list(PARSERS)), st.data())
def test_every_slip_of_one_letter_is_found(key: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(key) - 1))
    letter = data.draw(st.sampled_from("abcxyz_"))
    made = data.draw(
        st.sampled_from(
            [key[:at] + letter + key[at:], key[:at] + key[at + 1 :], key[:at] + letter + key[at + 1 :]]
            + ([key[: at - 1] + key[at] + key[at - 1] + key[at + 1 :]] if at > 1 else [])
        )
    )
    if made not in PARSERS:
        assert nearest_key(made) != ""
        assert read_token(f"{made}=x").trouble is not None


@pytest.mark.parametrize("name", ["mood", "lesson_ref", "claimed_at", "created_by", "priority", "owner", "state"])
def test_another_name_is_no_slip(name: str) -> None:
    assert nearest_key(name) == ""


@pytest.mark.parametrize("word", ["Claimed_by=me", "claimed_by", "claimed_by:me", "Status=blocked", "status:blocked"])
def test_what_is_no_pair_and_names_a_key_that_holds_back_is_lost(word: str) -> None:
    assert read_token(word).bad


@pytest.mark.parametrize("word", ["open", "status", "status:", "note", "Notes=x", "a_b", "="])
def test_what_is_no_pair_and_may_be_a_word_of_a_text_is_only_reported(word: str) -> None:
    token = read_token(word)
    assert token.trouble is not None
    assert not token.bad


@pytest.mark.parametrize("word", ["open", "=x", "Status=done", "9a=b", "a b"])
def test_what_is_no_pair_is_reported(word: str) -> None:
    token = read_token(word)
    assert token.key == ""
    assert token.trouble is not None


def test_a_time_without_zone_is_utc_and_reported() -> None:
    token = read_token("next_due_at=2026-12-01T00:00:00")
    assert token.value == T0
    assert not token.bad
    assert token.trouble == "next_due_at=2026-12-01T00:00:00 has no time zone and is read as UTC"


@pytest.mark.parametrize("raw", ["100%", "%zz", "%4", "%ff", "%C3", "%+1"])
def test_broken_percent_encoding_leaves_the_text_and_is_reported(raw: str) -> None:
    token = read_token(f"note={raw}")
    assert (token.field, token.value, token.bad) == ("note", raw, False)
    assert token.trouble == "the percent encoding of note is broken"


@given(st.text())
def test_decoding_undoes_encoding(text: str) -> None:
    assert decode(quote(text, safe="")) == text
