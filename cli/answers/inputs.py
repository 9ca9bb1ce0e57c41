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


def when(flag: str, text: str, now: int) -> int:
    """A time of an option in seconds since the epoch: ISO 8601 with its zone, or relative to now as +2h or +7d."""
    from loopx_policy.project.times import parse_relative, parse_time

    ahead = parse_relative(text)
    if ahead is not None:
        return now + ahead
    given = parse_time(text)
    if given is None or not given[1]:
        what = "is no time" if given is None else "has no time zone"
        raise UsageError(f"{flag} {text[:60]} {what}.", fix="Write it as 2026-12-01T18:00:00Z, or as +2h or +7d.")
    return given[0]


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
