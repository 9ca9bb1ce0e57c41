"""How wide to lay out for."""

from __future__ import annotations

import os
import sys

PLAIN = 100
"""Off a terminal, what suits a log."""
NARROWEST = 40
WIDEST = 120
"""Longer lines are hard to read, and a wrong COLUMNS must not fill a disk with blanks."""


def columns(terminal: bool) -> int:
    """COLUMNS, else the terminal's width, else one that suits a log; within what can be read."""
    return max(NARROWEST, min(WIDEST, _wanted(terminal)))


def _wanted(terminal: bool) -> int:
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given):
        return int(given)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if terminal else PLAIN
    except (OSError, ValueError):
        return PLAIN
