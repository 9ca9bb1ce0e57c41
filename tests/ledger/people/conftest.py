"""The demo goal with the files of its runs, and the real program on it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.cli import demo
from tests.cli.conftest import NOW, Ran, Run, home, loopx

__all__ = ["home", "loopx"]

RUN = "2026-12-01T07:00:00Z"
"""The delivery of today, by the builder."""
GATE = "todo_tariffs"
"""The open gate of the builder: may the tariffs be published?"""


@dataclass(frozen=True)
class Harbor:
    """A goal with two agents, one gate and three runs on disk, and ``loopx`` at a time of its own."""

    project: Path
    program: Run

    @property
    def folder(self) -> Path:
        return Path(self.project.parent, "runtime", "goals", demo.GOAL)

    @property
    def index(self) -> Path:
        return self.folder / "runs" / "index.jsonl"

    @property
    def state_file(self) -> Path:
        return self.project / "STATE.md"

    def loopx(self, *arguments: str, at: str = "", **more: Any) -> Ran:
        """Run the program as a person or an agent would, in the project."""
        return self.program(*arguments, *(["--now", at] if at else []), cwd=self.project, **more)

    def ask(self, *arguments: str, **more: Any) -> Any:
        """The JSON answer of a command that must succeed."""
        ran = self.loopx("--format", "json", *arguments, **more)
        assert ran.code == 0, ran.out + ran.err
        return ran.json

    def refused(self, *arguments: str, code: int = 4, **more: Any) -> str:
        """What is said where a command must fail with this exit code; nothing on disk may have changed."""
        before = self.files()
        ran = self.loopx(*arguments, **more)
        assert ran.code == code, ran.out + ran.err
        assert self.files() == before
        return ran.err

    def decision(self, agent: str = demo.PRIMARY, **more: Any) -> Any:
        """What ``quota should-run`` says now."""
        return self.ask("quota", "should-run", "--agent-id", agent, **more)

    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.index.read_text(encoding="utf-8").splitlines()]

    def state(self) -> str:
        return self.state_file.read_text(encoding="utf-8")

    def edit(self, old: str, new: str) -> None:
        """Replace a text of the state file that stands there once."""
        assert self.state().count(old) == 1
        self.state_file.write_text(self.state().replace(old, new), encoding="utf-8")

    def append(self, **row: Any) -> dict[str, Any]:
        """A row that another program wrote, with its file."""
        name = row["generated_at"].replace(":", "")
        whole = {"goal_id": demo.GOAL, "classification": "delivery", "json_path": f"runs/{name}.json", **row}
        (self.folder / whole["json_path"]).write_text(json.dumps(whole), encoding="utf-8")
        with self.index.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(whole) + "\n")
        return whole

    def files(self) -> dict[str, bytes]:
        """Every file of the project and of its runtime but locks, by name."""
        found = sorted(path for path in self.project.parent.rglob("*") if path.is_file() and path.name != "lock")
        return {str(path.relative_to(self.project.parent)): path.read_bytes() for path in found}


@pytest.fixture
def harbor(tmp_path: Path, loopx: Run) -> Harbor:
    return Harbor(demo.build(tmp_path, False, NOW), loopx)
