"""The public-safety scan of files and folders, line by line. A finding names the pattern and never the text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch

from loopx_policy import safe_text
from loopx_policy.check.findings import Finding
from loopx_policy.errors import StateError, UsageError

SKIPPED = frozenset(
    (
        ".git",
        ".hg",
        ".svn",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
    )
)
"""Folders that are not looked into: what tools made or fetched."""
LARGEST = 64 * 1024 * 1024
_BINARY = 8192


def scan_paths(paths: Sequence[str], exclude: Sequence[str] = ()) -> list[Finding]:
    """Findings of every text file that the paths name or hold; a path that does not exist is a ``UsageError``.

    ``exclude`` are globs over the path as it is shown, or over one of its parts.
    """
    found: list[Finding] = []
    for file in files(paths, exclude):
        found += scan_file(file)
    return found


def files(paths: Sequence[str], exclude: Sequence[str]) -> Iterator[str]:
    """The files, each once, in the order of their names; links to folders are not followed."""
    seen: set[str] = set()
    for path in paths:
        if not os.path.lexists(path):
            raise UsageError("This path does not exist.", at=path, fix="Name a file or a folder.")
        listed = [path] if not os.path.isdir(path) else _below(path, exclude)
        for name in listed:
            shown = os.path.normpath(name)
            if shown not in seen and not _excluded(shown, exclude):
                seen.add(shown)
                yield shown


def _below(folder: str, exclude: Sequence[str]) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if name not in SKIPPED and not _excluded(os.path.join(place, name), exclude)
        )
        yield from (os.path.join(place, name) for name in sorted(names) if os.path.isfile(os.path.join(place, name)))


def _excluded(path: str, exclude: Sequence[str]) -> bool:
    parts = os.path.normpath(path).split(os.sep)
    return any(fnmatch(os.path.normpath(path), glob) or any(fnmatch(part, glob) for part in parts) for glob in exclude)


def scan_file(path: str) -> Iterator[Finding]:
    """One finding a line that looks private. Binary files are left out."""
    try:
        with open(path, "rb") as stream:
            data = stream.read(LARGEST + 1)
    except OSError as error:
        said = (error.strerror or "unknown").lower()
        raise StateError(f"This file cannot be read ({said}).", at=path, fix="Correct its permissions.") from None
    if b"\0" in data[:_BINARY]:
        return
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), 1):
        patterns = safe_text.hits(line.rstrip("\r"))
        if patterns:
            said = f"This line looks private: {', '.join(patterns)}."
            yield Finding(path, number, "public-safety", said, "Take it out, or write it without what is private.")
