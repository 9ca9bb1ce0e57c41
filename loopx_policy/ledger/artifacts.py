"""What an artifact is known by: its name, and what the file of that name holds, so that a slot pays for it once."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ..digests import hex16
from ..project.files import open_regular

LARGEST = 64 * 1024 * 1024
"""Bytes of a file up to which its content is looked at; of a larger one, its size and its time."""


def mark_of(artifact: str, bases: Iterable[str]) -> str:
    """16 hex digits that stay the same while an artifact is the same.

    A file is looked for below each of ``bases`` (absolute), in order, and nowhere else. Anything that is none, such as
    a commit, is known by its name.
    """
    name = os.path.normpath(artifact.strip())
    held = next((held for base in bases if base and (held := _held(base, name)) is not None), b"")
    return hex16([name.encode(), held])


def _held(base: str, name: str) -> bytes | None:
    """What a file below ``base`` holds, as a digest; ``None`` where there is no such file."""
    root = os.path.realpath(base)
    path = os.path.realpath(os.path.join(root, name))
    if not path.startswith(root.rstrip(os.sep) + os.sep):
        return None
    try:
        with open_regular(path) as stream:
            found = os.fstat(stream.fileno())
            if found.st_size > LARGEST:
                return f"{found.st_size} {found.st_mtime_ns}".encode()
            return hex16(iter(lambda: stream.read(1 << 20), b"")).encode()
    except (OSError, ValueError):
        return None
