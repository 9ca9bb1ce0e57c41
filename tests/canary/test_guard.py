"""Whatever is written into a tree or its state is noticed, and nothing else is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from loopx_policy.canary.guard import look

from .conftest import Git

Act = Callable[[Path, Git], object]


@pytest.fixture
def tree(git: Git, tmp_path: Path) -> Path:
    """A committed file, one that differs, one that is new, and state that git ignores."""
    (tmp_path / ".gitignore").write_text(".loopx/\n*.log\n")
    (tmp_path / ".loopx" / "goals").mkdir(parents=True)
    (tmp_path / ".loopx" / "goals" / "index.jsonl").write_text("{}\n")
    for name in ("kept", "differs"):
        (tmp_path / name).write_text("1")
    git("add", "-A")
    git("commit", "-q", "-m", "x")
    (tmp_path / "differs").write_text("2")
    (tmp_path / "loose").write_text("1")
    return tmp_path


def rewrite(name: str, text: str) -> Act:
    return lambda tree, git: (tree / name).write_text(text)


NOTICED: dict[str, tuple[Act, str]] = {
    "a new file": (rewrite("new", ""), "new"),
    "a committed file": (rewrite("kept", "2"), "kept"),
    "a file that differed before": (rewrite("differs", "3"), "differs"),
    "a file that was new before": (rewrite("loose", "2"), "loose"),
    "a file put back as it was committed": (rewrite("differs", "1"), "differs"),
    "a file taken away": (lambda tree, git: (tree / "kept").unlink(), "kept"),
    "a file that may be run": (lambda tree, git: (tree / "kept").chmod(0o755), "kept"),
    "what is staged": (lambda tree, git: git("add", "loose"), "what is staged"),
    "a commit": (lambda tree, git: git("commit", "-q", "-a", "-m", "y"), "the latest commit"),
    "state that git ignores": (rewrite(".loopx/goals/index.jsonl", "{}\n{}\n"), ".loopx/goals/index.jsonl"),
    "a new file of state": (rewrite(".loopx/goals/lease", ""), ".loopx/goals/lease"),
}


@pytest.mark.parametrize("case", NOTICED)
def test_it_is_noticed(tree: Path, git: Git, case: str) -> None:
    act, path = NOTICED[case]
    before = look(str(tree), [str(tree / ".loopx")])
    act(tree, git)
    assert path in before.differences(look(str(tree), [str(tree / ".loopx")]))


UNNOTICED: dict[str, Act] = {
    "nothing": lambda tree, git: None,
    "a time": lambda tree, git: (tree / "kept").touch(),
    "the same content": rewrite("loose", "1"),
    "what git ignores and is no state": rewrite("a.log", "x"),
    "a look at git": lambda tree, git: git("status"),
}


@pytest.mark.parametrize("case", UNNOTICED)
def test_it_is_no_change(tree: Path, git: Git, case: str) -> None:
    before = look(str(tree), [str(tree / ".loopx")])
    UNNOTICED[case](tree, git)
    assert before.differences(look(str(tree), [str(tree / ".loopx")])) == []


def test_without_git_every_file_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    before = look(str(tmp_path))
    (tmp_path / "a").write_text("2")
    (tmp_path / "b").write_text("")
    assert before.differences(look(str(tmp_path))) == ["a", "b"]


def test_state_that_lies_elsewhere_is_looked_at(tmp_path: Path) -> None:
    tree, state = tmp_path / "tree", tmp_path / "runtime"
    tree.mkdir()
    state.mkdir()
    before = look(str(tree), [str(state)])
    (state / "index.jsonl").write_text("{}")
    assert before.differences(look(str(tree), [str(state)])) == ["../runtime/index.jsonl"]
