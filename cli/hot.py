"""The few options of ``quota should-run`` parsed by hand, since a parser library costs more than the decision.

Anything unusual (another command, an unknown option, a missing value, a value that looks like an option) gives
``None``, and the typer program, which is the one definition of the commands, takes over.
"""

from __future__ import annotations

from typing import Any

from .options import FORMAT, GLOBAL, SHOULD_RUN
from .request import Globals, ShouldRun

COMMAND = ("quota", "should-run")
_GLOBAL = {option.flag: option for option in GLOBAL}
_ALL = _GLOBAL | {option.flag: option for option in SHOULD_RUN}


def parse(argv: list[str]) -> ShouldRun | None:
    """The request that ``argv`` (without the program's name) spells, if it is plain ``quota should-run`` in JSON."""
    found = _scan(argv)
    if found is None or found.get("format") != "json":
        return None
    options = Globals(**{option.name: found.pop(option.name, "") for option in GLOBAL})
    capabilities = tuple(found.pop("available_capability", ()))
    return ShouldRun(options, available_capability=capabilities, **found)


def _scan(argv: list[str]) -> dict[str, Any] | None:
    found: dict[str, Any] = {}
    words = 0
    rest = iter(argv)
    for token in rest:
        if not token.startswith("-"):
            if words == len(COMMAND) or token != COMMAND[words]:
                return None
            words += 1
            continue
        flag, joined, value = token.partition("=")
        option = (_ALL if words == len(COMMAND) else _GLOBAL).get(flag)
        if option is None or (joined and not option.metavar):
            return None
        if not option.metavar:
            found[option.name] = True
            continue
        if not joined:
            value = next(rest, "--")
            if value.startswith("-") and value != "-":
                return None
        if not value.strip() or (option is FORMAT and value != "json"):
            return None
        if option.repeat:
            found.setdefault(option.name, []).append(value)
        else:
            found[option.name] = value
    return found if words == len(COMMAND) else None
