"""What came of running a plan, as values."""

from __future__ import annotations

from typing import Any, Literal

from loopx_policy.canary.plan import Gap, Planned
from loopx_policy.records import field, record

Status = Literal["passed", "failed", "error", "not_run"]


@record(frozen=True)
class Problem:
    """One thing that failed; ``file`` is from the top of the tree or empty, ``line`` 0 where there is none."""

    text: str
    file: str = ""
    line: int = 0

    @property
    def at(self) -> str:
        """``file:line``, as far as it is known."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def to_dict(self) -> dict[str, Any]:
        """``{text, file, line}``."""
        return {"text": self.text, "file": self.file, "line": self.line}


@record
class Outcome:
    """What one check came to. ``error``: it could not be judged; ``not_run``: there was no time left for it."""

    planned: Planned
    status: Status
    milliseconds: int = 0
    problems: list[Problem] = field(default_factory=list)
    output: str = ""

    def to_dict(self) -> dict[str, Any]:
        """``{id, profile, status, milliseconds, problems, failure, output}``."""
        return {
            "id": self.planned.item.id,
            "profile": self.planned.profile,
            "status": self.status,
            "milliseconds": self.milliseconds,
            "problems": [problem.to_dict() for problem in self.problems],
            "failure": self.planned.item.check.failure,
            "output": self.output,
        }


@record
class Ran:
    """A whole run. ``changed`` is what of the tree or the state is not as it was before."""

    outcomes: list[Outcome]
    gaps: list[Gap]
    changed: list[str]
    milliseconds: int = 0

    @property
    def ok(self) -> bool:
        """Whether every check passed and nothing was written. What was not run proves nothing."""
        return not self.changed and all(outcome.status == "passed" for outcome in self.outcomes)

    def count(self, status: Status) -> int:
        """How many checks came to a status."""
        return sum(outcome.status == status for outcome in self.outcomes)
