"""The commands that agents type at every turn, parsed by hand, since a parser library costs more than they do.

Anything unusual (another command, an unknown option, a missing value, a value that looks like an option) gives
``None``, and the typer program, which is the one definition of the commands, takes over.
"""

from __future__ import annotations

from typing import Any

from .options import FORMAT, GLOBAL, SHOULD_RUN, TODO_CLAIM, Option
from .request import Claim, Globals, ShouldRun

Table = dict[str, Option]

COMMANDS: dict[tuple[str, ...], tuple[Option, ...]] = {
    ("quota", "should-run"): SHOULD_RUN,
    ("todo", "claim"): TODO_CLAIM,
}
_GLOBAL: Table = {option.flag: option for option in GLOBAL}
_TABLES: dict[tuple[str, ...], Table] = {
    command: _GLOBAL | {option.flag: option for option in options} for command, options in COMMANDS.items()
}


def parse(argv: list[str]) -> ShouldRun | Claim | None:
    """The request that ``argv`` (without the program's name) spells, if it is one of ``COMMANDS`` plainly, in JSON."""
    command, found = _scan(argv)
    if found is None or found.get("format") != "json":
        return None
    given: dict[str, Any] = {option.name: found.pop(option.name) for option in GLOBAL if option.name in found}
    options = Globals(**given | {"rules": tuple(given.pop("rules", ()))})
    capabilities = tuple(found.pop("available_capability", ()))
    if command == ("quota", "should-run"):
        return ShouldRun(options, available_capability=capabilities, **found)
    return Claim(options, available_capability=capabilities, **found) if "todo_id" in found else None


def _scan(argv: list[str]) -> tuple[tuple[str, ...], dict[str, Any] | None]:
    """The words of the command, and the options by name; ``None`` for what is not plain."""
    found: dict[str, Any] = {}
    words: tuple[str, ...] = ()
    rest = iter(argv)
    for token in rest:
        if not token.startswith("-"):
            words = (*words, token)
            if not any(command[: len(words)] == words for command in COMMANDS):
                return words, None
            continue
        flag, joined, value = token.partition("=")
        option = _TABLES.get(words, _GLOBAL).get(flag)
        if option is None or (joined and not option.metavar):
            return words, None
        if not option.metavar:
            found[option.name] = True
            continue
        if not joined:
            value = next(rest, "--")
            if value.startswith("-") and value != "-":
                return words, None
        if not value.strip() or (option is FORMAT and value != "json"):
            return words, None
        if option.repeat:
            found.setdefault(option.name, []).append(value)
        else:
            found[option.name] = value
    return words, found if words in COMMANDS else None
