"""What a writer left unfinished, so that a reader sees each write whole or not at all.

A write becomes true when its journal appears in the goal's folder, and is then carried out file by file. A reader
that finds a journal (its writer was killed in between) reads the files as they will be; the next writer finishes
the job. While a writer is alive, readers wait for it, though never for long.

Where somebody has changed a file by hand that the unfinished write would replace, the hand has the last word: the
write counts as one that never happened, for readers and for the next writer alike.
"""

from __future__ import annotations

import json
import os
from typing import Any, Final

from .files import open_descriptor, open_regular

FOLDER: Final = ".ledger"
JOURNAL: Final = "journal.json"
LOCK: Final = "lock"
STAGED: Final = ".{name}.loopx-staged"
"""The name under which new content of a file waits."""
LOGS: Final = ("runs/index.jsonl", "rollout-event-log.jsonl")
"""The files of a goal to which lines are appended."""
PATIENCE: Final = 2.0
"""Seconds that a reader waits for a writer; a writer that hangs longer is read past."""
_STEP: Final = 0.002
_LIMIT: Final = 64 * 1024 * 1024


class Pending:
    """The journal that a killed writer left: new contents by path, and lines still to be appended by path."""

    __slots__ = ("_appends", "_staged")

    def __init__(self, edits: list[dict[str, Any]]) -> None:
        self._staged: dict[str, str] = {edit["path"]: edit["staged"] for edit in edits if edit["kind"] == "replace"}
        self._staged |= dict.fromkeys((edit["path"] for edit in edits if edit["kind"] == "remove"), "")
        self._appends = {edit["path"]: edit for edit in edits if edit["kind"] == "append"}

    def path(self, path: str) -> str:
        """Where the content of ``path`` lies now: the staged file, ``path`` itself, or nowhere (empty)."""
        staged: str | None = self._staged.get(os.path.realpath(path))
        if staged is None or (staged and not os.path.exists(staged)):
            return path
        return staged

    @property
    def staged(self) -> frozenset[str]:
        """The files in which new contents wait."""
        return frozenset(self._staged.values())

    def inside(self, folder: str) -> list[str]:
        """Names of the files in ``folder`` that the write makes or replaces."""
        real = os.path.realpath(folder)
        return [os.path.basename(path) for path, staged in self._staged.items() if os.path.dirname(path) == real]

    def line(self, path: str) -> bytes:
        """The line that still has to be appended to ``path``; empty where it is there already, or none is due."""
        edit = self._appends.get(os.path.realpath(path))
        if edit is None or appended(edit):
            return b""
        line: str = edit["line"]
        return line.encode()


NOTHING: Final = Pending([])


def appended(edit: dict[str, Any]) -> bool:
    """Whether the line of an ``append`` edit stands in its file, at or after the size that the file had before."""
    try:
        with open_regular(edit["path"]) as stream:
            stream.seek(edit["size"])
            rest = stream.read()
    except FileNotFoundError:
        return False
    return b"\n" + edit["line"].encode() + b"\n" in b"\n" + rest


def overtaken(edits: list[dict[str, Any]]) -> str:
    """The path of a file that still is to be replaced or removed, and is not what the write was made from; else empty.

    A file that is to be made must not be there.
    """
    from ..digests import hex16

    for edit in edits:
        if "was" not in edit or (edit["kind"] == "replace" and not os.path.exists(edit["staged"])):
            continue
        path: str = edit["path"]
        try:
            with open_regular(path) as stream:
                now = hex16([stream.read()])
        except FileNotFoundError:
            now = ""
        if now != edit["was"] and (now or edit["kind"] == "replace"):
            return path
    return ""


def read_journal(folder: str) -> list[dict[str, Any]] | None:
    """The edits of the journal in a goal's folder; ``None`` where no write is unfinished."""
    try:
        with open_regular(os.path.join(folder, FOLDER, JOURNAL)) as stream:
            data = json.loads(stream.read(_LIMIT))
    except (FileNotFoundError, NotADirectoryError):
        return None
    edits: list[dict[str, Any]] = data["edits"]
    real = os.path.realpath(folder) + os.sep
    logs = [os.path.realpath(os.path.join(folder, name)) for name in LOGS]
    if not all(_ours(edit, real, logs) for edit in edits):
        raise ValueError("The journal names what no writer of this goal touches.")
    return edits


def _ours(edit: dict[str, Any], folder: str, logs: list[str]) -> bool:
    """Whether a writer of this goal can have made an edit: a journal that came with somebody's files may say anything.

    Inside the goal's folder all is the goal's own. A file elsewhere is replaced only by what waits beside it, where
    nobody can have put it who may not write there.
    """
    path: str = edit["path"]
    if edit["kind"] != "replace":
        return path.startswith(folder) or path in logs
    staged: str = edit["staged"]
    beside = os.path.join(os.path.dirname(path), STAGED.format(name=os.path.basename(path)))
    return staged == beside or (path.startswith(folder) and os.path.dirname(staged) == folder + FOLDER)


def read_pending(folder: str) -> Pending:
    """What a killed writer left in a goal's folder; ``NOTHING`` is the usual answer."""
    try:
        edits = read_journal(folder)
        return NOTHING if edits is None or overtaken(edits) else Pending(edits)
    except (OSError, ValueError, KeyError, TypeError):
        return NOTHING


class Reading:
    """Keep writers of this goal out while its files are read; gives what a killed writer left.

    With ``locked`` the caller has seen to that already.
    """

    __slots__ = ("_descriptor", "_folder", "_locked")

    def __init__(self, folder: str, locked: bool = False) -> None:
        self._folder = folder
        self._locked = locked
        self._descriptor: int | None = None

    def __enter__(self) -> Pending:
        if not self._locked:
            self._descriptor = _share(os.path.join(self._folder, FOLDER, LOCK))
        return read_pending(self._folder)

    def __exit__(self, *error: object) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)


def _share(path: str) -> int | None:
    try:
        descriptor = open_descriptor(path)
    except OSError:
        return None  # Nobody has ever written here, or the folder may not be read.
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        return descriptor
    except OSError:
        import time

        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            time.sleep(_STEP)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                continue
            break
        return descriptor
