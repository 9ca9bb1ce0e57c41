"""``python -m loopx_policy.cli.demo``: a small project in a folder of its own, to ask and to look around in.

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

from .edge import perform, write

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


def show(arguments: list[str], folder: Path) -> int:
    """Print a command and run it for real, in ``folder``; its exit code."""
    write(f"\n$ cd {shlex.quote(str(folder))} && loopx {shlex.join(arguments)}\n")
    environment = {name: value for name, value in os.environ.items() if name != "LOOPX_REGISTRY"}
    command = [sys.executable, "-m", "loopx_policy", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


def goodbye(root: Path, project: Path) -> str:
    """How to go on from here, in commands that run as printed."""
    programs = os.path.dirname(os.path.abspath(sys.executable))
    found = shutil.which("loopx")
    reach = [] if found and os.path.dirname(found) == programs else [f'export PATH={shlex.quote(programs)}:"$PATH"']
    unset = ["unset LOOPX_REGISTRY"] if os.environ.get("LOOPX_REGISTRY") else []
    steps = [
        *reach,
        *unset,
        f"cd {shlex.quote(str(project))}",
        f"loopx explain --agent-id {PRIMARY} --why-not bounded_delivery",
        "loopx quota plan",
        f"loopx heartbeat-prompt --agent-id {PRIMARY}",
    ]
    lines = [f"    {step}" for step in steps]
    away = f"    cd / && rm -rf {shlex.quote(str(root))}"
    return "\n".join(["\nThe project stays, so that you can go on:\n", *lines, "\nand be rid of it again:\n", away])


def play(argv: list[str]) -> int:
    """Build the project, ask for both agents, and explain the first answer; the exit code of what failed."""
    del argv
    root = Path(tempfile.mkdtemp(prefix="loopx-demo-"))
    git = shutil.which("git") is not None
    project = build(root, git, int(time.time()))
    write(f"A goal with two agents, five todos and one open question, in {project}.")
    code = show(["quota", "should-run", "--agent-id", PRIMARY], project)
    if git and not code:
        write("\nThe side agent asks from its own worktree:")
        code = show(["quota", "should-run", "--agent-id", SIDE], root / "manual")
    if not code:
        write("\nAnd why the first answer is what it is:")
        code = show(["explain", "--agent-id", PRIMARY], project)
    write(goodbye(root, project))
    return code


if __name__ == "__main__":
    sys.exit(perform(play, sys.argv[1:]))
