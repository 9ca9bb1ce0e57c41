"""What every view is made of: headings, label rows, marks, and texts that cannot reach the terminal's controls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rich.box import ROUNDED
from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

MARKS = {"yes": ("✓", "+"), "no": ("✗", "x"), "here": ("▸", ">"), "item": ("•", "-"), "warn": ("!", "!")}
DOT = (" · ", " | ")
FRAME = 4
"""Columns that a banner's frame takes away."""
COLOURS = {"yes": "green", "no": "red", "here": "bold green", "warn": "yellow"}


@dataclass(slots=True, frozen=True)
class Look:
    """``fancy`` allows lines and symbols beyond ASCII; ``width`` is in columns."""

    fancy: bool = False
    width: int = 80

    def mark(self, name: str) -> Text:
        """A one-column sign that also reads without its colour."""
        return Text(MARKS[name][0 if self.fancy else 1], style=COLOURS.get(name, ""))

    def join(self, parts: Iterable[str]) -> str:
        """Parts beside each other, empty ones left out; a new line where the next would not fit into a frame."""
        dot, lines = DOT[0 if self.fancy else 1], [""]
        for part in filter(None, map(clean, parts)):
            longer = f"{lines[-1]}{dot}{part}" if lines[-1] else part
            if lines[-1] and cell_len(longer) > self.width - FRAME:
                lines.append(part)
            else:
                lines[-1] = longer
        return "\n".join(lines)


def clean(text: object) -> str:
    """Text from a file on one line, without control characters that a terminal would obey."""
    line = " ".join(str(text).split())
    return "".join(mark if mark.isprintable() else "�" for mark in line)


def words(text: object, style: str = "") -> Text:
    """Cleaned text, never read as markup."""
    return Text(clean(text), style=style)


def heading(text: str, note: str = "", name: bool = False) -> Text:
    """A section's heading, with a quiet note beside it. A ``name`` keeps its letters."""
    line = Text(f"\n{text if name else text.upper()}", style="bold")
    if note:
        line.append(f"  {clean(note)}", style="not bold dim")
    return line


def grid(widths: Sequence[int | None], indent: int = 2) -> Table:
    """A table without lines. A width is a least number of columns; ``None`` takes what is left and wraps."""
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(width=indent - 2 if indent > 2 else 0)
    for width in widths:
        if width is None:
            table.add_column(ratio=1, overflow="fold")
        else:
            table.add_column(min_width=width, overflow="fold")
    return table


def rows(widths: Sequence[int | None], cells: Iterable[Sequence[RenderableType]], indent: int = 2) -> Table:
    """A whole grid at once."""
    table = grid(widths, indent)
    for line in cells:
        table.add_row("", *line)
    return table


def banner(word: str, colour: str, lines: Sequence[Text], look: Look) -> RenderableType:
    """The verdict, so that nobody has to look for it: a word first, its colour only beside it."""
    badge = Text(f" {word} ", style=f"bold reverse {colour}") if look.fancy else Text(f"== {word} ==", style="bold")
    first, *rest = lines
    body = Group(Text.assemble(badge, "  ", first), *rest)
    return Panel(body, box=ROUNDED, border_style=colour, padding=(0, 1)) if look.fancy else body


def stack(*parts: RenderableType | None) -> Group:
    """Parts below each other; ``None`` is left out."""
    return Group(*(part for part in parts if part is not None))


def weight(problem: dict[str, Any]) -> str:
    """How much a problem of the project weighs."""
    return "breaks the contract" if problem["breaks_contract"] else "lint"


def cell(text: object) -> str:
    """Text for a Markdown table or list, on one line, its pipes and tags defused."""
    return clean(text).replace("|", "\\|").replace("<", "&lt;").replace("`", "'")


def bullet_list(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def markdown_table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    body = [f"| {' | '.join(cell(part) for part in line)} |" for line in lines]
    return "\n".join([f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *body])
