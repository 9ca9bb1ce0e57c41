"""The one source of choice: the same building functions serve a fast sampler and Hypothesis.

A building function takes a ``Chooser`` and asks it. List the calmest option first: Hypothesis
shrinks towards it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")

Weights = Sequence[tuple[T, int]]


class Chooser(Protocol):
    """What a building function may ask."""

    def integer(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, both inclusive."""

    def choice(self, options: Sequence[T]) -> T:
        """One of the options, each equally likely."""

    def weighted(self, options: Weights[T]) -> T:
        """One of the options, in proportion to its weight (a whole number, 0 for never)."""

    def maybe(self, percent: float) -> bool:
        """True in that many of a hundred cases; shrinks to False."""

    def some(self, options: Sequence[T], most: int) -> list[T]:
        """One to ``most`` different options, in the order given."""


class _Choosing:
    """All questions in terms of one: a whole number from 0 to ``high``."""

    def _pick(self, high: int) -> int:
        raise NotImplementedError

    def integer(self, low: int, high: int) -> int:
        return low + self._pick(high - low)

    def choice(self, options: Sequence[T]) -> T:
        return options[self._pick(len(options) - 1)]

    def weighted(self, options: Weights[T]) -> T:
        at = self._pick(sum(weight for _, weight in options) - 1)
        for option, weight in options:
            at -= weight
            if at < 0:
                return option
        raise AssertionError("the weights do not add up")

    def maybe(self, percent: float) -> bool:
        if percent <= 0:
            return False
        return self._pick(999) >= 1000 - round(percent * 10)

    def some(self, options: Sequence[T], most: int) -> list[T]:
        wanted = self.integer(1, min(most, len(options)))
        left = list(range(len(options)))
        taken = sorted(left.pop(self._pick(len(left) - 1)) for _ in range(wanted))
        return [options[at] for at in taken]


class RandomChooser(_Choosing):
    """Choices from a seeded generator.

    Only ``random()`` is used, the one method whose sequence Python promises to keep between versions.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def _pick(self, high: int) -> int:
        return int(self._random() * (high + 1))


class DrawChooser(_Choosing):
    """Choices that Hypothesis draws, and so can shrink."""

    def __init__(self, draw: Callable[[st.SearchStrategy[int]], int]) -> None:
        self._draw = draw

    def _pick(self, high: int) -> int:
        return self._draw(_up_to(high)) if high > 0 else 0


_KNOWN: dict[int, st.SearchStrategy[int]] = {}


def _up_to(high: int) -> st.SearchStrategy[int]:
    if high not in _KNOWN:
        _KNOWN[high] = st.integers(0, high)
    return _KNOWN[high]


def lean(base: Mapping[T, int], change: Mapping[T, int] | None = None) -> list[tuple[T, int]]:
    """Weights with some of them changed; an option that ``base`` lacks is an error."""
    merged = dict(base)
    for option, weight in (change or {}).items():
        if option not in merged:
            raise KeyError(option)
        merged[option] = weight
    return list(merged.items())
