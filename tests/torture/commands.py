"""The writing commands, one a line, each on the project of the harness; the first of each write path runs in CI."""

from __future__ import annotations

from dataclasses import dataclass

from tests.torture.harness import NOW_TEXT


@dataclass(frozen=True)
class Written:
    """``path`` is what the command writes to; ``argv`` what is typed; ``before`` what has to be done first."""

    name: str
    path: str
    words: str
    before: str = ""

    @property
    def argv(self) -> list[str]:
        return typed(self.words)

    @property
    def first(self) -> list[str]:
        return typed(self.before) if self.before else []

    def keyed(self, key: str) -> list[str]:
        return [*self.argv, "--idempotency-key", key]


def typed(words: str) -> list[str]:
    return ["--format", "json", "--now", NOW_TEXT, *words.split()]


ROW = "refresh-state --agent-id main --delivery-outcome outcome_progress --artifact src/wall.csv --evidence measured"
SPEND = "quota spend-slot --agent-id main --evidence measured --execute"
LEASE = "--todo-id todo_wall --agent-id main"
CLOSING = "--agent-id main --evidence measured"

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
        f"todo complete --todo-id todo_wall {CLOSING} --no-follow-up --reason done",
    ),
    Written(
        "archive",
        "state",
        "todo archive --todo-id todo_wall --agent-id main",
        f"todo complete --todo-id todo_wall {CLOSING} --no-follow-up --reason done",
    ),
    Written("refresh", "run", ROW),
    Written("spend", "run", SPEND, ROW),
    Written("poll", "state and run", "quota monitor-poll --todo-id todo_tide --agent-id main --result-hash low"),
    Written("lease", "lease", f"lease claim {LEASE} --write-scope src/wall/** --ttl-minutes 30"),
    Written(
        "release",
        "lease",
        f"lease release {LEASE}",
        f"lease claim {LEASE} --write-scope src/wall/** --ttl-minutes 30 --idempotency-key first",
    ),
    Written(
        "reward",
        "index",
        "reward --run-generated-at 2026-12-01T08:00:00Z --decision go --reward positive --reason-summary ok --execute",
    ),
    Written(
        "gate",
        "state and run",
        "operator-gate --gate-id todo_gate01 --decision approve --reason-summary safe --execute",
    ),
    Written(
        "lesson",
        "state and run",
        "lesson record --rule a --scope b --superseded c --owner d --validation e --todo-id todo_wall "
        "--operator --execute",
    ),
    Written("plan", "state and run", "plan record --item todo_wall:measure --agent-id main --execute"),
    Written("proposal", "state and run", "dreaming propose --title quay --summary wider --agent-id main --execute"),
    Written("goal", "registry", "goal set --objective Quay --waiting-on focus_wait --operator --execute"),
    Written("agent", "registry", "agent register third --handoff --operator --execute"),
    Written("scope", "registry", "goal set --add-write-scope infra/** --operator --execute"),
    Written("boundary", "registry", "boundary approve --write-scope infra/** --provenance talk --operator --execute"),
    Written("quota", "registry", "quota set --allowed-slots 9 --operator --execute"),
    Written("pause", "registry", "quota pause --operator --execute"),
    Written("burst", "registry", "quota burst --allowed-slots 2000 --until +2h --operator --execute"),
]
FIRST_OF_EACH_PATH = list({command.path: command for command in reversed(COMMANDS)}.values())
