"""What git and people say has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopx_policy.canary.changes import Change, from_git, named
from loopx_policy.errors import UsageError

from .conftest import Git


def commit(git: Git, path: Path, **files: str) -> None:
    for name, text in files.items():
        (path / name).write_text(text)
    git("add", "-A")
    git("commit", "-q", "-m", "x")


def told(root: Path, base: str = "") -> dict[str, str]:
    return {change.path: change.status for change in from_git(str(root), base)}


def test_staged_unstaged_and_untracked_files_count(git: Git, tmp_path: Path) -> None:
    commit(git, tmp_path, a="1", b="1", c="1")
    (tmp_path / "a").write_text("2")
    git("add", "a")
    (tmp_path / "b").write_text("2")
    (tmp_path / "new").write_text("1")
    (tmp_path / "c").unlink()
    assert told(tmp_path) == {"a": "modified", "b": "modified", "c": "deleted", "new": "untracked"}


def test_what_is_staged_counts_though_the_file_is_as_before(git: Git, tmp_path: Path) -> None:
    commit(git, tmp_path, a="1")
    (tmp_path / "a").write_text("2")
    git("add", "a")
    (tmp_path / "a").write_text("1")
    assert told(tmp_path) == {"a": "modified"}


def test_a_renamed_file_is_touched_where_it_was_and_where_it_is(git: Git, tmp_path: Path) -> None:
    commit(git, tmp_path, a="one\ntwo\nthree\n" * 9)
    git("mv", "a", "ä b")
    (change,) = from_git(str(tmp_path))
    assert change == Change("ä b", "renamed", "a")
    assert change.paths == ("ä b", "a")


def test_with_a_base_the_commits_since_then_count_and_those_of_others_do_not(git: Git, tmp_path: Path) -> None:
    commit(git, tmp_path, a="1", b="1")
    git("checkout", "-q", "-b", "topic")
    commit(git, tmp_path, mine="1")
    git("checkout", "-q", "main")
    commit(git, tmp_path, theirs="1")
    git("checkout", "-q", "topic")
    (tmp_path / "b").write_text("2")
    assert told(tmp_path, "main") == {"mine": "added", "b": "modified"}


def test_nothing_changed_is_no_change(git: Git, tmp_path: Path) -> None:
    commit(git, tmp_path, a="1")
    assert told(tmp_path) == {}


def test_before_the_first_commit_everything_is_new(git: Git, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    git("add", "a")
    (tmp_path / "b").write_text("1")
    assert told(tmp_path) == {"a": "added", "b": "untracked"}


def test_what_git_ignores_does_not_count(git: Git, tmp_path: Path) -> None:
    commit(git, tmp_path, **{".gitignore": "*.log\n"})
    (tmp_path / "a.log").write_text("1")
    assert told(tmp_path) == {}


@pytest.mark.parametrize("base", ["no-such-branch", "--output=x", "HEAD:a"])
def test_a_base_that_is_no_commit_is_a_usage_error(git: Git, tmp_path: Path, base: str) -> None:
    commit(git, tmp_path, a="1")
    with pytest.raises(UsageError, match="no commit"):
        from_git(str(tmp_path), base)
    assert not (tmp_path / "x").exists()


def test_asking_changes_nothing_in_the_repository(git: Git, tmp_path: Path) -> None:
    commit(git, tmp_path, a="1")
    (tmp_path / "a").touch()
    index = (tmp_path / ".git" / "index").read_bytes()
    from_git(str(tmp_path))
    assert (tmp_path / ".git" / "index").read_bytes() == index


def test_a_named_file_is_looked_for_here_and_then_from_the_top(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a").write_text("")
    (tmp_path / "b").write_text("")
    here = str(tmp_path / "docs")
    found = named(str(tmp_path), here, ["a", "docs/a", "../b", "b", str(tmp_path / "b"), "gone/c"])
    assert [change.path for change in found] == ["docs/a", "docs/a", "b", "b", "b", "gone/c"]


@pytest.mark.parametrize("path", ["../x", "/etc/hostname", "."])
def test_a_named_file_outside_of_the_tree_is_a_usage_error(tmp_path: Path, path: str) -> None:
    with pytest.raises(UsageError, match="no file of the tree"):
        named(str(tmp_path), str(tmp_path), [path])
