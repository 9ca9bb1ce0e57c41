"""What an answer proposes runs as printed, and speaks of the same turn."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.support.laying import lay
from tests.support.projects import Project, sample_projects

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.cli.answers.goals import near, neutral
from loopx_policy.cli.entry import parse
from loopx_policy.cli.request import Result
from loopx_policy.decide import Policy
from loopx_policy.project import read_project
from loopx_policy.project.times import iso

from .conftest import Run

SEED = 20261202
ENOUGH, COUNT = 120, 800
"""Projects that are asked, and more of them until each mode has come up."""
ASK = ("--format", "json", "quota", "should-run")
CATALOG = load_catalog()
MODES = CATALOG.modes


@dataclass(frozen=True)
class Asked:
    """A project on disk, and the options with which it is asked from ``cwd``."""

    project: Project
    cwd: Path
    options: tuple[str, ...]

    @property
    def now(self) -> tuple[str, str]:
        return ("--now", iso(self.project.now))


def laid(folder: Path) -> Iterator[tuple[Asked, str]]:
    """Random projects with the mode of their turn, each asked with an absolute registry, and runtime root or none."""
    policy = Policy(CATALOG)
    for number, project in enumerate(sample_projects(COUNT, SEED)):
        layout = lay(project, str(folder / f"the goal's {number}"))
        snapshot = read_project(
            goal_id=project.goal_id,
            registry=layout.registry_path,
            runtime_root=None,
            cwd=layout.cwd,
            env={},
            now=project.now,
            agent_id=project.agent_id,
            capabilities=project.capabilities,
            neutral=neutral(CATALOG),
        )
        runtime = ("--runtime-root", layout.runtime_root) if number % 2 else ()
        options = (*project.argv, "--registry", layout.registry_path, *runtime)
        yield Asked(project, Path(layout.cwd), options), policy.decide(snapshot).mode.name


def commands(answer: dict[str, Any]) -> list[str]:
    found: list[str] = answer["interaction_contract"]["cli_channel"]["next_cli_actions"]
    return found


def mode(answer: dict[str, Any]) -> str:
    return str(answer["interaction_contract"]["mode"])


@pytest.mark.slow
def test_every_proposed_command_of_every_mode_runs_as_printed(loopx: Run, tmp_path: Path) -> None:
    seen: dict[str, int] = {}
    for number, (asked, name) in enumerate(laid(tmp_path)):
        if number >= ENOUGH and not MODES.keys() - seen.keys():
            break
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 2:
            continue
        answer = loopx(*ASK, *asked.options, *asked.now, cwd=asked.cwd, now=False).json
        assert mode(answer) == name
        assert commands(answer) != []
        for command in commands(answer):
            check(loopx, asked, answer, command)
    assert sorted(MODES.keys() - seen.keys()) == []


def check(loopx: Run, asked: Asked, answer: dict[str, Any], command: str) -> None:
    """The real parser takes it, it runs, and where it decides it decides the same."""
    program, *arguments = shlex.split(command)
    assert program == "loopx"
    request = parse(arguments)
    assert not isinstance(request, int | Result), command
    ran = loopx("--format", "json", *arguments, *asked.now, cwd=asked.cwd, now=False)
    what = arguments[0] if arguments[0] != "quota" else arguments[1]
    assert ran.err == "", command
    # What records a look or ends a turn is refused as long as nothing was seen or done in it.
    ends = dict.fromkeys(("refresh-state", "spend-slot", "monitor-poll"), (0, 3, 4))
    assert ran.code in ({"doctor": (0, 1), "check": (0, 1, 3)} | ends).get(what, (0, 3)), f"{command}\n{ran.out}"
    if what in ("explain", "should-run"):
        again = ran.json["decision"] if what == "explain" else ran.json
        assert again["facts_digest"] == answer["facts_digest"], command


@pytest.mark.parametrize("depth", [10, 60])
def test_what_the_budget_leaves_of_the_commands_runs_too(loopx: Run, project: Path, depth: int) -> None:
    deep = project.joinpath(*["quay" * 10] * depth)
    deep.mkdir(parents=True)
    registry = deep / "registry.json"
    registry.write_text((project / ".loopx" / "registry.json").read_text())
    ran = loopx(*ASK, "--agent-id", "builder", "--registry", str(registry), cwd=project)
    assert len(ran.out.encode()) < 2_048
    (command,) = commands(ran.json)
    assert ("--registry" in command) is (depth == 10)
    assert loopx(*shlex.split(command)[1:], cwd=project).code == 0


def test_where_even_the_id_is_too_long_the_command_left_runs_beside_other_goals(loopx: Run, project: Path) -> None:
    file = project / ".loopx" / "registry.json"
    registry = json.loads(file.read_text())
    long = "'" * 200  # five times as long in a shell's quotes
    registry["goals"].append({**registry["goals"][0], "id": long})
    file.write_text(json.dumps(registry))
    ran = loopx(*ASK, "--goal-id", long, "--agent-id", "builder", cwd=project)
    assert len(ran.out.encode()) < 2_048
    (command,) = commands(ran.json)
    assert long not in command
    assert loopx(*shlex.split(command)[1:], cwd=project).code == 0


def test_an_absolute_path_comes_back_relative_where_that_is_shorter(loopx: Run, project: Path) -> None:
    registry = str(project / ".loopx" / "registry.json")
    runtime = str(project.parent / "runtime")
    ask = (*ASK, "--agent-id", "builder", "--registry", registry, "--runtime-root", runtime)
    here, *_ = commands(loopx(*ask, cwd=project).json)
    assert here.endswith(" --registry .loopx/registry.json --runtime-root ../runtime")
    deep = project / "a" / "b"
    deep.mkdir(parents=True)
    below, *_ = commands(loopx(*ask, cwd=deep).json)
    assert below.endswith(" --registry ../../.loopx/registry.json --runtime-root ../../../runtime")
    assert loopx(*shlex.split(below)[1:], cwd=deep).code == 0


def test_a_prompt_has_absolute_paths_since_a_host_may_start_it_anywhere(loopx: Run, project: Path) -> None:
    ask = ("--format", "json", "heartbeat-prompt", "--agent-id", "builder", "--registry", ".loopx/registry.json")
    (entry,) = loopx(*ask, cwd=project).json["prompts"]
    assert f"--registry {project}/.loopx/registry.json" in entry["guard"]
    assert loopx(*shlex.split(entry["guard"])[1:], cwd=project.parent).code == 0


@pytest.mark.parametrize("path, said", [
    ("", ""),
    ("registry.json", "registry.json"),
    ("/work/goal/registry.json", "registry.json"),
    ("/work/goal", "."),
    ("/work/registry.json", "../registry.json"),
    ("/r.json", "/r.json"),
    ("/work/goal/-r.json", "./-r.json"),
    ("/work/goal/link/../registry.json", "/work/goal/link/../registry.json"),
])  # fmt: skip
def test_a_path_is_said_as_short_as_it_can_be(path: str, said: str) -> None:
    assert near(path, "/work/goal") == said


def test_the_shorter_path_is_the_same_file_also_from_behind_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real" / "deep"
    real.mkdir(parents=True)
    (tmp_path / "registry.json").touch()
    (tmp_path / "link").symlink_to(real)
    cwd = os.path.realpath(tmp_path / "link")
    for wanted in (tmp_path / "registry.json", tmp_path / "link", real.parent):
        assert os.path.samefile(os.path.join(cwd, near(str(wanted), cwd)), wanted)
