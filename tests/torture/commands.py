"""The writing commands, one a line, each on the project of the harness; the first of each write path runs in CI."""

from __future__ import annotations

from dataclasses import dataclass

from loopx_policy.hints.hint import hint_id
from tests.torture.harness import NOW_TEXT


@dataclass(frozen=True)
class Written:
    """``path`` is what the command writes to; ``words`` what is typed; ``before`` what is done first, in order."""

    name: str
    path: str
    words: str
    before: tuple[str, ...] = ()

    @property
    def argv(self) -> list[str]:
        return typed(self.words)

    @property
    def command(self) -> str:
        """Its words up to the first option or argument, as ``todo add``."""
        first, second = (*self.words.split(), "")[:2]
        return f"{first} {second}" if first in GROUPS else first

    @property
    def first(self) -> list[list[str]]:
        return [typed(words) for words in self.before]

    def keyed(self, key: str) -> list[str]:
        return [*self.argv, "--idempotency-key", key]


def typed(words: str) -> list[str]:
    return ["--format", "json", "--now", NOW_TEXT, *words.split()]


GROUPS = ("agent", "authority", "boundary", "dreaming", "goal", "hint", "lease", "lesson", "plan", "quota", "todo")
ROW = "refresh-state --agent-id main --delivery-outcome outcome_progress --artifact src/wall.csv --evidence measured"
SPEND = "quota spend-slot --agent-id main --evidence measured --execute"
LEASE = "--todo-id todo_wall --agent-id main"
CLOSING = "--agent-id main --evidence measured"
DONE = f"todo complete --todo-id todo_wall {CLOSING} --no-follow-up --reason done"
CLAIM = f"lease claim {LEASE} --write-scope src/wall/** --ttl-minutes 30 --idempotency-key first"
LESSON = "lesson record --rule a --scope b --superseded c --owner d --validation e --operator --execute"
PROPOSAL = "dreaming propose --title quay --summary wider --agent-id main --execute"
PRAISE = "reward --run-generated-at 2026-12-01T08:00:00Z --decision go --reward positive --reason-summary ok --execute"
HINT = hint_id("harbour", "kind:measure")

COMMANDS = [
    Written("claim", "state", "todo claim --todo-id todo_plan --claimed-by main"),
    Written("add", "state", "todo add --text Dredge --agent-id main --required-write-scopes src/**"),
    Written("update", "state", "todo update --todo-id todo_wall --agent-id main --note deep"),
    Written("complete", "state", f"todo complete --todo-id todo_wall {CLOSING} --next-agent-todo Publish"),
    Written(
        "supersede", "state", "todo supersede --todo-id todo_wall --agent-id main --reason old --next-agent-todo New"
    ),
    Written("defer", "state", "todo defer --todo-id todo_wall --agent-id main --resume-when todo_done:todo_plan"),
    Written(
        "reopen",
        "state",
        "todo reopen --todo-id todo_wall --agent-id main --reason again",
        (DONE,),
    ),
    Written(
        "archive",
        "state",
        "todo archive --todo-id todo_wall --agent-id main",
        (DONE,),
    ),
    Written("reassign", "state", "todo reassign --todo-id todo_wall --claimed-by side --agent-id main"),
    Written(
        "no-followup",
        "state",
        "todo no-followup --todo-id todo_tide --agent-id main --reason enough",
        ("todo defer --todo-id todo_tide --agent-id main --resume-when todo_done:todo_wall", DONE),
    ),
    Written("refresh", "run", ROW),
    Written("spend", "run", SPEND, (ROW,)),
    Written("void", "run", "quota void-slot --agent-id main --reason twice --execute", (ROW, SPEND)),
    Written("poll", "state and run", "quota monitor-poll --todo-id todo_tide --agent-id main --result-hash low"),
    Written("lease", "lease", f"lease claim {LEASE} --write-scope src/wall/** --ttl-minutes 30"),
    Written("renew", "lease", f"lease renew {LEASE} --ttl-minutes 40 --write-scope src/wall/**", (CLAIM,)),
    Written("release", "lease", f"lease release {LEASE}", (CLAIM,)),
    Written(
        "reward",
        "index",
        PRAISE,
    ),
    Written(
        "gate",
        "state and run",
        "operator-gate --gate-id todo_gate01 --decision approve --reason-summary safe --execute",
    ),
    Written(
        "lesson",
        "state and run",
        f"{LESSON} --todo-id todo_wall",
    ),
    Written(
        "promote",
        "state and run",
        f"lesson promote --lesson {NOW_TEXT} --todo-id todo_wall --operator --execute",
        (LESSON,),
    ),
    Written("plan", "state and run", "plan record --item todo_wall:measure --agent-id main --execute"),
    Written("proposal", "run", PROPOSAL),
    Written("dream", "state and run", f"dreaming promote --proposal {NOW_TEXT} --operator --execute", (PROPOSAL,)),
    Written("no dream", "run", f"dreaming reject --proposal {NOW_TEXT} --operator --execute", (PROPOSAL,)),
    Written("retire", "run", f"hint retire --hint-id {HINT} --reason old --operator --execute", (PRAISE,)),
    Written("rewrite", "run", f"hint rewrite --hint-id {HINT} --strength weak --operator --execute", (PRAISE,)),
    Written("goal", "registry", "goal set --objective Quay --waiting-on focus_wait --operator --execute"),
    Written("init", "registry", "goal init --goal-id pier --state-file PIER.md --operator"),
    Written("agent", "registry", "agent register third --handoff --operator --execute"),
    Written(
        "leave",
        "registry",
        "agent unregister third --operator --execute",
        ("agent register third --operator --execute",),
    ),
    Written(
        "source",
        "registry",
        "authority register --goal-id harbour --title Tides --kind design_doc --topic tides --freshness current "
        "--owner-review no --read-access granted --conflict-rule newest --agent-id main --execute",
    ),
    Written("scope", "registry", "goal set --add-write-scope infra/** --operator --execute"),
    Written("boundary", "registry", "boundary approve --write-scope infra/** --provenance talk --operator --execute"),
    Written(
        "revoke",
        "registry",
        "boundary revoke --write-scope infra/** --reason over --operator --execute",
        ("boundary approve --write-scope infra/** --provenance talk --operator --execute",),
    ),
    Written("quota", "registry", "quota set --allowed-slots 9 --operator --execute"),
    Written("pause", "registry", "quota pause --operator --execute"),
    Written("resume", "registry", "quota resume --operator --execute", ("quota pause --operator --execute",)),
    Written("burst", "registry", "quota burst --allowed-slots 2000 --until +2h --operator --execute"),
]
FIRST_OF_EACH_PATH = list({command.path: command for command in reversed(COMMANDS)}.values())
