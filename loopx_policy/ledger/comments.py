"""Surgery on metadata comments: keys are set, changed and taken out, and every other character stays.

Source: todo metadata of the active goal state.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import quote

from ..project.lines import COMMENT
from ..project.metadata import decode, is_key
from ..records import record

WIDTH: Final = 118
"""Columns that a metadata line may take before further keys go to a line of their own."""
_COMMENT: Final = re.compile(COMMENT)
_WORD: Final = re.compile(r"\S+")
_SAFE: Final = "!#$&'()*+,/:;=?@[]~|"
"""Printable characters that a value keeps; ``%``, ``<``, ``>``, quotes, blanks and the rest are encoded."""


def encode_value(value: str) -> str:
    """A metadata value: percent-encoded, so that it has no blank and cannot end its comment."""
    return quote(value, safe=_SAFE)


def comments(metadata: Mapping[str, str], indent: str = "  ") -> list[str]:
    """Metadata as comment lines without their ends, as many keys on each as fit."""
    lines: list[list[str]] = []
    room = 0
    for key, value in metadata.items():
        word = f"{key}={encode_value(value)}"
        if not lines or len(word) > room:
            lines.append([])
            room = WIDTH - len(indent) - len("<!-- loopx:todo -->")
        lines[-1].append(word)
        room -= len(word) + 1
    return [f"{indent}<!-- loopx:todo {' '.join(words)} -->" for words in lines]


@record(frozen=True)
class _Pair:
    """One ``key=value``: which line, from where to where, its one spelling of the key, and its value read."""

    line: int
    start: int
    end: int
    key: str
    equals: int
    value: str


def written(lines: Sequence[str]) -> dict[str, str]:
    """The keys in metadata lines with their values, read; of a key given twice, the last."""
    return {pair.key: pair.value for pair in _pairs(lines)}


def rewritten(lines: Sequence[str], wanted: Mapping[str, str | None]) -> tuple[list[str | None], dict[str, str]]:
    """Metadata lines with keys changed or taken out (``None``), and what no line holds yet.

    A line of which nothing is left is ``None``. A key that has its value is left alone, however it is written.
    """
    cuts: dict[int, list[tuple[int, int, str]]] = {}
    pairs = _pairs(lines)
    new: dict[str, str] = {}
    for key, value in wanted.items():
        found = [pair for pair in pairs if pair.key == key]
        if value is None:
            gone = found
        elif not found:
            new[key] = value
            continue
        elif all(pair.value == value for pair in found):
            continue
        else:
            *gone, kept = found
            if kept.value != value:
                cuts.setdefault(kept.line, []).append((kept.equals + 1, kept.end, encode_value(value)))
        for pair in gone:
            cuts.setdefault(pair.line, []).append((pair.start, pair.end, ""))
    return [_cut(line, cuts.get(number, [])) for number, line in enumerate(lines)], new


def appended(line: str, metadata: Mapping[str, str]) -> str | None:
    """A metadata line with more keys in its last comment; ``None`` where they do not fit there."""
    found = list(_COMMENT.finditer(line))
    words = " ".join(f"{key}={encode_value(value)}" for key, value in metadata.items())
    if not found or len(line.rstrip("\r\n")) + len(words) + 1 > WIDTH:
        return None
    at = found[-1].start(1) + len(found[-1][1].rstrip())
    return f"{line[:at]} {words}{line[at:]}"


def _pairs(lines: Sequence[str]) -> list[_Pair]:
    pairs = []
    for number, line in enumerate(lines):
        for comment in _COMMENT.finditer(line):
            for word in _WORD.finditer(line, comment.start(1), comment.end(1)):
                key, equals, raw = word[0].partition("=")
                if equals and is_key(key):
                    value = decode(raw)
                    start = comment.start(1) + len(line[comment.start(1) : word.start()].rstrip())
                    pairs.append(
                        _Pair(
                            number,
                            start,
                            word.end(),
                            key.replace("-", "_"),
                            word.start() + len(key),
                            raw if value is None else value,
                        )
                    )
    return pairs


def _cut(line: str, cuts: list[tuple[int, int, str]]) -> str | None:
    if not cuts:
        return line
    for start, end, instead in sorted(cuts, reverse=True):
        line = line[:start] + instead + line[end:]
    if all(instead for _, _, instead in cuts):
        return line
    left = _COMMENT.sub(lambda comment: comment[0] if comment[1].strip() else "", line)
    return left if left.strip() else None
