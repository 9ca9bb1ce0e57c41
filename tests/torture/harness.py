"""A project to break, the commands that write to it, and what a reader sees of it afterwards."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loopx_policy.project.reader import read_goals

HERE = Path(__file__).parent
NOW = 1_796_115_600
NOW_TEXT = "2026-12-01T09:00:00Z"
STATE = """---
status: active
---

# Harbour works

## User Todo

- [ ] [P0] Say whether the crane may be moved
  <!-- loopx:todo todo_id=todo_gate01 task_class=user_gate blocks_agent=side -->

## Agent Todo

- [ ] [P0] Measure the quay wall
  <!-- loopx:todo todo_id=todo_wall claimed_by=main -->
- [ ] [P1] Draw the plan
  <!-- loopx:todo todo_id=todo_plan foreign=kept -->
- [ ] [P2-monitor] Watch the tide table
  <!-- loopx:todo todo_id=todo_tide task_class=continuous_monitor target_key=tide cadence=1h -->
  <!-- loopx:todo next_due_at=2026-12-01T08:00:00Z -->

## Notes

Nothing here is for a program.
"""
REGISTRY = {
    "schema_version": "0.1",
    "common_runtime_root": "runtime",
    "goals": [
        {
            "id": "harbour",
            "repo": ".",
            "state_file": "STATE.md",
            "note": "kept",
            "coordination": {
                "registered_agents": ["main", "side"],
                "primary_agent": "main",
                "write_scope": ["src/**"],
            },
        }
    ],
}
ROW = {
    "generated_at": "2026-12-01T08:00:00Z",
    "goal_id": "harbour",
    "classification": "progress",
    "recommended_action": "Go on with todo_wall",
    "json_path": "runs/2026-12-01T08-00-00Z.json",
    "markdown_path": "runs/2026-12-01T08-00-00Z.md",
    "agent_id": "main",
    "action_kind": "measure",
}


def lay(root: Path) -> Path:
    """The project, complete, in a folder that does not exist yet."""
    runs = root / "runtime" / "goals" / "harbour" / "runs"
    runs.mkdir(parents=True)
    (root / ".loopx").mkdir()
    (root / ".loopx" / "registry.json").write_text(json.dumps(REGISTRY, indent=2) + "\n")
    (root / "STATE.md").write_text(STATE)
    (runs / "index.jsonl").write_text(json.dumps(ROW) + "\n")
    (runs / "2026-12-01T08-00-00Z.json").write_text("{}")
    (runs / "2026-12-01T08-00-00Z.md").write_text("# Run\n")
    return root


def seen(root: Path) -> str:
    """All that a reader sees of the project, goal by goal."""
    return repr(
        list(
            read_goals(
                registry=None, runtime_root=None, cwd=str(root), env={}, now=NOW + 60, agent_id="main",
                capabilities=(), neutral=("quota_slot_spent", "quota_slot_voided", "quota_monitor_poll"),
            )
        )
    )  # fmt: skip


def events(root: Path, key: str) -> int:
    """How often a write with this idempotency key was recorded."""
    logs = root.glob("runtime/goals/*/rollout-event-log.jsonl")
    lines = [line for log in logs for line in log.read_text().splitlines()]
    found = 0
    for line in lines:
        try:
            found += json.loads(line)["details"].get("idempotency_key") == key
        except ValueError:
            continue  # a torn line, which readers skip
    return found


def leftovers(root: Path) -> list[str]:
    """Files that only an unfinished write leaves."""
    return [str(path) for path in root.rglob("*") if path.name.endswith("-staged") or path.name == "journal.json"]


@dataclass
class Forks:
    """The forking runner; one process for many commands."""

    process: subprocess.Popen[str]

    def run(self, root: Path, argv: list[str], at: int = 0, error: int = 0, half: bool = False) -> dict[str, Any]:
        """One loopx command in a child that meets a fault at its ``at``-th change (0: at none)."""
        job = {"cwd": str(root), "argv": argv, "watched": str(root), "at": at, "error": error, "half": half}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer


def build_faults(folder: Path) -> Path:
    """The fault library, compiled."""
    library = folder / "faults.so"
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or "cc"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, HERE / "faults.c", "-ldl"], check=True)
    return library


def start(library: Path, home: Path) -> Forks:
    """The runner with the library preloaded, and a home of its own."""
    env = {**os.environ, "LD_PRELOAD": str(library), "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.torture.forks"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env, cwd=HERE.parents[1],
    )  # fmt: skip
    return Forks(process)


def stop(forks: Forks) -> None:
    """End the runner."""
    forks.process.communicate(timeout=30)
