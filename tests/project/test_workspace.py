"""Where the caller stands, on real git repositories."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from loopx_policy.model import Workspace
from loopx_policy.project.workspace import read_workspace

ENV = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_SYSTEM": "/dev/null",
    **{f"GIT_{who}_{what}": "a@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(*words: str | Path) -> None:
    command = ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *map(str, words)]
    subprocess.run(command, check=True, capture_output=True, env=ENV)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One repository with everything that may stand around it; the tests only look."""
    root = tmp_path_factory.mktemp("git")
    repo = root / "repo"
    git("init", "-q", repo)
    git("-C", repo, "commit", "-q", "--allow-empty", "-m", "start")
    git("init", "-q", root / "module")
    git("-C", root / "module", "commit", "-q", "--allow-empty", "-m", "start")
    git("-C", repo, "submodule", "add", "-q", root / "module", "sub")
    (repo / "docs" / "deep").mkdir(parents=True)
    git("-C", repo, "worktree", "add", "-q", root / "lane", "-b", "feature/lane")
    git("-C", repo, "worktree", "add", "-q", repo / "inside", "-b", "inside")
    git("-C", repo, "worktree", "add", "-q", "--detach", root / "detached")
    git("clone", "-q", repo, root / "clone")
    git("clone", "-q", "--bare", repo, root / "bare.git")
    git("-C", root / "bare.git", "worktree", "add", "-q", root / "bare-lane", "-b", "lane2")
    shutil.copytree(root / "lane", root / "copied")
    (root / "plain").mkdir()
    (root / "link").symlink_to(repo / "docs")
    (root / "lane-link").symlink_to(root / "lane")
    (root / "repo-link").symlink_to(repo)
    (root / "pretender").mkdir()
    (root / "pretender" / ".git").write_text(f"gitdir: {repo}/.git\n")
    return root


@pytest.mark.parametrize(
    "cwd, kind, branch",
    [
        ("repo", "primary", "main"),
        ("repo/docs/deep", "primary", "main"),
        ("link/deep", "primary", "main"),
        ("repo/.git", "primary", "main"),
        ("repo/.git/refs", "primary", "main"),
        ("pretender", "primary", "main"),
        ("lane", "worktree", "feature/lane"),
        ("lane-link", "worktree", "feature/lane"),
        ("repo/inside", "worktree", "inside"),
        ("detached", "worktree", ""),
        ("clone", "unrelated", "main"),
        ("module", "unrelated", "main"),
        ("repo/sub", "unrelated", "main"),
        ("bare.git", "unrelated", "main"),
        ("bare-lane", "unrelated", "lane2"),
        ("copied", "unknown", "feature/lane"),
        ("plain", "not_git", ""),
        ("missing", "unknown", ""),
    ],
)
@pytest.mark.parametrize("repo", ["repo", "repo/docs", "repo-link"])
def test_where_the_caller_stands(root: Path, cwd: str, kind: str, branch: str, repo: str) -> None:
    assert read_workspace(str(root / cwd), str(root / repo)) == Workspace(kind, branch)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "cwd, repo, kind",
    [
        ("repo", "lane", "worktree"),
        ("lane", "lane", "primary"),
        ("detached", "lane", "worktree"),
        ("repo", "copied", "worktree"),
        ("bare-lane", "bare.git", "worktree"),
        ("bare.git", "bare.git", "primary"),
        ("repo", "plain", "unrelated"),
        ("plain", "plain", "not_git"),
        ("repo", "missing", "unknown"),
        ("repo", "", "unknown"),
    ],
)
def test_a_goal_may_live_in_a_worktree_a_bare_repository_or_nowhere(root: Path, cwd: str, repo: str, kind: str) -> None:
    assert read_workspace(str(root / cwd), str(root / repo) if repo else "").kind == kind


def test_git_agrees_about_what_is_a_worktree(root: Path) -> None:
    listed = subprocess.run(
        ["git", "-C", str(root / "repo"), "worktree", "list", "--porcelain"],
        check=True,
        capture_output=True,
        text=True,
        env=ENV,
    ).stdout
    tops = [line.removeprefix("worktree ") for line in listed.splitlines() if line.startswith("worktree ")]
    kinds = [read_workspace(top, str(root / "repo")).kind for top in tops]
    assert kinds == ["primary", "worktree", "worktree", "worktree"]


def test_a_removed_worktree_is_no_checkout(tmp_path: Path) -> None:
    git("init", "-q", tmp_path / "repo")
    git("-C", tmp_path / "repo", "commit", "-q", "--allow-empty", "-m", "start")
    git("-C", tmp_path / "repo", "worktree", "add", "-q", tmp_path / "lane")
    shutil.rmtree(tmp_path / "repo" / ".git" / "worktrees")
    assert read_workspace(str(tmp_path / "lane"), str(tmp_path / "repo")).kind == "not_git"
