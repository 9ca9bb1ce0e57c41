"""The present as a number that knows how long what was found of it stays true.

An answer depends on the time only by comparing it: a watch is due or not, a lease has run out or not. ``Moment`` is
``now`` as ``int``, and narrows its ``Span`` with every comparison to the times that would have compared alike.
"""

from __future__ import annotations

from typing import Any


class Span:
    """The times from ``low`` up to and without ``high``, in seconds since the epoch."""

    __slots__ = ("high", "low")

    def __init__(self) -> None:
        self.low = -(1 << 62)
        self.high = 1 << 62

    def __contains__(self, now: int) -> bool:
        return self.low <= now < self.high


class Moment(int):
    """A time that was made of ``now`` by adding ``shift`` seconds to it."""

    span: Span
    shift: int

    def __new__(cls, value: int, span: Span, shift: int = 0) -> Moment:
        """``value`` already has ``shift`` in it."""
        made = super().__new__(cls, value)
        made.span = span
        made.shift = shift
        return made

    def _before(self, end: int) -> bool:
        """Whether this lies before ``end``; it would, or would not, for every time on the same side of it."""
        if isinstance(end, Moment):  # both move with the present
            return int.__lt__(self, end)
        span, turn = self.span, end - self.shift
        if int.__lt__(self, end):
            if turn < span.high:
                span.high = turn
            return True
        if turn > span.low:
            span.low = turn
        return False

    def __lt__(self, other: Any) -> bool:
        return self._before(other) if isinstance(other, int) else self._alone(int(self) < other)

    def __ge__(self, other: Any) -> bool:
        return not self._before(other) if isinstance(other, int) else self._alone(int(self) >= other)

    def __le__(self, other: Any) -> bool:
        return self._before(other + 1) if isinstance(other, int) else self._alone(int(self) <= other)

    def __gt__(self, other: Any) -> bool:
        return not self._before(other + 1) if isinstance(other, int) else self._alone(int(self) > other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int) and self._before(other + 1) and not self._before(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__

    def __add__(self, other: int) -> Moment:
        return Moment(int(self) + other, self.span, self.shift + other)

    __radd__ = __add__

    def __sub__(self, other: int) -> Moment:
        return Moment(int(self) - other, self.span, self.shift - other)

    def _alone(self, answer: Any) -> Any:
        """Of an answer that is no comparison with a whole number, nothing is known for any other time."""
        now = int(self) - self.shift
        self.span.low, self.span.high = now, now + 1
        return answer

    def __rsub__(self, other: int) -> int:
        return int(self._alone(other - int(self)))

    def __mul__(self, other: int) -> int:
        return int(self._alone(int(self) * other))

    __rmul__ = __mul__

    def __floordiv__(self, other: int) -> int:
        return int(self._alone(int(self) // other))

    def __mod__(self, other: int) -> int:
        return int(self._alone(int(self) % other))

    def __divmod__(self, other: int) -> tuple[int, int]:
        self._alone(None)
        return divmod(int(self), other)

    def __truediv__(self, other: float) -> float:
        return float(self._alone(int(self) / other))

    def __float__(self) -> float:
        return float(self._alone(int(self)))

    def __str__(self) -> str:
        return str(self._alone(int(self)))

    def __repr__(self) -> str:
        return str(self._alone(int(self)))

    def __format__(self, spec: str) -> str:
        return format(self._alone(int(self)), spec)

    def __bool__(self) -> bool:
        return bool(self._alone(int(self) != 0))
