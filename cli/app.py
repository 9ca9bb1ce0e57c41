"""The typer program: the one definition of the commands. Parsing makes a request; it does nothing else."""

from __future__ import annotations

import io
import sys
from contextlib import redirect_stdout
from functools import lru_cache
from typing import Annotated, Any, TextIO

import typer

from loopx_policy import __version__
from loopx_policy.errors import UsageError

from .edge import write
from .params import takes_globals
from .request import Globals, Request
from .width import PLAIN, columns


def build(rich: bool, width: int = PLAIN) -> typer.Typer:
    """The program, its help laid out by rich or plain, ``width`` columns wide."""
    from .commands import (
        canary,
        catalog,
        check,
        decisions,
        goal,
        hint,
        lease,
        policy,
        prove,
        quota,
        records,
        refresh,
        registry,
        review,
        serve_status,
        todo,
    )

    if rich:
        from typer import rich_utils

        rich_utils.MAX_WIDTH = width
    app = typer.Typer(
        name="loopx",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich" if rich else None,
        context_settings={"help_option_names": ["-h", "--help"], "terminal_width": width},
    )
    app.callback()(takes_globals(root))
    for module in (
        quota,
        refresh,
        todo,
        lease,
        decisions,
        hint,
        records,
        registry,
        goal,
        review,
        check,
        policy,
        catalog,
        canary,
        prove,
        serve_status,
    ):
        module.register(app)
    return app


@lru_cache(maxsize=4)
def built(rich: bool, width: int) -> Any:
    """The program ready to parse: to build it takes longer than most commands do."""
    return typer.main.get_command(build(rich, width))


def show_version(wanted: bool) -> None:
    if wanted:
        write(f"loopx {__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", help="Print the version", is_eager=True, callback=show_version)]


def root(options: Globals, version: Version = False) -> None:
    """May an agent work now, on what, whom does it tell, and may it spend? Answered from the project's own files."""
    del options, version


class Held(io.StringIO):
    """What the parser prints, held back, so that all text takes one way out; it seems to be what stands behind."""

    def __init__(self, behind: TextIO) -> None:
        super().__init__()
        self._behind = behind

    def isatty(self) -> bool:
        return self._behind.isatty()

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._behind.encoding


def parse(argv: list[str]) -> Request | int:
    """The request in ``argv``; an exit code where the answer was help or the version, which is then printed."""
    held = Held(sys.stdout)
    width = columns(held.isatty())
    with redirect_stdout(held):
        outcome = _parse(built(held.isatty(), width), argv)
    if held.getvalue():
        write("\n".join(line.rstrip() for line in held.getvalue().splitlines()))
    return outcome


def _parse(program: Any, argv: list[str]) -> Request | int:
    try:
        outcome: Any = program.main(argv, prog_name="loopx", standalone_mode=False)
    except typer.Abort:
        return 130
    except Exception as error:
        return _rejected(error, named(program, argv))
    return 0 if outcome is None else outcome


def named(command: Any, argv: list[str]) -> str:
    """The command that the words of a command line lead to, as far as they do."""
    path = "loopx"
    for word in argv:
        below = getattr(command, "commands", {}).get(word)
        if below is not None:
            command, path = below, f"{path} {word}"
    return path


def _rejected(error: Exception, path: str) -> int:
    """A parser's complaint as ours. Told apart by shape, since typer may or may not bring click along."""
    format_message = getattr(error, "format_message", None)
    if format_message is None:
        raise error
    if type(error).__name__ == "NoArgsIsHelpError":
        write(format_message())
        return 2
    message = " ".join(str(format_message()).split()).rstrip(".")
    end = "" if message.endswith("?") else "."
    raise UsageError(message + end, fix=f"See: {path} --help") from error
