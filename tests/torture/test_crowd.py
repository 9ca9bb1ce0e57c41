"""Sixteen processes write to one goal at once: nothing is lost, nothing is doubled, every contest has one winner."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.model import Todo
from loopx_policy.project.reader import read_project
from tests.torture.crowd import AGENTS, CONTESTED, EVIDENCE, SCRIBE, SHARED_KEYS
from tests.torture.harness import HERE, leftovers

WRITERS = 16
COMMANDS = 2000 if os.environ.get("LOOPX_TORTURE") else 480
CODES = {0, 4}
"""A command is carried out, or refused by policy; nothing else may happen to it."""


@dataclass
class Crowd:
    """What the writers were told, and the goal that they left."""

    root: Path
    told: list[dict[str, Any]]

    @property
    def folder(self) -> Path:
        return self.root / "runtime" / "goals" / "harbour"

    def lines(self, name: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]

    def todos(self) -> list[Todo]:
        """The todos of the goal as a reader finds them."""
        snapshot = read_project(
            goal_id=None, registry=None, runtime_root=None, cwd=str(self.root), env={}, now=0, agent_id="main",
            capabilities=(), neutral=(),
        )  # fmt: skip
        return snapshot.state.todos

    def of(self, *words: str) -> list[dict[str, Any]]:
        """What was told of one kind of command."""
        return [each for each in self.told if each["argv"][: len(words)] == list(words)]


def lay(root: Path) -> Path:
    """A goal with four agents, todos to contend for, and rows to pay for."""
    (root / ".loopx").mkdir(parents=True)
    coordination = {"registered_agents": [*AGENTS, SCRIBE], "primary_agent": "main", "write_scope": ["src/**"]}
    policy = {"side_agent_independent_worktree_required": False}
    goal = {"id": "harbour", "repo": ".", "state_file": "STATE.md", "coordination": coordination}
    registry = {
        "schema_version": "0.1",
        "common_runtime_root": "runtime",
        "goals": [goal | {"workspace_guard_policy": policy}],
    }
    (root / ".loopx" / "registry.json").write_text(json.dumps(registry), encoding="utf-8")
    todos = [
        f"- [ ] Contested\n  <!-- loopx:todo todo_id={name} required_write_scopes=src/{name}/** -->"
        for name in CONTESTED
    ]
    (root / "STATE.md").write_text("# Harbour\n\n## Agent Todo\n\n" + "\n".join(todos) + "\n", encoding="utf-8")
    return root


def loopx(root: Path, *argv: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "loopx_policy", "--format", "json", *argv], cwd=root, capture_output=True, check=True
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Crowd:
    root = lay(tmp_path_factory.mktemp("crowd") / "project")
    outcome = ("--classification", "slice", "--delivery-outcome", "outcome_progress", "--artifact")
    rows = {
        agent: loopx(root, "refresh-state", "--agent-id", agent, *outcome, f"src/{agent}.csv", *EVIDENCE)["result"][
            "run"
        ]
        for agent in AGENTS
    }
    env = {**os.environ, "CROWD_ROWS": json.dumps(rows)}
    writers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.torture.crowd", str(root), str(number), str(COMMANDS // WRITERS)],
            cwd=HERE.parents[1], env=env, stdout=subprocess.PIPE, text=True,
        )
        for number in range(WRITERS)
    ]  # fmt: skip
    told: list[dict[str, Any]] = []
    for writer in writers:
        out, _ = writer.communicate(timeout=1500)
        assert writer.returncode == 0
        told += [json.loads(line) for line in out.splitlines()]
    return Crowd(root, told)


pytestmark = pytest.mark.slow


def test_every_command_is_carried_out_or_refused(crowd: Crowd) -> None:
    assert len(crowd.told) == COMMANDS
    assert [each for each in crowd.told if each["code"] not in CODES] == []
    assert {each["code"] for each in crowd.told} == CODES


def test_no_added_todo_is_lost_or_doubled(crowd: Crowd) -> None:
    ids = Counter(todo.todo_id for todo in crowd.todos())
    assert max(ids.values()) == 1
    added = {each["result"]["todo_id"] for each in crowd.of("todo", "add") if each["code"] == 0}
    assert added | set(CONTESTED) == set(ids)


def test_a_shared_key_adds_one_todo(crowd: Crowd) -> None:
    shared = [each for each in crowd.of("todo", "add") if "--idempotency-key" in each["argv"]]
    for key in SHARED_KEYS:
        mine = [each for each in shared if key in each["argv"]]
        assert len(mine) > 1
        assert len({each["result"]["todo_id"] for each in mine}) == 1
        assert sum(not each["repeated"] for each in mine) == 1


def test_each_contested_todo_has_one_holder(crowd: Crowd) -> None:
    holders = {todo.todo_id: todo.claimed_by for todo in crowd.todos()}
    for name in CONTESTED:
        tries = [each for each in crowd.of("todo", "claim") if name in each["argv"]]
        winners = {each["agent"] for each in tries if each["code"] == 0}
        assert winners == ({holders[name]} if tries else set()), name
        assert sum(bool(each["written"]) for each in tries) == len(winners), name


def test_each_run_is_paid_once_and_the_slots_add_up(crowd: Crowd) -> None:
    paid = Counter(each["argv"][3] for each in crowd.of("quota", "spend-slot") if each["code"] == 0)
    assert paid
    assert set(paid.values()) == {1}
    rows = crowd.lines("runs/index.jsonl")
    assert sum(row["classification"] == "quota_slot_spent" for row in rows) == len(paid)
    assert loopx(crowd.root, "quota", "status")["goals"][0]["spent"] == len(paid)


def test_every_row_that_was_told_is_in_the_index(crowd: Crowd) -> None:
    made = [each for each in crowd.of("refresh-state") if each["code"] == 0]
    rows = crowd.lines("runs/index.jsonl")
    assert sum(row["classification"] == "crowd" for row in rows) == len(made)
    keys = [(row["generated_at"], row.get("json_path"), row.get("markdown_path")) for row in rows]
    assert len(set(keys)) == len(keys)


def test_every_write_is_on_record_once(crowd: Crowd) -> None:
    written = sum(bool(each["written"]) and not each["repeated"] for each in crowd.told)
    assert len(crowd.lines("rollout-event-log.jsonl")) == written + len(AGENTS)
    assert leftovers(crowd.root) == []
