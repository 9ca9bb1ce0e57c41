"""The options of ``loopx todo``: one for each metadata key, and those for what follows a todo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loopx_policy.errors import UsageError

from .options import AGENT_ID, CAPABILITY, DRY_RUN, GOAL_ID, KEY, OPERATOR, Option

LISTS = ("required_write_scopes", "required_capabilities", "target_capabilities", "required_decision_scopes")

STATUS = Option("--status", "open|blocked", "Whether it can be worked on now (default: open)")
DESCRIBING = (
    Option("--task-class", "CLASS", "advancement_task, continuous_monitor, blocker, user_gate or user_action"),
    Option("--action-kind", "WORD", "The kind of work, as implement or run_eval"),
    Option("--blocks-agent", "ID", "The one agent that waits for it"),
    Option("--global-gate", "", "It blocks every agent of the goal"),
    Option("--unblocks-todo-id", "ID", "The todo that it unblocks"),
    Option("--required-write-scopes", "GLOBS", "What it writes, as src/**; repeatable, or with commas", True),
    Option("--required-capabilities", "NAMES", "What it needs, as network; repeatable, or with commas", True),
    Option("--target-capabilities", "NAMES", "What it repairs or builds; repeatable, or with commas", True),
    Option("--decision-scope", "SCOPE", "What a gate decides, as kind:granularity:key"),
    Option("--required-decision-scopes", "SCOPES", "What must be decided first; repeatable, or with commas", True),
    Option("--safety-class", "CLASS", "read_only, local_write, external_run or protected_write"),
    Option("--target-key", "TEXT", "What a monitor watches"),
    Option("--cadence", "TIME", "How often a monitor looks, as 30m, 2h or 1d"),
    Option("--next-due-at", "ISO", "When a monitor is due"),
    Option("--expires-at", "ISO", "When a monitor, or a decision scope, ends"),
    Option("--last-checked-at", "ISO", "When a monitor last looked"),
    Option("--result-hash", "TEXT", "What a monitor last saw"),
    Option("--consecutive-no-change", "N", "How often in a row a monitor saw no change"),
    Option("--material-change", "", "A monitor saw a change that matters"),
    Option("--route-continuation-replan-required", "", "The handoff is stale: its route has to be planned anew"),
    Option("--note", "TEXT", "A public-safe note"),
    Option("--reason", "TEXT", "A public-safe reason"),
    Option("--evidence", "TEXT", "A public-safe validation or artifact"),
    STATUS,
)
"""Keys that describe a todo; those of its life belong to its steps."""
SET = Option("--set", "KEY=VALUE", "Any other metadata key, kept as it is; repeatable", True)
UNSET = Option("--unset", "KEY", "Take a metadata key out; repeatable", True)
NEW = (
    *DESCRIBING,
    Option("--claimed-by", "ID", "The agent that holds it"),
    Option("--resume-when", "CONDITION", "What it waits for: todo_done:<todo_id> or pr_merged:[owner/repo]#n"),
    SET,
)
CHANGED = (*DESCRIBING, SET, UNSET)
FOLLOWING = (
    Option("--next-agent-todo", "TEXT", "What follows for an agent: the text of a new todo; repeatable", True),
    Option("--next-claimed-by", "ID", "Who holds it: once for all, or one each in order; repeatable", True),
    Option("--next-task-class", "CLASS", "Its class (default: advancement_task); repeatable", True),
    Option("--next-priority", "P0..P4", "Its priority, unless its text begins with one; repeatable", True),
    Option("--next-set", "KEY=VALUE", "Any metadata key for each of them; repeatable", True),
    Option("--next-user-todo", "TEXT", "What follows for a person: the text of a new todo; repeatable", True),
    Option("--next-user-task-class", "CLASS", "user_gate or user_action; once for all, or one each; repeatable", True),
    Option("--next-user-set", "KEY=VALUE", "Any metadata key for each of them, as blocks_agent=ID; repeatable", True),
)
WRITING = (GOAL_ID, AGENT_ID, CAPABILITY, OPERATOR, DRY_RUN, KEY)
"""Who writes, and how: the options that every writing todo command takes."""

Values = Mapping[str, Any]


def given(options: Sequence[Option], values: Values) -> dict[str, str]:
    """The metadata in the values of ``options``: lists joined, switches as ``true``, ``--set`` pairs taken apart."""
    found: dict[str, str] = {}
    for option in options:
        value = values.get(option.name)
        if option in (SET, UNSET) or not value:
            continue
        found[option.name] = ",".join(value) if option.repeat else value if option.metavar else "true"
    return found | pairs(SET.flag, values.get(SET.name) or ())


def pairs(flag: str, words: Sequence[str]) -> dict[str, str]:
    """``KEY=VALUE`` words as a mapping. Values of lists that are given several times add up."""
    found: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"{flag} {word[:60]} has no value.", fix=f"Write {flag} key=value.")
        name = key.replace("-", "_")
        found[name] = f"{found[name]},{value}" if name in found and name in LISTS else value
    return found


def spread(flag: str, values: Sequence[str], count: int, whose: str) -> list[str]:
    """One value for each of ``count`` todos: none given, one for all, or one each in order."""
    if not values:
        return [""] * count
    if len(values) not in (1, count):
        raise UsageError(
            f"{flag} is given {len(values)} times for {count} of {whose}.",
            fix="Give it once for all, or once for each.",
        )
    return list(values) * (count if len(values) == 1 else 1)
