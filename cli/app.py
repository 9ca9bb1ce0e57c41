"""The typer program: the one definition of the commands. Parsing makes a request; it does nothing else."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from loopx_policy import __version__
from loopx_policy.errors import UsageError

from .edge import write
from .params import takes_globals
from .request import Globals, Request


def build(rich: bool) -> typer.Typer:
    """The program, its help laid out by rich or plain."""
    from .commands import catalog, goal, policy, prove, quota, todo

    app = typer.Typer(
        name="loopx",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich" if rich else None,
    )
    app.callback()(takes_globals(root))
    for module in (quota, todo, goal, policy, catalog, prove):
        module.register(app)
    return app


def show_version(wanted: bool) -> None:
    if wanted:
        write(f"loopx {__version__}")
        raise typer.Exit


Version = Annotated[bool, typer.Option("--version", help="Print the version", is_eager=True, callback=show_version)]


def root(options: Globals, version: Version = False) -> None:
    """May an agent work now, on what, whom does it tell, and may it spend? Answered from the project's own files."""
    del options, version


def parse(argv: list[str]) -> Request | int:
    """The request in ``argv``; an exit code where the answer was help or the version, which is then printed."""
    app = build(rich=sys.stdout is not None and sys.stdout.isatty())
    try:
        outcome: Any = app(argv, prog_name="loopx", standalone_mode=False)
    except typer.Abort:
        return 130
    except Exception as error:
        return _rejected(error, argv)
    return 0 if outcome is None else outcome


def _rejected(error: Exception, argv: list[str]) -> int:
    """A parser's complaint as ours. Told apart by shape, since typer may or may not bring click along."""
    format_message = getattr(error, "format_message", None)
    if format_message is None:
        raise error
    if type(error).__name__ == "NoArgsIsHelpError":
        write(format_message())
        return 2
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "loopx"
    message = " ".join(str(format_message()).split())
    raise UsageError(message.rstrip(".") + ".", fix=f"See: {path} --help") from error
