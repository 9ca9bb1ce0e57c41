"""Opening files of a project: only regular ones, so that a pipe or a device never blocks a decision."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


def open_regular(path: str, buffering: int = -1) -> BinaryIO:
    """A regular file for reading bytes. ``OSError`` for anything else, without waiting for it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "Not a regular file", path)
        return os.fdopen(descriptor, "rb", buffering)
    except BaseException:
        os.close(descriptor)
        raise
