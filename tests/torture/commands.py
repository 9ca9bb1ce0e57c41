"""The writing commands, one a line, each on the project of the harness; the first of each write path runs in CI."""

from __future__ import annotations

from dataclasses import dataclass

from tests.torture.harness import NOW_TEXT


@dataclass(frozen=True)
class Written:
    """``path`` is what the command writes to; ``argv`` what is typed."""

    name: str
    path: str
    words: str

    @property
    def argv(self) -> list[str]:
        return ["--format", "json", "--now", NOW_TEXT, *self.words.split()]

    def keyed(self, key: str) -> list[str]:
        return [*self.argv, "--idempotency-key", key]


COMMANDS = [
    Written("claim", "state", "todo claim --todo-id todo_plan --claimed-by main"),
]
FIRST_OF_EACH_PATH = list({command.path: command for command in reversed(COMMANDS)}.values())
