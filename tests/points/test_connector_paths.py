"""A forbidden path stays forbidden in every spelling, and no other path becomes forbidden by looking alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.facts.points.connector_paths import forbidden_prefix

PREFIXES = ["/messages", "/api/conversations"]


def percent(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


steps = st.text(st.sampled_from("abcdeghx0-_"), min_size=1, max_size=6)
hosts = st.sampled_from(["social.example", "messages.example", "127.0.0.1", "h", "user@social.example:8443"])
schemes = st.sampled_from(["https://", "HTTP://", "https:/", "https:", "https:///", "//", ""])
spellings = st.sampled_from(
    [str, str.upper, percent, lambda text: percent(percent(text)), lambda text: text[0] + "\t" + text[1:]]
)
slashes = st.sampled_from(["/", "//", "/./", "/x/../", "\\", "%2F", "/%2e/"])


@given(schemes, hosts, slashes, spellings, st.sampled_from(["messages", "Messages.list", "messages/7"]), steps)
def test_no_spelling_leads_below_a_forbidden_path(scheme, host, slash, spell, word, more) -> None:  # type: ignore[no-untyped-def]
    assert forbidden_prefix(f"{scheme}{host}{slash}{spell(word)}/{more}?x=1#y", PREFIXES) == "/messages"


@given(st.sampled_from(["https://", "http://"]), hosts, st.lists(steps, max_size=4))
def test_another_path_of_a_full_address_is_free(scheme: str, host: str, path: list[str]) -> None:
    assert forbidden_prefix(f"{scheme}{host}/home/{'/'.join(path)}", PREFIXES) is None


@given(st.lists(steps, max_size=4))
def test_a_path_is_read_from_its_beginning(path: list[str]) -> None:
    assert forbidden_prefix(f"/home/messages/{'/'.join(path)}", PREFIXES) is None
    assert forbidden_prefix(f"/messages/{'/'.join(path)}", PREFIXES) == "/messages"


@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=4))
def test_no_address_raises_and_without_prefixes_nothing_is_forbidden(url: str, prefixes: list[str]) -> None:
    assert forbidden_prefix(url, []) is None
    found = forbidden_prefix(url, prefixes)
    assert found is None or found in (*prefixes, "an unreadable path")


@given(st.text(max_size=60), st.lists(st.text(max_size=12), max_size=3), st.text(max_size=12))
def test_a_further_prefix_never_frees_a_path(url: str, prefixes: list[str], more: str) -> None:
    if forbidden_prefix(url, prefixes) is not None:
        assert forbidden_prefix(url, [more, *prefixes]) is not None


@pytest.mark.parametrize(
    ("url", "prefix"),
    [
        ("", "/messages"),
        ("   ", "/messages"),
        ("https://h/%25252525252525252525252566", "/messages"),
        ("https://h/anything", ""),
        ("https://h/anything", "/"),
        ("https://h/messages", "messages"),
        ("https://h/messages", "https://other.example/messages"),
        ("https://h/caf%C3%A9/1", "/café"),
        ("https://h/café/1", "/caf%C3%A9"),
    ],
)
def test_what_is_unstated_unreadable_or_written_otherwise_is_covered(url: str, prefix: str) -> None:
    assert forbidden_prefix(url, [prefix]) is not None
