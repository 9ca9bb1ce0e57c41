"""The console entry. The hot path, ``loopx --format json quota should-run``, never loads the typer program."""

from __future__ import annotations

import sys
from typing import NoReturn

from . import hot
from .edge import perform
from .request import Request, Result


def parse(argv: list[str]) -> Request | Result | int:
    """The request in a command line; a result or an exit code where the parser itself has the answer."""
    request = hot.parse(argv)
    if request is not None:
        return request
    from .app import parse as parse_with_typer

    return parse_with_typer(argv)


def main() -> NoReturn:
    """The ``loopx`` command."""
    sys.exit(perform(parse, sys.argv[1:]))
