"""The locks of writers: one a goal, and one a registry for what changes the registry.

``flock`` ends with its process, however that dies, so no lock outlives a kill.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import ConflictError, StateError
from ..project.pending import FOLDER, LOCK
from .files import make_folder

PATIENCE = 30.0
"""Seconds that a writer waits for another."""
_STEP = 0.002


@contextmanager
def goal_lock(folder: str) -> Iterator[None]:
    """Keep all other writers and readers of the goal with this folder out."""
    with _held(os.path.join(folder, FOLDER, LOCK), os.path.basename(folder)):
        yield


class LastWriter:
    """The folder of the goal whose writer changed the registry last, kept in the registry's lock file.

    A writer that was killed has left its journal there; whoever changes the registry next finishes it first.
    """

    __slots__ = ("_descriptor", "folder")

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self.folder = os.fsdecode(os.pread(descriptor, 65_536, 0).partition(b"\n")[0])

    def note(self, folder: str) -> None:
        """Say durably that the goal with this folder changes the registry now."""
        if folder == self.folder:
            return
        line = os.fsencode(folder) + b"\n"
        try:
            os.pwrite(self._descriptor, line, 0)
            os.ftruncate(self._descriptor, len(line))
            os.fsync(self._descriptor)
        except OSError as error:
            raise _unusable(error, "the registry") from None
        self.folder = folder


@contextmanager
def registry_lock(registry: str) -> Iterator[LastWriter]:
    """Keep all other writers of this registry out. Taken before any goal's lock."""
    real = os.path.realpath(registry)
    with _held(os.path.join(os.path.dirname(real), f".{os.path.basename(real)}.lock"), "the registry") as descriptor:
        yield LastWriter(descriptor)


@contextmanager
def _held(path: str, what: str) -> Iterator[int]:
    try:
        make_folder(os.path.dirname(path))
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise _unusable(error, what) from None
    try:
        _take(descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


def _unusable(error: OSError, what: str) -> StateError:
    return StateError(
        f"The lock of {what} cannot be made ({(error.strerror or 'unknown').lower()}); nothing has changed.",
        fix="Free the disk, or make the folder in which it lies writable.",
    )


def _take(descriptor: int) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError:
            if time.monotonic() >= end:
                raise ConflictError(
                    f"Another command has been writing for {PATIENCE:.0f} seconds.",
                    fix="Repeat the command, or end the process that hangs.",
                ) from None
            time.sleep(_STEP)
