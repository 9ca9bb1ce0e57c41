"""Containment and overlap of relative path globs, decided exactly.

A glob denotes a set of relative paths: segments joined by ``/``, none of them empty. In a segment
``*`` is any text, ``?`` one character, ``[ab-d]`` and ``[!ab]`` one character of a set (none of them
ever matches ``/``). A whole segment ``**`` is any number of segments, none included, so ``src/**``
is ``src`` and all below it; a trailing ``/`` means the same. All else is literal, braces too, and
letters differ by case.

Both questions are answered on small automata rather than by comparing texts: ``covers`` is
inclusion of one set in the other, ``overlap`` is a common path. A pattern that is not a well-formed
relative glob (see ``problem``) covers nothing, is covered by nothing and overlaps with everything,
which is the safe side of each question. ``!src/x`` is none, and a list that holds one covers nothing:
nobody here could take the path away from what the others allow. Results are memoised; nothing
here reads the file system.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

MAX_LENGTH = 160
"""Longest pattern in characters, as the todo metadata grammar allows it."""

_EFFORT = 100_000
"""Most steps and comparisons that one inclusion may take; beyond it the answer is "not covered"."""

_REMEMBERED = 4096
"""Most single steps that one automaton remembers."""

_TOP = 0x10FFFF
_SLASH = ord("/")

_Ranges = tuple[tuple[int, int], ...]
_ANY: _Ranges = ((0, _SLASH - 1), (_SLASH + 1, _TOP))
_ALL: _Ranges = ((0, _TOP),)
_SEPARATOR: _Ranges = ((_SLASH, _SLASH),)
_FULL_STOP: _Ranges = ((ord("."), ord(".")),)
_CONTROL: _Ranges = ((0, 31), (127, 159))

_LEGIBLE = ((ord("a"), ord("z")), (ord("0"), ord("9")), (ord("A"), ord("Z")), (33, 126), (0xE0, 0x24F))

# Where a path under construction stands in its segment: a path may end, and a segment may be closed,
# only in _NAME, since no file is called "", "." or "..".
_EMPTY, _DOT, _DOTS, _NAME = range(4)


class _Malformed(ValueError):
    """The text is not a relative glob; the message says why."""


class _Automaton:
    """A non-deterministic automaton over characters; a set of states is an ``int`` used as a bit mask.

    ``edges[s]`` lists ``(character ranges, target)``; ``skips[s]`` lists targets that cost no character.
    """

    __slots__ = ("_closures", "_steps", "accepting", "edges", "skips", "start")

    def __init__(self) -> None:
        self.edges: list[list[tuple[_Ranges, int]]] = []
        self.skips: list[list[int]] = []
        self.accepting = 0
        self.start = 0
        self._closures: list[int] = []
        self._steps: dict[tuple[int, int], int] = {}

    def state(self) -> int:
        self.edges.append([])
        self.skips.append([])
        return len(self.edges) - 1

    def seal(self, start: int, accepting: Iterable[int]) -> None:
        self._closures = [self._reach(state) for state in range(len(self.edges))]
        self.start = self._closures[start]
        self.accepting = sum(1 << state for state in set(accepting))

    def _reach(self, state: int) -> int:
        seen = 0
        waiting = [state]
        while waiting:
            here = waiting.pop()
            if not seen >> here & 1:
                seen |= 1 << here
                waiting.extend(self.skips[here])
        return seen

    def step(self, mask: int, char: int) -> int:
        """The states after one more character."""
        after = 0
        while mask:
            lowest = mask & -mask
            after |= self._step_one(lowest.bit_length() - 1, char)
            mask ^= lowest
        return after

    def _step_one(self, state: int, char: int) -> int:
        known = self._steps.get((state, char))
        if known is None:
            known = 0
            for ranges, target in self.edges[state]:
                if any(low <= char <= high for low, high in ranges):
                    known |= self._closures[target]
            if len(self._steps) < _REMEMBERED:
                self._steps[state, char] = known
        return known

    def accepts(self, mask: int) -> bool:
        return bool(mask & self.accepting)

    def kinds(self) -> set[_Ranges]:
        """The sets of characters that this automaton tells apart."""
        return {ranges for edges in self.edges for ranges, _ in edges}


def problem(pattern: str) -> str:
    """Why ``pattern`` is not a well-formed relative glob, as half a sentence; empty where it is one."""
    try:
        _compile(pattern)
    except _Malformed as error:
        return str(error)
    return ""


def matches(pattern: str, path: str) -> bool:
    """Whether the concrete ``path`` belongs to ``pattern``; false where either is malformed."""
    if _path_problem(path):
        return False
    try:
        automaton = _compile(pattern)
    except _Malformed:
        return False
    mask = automaton.start
    for char in "/".join(part for part in path.split("/") if part not in ("", ".")):
        mask = automaton.step(mask, ord(char))
    return automaton.accepts(mask)


def covers(allowed: str, required: str) -> bool:
    """Whether every path of ``required`` is a path of ``allowed``."""
    return covered((allowed,), required)


def covered(allowed: Iterable[str], required: str) -> bool:
    """Whether every path of ``required`` belongs to at least one of ``allowed``; never by an empty list."""
    patterns = _usable(allowed)
    return bool(patterns) and not problem(required) and _outside(patterns, required) is None


def outside(allowed: Iterable[str], required: str) -> str | None:
    """A path of ``required`` that none of ``allowed`` holds; ``None`` where it is covered.

    Where no such path can be named (malformed, or too intricate to decide) it is ``required`` itself.
    """
    return required if problem(required) else _outside(_usable(allowed), required)


def overlap(first: str, second: str) -> bool:
    """Whether some path belongs to both globs."""
    if problem(first) or problem(second):
        return True
    return _common(*sorted((first, second))) is not None


def any_overlap(first: Iterable[str], second: Iterable[str]) -> bool:
    """Whether any glob of one list overlaps with any of the other."""
    others = tuple(second)
    return any(overlap(one, other) for one in first for other in others)


def common(first: str, second: str) -> str | None:
    """A path that belongs to both globs, for a message; ``None`` where there is none or one is malformed."""
    if problem(first) or problem(second):
        return None
    return _common(*sorted((first, second)))


def _usable(allowed: Iterable[str]) -> tuple[str, ...]:
    patterns = set(allowed)
    if any(_negates(pattern) for pattern in patterns):
        return ()
    return tuple(sorted(pattern for pattern in patterns if not problem(pattern)))


def _negates(pattern: str) -> bool:
    return pattern.lstrip()[:1] == "!"


def _path_problem(path: str) -> str:
    if not path.strip():
        return "is empty"
    if path[0] in "/~" or path[1:2] == ":":
        return "is not relative"
    if "\\" in path:
        return "holds a backslash; segments are joined by /"
    if any(low <= ord(char) <= high for char in path for low, high in _CONTROL):
        return "holds a control character"
    if ".." in path.split("/"):
        return "leaves its folder with .."
    return ""


@lru_cache(maxsize=1024)
def _compile(pattern: str) -> _Automaton:
    wrong = "is to take paths away, which no glob can" if _negates(pattern) else _path_problem(pattern)
    if wrong:
        raise _Malformed(wrong)
    if len(pattern) > MAX_LENGTH:
        raise _Malformed(f"is longer than {MAX_LENGTH} characters")
    body = pattern + "**" if pattern.endswith("/") else pattern
    segments = [segment for segment in body.split("/") if segment != "."]
    if not all(segments):
        raise _Malformed("has an empty segment")
    if not segments:
        raise _Malformed("names the folder itself; write **")
    automaton = _Automaton()
    start = here = automaton.state()
    accepting: list[int] = []
    for position, segment in enumerate(segments):
        last = position == len(segments) - 1
        if segment != "**":
            end = _segment(automaton, here, segment)
            if last:
                accepting.append(end)
            else:
                if all(following == "**" for following in segments[position + 1 :]):
                    accepting.append(end)
                here = automaton.state()
                automaton.edges[end].append((_SEPARATOR, here))
        elif last:
            rest = automaton.state()
            automaton.edges[here].append((_ANY, rest))
            automaton.edges[rest].append((_ALL, rest))
            accepting.append(rest)
        else:
            inside = automaton.state()
            automaton.edges[here].append((_ANY, inside))
            automaton.edges[inside] += [(_ANY, inside), (_SEPARATOR, here)]
    automaton.seal(start, accepting)
    return automaton


def _segment(automaton: _Automaton, here: int, segment: str) -> int:
    index = 0
    while index < len(segment):
        char = segment[index]
        if char == "*":
            automaton.edges[here].append((_ANY, here))
            after = automaton.state()
            automaton.skips[here].append(after)
            index += 1
        else:
            ranges, index = _one_character(segment, index)
            after = automaton.state()
            automaton.edges[here].append((ranges, after))
        here = after
    return here


def _one_character(segment: str, index: int) -> tuple[_Ranges, int]:
    char = segment[index]
    if char == "?":
        return _ANY, index + 1
    if char == "[":
        first = index + 2 if segment[index + 1 : index + 2] in ("!", "^") else index + 1
        close = segment.find("]", first + 1)
        if close < 0:
            raise _Malformed("has a [ without its ]")
        return _character_set(segment[first:close], negated=first == index + 2), close + 1
    return ((ord(char), ord(char)),), index + 1


def _character_set(body: str, *, negated: bool) -> _Ranges:
    spans: list[tuple[int, int]] = []
    index = 0
    while index < len(body):
        low = ord(body[index])
        if body[index + 1 : index + 2] == "-" and index + 2 < len(body):
            high = ord(body[index + 2])
            if high < low:
                raise _Malformed(f"has the reversed range {body[index : index + 3]}")
            index += 3
        else:
            high = low
            index += 1
        spans.append((low, high))
    if negated:
        spans = _complement([*spans, (_SLASH, _SLASH)])
    else:
        spans = _complement([*_complement(spans), (_SLASH, _SLASH)])
    if not spans:
        raise _Malformed("has a character set that matches nothing")
    return tuple(spans)


def _complement(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    gaps = []
    next_free = 0
    for low, high in sorted(spans):
        if low > next_free:
            gaps.append((next_free, low - 1))
        next_free = max(next_free, high + 1)
    if next_free <= _TOP:
        gaps.append((next_free, _TOP))
    return gaps


def _alphabet(automata: Iterable[_Automaton]) -> list[int]:
    """One character for each way in which the automata tell characters apart, letters first."""
    kinds = sorted({_SEPARATOR, _FULL_STOP}.union(*(automaton.kinds() for automaton in automata)))
    cuts = {0, _TOP + 1}.union(bound for low, high in _CONTROL for bound in (low, high + 1))
    cuts.update(bound for ranges in kinds for low, high in ranges for bound in (low, high + 1))
    found: dict[tuple[bool, ...], tuple[int, int]] = {}
    for low, after in pairwise(sorted(cuts)):
        if not any(start <= low <= end for start, end in _CONTROL):
            kind = tuple(any(start <= low <= end for start, end in ranges) for ranges in kinds)
            legible = _legible(low, after - 1)
            found[kind] = min(found.get(kind, legible), legible)
    return [char for _, char in sorted(found.values())]


def _legible(low: int, high: int) -> tuple[int, int]:
    """A character between the two, with a rank: the lower, the easier to read in a message."""
    for rank, (start, end) in enumerate(_LEGIBLE):
        if max(low, start) <= min(high, end):
            return rank, max(low, start)
    return len(_LEGIBLE), low


def _place(place: int, char: int) -> int:
    if char == _SLASH:
        return _EMPTY
    if char == ord(".") and place in (_EMPTY, _DOT):
        return place + 1
    return _NAME


@lru_cache(maxsize=16384)
def _outside(allowed: tuple[str, ...], required: str) -> str | None:
    """Search for a path in ``required`` and in none of ``allowed``, shortest first.

    The allowed side is made deterministic while walking. A configuration is dropped where an earlier
    one stood at the same place of ``required`` with fewer allowed states: what escapes from it, escapes there.
    """
    if required in allowed:
        return None
    wanted = _compile(required)
    permitted = [_compile(pattern) for pattern in allowed]
    alphabet = _alphabet([wanted, *permitted])
    start = tuple(automaton.start for automaton in permitted)
    waiting: list[tuple[int, tuple[int, ...], int, str]] = [(wanted.start, start, _EMPTY, "")]
    seen: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    effort = 0
    for want, have, place, path in waiting:
        escaped = not any(auto.accepts(mask) for auto, mask in zip(permitted, have, strict=True))
        if place == _NAME and escaped and wanted.accepts(want):
            return path
        for char in alphabet:
            if char == _SLASH and place != _NAME:
                continue
            next_place = _place(place, char)
            next_want = wanted.step(want, char)
            if not next_want:
                continue
            next_have = tuple(auto.step(mask, char) for auto, mask in zip(permitted, have, strict=True))
            known = seen.setdefault((next_want, next_place), [])
            effort += len(permitted) * (1 + len(known))
            if effort > _EFFORT:
                return required
            if any(all(old & ~new == 0 for old, new in zip(earlier, next_have, strict=True)) for earlier in known):
                continue
            known.append(next_have)
            waiting.append((next_want, next_have, next_place, path + chr(char)))
    return None


@lru_cache(maxsize=16384)
def _common(first: str, second: str) -> str | None:
    one, other = _compile(first), _compile(second)
    alphabet = _alphabet([one, other])
    start = [(1 << a, 1 << b) for a in _bits(one.start) for b in _bits(other.start)]
    waiting = [(a, b, _EMPTY, "") for a, b in start]
    seen = {(a, b, _EMPTY) for a, b in start}
    for a, b, place, path in waiting:
        if place == _NAME and one.accepts(a) and other.accepts(b):
            return path
        for char in alphabet:
            if char == _SLASH and place != _NAME:
                continue
            next_place = _place(place, char)
            for next_a in _bits(one.step(a, char)):
                for next_b in _bits(other.step(b, char)):
                    key = (1 << next_a, 1 << next_b, next_place)
                    if key not in seen:
                        seen.add(key)
                        waiting.append((*key, path + chr(char)))
    return None


def _bits(mask: int) -> list[int]:
    return [state for state in range(mask.bit_length()) if mask >> state & 1]
