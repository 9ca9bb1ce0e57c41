"""The lines of a goal state under the knife: what is taken out, put in or replaced, and every other byte kept.

Lines are addressed by their numbers in the file, from 0, however many changes are made. Line ends, tabs, trailing
spaces, a byte order mark and a missing last line end stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from ..errors import StateError
from ..project.lines import outside_code
from ..records import field, record

BOM: Final = "\ufeff"


@record
class Block:
    """Lines that come after a line of the file; ``lead`` and ``trail`` are the blank lines around them."""

    lead: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    trail: list[str] = field(default_factory=list)


class StateLines:
    """A text, line by line, with all that is to change in it; ``file`` is its name for messages."""

    def __init__(self, data: bytes, file: str = "") -> None:
        self.file = file
        text = data.decode("utf-8")
        self._bom = text[:1] == BOM
        self.lines = split(text[self._bom :])
        self.end = next((end_of(line) for line in self.lines if end_of(line)), "\n")
        self.head: list[str] = []
        self.gone: set[int] = set()
        self.own: dict[int, list[str]] = {}
        self.blocks: dict[int, Block] = {}
        self.new_sections: dict[str, list[str]] = {}

    def to_bytes(self) -> bytes:
        """The text with all changes made."""
        lines = list(self.head)
        done = 0
        for number in sorted({*self.gone, *self.own, *self.blocks}):
            lines += self.lines[done : number if number in self.gone else number + 1]
            done = number + 1
            lines += self.own.get(number, ())
            block = self.blocks.get(number)
            if block is not None:
                lines += [*block.lead, *block.lines, *block.trail]
        lines += self.lines[done:]
        for heading, more in self.new_sections.items():
            gap = [self.end] if lines and lines[-1].strip() else []
            lines += [*gap, f"## {heading}{self.end}", self.end, *more]
        if self.lines and lines and not end_of(self.lines[-1]):
            # The file ends as it did: without a line end, whatever line is the last one now.
            lines = [line if end_of(line) else line + self.end for line in lines]
            lines[-1] = lines[-1].removesuffix(end_of(lines[-1]))
        return ((BOM if self._bom else "") + "".join(lines)).encode("utf-8")

    def sections(self) -> list[tuple[int, int, str]]:
        """Number of the heading's line, number of the line after the section, and the heading."""
        bare = self._bare()
        starts = [
            number
            for number, (line, live) in enumerate(zip(bare, outside_code(bare), strict=True))
            if live and line[:3] == "## "
        ]
        stops = [*starts[1:], len(bare)]
        return [(start, stops[place], bare[start][3:].strip()) for place, start in enumerate(starts)]

    def _bare(self) -> list[str]:
        return [line[: len(line) - len(end_of(line))] for line in self.lines]

    def _check_end(self) -> None:
        """``StateError`` where what comes after the last line would be read as code or as a comment."""
        *_, free = outside_code([*self._bare(), "prose"])
        if not free:
            raise StateError(
                "The goal state ends in a block of code or a comment that has no end, so nothing can be added there.",
                at=self.file,
                fix="Close it with the marks that open it, a comment with -->.",
            )

    def ended(self, lines: Iterable[str]) -> list[str]:
        """Lines that have no ends yet with the ends that this file uses."""
        return [line + self.end for line in lines]

    def insert(self, after: int, lines: Iterable[str]) -> None:
        """Lines with their ends after a line, below what was inserted there before."""
        self.blocks.setdefault(after, Block()).lines += lines

    def fill_section(self, start: int, stop: int, lines: Iterable[str]) -> None:
        """Lines with their ends at the end of a section, a blank line away from what stands there before."""
        if stop == len(self.lines):
            self._check_end()
        after = max(number for number in range(start, stop) if self.lines[number].strip())
        lead = [self.end]
        if after == start and start + 1 < stop:
            after, lead = start + 1, []
        crowded = after + 1 < len(self.lines) and bool(self.lines[after + 1].strip())
        self.blocks.setdefault(after, Block(lead, [], [self.end] if crowded else [])).lines += lines

    def add_section(self, heading: str, lines: Iterable[str]) -> None:
        """Lines with their ends in a new section at the end of the file; a second call continues it."""
        self._check_end()
        self.new_sections.setdefault(heading, []).extend(lines)


def split(text: str) -> list[str]:
    """Lines with their ends; only line feeds end a line."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def end_of(line: str) -> str:
    """The end of a line: as it stands there, or empty."""
    return "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""


def one_line(text: str) -> str:
    """A text as it may stand on one line."""
    return " ".join(text.split())
