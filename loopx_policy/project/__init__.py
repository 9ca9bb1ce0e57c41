"""Reading a project: from files, or from a snapshot document, to ``Snapshot``.

Every public name is loaded when it is first used, so that a turn pays for nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .document import from_document, parse_document, to_document
    from .locate import find_registry, find_runtime_root
    from .reader import read_goals, read_project
    from .registry import Registry, read_registry
    from .state import parse_state, read_state
    from .workspace import read_workspace

__all__ = [
    "Registry",
    "find_registry",
    "find_runtime_root",
    "from_document",
    "parse_document",
    "parse_state",
    "read_goals",
    "read_project",
    "read_registry",
    "read_state",
    "read_workspace",
    "to_document",
]

_HOMES: Final = {
    "Registry": "registry",
    "find_registry": "locate",
    "find_runtime_root": "locate",
    "from_document": "document",
    "parse_document": "parse",
    "parse_state": "state",
    "read_goals": "reader",
    "read_project": "reader",
    "read_registry": "registry",
    "read_state": "state",
    "read_workspace": "workspace",
    "to_document": "document",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = __import__(f"{__name__}.{home}", fromlist=[name])
    value = globals()[name] = getattr(module, name)
    return value
