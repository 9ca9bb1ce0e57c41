"""A moment compares as the number that it is, and knows for which other numbers it would have compared alike."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.moment import Moment, Span

NUMBERS = st.integers(-50, 50)
OPERATORS = st.sampled_from([operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne])
QUESTIONS = st.lists(st.tuples(OPERATORS, NUMBERS, NUMBERS, st.booleans()), min_size=1, max_size=6)
Question = tuple[Callable[[Any, Any], bool], int, int, bool]


def answers(now: int, questions: list[Question]) -> list[bool]:
    """Each compares ``now`` plus a shift with a number, from either side."""
    return [ask(other, now + shift) if turned else ask(now + shift, other) for ask, shift, other, turned in questions]


@given(NUMBERS, QUESTIONS)
def test_within_its_span_every_comparison_comes_out_alike(now: int, questions: list[Question]) -> None:
    span = Span()
    found = answers(Moment(now, span), questions)
    assert found == answers(now, questions)
    assert now in span
    for other in range(-160, 160):
        if other in span:
            assert answers(other, questions) == found


@given(NUMBERS, NUMBERS)
def test_the_span_of_one_order_is_as_wide_as_it_can_be(now: int, end: int) -> None:
    span = Span()
    before = Moment(now, span) < end
    assert [other in span for other in range(-120, 120)] == [(other < end) is before for other in range(-120, 120)]


@given(NUMBERS, st.sampled_from([str, float, bool, lambda now: now // 7, lambda now: now * 2, lambda now: 90 - now]))
def test_anything_but_a_comparison_holds_for_that_second_alone(now: int, use: Callable[[Any], Any]) -> None:
    span = Span()
    assert use(Moment(now, span)) == use(now)
    assert (span.low, span.high) == (now, now + 1)
