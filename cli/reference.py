"""``python -m loopx_policy.cli.reference`` prints ``docs/cli.md``: every command and option, from the program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from .app import build
from .edge import write
from .options import GLOBAL

HEAD = """\
# The command line

Generated from the program: `python -m loopx_policy.cli.reference > docs/cli.md`. `loopx-policy` is the same program
as `loopx`, and so is `python -m loopx_policy`.

A command that writes project state says so; all others write nothing. `--format json` prints one JSON document; an
error is then JSON too: `{error, kind, at, fix, exit_code}` on standard output. Otherwise an error is one sentence on
standard error: what is wrong, where, and what to do. `LOOPX_DEBUG=1` lets an internal error show where it came from.

| exit code | meaning |
|---|---|
| 0 | a decision was made, to run or not to run; `decide` exits so for a deny too |
| 1 | a check (`doctor`, `catalog lint`, `catalog test` and their like) found problems |
| 2 | the command line is wrong |
| 3 | state cannot be read or breaks its contract; the answer, as a `health_blocked` decision, is still printed |
| 4 | refused by policy |
| 5 | conflict, or a stale preview |
| 70 | internal error |
| 74 | the answer cannot be written; where standard output is closed, nothing was done at all |
| 130 | interrupted |
| 141 | the reader of the answer left, as `head` does |

## Global options

Before and after every command; the one after wins.
"""


def commands() -> Iterator[tuple[str, Any]]:
    """Every command that does something, by its full name, as the parser holds it."""
    yield from _below("loopx", typer.main.get_command(build(rich=False)))


def _below(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    children = getattr(command, "commands", None)
    if children is None:
        yield name, command
        return
    for child_name, child in children.items():
        yield from _below(f"{name} {child_name}", child)


def own_parameters(command: Any) -> list[Any]:
    """The parameters of a command without the global options."""
    shared = {option.flag for option in GLOBAL} | {"--help"}
    return [parameter for parameter in command.params if not shared & set(parameter.opts)]


def row(flag: str, metavar: str, text: str) -> str:
    shown = f"`{flag} {metavar}`" if metavar else f"`{flag}`"
    return f"| {shown} | {text} |".replace("json|markdown|rich", "json\\|markdown\\|rich")


def parameter_row(parameter: Any) -> str:
    """One parameter as a row; the default where it has one worth telling."""
    flag = parameter.opts[0] if parameter.opts[0].startswith("--") else parameter.metavar
    metavar = parameter.metavar if flag != parameter.metavar and parameter.metavar else ""
    text = parameter.help
    if isinstance(parameter.default, (int, str)) and not isinstance(parameter.default, bool):
        text += f" (default: {parameter.default})"
    elif parameter.required and flag.startswith("--"):
        text += " (required)"
    return row(flag, metavar, text)


def table(rows: list[str]) -> str:
    return "\n".join(["| option | meaning |", "|---|---|", *rows])


def document() -> str:
    """The whole of ``docs/cli.md``."""
    parts = [HEAD + "\n" + table([row(option.flag, option.metavar, option.help) for option in GLOBAL])]
    for name, command in commands():
        arguments = [p.metavar for p in command.params if not p.opts[0].startswith("--")]
        parts.append(f"## {' '.join([name, *arguments])}")
        parts.append(" ".join(command.help.split()))
        rows = [parameter_row(parameter) for parameter in own_parameters(command)]
        if rows:
            parts.append(table(rows))
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    write(document())
