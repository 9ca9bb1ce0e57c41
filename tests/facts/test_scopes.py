"""What a gate covers, and which authority counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.facts.boundary import Boundary, read_boundary, rejection
from loopx_policy.facts.gates import covers
from loopx_policy.model import Authority, DecisionScope, Goal
from loopx_policy.project.scopes import GRANULARITIES

KINDS = ["private_read", "write_scope", "resource", "production", "public_claim", "direction"]
scopes = st.builds(
    DecisionScope,
    st.sampled_from(KINDS),
    st.sampled_from(GRANULARITIES),
    st.sampled_from(["quay", "quay/north", "quay.north", "quayside", "*", "lock"]),
)


@given(scopes)
def test_a_scope_covers_itself(scope: DecisionScope) -> None:
    assert covers(scope, scope)


@given(scopes, scopes)
def test_kinds_must_agree(gate: DecisionScope, need: DecisionScope) -> None:
    if gate.kind != need.kind:
        assert not covers(gate, need)


@given(scopes, scopes)
def test_an_explicit_star_covers_every_key_of_its_kind(gate: DecisionScope, need: DecisionScope) -> None:
    assert covers(DecisionScope(gate.kind, gate.granularity, "*"), DecisionScope(gate.kind, need.granularity, need.key))


@given(scopes, scopes)
def test_a_broader_gate_covers_no_less(gate: DecisionScope, need: DecisionScope) -> None:
    if covers(gate, need):
        for wider in GRANULARITIES[GRANULARITIES.index(gate.granularity) :]:
            assert covers(DecisionScope(gate.kind, wider, gate.key), need)


@pytest.mark.parametrize(
    ("gate", "need", "covered"),
    [
        ("goal:quay", "action:quay/north", True),
        ("goal:quay", "action:quay.north", True),
        ("goal:quay", "action:quayside", False),
        ("action:quay", "goal:quay/north", False),
        ("lane:quay", "lane:quay/north", False),
        ("action:quay", "goal:quay", True),
        ("global:quay", "action:lock", False),
    ],
)
def test_the_same_boundary_is_the_key_or_what_continues_it(gate: str, need: str, covered: bool) -> None:
    one, other = (DecisionScope("resource", *text.split(":")) for text in (gate, need))
    assert covers(one, other) is covered


FRESH = Authority(("infra/**",), "operator_gate", "approve", "active", "checkpointed_boundary_authority_v0", 100, 300)


def test_a_fresh_approval_widens_the_boundary_until_it_ends() -> None:
    goal = Goal("harbor", write_scope=("docs/**",), authority=(FRESH,))
    assert read_boundary(goal, 299).allowed == ("docs/**", "infra/**")
    assert read_boundary(goal, 300).allowed == ("docs/**",)
    assert rejection(FRESH, 299) == ""
    assert rejection(FRESH, 99) == "recorded in the future"


def test_an_empty_boundary_allows_nothing_and_asks_nothing_of_a_todo_without_scopes() -> None:
    assert Boundary(()).outside(("docs/a.md",)) == ["docs/a.md"]
    assert Boundary(()).outside(()) == []


def test_each_reason_for_refusing_authority_has_its_words() -> None:
    from loopx_policy.records import replace

    refused = {
        "schema_version": replace(FRESH, schema_version=""),
        "decision is reject": replace(FRESH, decision="reject"),
        "decision is missing": replace(FRESH, decision=""),
        "status is revoked": replace(FRESH, status="revoked"),
        "no source": replace(FRESH, source=""),
        "no recorded_at": replace(FRESH, recorded_at=None),
        "expired": replace(FRESH, expires_at=150),
    }
    for words, entry in refused.items():
        assert words in rejection(entry, 200)
