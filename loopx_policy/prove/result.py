"""What a check found: values that are printed elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from loopx_policy.engine.conditions import Value


@dataclass(slots=True)
class Shown:
    """A record that shows something, the facts in which it differs from a project where nothing is the matter,
    and, once it has been laid out, the project with what happens there (see ``witness``).
    """

    point: str
    record: dict[str, Value]
    differs: dict[str, Value]
    project: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """``{point, differs, record, project}``."""
        return {"point": self.point, "differs": self.differs, "record": self.record, "project": self.project}


@dataclass(slots=True)
class Finding:
    """One thing that a check says: what it is about, one sentence, and what shows it.

    ``failed`` is false for what is only told. ``by`` names what stands in the way: shadowing cases, axioms.
    """

    subject: str
    says: str
    failed: bool = True
    by: tuple[str, ...] = ()
    shown: Shown | None = None

    def to_dict(self) -> dict[str, Any]:
        """``{subject, says, failed, by, witness}``."""
        witness = self.shown.to_dict() if self.shown else None
        return {
            "subject": self.subject,
            "says": self.says,
            "failed": self.failed,
            "by": list(self.by),
            "witness": witness,
        }


@dataclass(slots=True)
class Check:
    """One check: its name, what it shows, how many things it went through, and its findings."""

    name: str
    says: str
    number: int = 0
    findings: list[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not any(finding.failed for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """``{name, says, ok, number, findings}``."""
        findings = [finding.to_dict() for finding in self.findings]
        return {"name": self.name, "says": self.says, "ok": self.ok, "number": self.number, "findings": findings}
