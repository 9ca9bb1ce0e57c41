"""A registry of two goals as people keep it, and the real program on it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Ran, Run, home, loopx, process

__all__ = ["home", "loopx", "process"]

REGISTRY = """{
    "schema_version": "0.1", "updated_at": "2026-11-30",
    "common_runtime_root": "runtime",
    "maintainer": "caf\\u00e9 \\/ quay",
    "goals": [
        {"id": "harbor", "repo": ".", "state_file": "STATE.md", "note": "kept",
         "coordination": {"registered_agents": ["builder", "writer"], "primary_agent": "builder",
                          "write_scope": ["src/**",  "docs/**"]},
         "quota": {"compute": 1.00, "window_hours": 24, "slot_minutes": 6e1}},

        {"id": "quay", "repo": ".", "state_file": "QUAY.md"}
    ]
}
"""
"""Two hands wrote this: spacing, spelling and order of its own, and keys that nobody reads."""
STATE = """\
---
status: active
objective: Keep the harbor honest.
---

# Harbor

## User Todo

- [ ] [P0] May the tariffs be published?
  <!-- loopx:todo todo_id=todo_gate01 task_class=user_gate blocks_agent=builder -->

## Agent Todo

- [ ] [P1] Measure the wall
  <!-- loopx:todo todo_id=todo_wall claimed_by=writer required_write_scopes=infra/** -->

## Next Action

- todo_wall

## Diary

Nothing of this is for a program.
"""
EVENT_LOG = "rollout-event-log.jsonl"


@dataclass(frozen=True)
class Site:
    """A project on disk, and ``loopx`` in it."""

    project: Path
    program: Run
    goal: str = "harbor"

    @property
    def registry(self) -> Path:
        return self.project / ".loopx" / "registry.json"

    @property
    def state(self) -> str:
        return (self.project / "STATE.md").read_text(encoding="utf-8")

    @property
    def text(self) -> str:
        return self.registry.read_bytes().decode("utf-8")

    @property
    def entry(self) -> dict[str, Any]:
        """The goal's entry as it stands."""
        goals: list[dict[str, Any]] = json.loads(self.text)["goals"]
        return next(goal for goal in goals if goal["id"] == self.goal)

    def events(self) -> list[dict[str, Any]]:
        log = self.project / "runtime" / "goals" / self.goal / EVENT_LOG
        return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []

    def loopx(self, *arguments: str, **more: Any) -> Ran:
        return self.program(*arguments, cwd=more.pop("cwd", self.project), **more)

    def ask(self, *arguments: str, **more: Any) -> Any:
        """The JSON answer of a command on the goal that must succeed."""
        ran = self.loopx("--format", "json", *arguments, "--goal-id", self.goal, **more)
        assert ran.code == 0, ran.out + ran.err
        return ran.json

    def owner(self, *arguments: str, **more: Any) -> Any:
        """What a person who owns the goal does, for good."""
        return self.ask(*arguments, "--operator", "--execute", **more)

    def refused(self, *arguments: str, code: int = 4, **more: Any) -> str:
        """What is said where a command fails with this exit code; nothing on disk has changed."""
        before = self.files()
        ran = self.loopx(*arguments, "--goal-id", self.goal, **more)
        assert ran.code == code, ran.out + ran.err
        assert self.files() == before
        return ran.err

    def files(self) -> dict[str, bytes]:
        """Every file but the locks, which hold nothing."""
        return {
            str(path.relative_to(self.project)): path.read_bytes()
            for path in sorted(self.project.rglob("*"))
            if path.is_file() and path.name not in ("lock", ".registry.json.lock") and ".git/" not in str(path)
        }


@pytest.fixture
def site(tmp_path: Path, loopx: Run) -> Site:
    project = tmp_path / "harbor"
    (project / ".loopx").mkdir(parents=True)
    (project / ".loopx" / "registry.json").write_text(REGISTRY, encoding="utf-8")
    (project / "STATE.md").write_text(STATE, encoding="utf-8")
    (project / "QUAY.md").write_text("# Quay\n\n## Agent Todo\n", encoding="utf-8")
    return Site(project, loopx)
