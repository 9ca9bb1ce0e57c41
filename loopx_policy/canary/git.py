"""What git says of a tree, without touching it: no lock is taken and no index refreshed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from loopx_policy.errors import StateError, UsageError

_SECONDS = 60
_SKIPPED = frozenset(("__pycache__", "node_modules", "build", "dist"))


def git(root: str, *words: str) -> list[str]:
    """The ``NUL``-separated answer of a git command. ``StateError`` where git is missing or refuses."""
    command = ["git", "--no-optional-locks", "-c", "core.quotePath=false", "-C", root, *words]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise StateError("git is not installed.", fix="Install it, or name files with --changed-file.") from None
    except subprocess.TimeoutExpired:
        raise StateError(f"git {words[0]} took longer than {_SECONDS} s.", fix="Look at the repository.") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise StateError(f"git {words[0]} failed: {said[-1][:200] if said else 'no reason given'}.", fix="Mend that.")
    return [part for part in os.fsdecode(done.stdout).split("\0") if part]


def top_of(folder: str) -> str:
    """The top of the work tree that a folder is in, or empty."""
    try:
        return "".join(git(folder, "rev-parse", "--show-toplevel")).rstrip("\n")
    except StateError:
        return ""


def commit_of(root: str, revision: str) -> str:
    """The commit that a revision names. ``UsageError`` where there is none."""
    try:
        return "".join(git(root, "rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")).strip()
    except StateError:
        raise UsageError(
            f"There is no commit {revision[:80]}.", fix="Name a branch, a tag or a commit; fetch it first if need be."
        ) from None


def fork_of(root: str, commit: str) -> str:
    """Where the history of HEAD left that of a commit; the commit itself where they share none."""
    try:
        return "".join(git(root, "merge-base", commit, "HEAD")).strip()
    except StateError:
        return commit


def has_commits(root: str) -> bool:
    """Whether the repository has a commit yet."""
    try:
        git(root, "rev-parse", "--verify", "--quiet", "HEAD")
    except StateError:
        return False
    return True


def files_of(root: str) -> list[str]:
    """Every file of a tree but those that git ignores, sorted; without git, those outside of caches and dot folders."""
    if top_of(root):
        listed = git(root, "ls-files", "--cached", "--others", "--exclude-standard", "-z")
        return sorted({path for path in listed if os.path.lexists(os.path.join(root, path))})
    return sorted(_walked(root))


def _walked(root: str) -> Sequence[str]:
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [
            name for name in folders if name not in _SKIPPED and (not name.startswith(".") or name == ".loopx")
        ]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return found
