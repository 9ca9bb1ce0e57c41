"""``python -m loopx_policy.cli.demo``: a small project in a temporary folder, one question, and why.

The files are real: a registry, an active goal state, a run index, and where git exists a repository with an
independent worktree for the side agent.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from loopx_policy.errors import LoopxError, StateError

from .edge import write

GOAL = "harbor"
PRIMARY, SIDE = "builder", "writer"
SCOPES = ["docs/**", "runner/**"]

STATE = """\
---
status: active
objective: Keep the harbor's berth planner honest.
---

# Active goal state

## User Todo / Owner Review Reading Queue

- [ ] [P0] May the berth tariffs be published on the public page?
  <!-- loopx:todo todo_id=todo_tariffs status=open task_class=user_gate blocks_agent=builder -->
  <!-- loopx:todo decision_scope=public_claim:goal:berth_tariffs -->

## Agent Todo

- [ ] [P0] Publish the berth tariffs
  <!-- loopx:todo todo_id=todo_publish status=open task_class=advancement_task claimed_by=builder -->
  <!-- loopx:todo required_decision_scopes=public_claim:goal:berth_tariffs required_write_scopes=docs/** -->
- [ ] [P1] Make the tide table importer reject impossible heights
  <!-- loopx:todo todo_id=todo_importer status=open task_class=advancement_task claimed_by=builder -->
  <!-- loopx:todo required_write_scopes=runner/** -->
- [ ] [P2] Compare the planner with last week's benchmark
  <!-- loopx:todo todo_id=todo_compare status=open task_class=advancement_task claimed_by=builder -->
  <!-- loopx:todo required_capabilities=benchmark_runner -->
- [ ] [P2] Describe the importer in the manual
  <!-- loopx:todo todo_id=todo_manual status=open task_class=advancement_task claimed_by=writer -->
  <!-- loopx:todo required_write_scopes=docs/** -->

## Next Action

- todo_importer
"""


def build(root: Path, git: bool, now: int) -> Path:
    """Write the project under ``root``; the folder of the primary checkout."""
    project, runtime = root / "harbor", root / "runtime"
    (project / ".loopx").mkdir(parents=True)
    coordination = {
        "registered_agents": [PRIMARY, SIDE],
        "primary_agent": PRIMARY,
        "agent_profiles": {SIDE: {"scope": "the manual under docs/"}},
        "write_scope": SCOPES,
    }
    goal = {
        "id": GOAL,
        "domain": "harbor",
        "status": "active",
        "repo": str(project),
        "state_file": "STATE.md",
        "adapter": {"kind": "generic_project_goal_v0", "status": "connected-delivery"},
        "quota": {"compute": 1.0, "window_hours": 24, "slot_minutes": 60},
        "coordination": coordination,
    }
    registry = {"schema_version": "0.1", "common_runtime_root": str(runtime), "goals": [goal]}
    (project / ".loopx" / "registry.json").write_text(json.dumps(registry, indent=2) + "\n", encoding="utf-8")
    (project / "STATE.md").write_text(STATE, encoding="utf-8")
    runs = runtime / "goals" / GOAL / "runs"
    runs.mkdir(parents=True)
    (runs / "index.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(now)), encoding="utf-8")
    for row in rows(now):
        (runs.parent / str(row["json_path"])).write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
    if git:
        call = ["git", "-C", str(project), "-c", "user.name=demo", "-c", "user.email=demo@example.com"]
        worktree = ["worktree", "add", "-q", str(root / "manual"), "-b", "manual"]
        for step in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "The berth planner"], worktree):
            subprocess.run([*call, *step], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return project


def rows(now: int) -> list[dict[str, object]]:
    """Two runs of yesterday and today, and the slot that the later one spent."""

    def row(age: int, classification: str, **more: object) -> dict[str, object]:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - age))
        name = stamp.replace(":", "")
        who = {"goal_id": GOAL, "agent_id": PRIMARY}
        paths = {"json_path": f"runs/{name}.json", "markdown_path": f"runs/{name}.md"}
        return {"generated_at": stamp, **who, "classification": classification, **more, **paths}

    return [
        row(90_000, "delivery", delivery_outcome="outcome_progress", recommended_action="Go on with the importer."),
        row(7_200, "delivery", delivery_outcome="outcome_progress", recommended_action="Reject impossible heights."),
        row(7_100, "quota_slot_spent", quota_event={"slots": 1}),
    ]


def show(arguments: list[str], folder: Path) -> None:
    """Print a command and run it for real, in ``folder``."""
    write(f"\n$ cd {folder} && loopx {shlex.join(arguments)}\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LOOPX_REGISTRY")}
    done = subprocess.run([sys.executable, "-m", "loopx_policy", *arguments], cwd=folder, env=environment, check=False)
    if done.returncode != 0:
        raise StateError(f"loopx {arguments[0]} ended with exit code {done.returncode}.", fix="See its message above.")


def main() -> int:
    """Build the project, ask for both agents, explain the first answer, and remove the project again."""
    root = Path(tempfile.mkdtemp(prefix="loopx-demo-"))
    git = shutil.which("git") is not None
    try:
        project = build(root, git, int(time.time()))
        write(f"A goal with two agents, five todos and one open question, in {project}.")
        show(["quota", "should-run", "--agent-id", PRIMARY], project)
        if git:
            write("\nThe side agent asks from its own worktree:")
            show(["quota", "should-run", "--agent-id", SIDE], root / "manual")
        write("\nAnd why the first answer is what it is:")
        show(["explain", "--agent-id", PRIMARY], project)
    except LoopxError as error:
        write(f"demo: {error}")
        return error.exit_code
    finally:
        shutil.rmtree(root, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
