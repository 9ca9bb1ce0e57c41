"""Layouts are what they claim: read back with git itself, and with nothing but the file system."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator

import pytest

from tests.support.features import second
from tests.support.laying import Layout, laid, scratch
from tests.support.projects import Project, sample_projects


@pytest.fixture(scope="module")
def folder() -> Iterator[str]:
    with scratch() as path:
        yield path
    assert not os.path.exists(path)


@pytest.fixture(scope="module")
def drawn() -> list[Project]:
    return sample_projects(400, 11)


def of_each_cwd(drawn: list[Project], each: int) -> list[Project]:
    return [
        p for cwd in ("primary", "worktree", "plain", "unrelated") for p in [q for q in drawn if q.cwd == cwd][:each]
    ]


def git(*arguments: str, cwd: str) -> str | None:
    done = subprocess.run(["git", *arguments], cwd=cwd, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def check_with_git(project: Project, layout: Layout) -> None:
    """What git says about the folder that the caller stands in."""
    repo = os.path.join(layout.root, "project")
    common = git("rev-parse", "--path-format=absolute", "--git-common-dir", cwd=layout.cwd)
    top = git("rev-parse", "--show-toplevel", cwd=layout.cwd)
    listed = git("worktree", "list", "--porcelain", cwd=repo)
    assert listed is not None
    trees = [line.removeprefix("worktree ") for line in listed.splitlines() if line.startswith("worktree ")]
    match project.cwd:
        case "primary":
            assert (common, top, trees) == (f"{repo}/.git", repo, [repo])
        case "worktree":
            tree = os.path.join(layout.root, "tree")
            assert (common, top, trees) == (f"{repo}/.git", tree, [repo, tree])
            branch = git("symbolic-ref", "-q", "--short", "HEAD", cwd=layout.cwd)
            assert branch == (None if project.detached else "lane")
        case "unrelated":
            other = os.path.join(layout.root, "unrelated")
            assert (common, top, trees) == (f"{other}/.git", other, [repo])
        case "plain":
            assert (common, top, trees) == (None, None, [repo])


@pytest.mark.parametrize("real", [True, False], ids=["made by git", "made by hand"])
def test_checkouts_are_what_they_claim_in_the_eyes_of_git(drawn: list[Project], folder: str, real: bool) -> None:
    for project in of_each_cwd(drawn, 3):
        with laid(project, folder, git=real) as layout:
            check_with_git(project, layout)


def test_both_ways_lay_the_same_files_beside_the_checkouts(drawn: list[Project], folder: str) -> None:
    for project in of_each_cwd(drawn, 2):
        with laid(project, folder) as by_hand, laid(project, folder, git=True) as by_git:
            assert files(by_hand.root) == files(by_git.root)


def files(root: str) -> dict[str, bytes]:
    """All files but those of git, by relative path, with the folder's own name taken out."""
    found = {}
    for where, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            if name != ".git":
                path = os.path.join(where, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, root)] = file.read().replace(root.encode(), b"$ROOT")
    return found


def test_the_files_hold_what_the_project_says(drawn: list[Project], folder: str) -> None:
    for project in drawn:
        with laid(project, folder) as layout:
            with open(layout.registry_path, encoding="utf-8") as file:
                registry = json.load(file)
            assert registry["common_runtime_root"] == layout.runtime_root
            goal = next(goal for goal in registry["goals"] if goal["id"] == project.goal_id)
            state = os.path.join(goal["repo"], goal["state_file"])
            assert state == layout.state_path
            assert os.path.exists(state) == (project.broken != "missing")
            if project.state_readable:
                with open(state, encoding="utf-8", newline="") as file:
                    assert file.read() == project.state_text
            assert os.path.isdir(layout.cwd)
            home = os.path.join(layout.runtime_root, "goals", project.goal_id)
            check_rows(project, layout, os.path.join(home, "runs"))
            leases = os.path.join(home, "task-leases")
            assert sorted(os.listdir(leases) if project.leases else []) == sorted(
                f"{lease['todo_id']}.json" for lease in project.leases
            )


def check_rows(project: Project, layout: Layout, runs: str) -> None:
    if not (project.rows or project.torn):
        assert not os.path.exists(os.path.join(runs, "index.jsonl"))
        return
    with open(os.path.join(runs, "index.jsonl"), "rb") as file:
        lines = file.read().split(b"\n")[:-1]
    torn = {raw for _, raw in project.torn}
    rows = [json.loads(line) for line in lines if line not in torn]
    assert len(lines) == len(project.rows) + len(project.torn)
    assert [row.get("classification") for row in rows] == [row.get("classification") for row in project.rows]
    assert all(row["json_path"].startswith(runs) for row in rows)
    for name, payload in project.payloads.items():
        with open(os.path.join(runs, name), encoding="utf-8") as file:
            assert json.load(file)["quota_event"] == payload["quota_event"]
        assert [row for row in rows if row["json_path"] == os.path.join(runs, name)]


def test_times_are_near_the_projects_now(drawn: list[Project]) -> None:
    for project in drawn:
        for row in project.rows:
            assert -40 * 86_400 < second(row["generated_at"]) - project.now <= 3_600


def test_laying_by_hand_is_cheap(drawn: list[Project], folder: str) -> None:
    """Two thousand projects must not cost minutes: 2 ms is the aim, 20 the bound on a busy machine."""
    start = time.process_time()
    for project in drawn[:200]:
        with laid(project, folder):
            pass
    assert (time.process_time() - start) / 200 < 0.020
