"""The cheapest choice of checks that covers what has to be covered.

Weighted set cover, solved exactly: what nothing shares falls apart into problems of their own, a check that another one
covers for less is left out, and a search with a bound settles the rest. A problem so tangled that the search does not
end within ``EFFORT`` steps gets the best choice found until then, which is never worse than the greedy one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from loopx_policy.records import record

EFFORT = 20_000
_T = TypeVar("_T", bound=Hashable)


@record(frozen=True)
class Choice:
    """``chosen`` are positions in the list of offers, sorted; ``exact`` says that no choice is cheaper."""

    chosen: tuple[int, ...]
    exact: bool


def cheapest(wanted: Iterable[_T], offers: Sequence[tuple[int, frozenset[_T]]]) -> Choice:
    """Offers of ``(cost, what it covers)`` that together cover all of ``wanted`` that some offer covers, at least cost.

    Among equally dear choices the one with fewest offers. Costs are positive.
    """
    needed = frozenset(wanted) & frozenset().union(*(covers for _, covers in offers))
    useful = _undominated({number: (cost, covers & needed) for number, (cost, covers) in enumerate(offers)})
    chosen: list[int] = []
    exact = True
    for part in _parts(needed, useful):
        search = _Search(part, {number: offer for number, offer in useful.items() if offer[1] & part})
        search.run()
        chosen += search.best
        exact = exact and search.steps <= EFFORT
    return Choice(tuple(sorted(chosen)), exact)


_Offers = dict[int, tuple[int, frozenset[_T]]]


def _undominated(offers: _Offers[_T]) -> _Offers[_T]:
    """Without offers that another one covers for no more; of two that are alike the first stays."""
    kept: _Offers[_T] = {}
    # The widest and cheapest first, so that one that stays is never dominated by a later one.
    for number in sorted(offers, key=lambda number: (-len(offers[number][1]), offers[number][0], number)):
        cost, covers = offers[number]
        if covers and not any(covers <= other and least <= cost for least, other in kept.values()):
            kept[number] = (cost, covers)
    return dict(sorted(kept.items()))


def _parts(needed: frozenset[_T], offers: Mapping[int, tuple[int, frozenset[_T]]]) -> list[frozenset[_T]]:
    """What is needed, apart where no offer covers something of both."""
    parts: list[frozenset[_T]] = []
    for _, covers in offers.values():
        touching = [part for part in parts if part & covers]
        parts = [part for part in parts if not part & covers]
        parts.append(covers.union(*touching))
    return [part & needed for part in parts]


class _Search(Generic[_T]):
    """Depth first over the thing that fewest offers cover, with a bound from below."""

    __slots__ = ("_cost", "_needed", "_offers", "best", "steps")

    def __init__(self, needed: frozenset[_T], offers: _Offers[_T]) -> None:
        self._needed = needed
        self._offers = offers
        self.best = self._greedy()
        self._cost = self._price(self.best)
        self.steps = 0

    def run(self) -> None:
        self._go(self._needed, [])

    def _price(self, chosen: Iterable[int]) -> tuple[int, int]:
        costs = [self._offers[number][0] for number in chosen]
        return sum(costs), len(costs)

    def _greedy(self) -> list[int]:
        left, chosen = self._needed, list[int]()
        while left:
            number = min(
                (number for number, (_, covers) in self._offers.items() if covers & left),
                key=lambda number: (self._offers[number][0] / len(self._offers[number][1] & left), number),
            )
            chosen.append(number)
            left -= self._offers[number][1]
        return chosen

    def _go(self, left: frozenset[_T], chosen: list[int]) -> None:
        self.steps += 1
        if self.steps > EFFORT:
            return
        price = self._price(chosen)
        if not left:
            if price < self._cost:
                self.best, self._cost = list(chosen), price
            return
        shares, fewest = self._shares(left)
        if price[0] + shares > self._cost[0] + 1e-6 or (price[0] == self._cost[0] and price[1] >= self._cost[1]):
            return
        for number in sorted(fewest, key=lambda number: (self._offers[number][0], number)):
            self._go(left - self._offers[number][1], [*chosen, number])

    def _shares(self, left: frozenset[_T]) -> tuple[float, list[int]]:
        """What covering the rest costs at least, and the offers for the thing that has fewest.

        Each thing pays no more than its share in the cheapest offer by share; the shares in one offer add up to no
        more than its cost, so that no choice is cheaper than all shares.
        """
        share: dict[_T, float] = {}
        able: dict[_T, list[int]] = {}
        for number, (cost, covers) in self._offers.items():
            common = covers & left
            for thing in common:
                share[thing] = min(share.get(thing, cost), cost / len(common))
                able.setdefault(thing, []).append(number)
        return sum(share.values()), min(able.values(), key=lambda numbers: (len(numbers), numbers))
