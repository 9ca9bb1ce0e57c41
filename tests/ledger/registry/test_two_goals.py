"""One registry, many writers: no change of one goal is lost to another, whoever is killed when."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopx_policy.model import Goal
from loopx_policy.project.reader import read_goals, read_project
from tests.cli.conftest import NOW, NOW_OPTION, variables_for
from tests.torture.harness import Forks, build_faults, leftovers, start, stop

from .conftest import REGISTRY, Site

MANY = 8
WRITER = """
import sys
from loopx_policy.cli.edge import perform
from loopx_policy.cli.entry import parse
goal, count = sys.argv[1], int(sys.argv[2])
for number in range(count):
    words = ["goal", "set", "--goal-id", goal, "--add-write-scope", f"{goal}/{number}/**", "--operator", "--execute"]
    code = perform(parse, ["--format", "json", *words])
    if code:
        sys.exit(code)
"""


def scopes(site: Site, goal: str) -> list[str]:
    entry = next(each for each in json.loads(site.text)["goals"] if each["id"] == goal)
    found: list[str] = entry.get("coordination", {}).get("write_scope", [])
    return found


def quay_of(site: Site) -> Site:
    return Site(site.project, site.program, "quay")


@pytest.mark.slow
def test_processes_that_change_two_goals_at_once_lose_nothing(site: Site, home: Path) -> None:
    environment = variables_for(home, {})
    goals = ["harbor", "quay", "harbor", "quay"]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, goal, str(MANY)],
            cwd=site.project,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        for goal in goals
    ]
    for process in running:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err.decode()
    for goal in ("harbor", "quay"):
        added = {f"{goal}/{number}/**" for number in range(MANY)}
        assert added <= set(scopes(site, goal))
        assert len(scopes(site, goal)) == len(added) + (2 if goal == "harbor" else 0), "and none twice"
        assert len(Site(site.project, site.program, goal).events()) == MANY
    assert leftovers(site.project) == []


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    folder = tmp_path_factory.mktemp("faults")
    runner = start(build_faults(folder), folder)
    yield runner
    stop(runner)


@pytest.mark.slow
def test_a_killed_change_of_one_goal_is_whole_before_another_goal_changes(site: Site, forks: Forks) -> None:
    def words(goal: str, scope: str) -> list[str]:
        change = ["goal", "set", "--goal-id", goal, "--add-write-scope", scope, "--operator", "--execute"]
        return ["--format", "json", *NOW_OPTION, *change, "--idempotency-key", scope]

    template = site.project.parent / "template"
    shutil.copytree(site.project, template)
    calls = forks.run(site.project, words("harbor", "infra/**"))["calls"]
    outcomes = set()
    for at in range(1, calls + 1):
        shutil.rmtree(site.project)
        shutil.copytree(template, site.project)
        assert forks.run(site.project, words("harbor", "infra/**"), at, half=True)["code"] == -signal.SIGKILL, at
        seen = "infra/**" in goal_of(site, "harbor").write_scope
        outcomes.add(seen)
        assert forks.run(site.project, words("quay", "pier/**"))["code"] == 0, at
        assert ("infra/**" in scopes(site, "harbor")) == seen, at
        assert scopes(site, "quay") == ["pier/**"], at
        again = forks.run(site.project, words("harbor", "infra/**"))
        assert again["code"] == 0, (at, again)
        assert (scopes(site, "harbor"), scopes(site, "quay")) == (["src/**", "docs/**", "infra/**"], ["pier/**"]), at
        assert leftovers(site.project) == [], at
    assert outcomes == {True, False}


def goal_of(site: Site, goal_id: str) -> Goal:
    return read_project(
        goal_id=goal_id, registry=None, runtime_root=None, cwd=str(site.project), env={}, now=NOW, agent_id=None,
        capabilities=(), neutral=(),
    ).goal  # fmt: skip


def test_a_reader_that_found_its_goal_reads_what_the_registry_says_now(site: Site) -> None:
    """The registry is read to find the goal's folder, and only then are its writers kept out."""
    found = read_goals(
        registry=None, runtime_root=None, cwd=str(site.project), env={}, now=NOW, agent_id=None, capabilities=(),
        neutral=(),
    )  # fmt: skip
    assert next(found).goal.goal_id == "harbor"
    quay_of(site).owner("goal", "set", "--recommended-action", "wait")
    assert next(found).goal.recommended_action == "wait"


def test_the_lock_of_a_registry_that_cannot_be_made_is_a_clear_error(site: Site) -> None:
    os.mkdir(site.project / ".loopx" / ".registry.json.lock")
    err = site.refused("goal", "set", "--waiting-on", "focus_wait", "--operator", "--execute", code=3)
    assert "lock of the registry" in err
    assert site.text == REGISTRY


def test_a_registry_behind_a_link_stays_behind_it(site: Site) -> None:
    real = site.project / "kept.json"
    site.registry.rename(real)
    site.registry.symlink_to(real)
    site.owner("goal", "set", "--waiting-on", "focus_wait")
    assert site.registry.is_symlink()
    assert '"waiting_on": "focus_wait"' in real.read_text()
