"""Single values: each predicate says the same as the pattern that the schema publishes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.project import grammar
from loopx_policy.project.scopes import DECISION_SCOPE, parse_scope

PAIRS: list[tuple[str, Callable[[str], Any]]] = [
    (grammar.TODO_ID, grammar.is_todo_id),
    (grammar.ACTION_KIND, grammar.is_action_kind),
    (grammar.AGENT_ID, grammar.is_agent_id),
    (grammar.CAPABILITY, grammar.capability),
    (grammar.GLOB, grammar.is_glob),
    (grammar.CADENCE, grammar.minutes),
    (grammar.RESUME_WHEN, grammar.is_resume_when),
    (grammar.MERGE, grammar.merge),
    (grammar.GOAL_ID, grammar.is_goal_id),
    (DECISION_SCOPE, parse_scope),
]
PIECES = st.lists(
    st.sampled_from(
        [
            "todo_",
            "todo_done:",
            "pr_merged:",
            "acme/tool",
            "#",
            "12",
            "0",
            "a",
            "ab",
            "Z",
            "-",
            "_",
            ".",
            "..",
            "/",
            ":",
            "@",
            "*",
            *[
                "~",
                "!",
                "\\",
                ",",
                ";",
                "|",
                " ",
                "\n",
                "é",
                "direction:",
                "action:",
                "lane",
                "m",
                "h",
                "d",
                "x" * 60,
                "9" * 9,
            ],
        ]
    ),
    max_size=6,
).map("".join)


def matches(pattern: str, text: str) -> bool:
    """As a JSON Schema validator sees it: ``$`` is the very end."""
    return re.search(re.sub(r"(?<!\\)\$", r"\\Z", pattern), text) is not None


@pytest.mark.parametrize("pattern, test", PAIRS)
def test_every_predicate_agrees_with_its_pattern(pattern: str, test: Callable[[str], Any]) -> None:
    @given(PIECES | st.from_regex(pattern) | st.text(max_size=8))
    def agree(text: str) -> None:
        assert matches(pattern, text) == bool(test(text))

    agree()


def test_a_capability_has_one_spelling() -> None:
    assert grammar.capability("cli-bridge") == grammar.capability("cli_bridge") == "cli_bridge"


@pytest.mark.parametrize(
    "text", ["/etc/**", "~/x", "a/../b", "..", "C:/x", "", "a" * 161, "a\\b", "a,b", "a\tb", "!a/**"]
)
def test_a_glob_cannot_leave_the_repository_or_take_paths_away(text: str) -> None:
    assert not grammar.is_glob(text)


@pytest.mark.parametrize("text", ["**", "src/**", "docs/guide.md", "a" * 160, "a b", ".github/**"])
def test_relative_globs(text: str) -> None:
    assert grammar.is_glob(text)


def test_lists_split_on_comma_semicolon_and_bar() -> None:
    assert grammar.split_list("a, b;c|d,,") == ["a", "b", "c", "d"]


def test_a_merge_names_a_repo_or_none() -> None:
    assert grammar.merge("acme/tool#12") == ("acme/tool", 12)
    assert grammar.merge("#7") == ("", 7)
    assert grammar.merge("tool#7") is None
