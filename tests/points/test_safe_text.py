"""The public-safety check stops what is private in any dress and lets ordinary sentences pass."""

from __future__ import annotations

import base64
import time
from urllib.parse import quote

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from loopx_policy import safe_text
from loopx_policy.text import public

# Put together at run time, so that no scanner mistakes this file for a leak.
PRIVATE = {
    "ghp" + "_" + "a1B2" * 9: "access_token",
    "AKIA" + "ABCDEFGH23456789": "access_token",
    "sk" + "-" + "proj-" + "abcd1234" * 4: "access_token",
    "eyJ" + "hbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0In0." + "abcDEF123_-x": "access_token",
    "wJalrXUtnFEMI/K7MDENG/" + "bPxRfiCYEXAMPLEKEY": "access_token",
    "-----BEGIN OPENSSH " + "PRIVATE KEY-----": "private_key",
    "pass" + "word=correct-horse": "credential",
    "api_" + "key: 'a8f5f167f44f4964e6c998dee827110c'": "credential",
    "Authorization: " + "Bearer abcdef0123456789": "credential",
    "https://me:" + "hunter2@example.org/x": "credential",
    "https://example.org/d?to" + "ken=abcdef": "credential",
    "/home/" + "ada/notes/plan.md": "local_path",
    "/Users/" + "ada/Desktop": "local_path",
    "/etc/" + "passwd": "local_path",
    "~/" + ".ssh/config": "local_path",
    "file:///" + "srv/share": "local_path",
    "/opt/" + "thing/run.sh": "local_path",
    "C:\\" + "Users\\ada\\x.txt": "windows_path",
    "D:/" + "builds/x": "windows_path",
    "\\\\" + "fileserver\\share": "windows_path",
    "http://192.168" + ".1.20:8080/": "internal_host",
    "10.20" + ".30.40": "internal_host",
    "build7.eng." + "corp": "internal_host",
    "http://wiki" + "/Secret+Plan": "internal_host",
    "https://intranet." + "example.org/": "internal_host",
    "localhost" + ":5173": "internal_host",
    "Traceback (most recent " + "call last):": "raw_log",
    "2026-01-02T03:04:05 start\n2026-01-02T03:04:06 go\n2026-01-02T03:04:07 stop\n": "raw_log",
    "INFO start\nWARN slow\nERROR gone\n": "raw_log",
}

WORDS = [
    "the",
    "route",
    "is",
    "worth",
    "extending",
    "comparable",
    "validation",
    "improved",
    "agent",
    "token",
    "budget",
    "password",
    "reset",
    "flow",
    "secret",
    "sauce",
    "gate",
    "approved",
    "key",
    "result",
    "evidence",
    "compact",
    "owner",
    "review",
    "bearer-of-news",
    "basic",
    "authentication",
    "reward",
    "positive",
    "continue_route",
    "todo_a01",
    "IP-014",
    "src/app/main.py",
    "docs/**",
    "runs/index.jsonl",
    "v1.2.3",
    "12:30",
    "2026-12-01T00:00:00+00:00",
    "and/or",
    "50%",
    "a:b",
    "http",
    "https://github.com/org/repo/pull/262",
    "09fc431a2b",
    "4f1d2c3b4a5968778695a4b3c2d1e0f909fc431a",
    "POST",
    "/reward/dry-run",
    "/status.json",
    "(see",
    "README.md)",
    "max_tokens=4096",
    "internal",
    "corporate",
    "localhost",
    "loopback",
    "C++",
    "tokens:",
    "useful",
    "naïve",
    "Größe",
    "数据",
    "reinforcement-learning-benchmark-adapter-contract",
    "x=1",
    "{placeholder}",
    "AT&T",
    "R&D",
    "100%20",
    "&amp;",
    "\\u0041",
    "snake_case_name_that_is_long",
    "camelCaseNameThatIsQuiteLongIndeed",
    "side-agent@lane",
]

sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)


def percent(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode())


def entities(text: str) -> str:
    return "".join(f"&#{ord(char)};" for char in text)


def hexadecimal_entities(text: str) -> str:
    return "".join(f"&#x{ord(char):x};" for char in text)


def escapes(text: str) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in text)


def fullwidth(text: str) -> str:
    return "".join(chr(ord(char) + 0xFEE0) if 33 <= ord(char) <= 126 else char for char in text)


def invisible(text: str) -> str:
    return "\u200b".join(text)


