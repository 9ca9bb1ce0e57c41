"""A source contract never holds the material or the way to it, wherever in it somebody puts it."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide_point import decide_point
from loopx_policy.facts.points.material_intake import RAW

CATALOG = load_catalog()
CONTRACT = {
    "title": "Quay survey method", "kind": "design_doc", "topic": "survey", "freshness": "2026-11",
    "owner_review": "not_needed", "read_access": "granted", "conflict_rule": "newer source governs",
}  # fmt: skip
RAW_TEXTS = (
    "https://papers.example.org/quay",
    "see www.example.org",
    "papers.example.org/quay/7",
    "papers.example.org:8443/quay",
    "ftp://files.example.org",
    "https%3A%2F%2Fpapers.example.org%2Fquay",
    "https:&#47;&#47;papers.example.org",
    "1aB2cD3eF4gH5iJ6kL7mN8oP",
    "4f1d2c3b-4a59-6877-8695-a4b3c2d1e0f9",
    "4F1D2C3B4A5968778695A4B3C2D1E0F9",
)
PLAIN_TEXTS = (
    "docs/meta/DOC_REGISTRY.yaml",
    "survey of 2026-11-30",
    "version 1.10.2",
    "commit 09fc431a2b",
    "4f1d2c3b4a5968778695a4b3c2d1e0f909fc431a",
    "and/or",
    "e.g. stones",
    "reinforcement-learning-benchmark-adapter-contract",
)


def ask(material: dict[str, Any]) -> Any:
    return decide_point(
        CATALOG,
        "material_intake",
        {
            "project": {"known": True, "goal_id": "harbor", "owns_material": True, "doc_registry": "tracked"},
            "material": material,
            "body_read": False,
            "conflict": "none",
        },
    )


def deep(value: Any) -> st.SearchStrategy[Any]:
    """``value`` somewhere inside lists and mappings."""
    return st.recursive(
        st.just(value),
        lambda inner: st.builds(lambda each: [each], inner) | st.builds(lambda each: {"note": ["a", each]}, inner),
        max_leaves=4,
    )


@given(st.data(), st.sampled_from(RAW_TEXTS), st.sampled_from([*CONTRACT, "authority", "supersedes"]))
def test_no_address_or_id_is_stored_in_any_field_at_any_depth(data: st.DataObject, text: str, field: str) -> None:
    answer = ask(CONTRACT | {field: data.draw(deep(f"Quay survey {text}"))})
    assert (answer.verdict, answer.case) == ("deny", "IP-011.raw_material")
    assert text not in answer.reason


@given(st.data(), st.sampled_from(RAW))
def test_no_field_of_raw_material_is_stored_at_any_depth(data: st.DataObject, name: str) -> None:
    answer = ask(CONTRACT | {"authority": data.draw(deep({name.upper(): "x"}))})
    assert (answer.verdict, answer.case) == ("deny", "IP-011.raw_material")


@pytest.mark.parametrize("text", PLAIN_TEXTS)
def test_plain_words_about_the_material_are_stored(text: str) -> None:
    assert ask(CONTRACT | {"authority": text}).verdict == "register_tracked"


@pytest.mark.parametrize("unit", ["a.", "a-", "ab/", "a1B", "%41", "a://"])
def test_long_repetitive_texts_are_refused_soon(unit: str) -> None:
    started = time.perf_counter()
    assert ask(CONTRACT | {"authority": unit * 300_000}).verdict == "deny"
    assert time.perf_counter() - started < 5
