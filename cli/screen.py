"""Results as text for people: laid out on a terminal, plain elsewhere, or Markdown."""

from __future__ import annotations

import io
import os
import re
import sys
from importlib import import_module
from typing import Any

from rich.console import Console

from .render.look import Look
from .request import Result
from .width import columns

BLANKS = re.compile(r" +((?:\x1b\[[0-9;]*m)*)$")
"""What a layout fills up a line with, styled or not."""


def draw(result: Result, wanted: str) -> str:
    """``result`` as Markdown, or as rich lays it out; off a terminal without colour, lines or symbols beyond ASCII."""
    view: Any = import_module(f".render.{result.view}", __package__)
    if wanted == "markdown":
        return str(view.markdown(result.data))
    if hasattr(view, "text"):
        return str(view.text(result.data))
    terminal = sys.stdout.isatty()
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        force_terminal=terminal or bool(os.environ.get("FORCE_COLOR")),
        width=columns(terminal),
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    look = Look(fancy=(terminal or wanted == "rich") and speaks_unicode(), width=console.width)
    console.print(view.rich(result.data, look), crop=False)
    return "\n".join(BLANKS.sub(r"\1", line) for line in buffer.getvalue().splitlines()) + "\n"


def speaks_unicode() -> bool:
    """Whether standard output can carry a box line."""
    try:
        "╭●✓".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
