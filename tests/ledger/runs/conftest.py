"""A goal with two agents and what stands in its files, with the real program on it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.project.times import iso
from tests.cli.conftest import NOW, Ran, Run, home, loopx

__all__ = ["home", "loopx"]

GOAL = "harbor"
BUILDER, WRITER = "builder", "writer"
TODOS = """\
- [ ] [P1] Chart the basin
  <!-- loopx:todo todo_id=todo_basin status=open task_class=advancement_task claimed_by=builder -->
  <!-- loopx:todo required_write_scopes=charts/** -->
- [ ] [P2] Paint the buoys
  <!-- loopx:todo todo_id=todo_buoys status=open task_class=advancement_task -->
"""
WATCH = """\
- [ ] [P2-monitor] Watch the tide gauge
  <!-- loopx:todo todo_id=todo_gauge status=open task_class=continuous_monitor claimed_by=builder cadence=30m -->
  <!-- loopx:todo target_key=tide_gauge next_due_at=2026-12-01T09:00:00Z -->
"""


@dataclass
class Harbor:
    """A goal on disk. ``at`` are the minutes after nine o'clock at which the next command runs."""

    root: Path
    program: Run
    at: int = 0
    registry: dict[str, Any] = field(default_factory=dict)

    @property
    def project(self) -> Path:
        return self.root / "harbor"

    @property
    def folder(self) -> Path:
        return self.root / "runtime" / "goals" / GOAL

    @property
    def index(self) -> Path:
        return self.folder / "runs" / "index.jsonl"

    @property
    def now(self) -> str:
        return iso(NOW + 60 * self.at)

    def loopx(self, *arguments: str) -> Ran:
        """Run the program in the project."""
        return self.program(*arguments, "--now", self.now, cwd=self.project, now=False)

    def ask(self, *arguments: str) -> Any:
        """The JSON answer of a command that must succeed."""
        ran = self.loopx("--format", "json", *arguments)
        assert ran.code == 0, ran.out + ran.err
        return ran.json

    def refused(self, *arguments: str, code: int = 4) -> str:
        """What is said where a command must fail with this exit code; nothing on disk may have changed."""
        before = self.files()
        ran = self.loopx(*arguments)
        assert ran.code == code, ran.out + ran.err
        assert self.files() == before
        return ran.err

    def accepted(self, refusal: str) -> Ran:
        """Run the command that a refusal says would be accepted."""
        command = refusal.rpartition("Accepted: ")[2]
        return self.loopx(*shlex.split(command)[1:])

    def turn(self, agent: str = BUILDER, *flags: str) -> Any:
        """The interaction contract of ``quota should-run``."""
        return self.ask("quota", "should-run", "--agent-id", agent, *flags)["interaction_contract"]

    def mode(self, agent: str = BUILDER) -> str:
        return str(self.turn(agent)["mode"])

    def spent(self) -> int:
        """Slots of the window that are spent."""
        (goal,) = self.ask("quota", "status")["goals"]
        return int(goal["spent"])

    def rows(self) -> list[dict[str, Any]]:
        if not self.index.exists():
            return []
        return [json.loads(line) for line in self.index.read_text(encoding="utf-8").splitlines()]

    def payload(self, number: int = -1) -> dict[str, Any]:
        """The JSON file of a row."""
        found: dict[str, Any] = json.loads((self.folder / self.rows()[number]["json_path"]).read_text("utf-8"))
        return found

    @property
    def state_file(self) -> Path:
        return self.project / "STATE.md"

    def state(self) -> str:
        return self.state_file.read_text(encoding="utf-8")

    def edit(self, old: str, new: str) -> None:
        """Replace a text of the state file that stands there once."""
        assert self.state().count(old) == 1
        self.state_file.write_text(self.state().replace(old, new), encoding="utf-8")

    def configure(self, **changes: Any) -> None:
        """Change keys of the goal's registry entry; those of ``coordination`` are merged."""
        goal = self.registry["goals"][0]
        goal["coordination"] |= changes.pop("coordination", {})
        goal |= changes
        (self.project / ".loopx" / "registry.json").write_text(json.dumps(self.registry), encoding="utf-8")

    def append(self, **row: Any) -> None:
        """A row that another program wrote."""
        self.index.parent.mkdir(parents=True, exist_ok=True)
        with self.index.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"goal_id": GOAL, **row}) + "\n")

    def files(self) -> dict[str, bytes]:
        """Every file but the lock, by name."""
        found = sorted(path for path in self.root.rglob("*") if path.is_file() and path.name != "lock")
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found}


Build = Callable[..., Harbor]


@pytest.fixture
def build(tmp_path: Path, loopx: Run) -> Build:
    """Lays a goal on disk: its agent todos, Next Action, and the agents that it registers (the first is primary)."""

    def lay(
        todos: str = TODOS, next_action: str = "", agents: tuple[str, ...] = (BUILDER, WRITER), users: str = ""
    ) -> Harbor:
        harbor = Harbor(tmp_path, loopx)
        goal = {
            "id": GOAL,
            "repo": str(harbor.project),
            "state_file": "STATE.md",
            "quota": {"compute": 1.0, "window_hours": 24, "slot_minutes": 60},
            "coordination": {
                "registered_agents": list(agents),
                "primary_agent": agents[0] if agents else "",
                "write_scope": ["charts/**", "buoys/**", "docs/**"],
            },
            "workspace_guard_policy": {"side_agent_independent_worktree_required": False},
        }
        harbor.registry = {"schema_version": "0.1", "common_runtime_root": str(tmp_path / "runtime"), "goals": [goal]}
        (harbor.project / ".loopx").mkdir(parents=True)
        harbor.configure()
        text = f"# Goal\n\n## User Todo\n\n{users}\n## Agent Todo\n\n{todos}\n"
        if next_action:
            text += f"## Next Action\n\n- {next_action}\n"
        harbor.state_file.write_text(text, encoding="utf-8")
        return harbor

    return lay


@pytest.fixture
def harbor(build: Build) -> Harbor:
    return build()
