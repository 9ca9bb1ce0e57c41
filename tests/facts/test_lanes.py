"""Visibility lanes: at most sixteen todos, fair between claimants, best first (IP-022)."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.facts.lanes import balanced, by_priority
from loopx_policy.model import Todo


@st.composite
def lanes(draw: st.DrawFn) -> list[Todo]:
    """A lane of claimed todos in file order."""
    claimants = draw(st.lists(st.sampled_from("abcdefgh"), max_size=40))
    return [
        Todo(f"todo_{number:03d}", "agent", "x", order=number, priority=draw(st.integers(0, 4)), claimed_by=claimant)
        for number, claimant in enumerate(claimants)
    ]


def test_the_cap_is_sixteen() -> None:
    assert load_catalog().parameters["IP-022.lane_cap"] == 16


@given(lanes(), st.integers(1, 16))
def test_a_lane_keeps_the_cap_and_the_order_and_loses_nothing_below_it(lane: list[Todo], cap: int) -> None:
    shown = balanced(lane, cap)
    assert len(shown) == min(cap, len(lane))
    assert shown == by_priority(shown)
    assert {todo.todo_id for todo in shown} <= {todo.todo_id for todo in lane}
    if len(lane) <= cap:
        assert shown == by_priority(lane)


@given(lanes(), st.integers(1, 16))
def test_no_claimant_is_hidden_by_the_long_queue_of_another(lane: list[Todo], cap: int) -> None:
    shown = Counter(todo.claimed_by for todo in balanced(lane, cap))
    held = Counter(todo.claimed_by for todo in lane)
    if held and len(held) <= cap:
        share = cap // len(held)
        for claimant, count in held.items():
            assert shown[claimant] >= min(share, count)


@given(lanes(), st.integers(1, 16))
def test_of_one_claimant_the_best_are_shown(lane: list[Todo], cap: int) -> None:
    shown = {todo.todo_id for todo in balanced(lane, cap)}
    for claimant in {todo.claimed_by for todo in lane}:
        own = by_priority([todo for todo in lane if todo.claimed_by == claimant])
        kept = [todo.todo_id in shown for todo in own]
        assert kept == sorted(kept, reverse=True)


def test_sixteen_of_one_and_one_of_another_shows_both() -> None:
    lane = [Todo(f"todo_{number:03d}", "agent", "x", order=number, claimed_by="main") for number in range(30)]
    lane.append(Todo("todo_side", "agent", "x", order=99, priority=4, claimed_by="side"))
    assert "todo_side" in {todo.todo_id for todo in balanced(lane, 16)}
