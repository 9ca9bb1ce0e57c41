"""File primitives that survive a kill and a power cut: staged content, durable rename, whole-line append."""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from ..errors import StateError
from ..project.files import open_regular, reason
from ..project.pending import STAGED


def content(path: str) -> bytes | None:
    """The bytes of a regular file; ``None`` where there is none."""
    try:
        with open_regular(path) as stream:
            return stream.read()
    except FileNotFoundError:
        return None


def readable(path: str, name: str) -> bytes | None:
    """``content`` of what a person keeps; ``StateError`` where something stands there that is no readable file."""
    try:
        return content(path)
    except OSError as error:
        raise StateError(
            f"{name} cannot be read ({reason(error)}).", at=name, fix="Mend it, or move it away."
        ) from None


def writable(path: str) -> bool:
    """Whether a file may be changed. Its folder would let it be replaced all the same, and a superuser may do anything,
    but somebody who takes the right to write from everybody wants it to stay.
    """
    return bool(os.stat(path).st_mode & 0o222) and os.access(path, os.W_OK)


def staged_name(path: str) -> str:
    """Where new content of ``path`` waits: in its folder, under one name, so that a kill leaves one file at most."""
    return os.path.join(os.path.dirname(path), STAGED.format(name=os.path.basename(path)))


def stage(path: str, data: bytes, name: str = "") -> str:
    """Write new content for ``path`` and make it durable, beside it or as ``name``; the mode of the old file is kept.

    The name under which it waits.
    """
    name = name or staged_name(path)
    with suppress(FileNotFoundError):
        os.unlink(name)
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    try:
        with suppress(FileNotFoundError):
            os.fchmod(descriptor, stat.S_IMODE(os.stat(path).st_mode))
        _write_all(descriptor, data)
        os.fsync(descriptor)
    except BaseException:
        os.close(descriptor)
        with suppress(OSError):
            os.unlink(name)
        raise
    os.close(descriptor)
    return name


def append(path: str, line: bytes) -> None:
    """Add a whole line durably. Where a killed writer left a torn line, the new one begins on a line of its own.

    An empty line only ends a torn one.
    Where the disk is full, the file is put back to the size that it had.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        size = os.fstat(descriptor).st_size
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        try:
            _write_all(descriptor, (b"\n" if torn else b"") + (line + b"\n" if line else b""))
            os.fdatasync(descriptor)
        except OSError:
            os.ftruncate(descriptor, size)
            raise
    finally:
        os.close(descriptor)


def sync_folder(path: str) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(path: str) -> None:
    """A folder and all above it, durably."""
    missing = []
    while not os.path.isdir(path):
        missing.append(path)
        path = os.path.dirname(path)
    for folder in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(folder)
        sync_folder(os.path.dirname(folder))


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
