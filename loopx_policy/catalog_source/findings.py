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


RULES: dict[str, str] = {
    "too-large": "a file beyond the size limit",
    "not-text": "a file that is not UTF-8 text",
    "not-yaml": "a line that YAML does not allow",
    "empty-file": "a file without content",
    "many-documents": "more than one document in a file",
    "duplicate-key": "a key that stands twice in one mapping",
    "alias": "an anchor or an alias",
    "tag": "a YAML tag",
    "merge-key": "a merge key",
    "odd-key": "a key that is not text",
    "too-deep": "nesting beyond the limit",
    "yaml-surprise": "a value that YAML reads as something else than it looks like",
    "missing-key": "a key that the schema asks for",
    "unknown-key": "a key that the schema does not know",
    "wrong-type": "a value of another type",
    "bad-value": "a value that is not among those allowed",
    "bad-id": "a pattern id of another form",
    "bad-name": "a name of another form",
    "empty-value": "a text or a list with nothing in it",
    "repeated-value": "a list that names something twice",
    "case-without-reason": "a case without its reason",
    "obligation-without-text": "an obligation without its text",
    "missing-file": "a vocabulary file that is not there",
    "duplicate-name": "a family or a stratum that is listed twice",
    "unknown-fact": "a fact that the point does not declare",
    "unknown-family": "a family that families.yaml does not list",
    "unknown-mode": "a mode that modes.yaml does not declare",
    "unknown-stratum": "a stratum that strata.yaml does not list",
    "unknown-state": "a state that states.yaml does not declare",
    "unknown-point": "a decision point that points.yaml does not declare",
    "unknown-verdict": "a verdict that the point does not have",
    "unknown-block": "a kind of block that the point does not have, or one where nothing is blocked",
    "unknown-effective-action": "an effective_action that the mode does not list",
    "unknown-placeholder": "a placeholder that parameters.yaml does not declare",
    "unknown-parameter": "a parameter that neither the rule nor parameters.yaml declares",
    "unknown-invariant": "a rests_on entry that names no invariant",
    "unknown-case": "a case of an accepted order that no rule has",
    "unknown-operator": "an operator that does not exist",
    "operator-type": "an operator that does not fit the fact's type",
    "mixed-operators": "operators that cannot stand together",
    "outside-domain": "a value that the fact cannot have",
    "empty-range": "a comparison that no value meets",
    "idle-range": "a comparison that every value meets",
    "parameter-kind": "a list where one value is needed",
    "odd-condition": "something else where a condition, a value or a list of them belongs",
    "misplaced-point": "turn or candidate cases under points",
    "duplicate-pattern": "a pattern id that two files have",
    "duplicate-case": "an id that stands twice in one list of a file",
    "wrong-decides": "a decides list that does not match the file",
    "after-nothing": "an after entry that names no case",
    "after-other-stratum": "an after entry of another stratum",
    "after-cycle": "after entries that go in a circle",
    "modeline": "a first line that does not name the schema",
    "wrong-file-name": "a file that is not named after its id or point",
    "wrong-folder": "a file outside its family's folder",
    "key-order": "top-level keys in another order than elsewhere",
    "bad-visual": "a diagram that draws nothing",
    "missing-path": "a path that does not exist",
    "unread-fact": "a fact that no rule reads",
    "unread-parameter": "a parameter that nobody reads",
    "unread-placeholder": "a placeholder that no message uses",
    "unread-mode": "a mode that no case picks",
    "unread-stratum": "a stratum in which no case leads",
    "unhandled-point": "a decision point without cases",
    "added-id": "an added rule's id without a namespace of its own",
    "added-grants": "an entry of an added rule that could grant something",
    "fill-in": "a place-holder of a new rule file",
    "shadowed-case": "a case behind another with the same condition",
}
"""Every kind of finding; ``PAGE`` explains each under an anchor of the same name."""
PAGE = "docs/rule-files.md"
