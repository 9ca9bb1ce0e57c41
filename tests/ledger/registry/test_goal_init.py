"""``goal init``: a newcomer's repository becomes a project, and nothing is asked that can be found out."""

from __future__ import annotations

import json
import shlex
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import NOW_OPTION, Run
from tests.torture.harness import Forks, build_faults, leftovers, start, stop

from .conftest import EVENT_LOG, REGISTRY, Site

STATE = """\
---
status: active
objective: Keep the quay honest
updated_at: 2026-12-01T09:00:00Z
---

# Active goal state

## User Todo / Owner Review Reading Queue

## Agent Todo

## Next Action
"""


def git(folder: Path, *words: str) -> str:
    call = ["git", "-C", str(folder), "-c", "user.name=x", "-c", "user.email=x@example.com", *words]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with one commit and a folder in it."""
    folder = tmp_path / "My Quay"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "main.py").write_text("")
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "Begin")
    return folder


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def entry(folder: Path, number: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / ".loopx" / "registry.json").read_text())["goals"][number]
    return found


def test_everything_is_found_out_from_anywhere_in_the_repository(loopx: Run, repo: Path) -> None:
    ran = loopx("--format", "json", "goal", "init", "--objective", "Keep the quay honest", cwd=repo / "src")
    assert ran.code == 0, ran.err
    data = ran.json
    assert data["result"] == {
        "goal_id": "my-quay",
        "registry": ".loopx/registry.json",
        "state_file": "STATE.md",
        "runtime": ".loopx/runtime/goals/my-quay",
    }
    assert (repo / "STATE.md").read_text() == STATE
    assert entry(repo)["repo"] == "."
    assert entry(repo)["coordination"] == {"write_scope": []}
    assert (repo / ".loopx" / "runtime" / "goals" / "my-quay" / "runs").is_dir()
    assert data["decision"]["goal_id"] == "my-quay"
    assert data["decision_exit_code"] == 0
    assert str(repo) not in (repo / ".loopx" / "registry.json").read_text()


def test_the_new_project_answers_and_git_sees_only_the_state(loopx: Run, repo: Path) -> None:
    assert loopx("goal", "init", cwd=repo).code == 0
    assert git(repo, "status", "--short") == "?? STATE.md\n"
    ran = loopx("--format", "json", "quota", "should-run", cwd=repo / "src")
    assert (ran.code, ran.json["interaction_contract"]["mode"]) == (0, "skip")
    assert all(check["status"] != "fail" for check in loopx("--format", "json", "doctor", cwd=repo).json["checks"])


def test_a_preview_shows_every_file_and_leaves_no_trace(loopx: Run, repo: Path) -> None:
    before = sorted(repo.rglob("*"))
    for form in ("json", "rich", "markdown"):
        ran = loopx("goal", "init", "--dry-run", "--format", form, cwd=repo)
        assert ran.code == 0, ran.err
        for name in ("STATE.md", ".loopx/registry.json", ".loopx/.gitignore"):
            assert f"+++ {name}" in ran.out.replace("\\n", "\n")
    assert sorted(repo.rglob("*")) == before


def test_without_git_the_folder_is_the_project(loopx: Run, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    assert loopx("--format", "json", "goal", "init", cwd=folder).json["goal_id"] == "plain"


@pytest.mark.parametrize(
    ("folder", "goal_id"), [("Harbor_2.0 (new)", "harbor-2-0-new"), ("порт", "порт"), ("---", "goal")]
)
def test_the_id_comes_from_the_folder(loopx: Run, tmp_path: Path, folder: str, goal_id: str) -> None:
    (tmp_path / folder).mkdir()
    assert loopx("--format", "json", "goal", "init", cwd=tmp_path / folder).json["goal_id"] == goal_id


def test_a_state_that_is_there_is_adopted_byte_for_byte(loopx: Run, repo: Path) -> None:
    told = "# Notes\r\n\r\n## Agent Todo\r\n\r\n- [ ] Count the bollards\r\n"
    (repo / "STATE.md").write_bytes(told.encode())
    data = loopx("--format", "json", "goal", "init", cwd=repo).json
    assert data["result"]["adopted_todos"] == 1
    assert (repo / "STATE.md").read_bytes() == told.encode()
    assert data["decision"]["interaction_contract"]["mode"] == "bounded_delivery"


def test_an_adopted_state_gets_the_objective_and_keeps_the_rest(loopx: Run, repo: Path) -> None:
    (repo / "STATE.md").write_text("# Notes\n")
    assert loopx("goal", "init", "--objective", "Count", cwd=repo).code == 0
    assert (repo / "STATE.md").read_text() == "---\nobjective: Count\n---\n\n# Notes\n"


def test_a_state_that_cannot_be_read_is_no_beginning(loopx: Run, repo: Path) -> None:
    (repo / "STATE.md").write_bytes(b"\xff\xfe")
    ran = loopx("goal", "init", cwd=repo)
    assert ran.code == 3
    assert "STATE.md" in ran.err
    assert not (repo / ".loopx" / "registry.json").exists()


def test_a_folder_in_the_place_of_the_state_is_no_beginning(loopx: Run, repo: Path) -> None:
    (repo / "STATE.md").mkdir()
    ran = loopx("goal", "init", cwd=repo)
    assert (ran.code, "STATE.md cannot be read" in ran.err) == (3, True), ran.err


def test_a_registry_that_is_there_gains_the_goal_and_keeps_its_bytes(site: Site) -> None:
    ran = site.loopx("--format", "json", "goal", "init", "--goal-id", "pier", "--objective", "Mend it")
    assert ran.code == 0, ran.err
    known = REGISTRY.replace("2026-11-30", "2026-12-01")
    at = known.index("\n    ]\n}")
    assert site.text.startswith(known[:at])
    assert site.text.endswith(known[at:])
    assert json.loads(site.text)["goals"][2]["id"] == "pier"
    assert ran.json["result"]["state_file"] == "STATE-pier.md", "STATE.md is the harbor's"
    assert (site.project / "runtime" / "goals" / "pier" / "runs").is_dir()
    assert not (site.project / ".loopx" / ".gitignore").exists(), "whoever made the registry decided that"


def test_a_goal_that_is_there_is_refused(site: Site) -> None:
    before = site.files()
    ran = site.loopx("goal", "init", "--goal-id", "harbor")
    assert ran.code == 5
    assert "harbor is registered already" in ran.err
    assert "goal set" in ran.err
    assert site.files() == before


def test_a_repeat_with_its_key_reports_the_first_result(loopx: Run, repo: Path) -> None:
    command = ("--format", "json", "goal", "init", "--objective", "Count", "--idempotency-key", "k1")
    first = loopx(*command, cwd=repo).json
    before = files(repo)
    again = loopx(*command, cwd=repo).json
    assert (again["repeated"], again["result"]) == (True, first["result"])
    assert files(repo) == before
    assert loopx("goal", "init", cwd=repo).code == 5


def test_two_goals_do_not_share_a_state(site: Site) -> None:
    ran = site.loopx("goal", "init", "--goal-id", "pier", "--state-file", "docs/../STATE.md")
    assert ran.code == 5
    assert "harbor" in ran.err


@pytest.mark.parametrize("name", ["../STATE.md", "/tmp/STATE.md", "~/STATE.md"])
def test_a_state_outside_the_repository_is_a_usage_error(loopx: Run, repo: Path, name: str) -> None:
    before = files(repo)
    assert loopx("goal", "init", "--state-file", name, cwd=repo).code == 2
    assert files(repo) == before


def test_a_named_registry_is_made_where_it_is_named(loopx: Run, repo: Path, tmp_path: Path) -> None:
    named = tmp_path / "all" / "registry.json"
    ran = loopx("--format", "json", "goal", "init", "--registry", str(named), "--runtime-root", "run", cwd=repo)
    assert ran.code == 0, ran.err
    top = json.loads(named.read_text())
    assert (top["common_runtime_root"], top["goals"][0]["repo"]) == ("run", str(repo))
    assert (repo / "run" / "goals" / "my-quay" / "runs").is_dir()
    assert not (repo / ".loopx").exists()
    assert loopx("quota", "should-run", "--registry", str(named), cwd=tmp_path).code == 0


def test_a_linked_worktree_finds_the_project_of_its_main_checkout(loopx: Run, repo: Path, tmp_path: Path) -> None:
    loopx("goal", "init", cwd=repo)
    git(repo, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    for agent, more in (("builder", ["--primary"]), ("writer", [])):
        done = loopx("agent", "register", agent, *more, "--operator", "--execute", cwd=repo)
        assert done.code == 0, done.err
    ran = loopx("--format", "json", "quota", "should-run", "--agent-id", "writer", cwd=tmp_path / "side")
    assert (ran.code, ran.json["goal_id"]) == (0, "my-quay")
    assert ran.json["interaction_contract"]["mode"] != "side_agent_workspace_repair"
    second = loopx("--format", "json", "goal", "init", "--goal-id", "second", cwd=tmp_path / "side")
    assert second.code == 0, second.err
    assert not (tmp_path / "side" / ".loopx").exists()
    assert entry(repo, 1)["id"] == "second"


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--objective", "the " + "token: hunter2x9"), 4, "GR-owner.private_text"),
        (("--write-scope", "src/**"), 4, "IP-006.begun_too_wide"),
        (("--goal-id", "a/b"), 2, "no goal id"),
        (("--write-scope", "../x", "--operator"), 2, "leaves its folder"),
    ],
)
def test_what_may_not_begin_leaves_nothing(
    loopx: Run, repo: Path, options: tuple[str, ...], code: int, said: str
) -> None:
    before = files(repo)
    ran = loopx("goal", "init", *options, cwd=repo)
    assert (ran.code, said in ran.err) == (code, True), ran.err
    assert {name for name in files(repo) if not name.endswith(".lock")} == set(before)


def test_the_owner_may_begin_with_a_write_scope(loopx: Run, repo: Path) -> None:
    assert loopx("goal", "init", "--write-scope", "src/**", "--operator", cwd=repo).code == 0
    assert entry(repo)["coordination"] == {"write_scope": ["src/**"]}


def test_a_read_only_folder_is_a_clear_error(loopx: Run, repo: Path) -> None:
    (repo / ".loopx").write_text("in the way")
    ran = loopx("goal", "init", cwd=repo)
    assert ran.code == 3
    assert "traceback" not in ran.err.lower()


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    folder = tmp_path_factory.mktemp("faults")
    runner = start(build_faults(folder), folder)
    yield runner
    stop(runner)


@pytest.mark.slow
@pytest.mark.parametrize("half", [False, True], ids=["before", "torn"])
def test_a_kill_anywhere_leaves_no_goal_or_the_whole_one_and_a_repeat_completes(
    forks: Forks, tmp_path: Path, half: bool
) -> None:
    argv = ["--format", "json", *NOW_OPTION, "goal", "init", "--objective", "Keep the quay honest"]
    whole = tmp_path / "whole" / "quay"
    whole.mkdir(parents=True)
    told = forks.run(whole, argv)
    assert told["code"] == 0, told
    wanted = files(whole)
    killed = set()
    for at in range(1, told["calls"] + 1):
        folder = tmp_path / str(at) / "quay"
        folder.mkdir(parents=True)
        assert forks.run(folder, argv, at, half=half)["code"] == -signal.SIGKILL, at
        there = (folder / ".loopx" / "registry.json").exists()
        killed.add(there)
        if there:
            assert files(folder)["STATE.md"] == wanted["STATE.md"]
            assert (folder / ".loopx" / "registry.json").read_bytes() == wanted[".loopx/registry.json"]
        again = forks.run(folder, argv)
        assert again["code"] == (5 if there else 0), (at, again)
        assert files(folder) | torn(folder) == wanted, at
        assert leftovers(folder) == [], at
    assert killed == {True, False}


def torn(folder: Path) -> dict[str, bytes]:
    """The event log without the line that the kill tore, which readers skip."""
    name = f".loopx/runtime/goals/quay/{EVENT_LOG}"
    lines = (folder / name).read_bytes().split(b"\n")
    whole = [line for line in lines if line.endswith(b"}")]
    assert len(whole) == 1
    return {name: whole[0] + b"\n"}


def test_the_steps_that_are_proposed_lead_to_a_turn_that_may_run(loopx: Run, repo: Path) -> None:
    begun = loopx("--format", "json", "goal", "init", cwd=repo).json
    for step in begun["next"]:
        last = loopx("--format", "json", *shlex.split(step)[1:], cwd=repo)
        assert last.code == 0, (step, last.out)
    assert last.json["interaction_contract"]["mode"] == "bounded_delivery"
    assert (
        loopx("goal", "init", "--goal-id", "other", "--state-file", "B.md", "--dry-run", cwd=repo).out.count("NEXT")
        == 0
    )
