"""The options that two parsers share: the typer program and the hand parser of the hot path.

A plain table, cheap to import. ``typer_option`` in ``params.py`` turns a row into a typer option.
"""

from __future__ import annotations

from typing import NamedTuple


class Option(NamedTuple):
    """One option. Without a ``metavar`` it is a switch; ``repeat`` collects every value given."""

    flag: str
    metavar: str
    help: str
    repeat: bool = False

    @property
    def name(self) -> str:
        """The Python name of its value."""
        return self.flag.lstrip("-").replace("-", "_")


FORMATS = ("json", "markdown", "rich")

REGISTRY = Option(
    "--registry", "FILE", "The registry of goals (default: LOOPX_REGISTRY, else the nearest .loopx/registry.json)"
)
RUNTIME_ROOT = Option("--runtime-root", "DIR", "Where run histories are kept (default: what the registry names)")
FORMAT = Option("--format", "json|markdown|rich", "How to print (default: rich on a terminal, plain text elsewhere)")
NOW = Option("--now", "ISO", "Decide as of this time, with its zone, as 2026-12-01T09:00:00Z (default: the clock)")
GLOBAL = (REGISTRY, RUNTIME_ROOT, FORMAT, NOW)

GOAL_ID = Option("--goal-id", "ID", "The goal (default: the only one of the registry)")
ONE_GOAL = Option("--goal-id", "ID", "Only this goal (default: every goal of the registry)")
AGENT_ID = Option("--agent-id", "ID", "The agent that asks, as the goal registers it")
CAPABILITY = Option(
    "--available-capability", "NAME", "A capability this turn has beside those the goal declares; repeatable", True
)
SNAPSHOT = Option("--snapshot", "FILE", "Decide on a snapshot document instead of a project; - reads standard input")
DETAIL = Option("--detail", "", "Add the facts, the trace, the todo summaries and the rest of the projections")
SHOULD_RUN = (GOAL_ID, AGENT_ID, CAPABILITY, SNAPSHOT, DETAIL)

TODO_ID = Option("--todo-id", "ID", "The todo, by its id")
CLAIMED_BY = Option("--claimed-by", "ID", "The agent that holds it (default: --agent-id)")
OPERATOR = Option("--operator", "", "A person takes this step, not an agent")
DRY_RUN = Option("--dry-run", "", "Show the change as a diff and change nothing")
EXECUTE = Option("--execute", "", "Carry the change out; without it, it is only shown")
KEY = Option("--idempotency-key", "KEY", "Name this request, so that a repeat reports the first result")
