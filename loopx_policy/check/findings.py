"""What a check finds: one finding a problem, and the rules that they are instances of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

Level = Literal["error", "warning"]


@dataclass(slots=True, frozen=True)
class Rule:
    """A kind of finding. ``mechanical`` ones are mended by ``--fix``; all others need somebody's judgement."""

    name: str
    level: Level
    meaning: str
    mechanical: bool = False


RULES: Final = {
    rule.name: rule
    for rule in (
        Rule("contract", "error", "Registry, goal state or runtime breaks the contract, so that nothing runs."),
        Rule("state", "warning", "Something in registry, goal state or runtime is odd and stops nothing."),
        Rule("unscoped-gate", "error", "An open gate says for none of several agents that it blocks them."),
        Rule("duplicate-id", "error", "Two things have one id, so that a reference to it means either."),
        Rule("torn-line", "warning", "A line is no JSON object and is skipped; a crash may have torn it."),
        Rule("unterminated-line", "warning", "The last line of a file of lines has no end.", True),
        Rule("stale-lease", "warning", "A task lease is past its end, or its todo is done or gone."),
        Rule("expired-lease", "warning", "A task lease is past its end and has no effect.", True),
        Rule("pending-journal", "warning", "A write that was killed is recorded and not carried out.", True),
        Rule("leftover-file", "warning", "A write that was killed left a file that nothing refers to.", True),
        Rule("public-safety", "error", "A text looks private: a secret, a local path, an internal host, a raw log."),
    )
}


@dataclass(slots=True, frozen=True, order=True)
class Finding:
    """One problem. ``file`` is relative to where people look for it; ``line`` is 1-based, 0 where there is none."""

    file: str
    line: int
    rule: str
    message: str
    fix: str = ""
    goal_id: str = ""

    @property
    def level(self) -> Level:
        return RULES[self.rule].level

    @property
    def mechanical(self) -> bool:
        return RULES[self.rule].mechanical

    @property
    def at(self) -> str:
        """``file:line``."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain data."""
        shown = ("rule", "level", "message", "file", "line", "fix", "mechanical", "goal_id")
        return {name: getattr(self, name) for name in shown}
