"""Where the caller stands, relative to the goal's repository. Reads git's files, runs nothing.

Source: IP-019 (side agents work in an independent worktree).
"""

from __future__ import annotations

import os

from ..model import Workspace, WorkspaceKind
from .files import is_file, is_folder, open_regular


class _Checkout:
    """A git checkout: its top folder, its own git folder, and the one that all worktrees share."""

    __slots__ = ("common", "git", "top")

    def __init__(self, top: str, git: str, common: str) -> None:
        self.top = top
        self.git = git
        self.common = common


def read_workspace(cwd: str, repo: str) -> Workspace:
    """Classify ``cwd``.

    ``primary``: the same checkout as ``repo`` (any folder of it); ``worktree``: another, independent
    checkout of the same repository; ``unrelated``: another repository (a clone, a bare clone and a
    submodule are); ``not_git``: no checkout at all; ``unknown``: ``repo`` does not exist, or a
    worktree whose git folder points elsewhere, as that of a copied worktree does.
    """
    if not is_folder(repo) or not is_folder(cwd):
        return Workspace()
    here = _checkout(os.path.realpath(cwd))
    if here is None:
        return Workspace("not_git")
    return Workspace(_kind(here, _checkout(os.path.realpath(repo))), _branch(here.git))


def checkout_top(folder: str) -> str:
    """The top folder of the checkout that a folder belongs to; empty where it belongs to none."""
    found = _checkout(os.path.realpath(folder))
    return "" if found is None else found.top


def main_checkout(folder: str) -> str:
    """The top folder of the main checkout, seen from a linked worktree of it; empty anywhere else."""
    found = _checkout(os.path.realpath(folder))
    if found is None or found.git == found.common or os.path.basename(found.common) != ".git":
        return ""
    return os.path.dirname(found.common)


def _kind(here: _Checkout, goal: _Checkout | None) -> WorkspaceKind:
    if goal is None or here.common != goal.common:
        return "unrelated"
    if here.top == goal.top or here.git == goal.git:
        return "primary"
    if here.git == here.common:
        # The main checkout, seen from a goal that lives in a linked worktree; inside a bare or a .git folder
        # there is nothing to work on.
        return "worktree" if os.path.realpath(os.path.join(here.top, ".git")) == here.git else "unrelated"
    back = _first_line(os.path.join(here.git, "gitdir"))
    return "worktree" if os.path.realpath(os.path.join(here.git, back)) == os.path.join(here.top, ".git") else "unknown"


def _checkout(folder: str) -> _Checkout | None:
    """The checkout that a (resolved) folder belongs to."""
    while True:
        git = _git_folder(os.path.join(folder, ".git"))
        if not git and _is_git_folder(folder):
            git = folder
        if git:
            return _Checkout(folder, git, _common(git))
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _git_folder(entry: str) -> str:
    if is_folder(entry):
        return os.path.realpath(entry) if _is_git_folder(entry) else ""
    line = _first_line(entry)
    if not line.startswith("gitdir:"):
        return ""
    git = os.path.realpath(os.path.join(os.path.dirname(entry), line[7:].strip()))
    return git if is_file(os.path.join(git, "HEAD")) else ""


def _is_git_folder(folder: str) -> bool:
    return (
        is_file(os.path.join(folder, "HEAD"))
        and is_folder(os.path.join(folder, "objects"))
        and is_folder(os.path.join(folder, "refs"))
    )


def _common(git: str) -> str:
    line = _first_line(os.path.join(git, "commondir"))
    return os.path.realpath(os.path.join(git, line)) if line else git


def _branch(git: str) -> str:
    line = _first_line(os.path.join(git, "HEAD"))
    return line[16:] if line.startswith("ref: refs/heads/") else ""


def _first_line(path: str) -> str:
    try:
        with open_regular(path) as stream:
            return stream.read(4096).split(b"\n", 1)[0].decode("utf-8", "surrogateescape").strip()
    except (OSError, ValueError):
        return ""
