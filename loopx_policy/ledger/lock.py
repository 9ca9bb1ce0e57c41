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
    with _held(os.path.join(folder, FOLDER, LOCK)):
        yield


@contextmanager
def registry_lock(registry: str) -> Iterator[None]:
    """Keep all other writers of this registry out. Taken before any goal's lock."""
    real = os.path.realpath(registry)
    with _held(os.path.join(os.path.dirname(real), f".{os.path.basename(real)}.lock")):
        yield


@contextmanager
def _held(path: str) -> Iterator[None]:
    try:
        make_folder(os.path.dirname(path))
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise StateError(
            f"The lock cannot be made ({(error.strerror or 'unknown').lower()}); nothing has changed.",
            at=os.path.basename(os.path.dirname(os.path.dirname(path))),
            fix="Make the runtime folder of the goal writable.",
        ) from None
    try:
        _take(descriptor)
        yield
    finally:
        os.close(descriptor)


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
