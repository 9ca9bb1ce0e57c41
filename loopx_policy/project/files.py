"""Opening files of a project: only regular ones, so that a pipe or a device never blocks a decision.

What is missing is told from what is broken: ``FileNotFoundError`` means that nothing was ever put there. A link
to nothing, on any part of the way, is another ``OSError``, since what it led to may only be out of reach.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO

from .looks import note, note_kind


def open_descriptor(path: str) -> int:
    """The descriptor of a regular file, for reading. ``OSError`` for anything else, without waiting for it."""
    note(path)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise _lost(path) from None
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "Not a regular file", path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def open_regular(path: str, buffering: int = -1) -> BinaryIO:
    """A regular file for reading bytes; errors as for ``open_descriptor``."""
    return os.fdopen(open_descriptor(path), "rb", buffering)


def list_folder(path: str) -> list[str]:
    """The names in a folder, sorted. ``OSError`` for anything else; ``FileNotFoundError`` where there is none."""
    note(path)
    try:
        return sorted(os.listdir(path))
    except FileNotFoundError:
        raise _lost(path) from None


def is_there(path: str) -> bool:
    """Whether anything was put at a path, however broken: a folder, a pipe, a link to nothing, behind a closed door."""
    note(path)
    try:
        os.lstat(path)
    except FileNotFoundError:
        return not isinstance(_lost(path), FileNotFoundError)
    except (OSError, ValueError):
        return True
    return True


def is_file(path: str) -> bool:
    """Whether a regular file, or a link to one, lies at a path."""
    note(path)
    return os.path.isfile(path)


def is_folder(path: str) -> bool:
    """Whether a folder, or a link to one, lies at a path."""
    note_kind(path)
    return os.path.isdir(path)


def reason(error: OSError | ValueError) -> str:
    """Why something could not be opened, to stand in brackets in a sentence."""
    return (getattr(error, "strerror", None) or "bad name").lower()


def _lost(path: str) -> OSError:
    """The error for a path that could not be found."""
    here = path
    note_kind(here)
    while here and not os.path.lexists(here):
        above = os.path.dirname(here)
        if above == here:
            break
        here = above
        note_kind(here)
    if os.path.islink(here) and not os.path.exists(here):
        return OSError(errno.EINVAL, "Link to nothing", path)
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
