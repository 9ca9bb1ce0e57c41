"""Containment and overlap of write scopes: examples a person would name, and laws against a plain matcher."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy import globs


def plain_match(pattern: str, path: str) -> bool:
    """The meaning of a glob, written as the obvious recursion; shares nothing with the automata."""
    if pattern.endswith("/"):
        pattern += "**"
    return _segments([part for part in pattern.split("/") if part != "."], path.split("/"))


def _segments(pattern: list[str], path: list[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return _segments(pattern[1:], path) or (bool(path) and _segments(pattern, path[1:]))
    return bool(path) and _text(pattern[0], path[0]) and _segments(pattern[1:], path[1:])


def _text(pattern: str, text: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "*":
        return _text(pattern[1:], text) or (bool(text) and _text(pattern, text[1:]))
    if pattern[0] == "[":
        close = pattern.index("]", 3 if pattern[1] == "!" else 2)
        body = pattern[1:close]
        negated = body.startswith("!")
        body = body.removeprefix("!")
        if len(body) == 3 and body[1] == "-":
            inside = bool(text) and body[0] <= text[0] <= body[2]
        else:
            inside = bool(text) and text[0] in body
        return bool(text) and inside != negated and _text(pattern[close + 1 :], text[1:])
    return bool(text) and pattern[0] in ("?", text[0]) and _text(pattern[1:], text[1:])


atoms = st.sampled_from(["a", "b", "ab", "*", "?", "[ab]", "[!a]", "[a-c]", ".", "c"])
segments = st.one_of(st.just("**"), st.lists(atoms, min_size=1, max_size=3).map("".join)).filter(
    lambda text: text not in (".", "..")
)
patterns = st.lists(segments, min_size=1, max_size=4).map("/".join)
NAMES = ["a", "b", "c", "d", "ab", "ba", "aa", ".a", "a.b", "abc"]
PATHS = ["/".join(parts) for depth in (1, 2, 3) for parts in itertools.product(NAMES, repeat=depth)]


@pytest.mark.parametrize(
    ("allowed", "required"),
    [
        ("src/**", "src/a/*.py"),
        ("src/**", "src/**"),
        ("src/**", "src"),
        ("src/", "src/a/b"),
        ("**", "anything/at/all"),
        ("**", "**"),
        ("docs/*", "docs/guide.md"),
        ("docs/*", "docs/?uide.[a-m]d"),
        ("docs/**/*.md", "docs/guide.md"),
        ("docs/**/*.md", "docs/a/b/*.md"),
        ("**/tests/**", "a/tests/b"),
        ("./docs/**", "docs/x"),
        ("src/*a*", "src/banana"),
        ("src/[a-z]*", "src/[b-d]?x"),
        ("src/[!_]*", "src/a*"),
    ],
)
def test_a_scope_covers_what_lies_inside_it(allowed: str, required: str) -> None:
    assert globs.covers(allowed, required)


@pytest.mark.parametrize(
    ("allowed", "required"),
    [
        ("docs/*", "docs/a/b"),
        ("docs/*", "docs/**"),
        ("docs/*", "docs"),
        ("docs/guide.md", "docs/*"),
        ("src/**", "source/a"),
        ("src/**", "SRC/a"),
        ("src/**", "**"),
        ("src/*.py", "src/*"),
        ("src/a*", "src/*a"),
        ("src/[ab]", "src/[a-c]"),
        ("**/*.md", "docs/**"),
        ("src/{a,b}.py", "src/a.py"),
    ],
)
def test_a_scope_does_not_cover_what_reaches_beyond_it(allowed: str, required: str) -> None:
    assert not globs.covers(allowed, required)


@pytest.mark.parametrize(
    "broken",
    ["", " ", "/etc/**", "~/notes", "..", "a/../b", "C:/x", "src\\a", "a//b", "[ab", "x/[b-a]", "a\nb", ".", "a" * 161],
)
def test_a_malformed_scope_grants_nothing_and_conflicts_with_everything(broken: str) -> None:
    assert globs.problem(broken)
    assert not globs.covers("**", broken)
    assert not globs.covers(broken, "docs/a")
    assert globs.overlap(broken, "docs/a")
    assert globs.overlap("docs/a", broken)
    assert not globs.matches(broken, "docs/a")


def test_no_scope_at_all_allows_nothing() -> None:
    assert not globs.covered((), "docs/a")


def test_several_scopes_cover_together_what_none_covers_alone() -> None:
    allowed = ("docs/*", "docs/*/**")
    assert not any(globs.covers(one, "docs/*/x") and globs.covers(one, "docs/x") for one in ("docs/*",))
    assert globs.covered(("docs/[!a]*", "docs/a*"), "docs/*")
    assert not globs.covered(("docs/[!a]*", "docs/ab*"), "docs/*")
    assert globs.covered(allowed, "docs/*/b")


def test_the_path_outside_is_named_for_the_message() -> None:
    assert globs.outside(("docs/*",), "docs/**/x.md") == "docs/a/x.md"
    assert globs.outside(("docs/**",), "docs/**/x.md") is None


@pytest.mark.parametrize(
    ("first", "second", "together"),
    [
        ("src/**", "src/a/*.py", True),
        ("src/a*", "src/*b", True),
        ("src/*.py", "src/*.md", False),
        ("docs/*", "docs/a/b", False),
        ("docs/**/a", "docs/a", True),
        ("[a-c]/x", "[c-e]/x", True),
        ("[a-c]/x", "[d-e]/x", False),
        ("a", "A", False),
        ("**", "x/y/z", True),
    ],
)
def test_two_scopes_overlap_exactly_where_they_share_a_path(first: str, second: str, together: bool) -> None:
    assert globs.overlap(first, second) is together
    assert globs.overlap(second, first) is together


@given(patterns, st.sampled_from(PATHS))
def test_matching_agrees_with_the_plain_definition(pattern: str, path: str) -> None:
    assert globs.matches(pattern, path) == plain_match(pattern, path)


@given(patterns, patterns)
@settings(max_examples=150, deadline=None)
def test_covering_is_inclusion_of_the_paths(allowed: str, required: str) -> None:
    escape = globs.outside((allowed,), required)
    if escape is None:
        assert globs.covers(allowed, required)
        assert not [path for path in PATHS if plain_match(required, path) and not plain_match(allowed, path)]
    else:
        assert not globs.covers(allowed, required)
        assert plain_match(required, escape)
        assert not plain_match(allowed, escape)


@given(patterns, patterns)
@settings(max_examples=150, deadline=None)
def test_overlap_is_a_common_path(first: str, second: str) -> None:
    shared = globs.common(first, second)
    assert globs.overlap(first, second) == globs.overlap(second, first) == (shared is not None)
    if shared is None:
        assert not [path for path in PATHS if plain_match(first, path) and plain_match(second, path)]
    else:
        assert plain_match(first, shared)
        assert plain_match(second, shared)


@given(patterns, patterns, patterns)
@settings(max_examples=100, deadline=None)
def test_covering_is_reflexive_transitive_and_grows_with_the_list(one: str, two: str, three: str) -> None:
    assert globs.covers(one, one)
    assert globs.covers("**", one)
    if globs.covers(one, two) and globs.covers(two, three):
        assert globs.covers(one, three)
    if globs.covers(one, two):
        assert globs.covered((one, three), two)
        assert globs.overlap(one, two)


@given(st.text(max_size=30), st.text(max_size=30))
@settings(deadline=None)
def test_no_text_raises_and_nothing_malformed_is_covered(first: str, second: str) -> None:
    if globs.problem(first) or globs.problem(second):
        assert not globs.covers(first, second)
        assert globs.overlap(first, second)
    assert globs.covers(first, second) in (True, False)


def test_an_intricate_pattern_is_answered_in_bounded_time_and_never_with_a_grant() -> None:
    started = time.perf_counter()
    assert not globs.covers("*a" + "?" * 24 + "b*", "*[ab]*[ab]*c*")
    assert not globs.covers("*a" * 60 + "x", "*b" * 60)
    assert not globs.covers("*a" + "?" * 18 + "*b", "[ab]" * 25 + "b")
    assert globs.overlap("*a" * 75 + "*", "*b" * 75 + "*")
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize("negated", ["!src/keys/**", " !src", "!", "!**"])
def test_a_list_that_takes_paths_away_covers_nothing_and_a_scope_that_does_overlaps_everything(negated: str) -> None:
    assert globs.covered(["src/**"], "src/a.py")
    assert not globs.covered(["src/**", negated], "src/a.py")
    assert globs.outside(["src/**", negated], "src/a.py") is not None
    assert globs.problem(negated)
    assert globs.overlap(negated, "docs/a.md")
    assert globs.covered(["[!a]/**"], "b/c")