def as_base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def as_url_base64(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def as_hex(text: str) -> str:
    return text.encode().hex()


def unchanged(text: str) -> str:
    return text


DRESSES = [
    unchanged, percent, quote, entities, hexadecimal_entities, escapes, fullwidth, invisible,
    as_base64, as_url_base64, as_hex,
]  # fmt: skip


@pytest.mark.parametrize(("text", "pattern"), PRIVATE.items())
def test_each_private_shape_is_named(text: str, pattern: str) -> None:
    assert pattern in safe_text.hits(text)


@given(st.sampled_from(sorted(PRIVATE)), st.sampled_from(DRESSES), st.sampled_from(DRESSES), sentences, sentences)
@settings(max_examples=200, deadline=None)
def test_no_encoding_of_a_private_text_passes(private, inner, outer, before, after) -> None:  # type: ignore[no-untyped-def]
    assert safe_text.hits(f"{before} {outer(inner(private))} {after}")


@given(sentences)
@settings(max_examples=250, deadline=None)
def test_an_ordinary_sentence_passes(sentence: str) -> None:
    # What follows a secret's name and "is" is rightly suspected.
    assume(not any(f"{name} is" in sentence for name in ("token", "password", "secret")))
    assert safe_text.hits(sentence) == ()


@pytest.mark.parametrize(
    "sentence",
    [
        "comparable validation improved and the route is worth extending",
        "promote the route to the next longer-window check",
        "The token: refresh it before the next run.",
        "password: rotate it every month",
        "Run `loopx todo claim --goal-id g --todo-id todo_a01 --claimed-by side-agent` again.",
        "Redirect to 2>/dev/null and compare a/b/c with a/b.",
        "secret=<redacted> and api_key=$API_KEY and token=***",
        "Version 1.10.2.3 of 2026-12-01 at 10:30:00 covers 172 files.",
        "merged https://github.com/org/repo/pull/262 as commit 292a2c8",
        "Keep the boundary: docs/** and src/app/*.py only.",
        "see examples/control_plane/quota-plan-smoke.py",
        "a worker said:\n- one\n- two\n- three",
    ],
)
def test_sentences_that_agents_really_write_pass(sentence: str) -> None:
    assert safe_text.is_safe(sentence)


@given(st.sampled_from(sorted(PRIVATE)))
def test_the_answer_names_the_pattern_and_never_repeats_the_text(private: str) -> None:
    found = safe_text.scan({"note": [private], private: 1})
    assert [place for place, _ in found] == ["$.?", "$.note[0]"]
    assert private not in repr(found)


@given(st.text(max_size=300))
@settings(deadline=None)
def test_no_text_raises(text: str) -> None:
    assert list(safe_text.hits(text)) == sorted(safe_text.hits(text))


@pytest.mark.parametrize(
    "unit", ["a_", "/a", "a.", "%41", "&#65;", "a:", "a1-", "\\u0041", "INFO x\n", "QUJD", "http://a", "x@"]
)
def test_the_check_stays_quick_on_long_repetitive_text(unit: str) -> None:
    started = time.perf_counter()
    safe_text.hits((unit * 40_000)[:40_000])
    assert time.perf_counter() - started < 5


def test_a_text_longer_than_anything_compact_is_refused_unread() -> None:
    assert safe_text.hits("a" * (safe_text.MAX_LENGTH + 1)) == ("too_long",)


@given(st.sampled_from(sorted(PRIVATE)), sentences, sentences)
@settings(deadline=None)
def test_redacting_leaves_nothing_private_and_as_much_of_the_rest_as_it_can(
    private: str, before: str, after: str
) -> None:
    assume(safe_text.is_safe(before) and safe_text.is_safe(after))
    shown = safe_text.redact(f"{before} {private} {after}")
    assert safe_text.is_safe(shown)
    assert safe_text.REDACTED in shown
    assert private not in shown
    assert not any(len(word) > 7 and word in shown.split() for word in private.split() if not safe_text.is_safe(word))


def test_only_the_word_that_is_private_is_taken_out() -> None:
    path, token = "/home/" + "ada/notes/plan.md", "ghp" + "_" + "a1B2" * 9
    assert safe_text.redact(f"see {path}, then {token} (or ask)") == "see (private) then (private) (or ask)"
    assert safe_text.redact("nothing to hide") == "nothing to hide"
    hidden = base64.b64encode(path.encode()).decode()
    assert safe_text.redact(f"see {hidden} now") == safe_text.REDACTED
    assert safe_text.redact("a" * (safe_text.MAX_LENGTH + 1)) == safe_text.REDACTED


LETTERS = st.text("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", min_size=1, max_size=17)
NAMES = st.sampled_from(
    ["password", "token", "secret", "is", "bearer", "Authorization", "api_key", "private key", "INFO"]
)


@given(st.lists(st.tuples(LETTERS | NAMES, st.sampled_from(["", ".", ",", ";", ")"])), max_size=8))
@settings(max_examples=400, deadline=None)
def test_what_is_shown_unexamined_is_safe(words: list[tuple[str, str]]) -> None:
    text = " ".join(word + mark for word, mark in words)
    assert public(text) == text
    assert safe_text.is_safe(text)


@given(st.sampled_from(sorted(PRIVATE)), st.integers(0, 700), st.integers(0, 700))
@settings(deadline=None)
def test_a_private_word_is_not_shown_in_part_because_the_text_is_long(private: str, before: int, after: int) -> None:
    shown = public("word " * (before // 5) + private + " word" * (after // 5))
    assert safe_text.is_safe(shown)
    assert private not in shown
