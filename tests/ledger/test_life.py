"""A goal's life with two agents in two git worktrees, by the program alone; the decision is told at each step."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

DAY = "2026-12-01T"
ALL_READS = ("registry", "active_state", "quota", "repo_snapshot", "policy", "run_status")


@dataclass
class Goal:
    """One goal, its two checkouts, and the clock that each command is given."""

    main: Path
    side: Path
    home: Path
    minute: int = 0

    def loopx(self, line: str, *more: str, agent: str = "main", code: int = 0) -> dict[str, Any]:
        """Run ``loopx`` where the agent stands, a minute after the last command; its answer."""
        self.minute += 1
        now = f"{DAY}{9 + self.minute // 60:02}:{self.minute % 60:02}:00Z"
        registry = str(self.main / ".loopx" / "registry.json")
        argv = [sys.executable, "-m", "loopx_policy", "--format", "json", "--now", now, "--registry", registry]
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        where = self.main if agent == "main" else self.side
        done = subprocess.run(
            [*argv, *line.split(), *more], cwd=where, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, (line, more, done.stdout, done.stderr)
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def turn(self, agent: str) -> dict[str, Any]:
        """What this agent may do now."""
        return self.loopx(f"quota should-run --agent-id {agent}", agent=agent)

    def mode(self, agent: str) -> str:
        mode: str = self.turn(agent)["interaction_contract"]["mode"]
        return mode

    def selected(self, agent: str) -> str | None:
        found: str | None = self.turn(agent)["interaction_contract"]["agent_channel"]["selected_todo_id"]
        return found

    def add(self, text: str, *more: str, agent: str = "main") -> str:
        answer = self.loopx(f"todo add --agent-id {agent}", "--text", text, *more, agent=agent)
        todo_id: str = answer["result"]["todo_id"]
        return todo_id


def git(folder: Path, *argv: str) -> None:
    identity = ["-c", "user.name=Keeper", "-c", "user.email=keeper@example.org"]
    subprocess.run(["git", *identity, *argv], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def goal(tmp_path: Path) -> Goal:
    main, side, home = tmp_path / "harbour", tmp_path / "harbour-side", tmp_path / "home"
    for folder in (main, home):
        folder.mkdir()
    git(main, "init", "-q", "-b", "main")
    found = Goal(main, side, home)
    subprocess.run(
        [sys.executable, "-m", "loopx_policy", "--now", f"{DAY}09:00:00Z", "goal", "init", "--goal-id", "harbour"],
        cwd=main, env={"PATH": os.environ["PATH"], "HOME": str(home)}, check=True, capture_output=True,
    )  # fmt: skip
    git(main, "add", "-A")
    git(main, "commit", "-q", "-m", "Begin")
    git(main, "worktree", "add", "-q", str(side), "-b", "side")
    return found


@pytest.mark.slow
def test_a_goal_from_its_first_command_to_its_last(goal: Goal) -> None:
    # A new goal has nothing to do, and nobody is disturbed about that.
    first = goal.loopx("quota should-run")
    assert first["interaction_contract"]["mode"] == "skip"
    assert first["interaction_contract"]["user_channel"]["notify"] == "DONT_NOTIFY"

    # Two agents and a boundary.
    goal.loopx("agent register main --primary --operator --execute")
    goal.loopx("agent register side --operator --execute")
    goal.loopx("goal set --write-scope src/** --operator --execute")
    assert goal.loopx("quota should-run")["interaction_contract"]["mode"] == "automation_prompt_upgrade"
    assert goal.mode("main") == "agent_scope_exhausted"

    # Work is added; the primary is offered the most important, and claims it.
    wall = goal.add("Measure the quay wall", "--priority", "P0", "--required-write-scopes", "src/**")
    plan = goal.add("Draw the basin plan", "--priority", "P1", "--required-write-scopes", "src/**")
    assert (goal.mode("main"), goal.selected("main")) == ("bounded_delivery", wall)
    goal.loopx(f"todo claim --todo-id {wall} --claimed-by main")

    # The side agent is sent to a worktree of its own; there it gets what nobody holds, and not what main holds.
    standing = subprocess.run(
        [sys.executable, "-m", "loopx_policy", "--format", "json", "quota", "should-run", "--agent-id", "side"],
        cwd=goal.main, env={"PATH": os.environ["PATH"], "HOME": str(goal.home)}, check=True, capture_output=True,
    )  # fmt: skip
    assert json.loads(standing.stdout)["interaction_contract"]["mode"] == "side_agent_workspace_repair"
    assert (goal.mode("side"), goal.selected("side")) == ("bounded_delivery", plan)
    refused = goal.loopx(f"todo claim --todo-id {wall} --claimed-by side", agent="side", code=4)
    assert "main" in refused["error"]
    goal.loopx(f"todo claim --todo-id {plan} --claimed-by side", agent="side")

    # A finished slice names what follows; without that it is refused.
    evidence = ("--evidence", "12 soundings, all within tolerance")
    goal.loopx(f"todo complete --todo-id {wall} --agent-id main", *evidence, code=4)
    done = goal.loopx(
        f"todo complete --todo-id {wall} --agent-id main", *evidence, "--next-agent-todo", "Publish the soundings"
    )
    assert done["decision"]["interaction_contract"]["mode"] == "bounded_delivery"

    # The turn is written back and paid for: once.
    goal.loopx(
        "refresh-state --agent-id main --classification slice_done --delivery-batch-scale coherent_batch "
        "--delivery-outcome outcome_progress",
        "--artifact", "src/soundings.csv", *evidence,
    )  # fmt: skip
    spend = "quota spend-slot --agent-id main --execute"
    unnamed = goal.loopx("quota spend-slot --execute", *evidence, code=4)
    assert "--agent-id main" in unnamed["fix"]
    goal.loopx(spend, *evidence)
    assert goal.loopx("quota status")["goals"][0]["spent"] == 1
    goal.loopx(spend, *evidence, code=4)
    assert goal.loopx("quota status")["goals"][0]["spent"] == 1

    # A gate for main alone: main asks its person, the side agent works on.
    gate = goal.add("May the crane be moved", "--role", "user", "--task-class", "user_gate", "--blocks-agent", "main")
    asked = goal.turn("main")
    assert asked["interaction_contract"]["mode"] == "user_gate"
    assert [item["todo_id"] for item in asked["interaction_contract"]["user_channel"]["items"]] == [gate]
    assert (goal.mode("side"), goal.selected("side")) == ("bounded_delivery", plan)

    # The owner approves; a preview changes nothing, and the approval says what has to be read again.
    gated = f"operator-gate --gate-id {gate} --decision approve"
    goal.loopx(gated, "--reason-summary", "The crane is free on Tuesday")
    assert goal.mode("main") == "user_gate"
    goal.loopx(gated, "--reason-summary", "The crane is free on Tuesday", "--execute")
    assert goal.mode("main") == "bounded_delivery"

    # Main takes what follows; the side agent hands its own work to the primary and waits for the answer, which comes
    # first there since it unblocks somebody.
    publish = published(goal)
    goal.loopx(f"todo claim --todo-id {publish} --claimed-by main")
    handed = goal.loopx(
        f"todo complete --todo-id {plan} --agent-id side", "--evidence", "Plan drawn, scale checked",
        "--next-agent-todo", "Review the basin plan", agent="side",
    )  # fmt: skip
    review = handed["result"]["successor_todo_ids"][0]
    assert handed["decision"]["interaction_contract"]["mode"] == "agent_scope_wait"
    assert goal.selected("main") == review

    # Six polls of a watch that does not change make a replan due; words do not close it, a changed frontier does.
    for todo_id in (review, publish):
        goal.loopx(
            f"todo complete --todo-id {todo_id} --agent-id main", *evidence, "--no-follow-up",
            "--reason", "Nothing is left to publish",
        )  # fmt: skip
    goal.loopx("refresh-state --agent-id main --classification reviewed --delivery-outcome outcome_progress", *evidence)
    watch = goal.add(
        "Watch the tide gauge", "--task-class", "continuous_monitor", "--target-key", "gauge", "--cadence", "1m",
        "--claimed-by", "main",
    )  # fmt: skip
    for _ in range(6):
        goal.minute += 2
        goal.loopx(f"quota monitor-poll --todo-id {watch} --agent-id main --result-hash same")
    assert goal.mode("main") == "autonomous_replan"
    acknowledge = "refresh-state --agent-id main --classification replanned --autonomous-replan-recorded"
    noop = goal.loopx(acknowledge, "--delivery-outcome", "outcome_progress")
    assert noop["result"]["classification"] == "replan_noop"
    assert noop["result"]["delivery_outcome"] == "outcome_gap"
    assert goal.mode("main") == "autonomous_replan"
    last = goal.add("Replace the tide gauge", "--claimed-by", "main")
    goal.loopx(acknowledge, "--repair-delta-kind", "runnable_todo_set")
    assert (goal.mode("main"), goal.selected("main")) == ("bounded_delivery", last)

    # The end: everything done, nothing follows, the watch closed; nobody is disturbed.
    for todo_id in (last, watch):
        goal.loopx(
            f"todo complete --todo-id {todo_id} --agent-id main", *evidence, "--no-follow-up",
            "--reason", "The harbour is charted",
        )  # fmt: skip
    end = goal.turn("main")
    assert end["interaction_contract"]["mode"] == "agent_scope_exhausted"
    assert end["interaction_contract"]["user_channel"]["notify"] == "DONT_NOTIFY"
    assert goal.loopx("quota status")["goals"][0]["spent"] == 1


def published(goal: Goal) -> str:
    """The todo that follows the measuring."""
    listed = goal.loopx("todo list --agent-id main --status open --role agent")
    (found,) = [todo["todo_id"] for todo in listed["todos"] if "Publish" in todo["text"]]
    return str(found)
