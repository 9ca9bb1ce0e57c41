"""A large registry is planned on all cores, and the plan is the one that a single process makes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bench.projects import lay

from loopx_policy.cli.answers import fleet
from loopx_policy.cli.answers.quota import plan
from loopx_policy.cli.request import Globals

GOALS = 130


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Globals:
    root = lay(tmp_path / "fleet", goals=GOALS, todos=3, rows=1)
    registry = next(root.rglob("registry.json"))
    data = json.loads(registry.read_text(encoding="utf-8"))
    data["goals"][70]["state_file"] = "nowhere.md"
    data["goals"].append(data["goals"][5])
    registry.write_text(json.dumps(data), encoding="utf-8")
    monkeypatch.chdir(root)
    return Globals(now="2026-12-01T09:00:00Z")


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_the_plan_of_many_processes_is_the_plan_of_one(options: Globals, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "FEW", GOALS + 1)
    alone = plan(options, None)
    monkeypatch.setattr(fleet, "FEW", 10)
    together = plan(options, None)
    assert (together.data, together.exit_code) == (alone.data, alone.exit_code)
    assert len({turn["goal_id"] for turn in alone.data["turns"]}) == GOALS
    assert alone.exit_code == 3  # one goal has lost its state


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_parts_come_back_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet, "PART", 7)
    monkeypatch.setattr(fleet, "FEW", 10)
    assert list(fleet.over(100, lambda part: list(range(100))[part])) == list(range(100))
    assert list(fleet.over(9, lambda part: list(range(9))[part])) == list(range(9))
