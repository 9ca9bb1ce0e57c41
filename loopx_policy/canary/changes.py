"""Which files a change touches: those that are named, or those in which git finds a difference."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Literal

from loopx_policy.canary.git import commit_of, fork_of, git, has_commits
from loopx_policy.errors import UsageError
from loopx_policy.records import record

Status = Literal["named", "added", "modified", "deleted", "renamed", "copied", "untracked", "unmerged"]
_STATUS: dict[str, Status] = {
    "A": "added",
    "M": "modified",
    "T": "modified",
    "D": "deleted",
    "R": "renamed",
    "C": "copied",
    "U": "unmerged",
}
_EMPTY = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The name that git gives the empty tree: what a repository without a commit differs from."""


@record(frozen=True)
class Change:
    """One file, ``/``-separated from the top of the tree; ``was`` is where a renamed or copied one came from."""

    path: str
    status: str = "named"
    was: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that the change touches: a renamed file is gone where it was."""
        return (self.path, self.was) if self.was and self.status == "renamed" else (self.path,)

    def to_dict(self) -> dict[str, str]:
        """``{path, status, was}``."""
        return {"path": self.path, "status": self.status, "was": self.was}


def named(root: str, cwd: str, paths: Iterable[str]) -> list[Change]:
    """The files that somebody named, as seen from ``cwd``, else from the top. ``UsageError`` for one outside."""
    return [Change(_inside(root, cwd, path)) for path in paths]


def _inside(root: str, cwd: str, path: str) -> str:
    top = os.path.realpath(root)
    seen = [os.path.normpath(os.path.join(os.path.realpath(base), path)) for base in (cwd, root)]
    there = next((each for each in seen if os.path.lexists(each)), seen[0] if os.path.isabs(path) else seen[1])
    relative = os.path.relpath(there, top)
    if relative == "." or relative.split(os.sep)[0] == "..":
        raise UsageError(f"{path} is no file of the tree {os.path.basename(top)}.", fix="Name one inside of it.")
    return relative.replace(os.sep, "/")


def from_git(root: str, base: str = "") -> list[Change]:
    """What differs from a revision, sorted by path: committed since then, staged, unstaged and untracked.

    ``base`` is taken where the present history left it, so that what others did there meanwhile does not count; without
    one it is the latest commit. A file that is staged in one form and lies there in another is touched by both.
    """
    start = fork_of(root, commit_of(root, base)) if base else "HEAD" if has_commits(root) else _EMPTY
    found: dict[str, Change] = {}
    for change in (
        *_listed(git(root, "diff", "--name-status", "-z", "-M", "--no-ext-diff", "--cached", start)),
        *_listed(git(root, "diff", "--name-status", "-z", "-M", "--no-ext-diff")),
        *(Change(path, "untracked") for path in git(root, "ls-files", "--others", "--exclude-standard", "-z")),
    ):
        known = found.get(change.path)
        if known is None or (change.was and not known.was):
            found[change.path] = change
    return [found[path] for path in sorted(found)]


def _listed(parts: list[str]) -> Iterator[Change]:
    """The entries of ``git diff --name-status -z``: a status and a path, or two where a file was moved."""
    rest = iter(parts)
    for status in rest:
        first = next(rest)
        if status[0] in "RC":
            yield Change(next(rest), _STATUS[status[0]], first)
        else:
            yield Change(first, _STATUS.get(status[0], "modified"))
