"""One thing that is wrong in a rule or vocabulary file, and where."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(slots=True, frozen=True, order=True)
class Mark:
    """A place in a file; line and column count from 1."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(slots=True, frozen=True)
class Finding:
    """``at`` is ``file:line:col``; ``rule`` is an anchor of docs/rule-files.md; ``suggestion`` the nearest
    valid name or empty.

    ``fatal`` findings leave no meaning to compile; the others (a fact that nobody reads, a validation path
    that is not there) are for the people who keep the catalog, and a catalog with them still decides.
    """

    at: str
    rule: str
    message: str
    suggestion: str = ""
    severity: Severity = "error"
    fatal: bool = True

    def to_dict(self) -> dict[str, str]:
        """``{at, rule, severity, message, suggestion}``."""
        return {
            "at": self.at,
            "rule": self.rule,
            "severity": self.severity,
            "message": self.message,
            "suggestion": self.suggestion,
        }

    def __str__(self) -> str:
        return f"{self.at}: {self.severity}: {self.message} [{self.rule}]"


class Report:
    """Collects findings; each check says what is wrong and goes on."""

    __slots__ = ("findings",)

    def __init__(self) -> None:
        self.findings: list[Finding] = []

    def error(self, at: Mark, rule: str, message: str, suggestion: str = "", *, fatal: bool = True) -> None:
        self.findings.append(Finding(str(at), rule, message, suggestion, "error", fatal))

    def warn(self, at: Mark, rule: str, message: str, suggestion: str = "") -> None:
        self.findings.append(Finding(str(at), rule, message, suggestion, "warning", False))

    def unknown(self, at: Mark, rule: str, what: str, name: str, known: Iterable[str], *, fatal: bool = True) -> None:
        """A name that the vocabulary lacks: names the nearest one, or where the names are declared."""
        names = sorted(known)
        near = nearest(name, names)
        if near:
            advice = f"write '{near}'"
        elif len(names) <= 8:
            advice = f"write one of {', '.join(names)}" if names else "none is declared"
        else:
            advice = "write a name that the catalog declares"
        self.error(at, rule, f"There is no {what} '{name}'; {advice}.", near, fatal=fatal)

    def sorted(self) -> list[Finding]:
        return sorted(set(self.findings), key=place)


def place(finding: Finding) -> tuple[str, int, int, str, str]:
    """Sort key: by file, line, column, rule and message."""
    file, line, column = finding.at.rsplit(":", 2)
    return file, int(line), int(column), finding.rule, finding.message


def nearest(name: str, known: Iterable[str]) -> str:
    """The known name that looks most like ``name``, or empty."""
    names = sorted(known)
    lowered = {candidate.lower().replace("-", "_"): candidate for candidate in names}
    same = lowered.get(name.lower().replace("-", "_"))
    if same is not None:
        return same
    found = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return found[0] if found else ""
