"""What a decision is made on: a project, or a snapshot document; and the time."""

from __future__ import annotations

import os
import sys
import time

from loopx_policy.errors import StateError, UsageError
from loopx_policy.project.times import parse_time

from ..request import Globals

STDIN = "-"
LARGEST = 64 * 1024 * 1024


def moment(options: Globals) -> int:
    """``--now`` in whole seconds since the epoch, else the clock's."""
    if not options.now:
        return int(time.time())
    wanted = "Write it as 2026-12-01T09:00:00Z."
    given = parse_time(options.now)
    if given is None:
        raise UsageError(f"--now {options.now[:60]} is no time.", fix=wanted)
    seconds, zoned = given
    if not zoned:
        raise UsageError(f"--now {options.now} has no time zone.", fix=wanted)
    return seconds


def read_bytes(name: str, what: str) -> bytes:
    """A file, or standard input for ``-``; :class:`StateError` where it cannot be read or is far too large."""
    try:
        if name == STDIN:
            data = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with open(name, "rb") as file:
                data = file.read(LARGEST + 1)
    except OSError as error:
        raise StateError(
            f"The {what} cannot be read: {error.strerror or error}.",
            at=name,
            fix="Name a readable file, or - for standard input.",
        ) from None
    if len(data) > LARGEST:
        raise StateError(f"The {what} is larger than {LARGEST} bytes.", at=name, fix="Name the right file.")
    return data


def shown(name: str) -> str:
    """A file's name for messages."""
    return "standard input" if name == STDIN else os.fspath(name)
