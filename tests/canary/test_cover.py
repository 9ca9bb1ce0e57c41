"""The cheapest cover is the cheapest: against all choices on small cases, and by its laws on larger ones."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.canary.cover import cheapest

Offers = list[tuple[int, frozenset[int]]]
sets = st.frozensets(st.integers(0, 6), max_size=5)
offers = st.lists(st.tuples(st.integers(1, 9), sets), max_size=8)


def covered(offered: Offers, chosen: tuple[int, ...]) -> frozenset[int]:
    return frozenset().union(*(offered[number][1] for number in chosen))


def cost(offered: Offers, chosen: tuple[int, ...]) -> tuple[int, int]:
    return sum(offered[number][0] for number in chosen), len(chosen)


def by_brute_force(wanted: frozenset[int], offered: Offers) -> tuple[int, int]:
    """The least cost, and the fewest offers at that cost, over every choice that there is."""
    able = wanted & covered(offered, tuple(range(len(offered))))
    every = (c for size in range(len(offered) + 1) for c in combinations(range(len(offered)), size))
    return min(cost(offered, c) for c in every if able <= covered(offered, c))


@given(sets, offers)
def test_no_choice_is_cheaper_or_of_the_same_cost_and_smaller(wanted: frozenset[int], offered: Offers) -> None:
    choice = cheapest(wanted, offered)
    assert choice.exact
    assert cost(offered, choice.chosen) == by_brute_force(wanted, offered)


@given(sets, offers)
def test_everything_that_can_be_covered_is(wanted: frozenset[int], offered: Offers) -> None:
    choice = cheapest(wanted, offered)
    assert wanted & covered(offered, tuple(range(len(offered)))) <= covered(offered, choice.chosen)


@given(sets, sets, offers)
def test_wanting_more_never_costs_less(wanted: frozenset[int], more: frozenset[int], offered: Offers) -> None:
    less, all_of_it = cheapest(wanted, offered), cheapest(wanted | more, offered)
    assert cost(offered, less.chosen)[0] <= cost(offered, all_of_it.chosen)[0]


@given(sets, offers)
def test_the_order_of_what_is_wanted_does_not_matter(wanted: frozenset[int], offered: Offers) -> None:
    assert cheapest(sorted(wanted), offered) == cheapest(sorted(wanted, reverse=True), offered)


def test_one_wide_offer_takes_the_place_of_many_narrow_ones_where_it_is_cheaper() -> None:
    narrow: Offers = [(120, frozenset([number])) for number in range(7)]
    wide: Offers = [*narrow, (560, frozenset(range(7)))]
    assert cheapest(range(7), wide).chosen == (7,)
    assert cheapest(range(3), wide).chosen == (0, 1, 2)


def test_a_tangle_ends_in_good_time_and_covers_all_the_same() -> None:
    tangle: Offers = [(7 + (n * 5) % 4, frozenset((n * k * k + k) % 60 for k in range(1, 9))) for n in range(1, 80)]
    choice = cheapest(range(60), tangle)
    assert covered(tangle, choice.chosen) >= covered(tangle, tuple(range(len(tangle)))) & frozenset(range(60))
