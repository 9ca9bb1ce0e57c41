"""One base for every error that a user may see.

An error is one sentence: what is wrong, where, and what to do about it. The command line turns it
into text or JSON and into an exit code; nothing below the command line prints.
"""

from __future__ import annotations

from typing import ClassVar


class LoopxError(Exception):
    """What is wrong, where (``file:line`` or empty) and what to do (or empty)."""

    exit_code: ClassVar[int] = 3
    kind: ClassVar[str] = "error"

    def __init__(self, message: str, *, at: str = "", fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.at = at
        self.fix = fix

    def __str__(self) -> str:
        where = f"{self.at}: " if self.at else ""
        advice = f" {self.fix}" if self.fix else ""
        return f"{where}{self.message}{advice}"

    def to_dict(self) -> dict[str, object]:
        """The error as plain data: ``{error, kind, at, fix, exit_code}``."""
        return {"error": self.message, "kind": self.kind, "at": self.at, "fix": self.fix, "exit_code": self.exit_code}


class UsageError(LoopxError):
    """The command line, or an argument of a call, is wrong."""

    exit_code = 2
    kind = "usage"


class StateError(LoopxError):
    """Project state cannot be read or breaks its contract."""

    exit_code = 3
    kind = "state"


class CatalogError(LoopxError):
    """A rule file or a vocabulary file is wrong."""

    exit_code = 3
    kind = "catalog"


class RefusedError(LoopxError):
    """Policy refuses the command."""

    exit_code = 4
    kind = "refused"


class ConflictError(LoopxError):
    """Somebody else changed the state first, or a preview is stale."""

    exit_code = 5
    kind = "conflict"
