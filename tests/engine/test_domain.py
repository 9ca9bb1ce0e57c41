"""Sets of integers as runs do what sets of integers do."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.engine.domain import Runs, complement, decode, encode, includes, intersect, join, unite
from tests.engine.strategies import FACTS, values

LOW, HIGH = 0, 15
codes = st.sets(st.integers(LOW, HIGH))


def members(runs: Runs) -> set[int]:
    return {code for start, end in runs for code in range(start, end + 1)}


@given(codes)
def test_runs_are_sorted_and_do_not_touch(some: set[int]) -> None:
    runs = join(list(some))
    assert members(runs) == some
    assert all(left[1] + 1 < right[0] for left, right in pairwise(runs))


@given(codes, codes)
def test_the_operations_are_those_of_sets(left: set[int], right: set[int]) -> None:
    a, b = join(list(left)), join(list(right))
    assert intersect(a, b) == join(list(left & right))
    assert unite(a, b) == join(list(left | right))
    assert complement(a, LOW, HIGH) == join(list(set(range(LOW, HIGH + 1)) - left))
    assert includes(a, b) is (right <= left)


@given(st.sampled_from(sorted(FACTS)).flatmap(lambda name: st.tuples(st.just(FACTS[name]), values(FACTS[name]))))
def test_a_value_comes_back_from_its_code(pair: tuple) -> None:  # type: ignore[type-arg]
    fact, value = pair
    back = decode(fact, encode(fact, value))
    assert back == value
    assert type(back) is type(value)
