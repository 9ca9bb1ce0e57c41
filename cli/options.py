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
RULES = Option(
    "--rules", "DIR", "A folder of rules that withhold more (default: .loopx/rules of the project); repeatable", True
)
GLOBAL = (REGISTRY, RUNTIME_ROOT, FORMAT, NOW, RULES)

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

RUN = Option("--run", "TIME", "The row that is meant, by its generated_at (default: your newest)")
EVIDENCE = Option("--evidence", "TEXT", "How the work was checked and what that showed; public-safe")
ARTIFACT = Option("--artifact", "TEXT", "What was made, as others can find it; public-safe")
REASON = Option("--reason", "TEXT", "Why, in public-safe words")
CLASSIFICATION = Option("--classification", "NAME", "What the row is called in the history; it decides nothing")
BATCH_SCALE = Option("--delivery-batch-scale", "NAME", "How large the turn was, as single_surface or coherent_batch")
OUTCOME = Option(
    "--delivery-outcome",
    "surface_only|outcome_gap|outcome_progress|primary_goal_outcome",
    "What came out; a repair that changes nothing is stored as outcome_gap",
)
RECOMMENDED_ACTION = Option("--recommended-action", "TEXT", "What comes next (default: the first Next Action)")
NEXT_ACTION = Option(
    "--next-action", "TEXT", "A bullet of Next Action; all that are given replace the old; repeatable", True
)
REPLAN_RECORDED = Option(
    "--autonomous-replan-recorded", "", "Acknowledge the replan; only a changed frontier closes it"
)
DELTA_KIND = Option(
    "--repair-delta-kind", "SURFACE", "What a repair or replan changed; it is compared; repeatable", True
)
PROGRESS_SCOPE = Option(
    "--progress-scope", "goal|agent_lane", "For which lanes the row counts (default: your own, or what an ACK closes)"
)
WATCH_ID = Option("--todo-id", "ID", "The watch (default: yours that is due, or was not looked at for longest)")
RESULT_HASH = Option("--result-hash", "HASH", "A digest of what was seen, to tell another result from the same")
MATERIAL_CHANGE = Option("--material-change", "", "What was seen matters; say what follows from it")
NEXT_AGENT_TODO = Option("--next-agent-todo", "TEXT", "The agent todo that follows from it")
NO_FOLLOW_UP = Option("--no-follow-up", "", "Nothing follows from it; say why with --reason")
TTL_MINUTES = Option("--ttl-minutes", "N", "Minutes until the lease ends (default: the goal's limit)")
WRITE_SCOPE = Option("--write-scope", "GLOB", "What the work writes (default: the todo's own scopes); repeatable", True)
READ_ONLY = Option("--read-only", "", "The work writes nothing")
TODO_CLAIM = (TODO_ID, CLAIMED_BY, GOAL_ID, AGENT_ID, CAPABILITY, OPERATOR, DRY_RUN, KEY)
