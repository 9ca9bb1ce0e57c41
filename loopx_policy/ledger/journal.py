"""One write, whole or not at all, over several files.

New contents are staged beside the journal, or beside their files where those lie elsewhere; then the journal, which
names every edit, appears by one rename: from that instant the write is true. The edits are carried out, and the
journal goes. A writer that is killed before the rename has changed nothing; one that is killed after it is finished
by the next writer, and read as finished until then (``project.pending``).

An editor knows of no lock. So each edit says what its file was, and one that has become something else is never
replaced: the write is taken back then.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ..digests import hex16
from ..errors import ConflictError, StateError
from ..project.files import open_descriptor, open_regular
from ..project.pending import FOLDER, JOURNAL, STAGED, appended, overtaken, read_journal
from .edits import Append, Edit, Remove
from .files import append, content, make_folder, stage, staged_name, sync_folder, writable


def commit(folder: str, edits: Sequence[Edit]) -> None:
    """Carry out ``edits``; the caller holds the goal's lock.

    ``ConflictError`` where a file is no longer what the edit was made from; ``StateError`` where a file cannot be
    written, and then nothing has changed.
    """
    _fresh(edits)
    staged: list[str] = []
    journal = os.path.join(folder, FOLDER, JOURNAL)
    try:
        entries = [_entry(edit, staged, folder) for edit in edits]
        stage(journal, json.dumps({"schema_version": "loopx_journal_v0", "edits": entries}).encode())
        staged.append(staged_name(journal))
        os.rename(staged_name(journal), journal)
        sync_folder(os.path.dirname(journal))
    except OSError as error:
        for name in staged:
            with suppress(OSError):
                os.unlink(name)
        with suppress(OSError):
            os.unlink(journal)
        raise failed(error) from None
    try:
        carry_out(entries)
    except Overtaken as error:
        raise _given_up(entries, journal, error.name) from None
    except OSError as error:
        if _taken_back(entries):
            os.unlink(journal)
            raise failed(error) from None
        raise unfinished(error) from None
    _done(journal)


def recover(folder: str) -> bool:
    """Finish what a killed writer began; whether there was anything. The caller holds the goal's lock.

    It is taken back where a file that it would replace has been changed by hand since.
    """
    try:
        entries = read_journal(folder)
    except (OSError, ValueError, KeyError, TypeError):
        said = "The journal of an unfinished write cannot be read; nothing has changed."
        raise StateError(said, at=f"{FOLDER}/{JOURNAL}", fix="Look at it, and remove it.") from None
    if entries is None:
        _sweep(folder)
        return False
    journal = os.path.join(folder, FOLDER, JOURNAL)
    try:
        name = overtaken(entries)
        if name and not _taken_back(entries):
            raise _half(os.path.basename(name))
        if not name:
            carry_out(entries)
    except Overtaken as error:
        raise _given_up(entries, journal, error.name) from None
    except OSError as error:
        raise StateError(
            f"An earlier write cannot be finished ({_said(error)}).",
            at=os.path.basename(error.filename or ""),
            fix="Free the disk or correct the permissions, and repeat the command.",
        ) from None
    _done(journal)
    _sweep(folder)
    return True


class Overtaken(Exception):
    """A file was changed by somebody else while a write of it was under way; ``name`` is its name."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.name = os.path.basename(path)


def _given_up(entries: Sequence[dict[str, Any]], journal: str, name: str) -> ConflictError | StateError:
    """Take a write back whose file somebody else has changed meanwhile; the error that tells of it."""
    if not _taken_back(entries):
        return _half(name)
    _done(journal)
    return ConflictError(f"{name} has changed since it was read.", at=name, fix="Repeat the command.")


def _half(name: str) -> StateError:
    return StateError(
        f"{name} was changed by hand in the middle of a write, which can be neither finished nor taken back.",
        at=name,
        fix=f"Compare it with {STAGED.format(name=name)} beside it or in {FOLDER}, then remove {FOLDER}/{JOURNAL}.",
    )


def left_unfinished(folder: str) -> bool:
    """Whether a writer that was killed has left its journal in a goal's folder."""
    return bool(folder) and os.path.exists(os.path.join(folder, FOLDER, JOURNAL))


def _done(journal: str) -> None:
    """Take the journal away. One that cannot be taken away does no harm: all that it names has been done."""
    with suppress(OSError):
        os.unlink(journal)


def carry_out(entries: Sequence[dict[str, Any]]) -> None:
    """Do what of the edits is not done yet. Appends come first: they alone can fail for want of space.

    ``Overtaken`` where a file that is to go is no longer what it was; no file has been replaced by then.
    """
    for entry in entries:
        if entry["kind"] == "append" and not appended(entry):
            _trim(entry)
            append(entry["path"], entry["line"].encode())
            if entry["new"]:
                sync_folder(os.path.dirname(entry["path"]))
    changed = overtaken(list(entries))
    if changed:
        raise Overtaken(changed)
    folders: dict[str, None] = {}
    for entry in entries:
        with suppress(FileNotFoundError):
            if entry["kind"] == "replace":
                os.rename(entry["staged"], entry["path"])
            elif entry["kind"] == "remove":
                os.unlink(entry["path"])
        if entry["kind"] != "append":
            folders[os.path.dirname(entry["path"])] = None
    for folder in folders:
        sync_folder(folder)


def _trim(entry: dict[str, Any]) -> None:
    """Take away the part of the line that an interrupted attempt wrote, and nothing that anybody else did."""
    whole = entry["line"].encode() + b"\n"
    with suppress(FileNotFoundError), open_regular(entry["path"]) as stream:
        stream.seek(entry["size"])
        rest = stream.read(len(whole) + 1)
        if rest and (whole.startswith(rest) or (b"\n" + whole).startswith(rest)):
            os.truncate(entry["path"], entry["size"])


def _fresh(edits: Sequence[Edit]) -> None:
    for edit in edits:
        if not isinstance(edit, Append) and content(edit.path) != edit.before:
            name = os.path.basename(edit.path)
            raise ConflictError(f"{name} has changed since it was read.", at=name, fix="Repeat the command.")


def _entry(edit: Edit, staged: list[str], folder: str) -> dict[str, Any]:
    """An edit as the journal holds it, its content staged. A link is followed: the file behind it is replaced."""
    path = os.path.realpath(edit.path)
    if not os.path.exists(path):
        with suppress(FileNotFoundError):
            open_regular(edit.path).close()  # an error for a link to nothing: what it led to may only be out of reach
    elif not writable(path):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), path)
    make_folder(os.path.dirname(path))
    if isinstance(edit, Append):
        size = _size(edit.path)
        line = edit.line.decode()
        return {"kind": "append", "path": path, "line": line, "size": max(size, 0), "new": size < 0}
    was = "" if edit.before is None else hex16([edit.before])
    if isinstance(edit, Remove):
        return {"kind": "remove", "path": path, "was": was}
    staged.append(stage(path, edit.after, _waiting_room(path, folder, len(staged))))
    return {"kind": "replace", "path": path, "staged": staged[-1], "was": was}


def _size(path: str) -> int:
    """The size of a file of lines, -1 where there is none yet. ``OSError`` where no line could be added to it: what is
    no file, or a link to nothing, is told before the write is true, since nothing could finish it.
    """
    try:
        descriptor = open_descriptor(path)
    except FileNotFoundError:
        return -1
    try:
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def _waiting_room(path: str, folder: str, number: int) -> str:
    """Where the content of a file in the goal's folder waits, so that it is found again whatever the file is called.

    Empty for a file elsewhere, or on another device: it waits beside its file, under the one name of that.
    """
    real = os.path.realpath(folder)
    room = os.path.join(real, FOLDER)
    inside = path.startswith(real + os.sep) and os.stat(os.path.dirname(path)).st_dev == os.stat(room).st_dev
    return os.path.join(room, STAGED.format(name=number)) if inside else ""


def _sweep(folder: str) -> None:
    """Remove contents that wait for a journal that never came."""
    room = os.path.join(folder, FOLDER)
    head, tail = STAGED.split("{name}")
    with suppress(OSError):
        for name in os.listdir(room):
            if name.startswith(head) and name.endswith(tail):
                os.unlink(os.path.join(room, name))


def _taken_back(entries: Sequence[dict[str, Any]]) -> bool:
    """Undo a write of which nothing but appends can have happened; whether that was so."""
    replaced = [entry for entry in entries if entry["kind"] == "replace"]
    if not all(os.path.exists(entry["staged"]) for entry in replaced):
        return False
    if not all(os.path.exists(entry["path"]) for entry in entries if entry["kind"] == "remove"):
        return False
    try:
        for entry in reversed(entries):
            if entry["kind"] == "append" and not appended(entry):
                _trim(entry)
            elif entry["kind"] == "append":
                # Only what this write added: somebody else may have added more.
                size = os.path.getsize(entry["path"]) - len(entry["line"].encode()) - 1
                with open(entry["path"], "rb") as stream:
                    stream.seek(size)
                    if stream.read() != entry["line"].encode() + b"\n":
                        return False
                os.truncate(entry["path"], size)
    except OSError:
        return False
    for entry in replaced:
        with suppress(OSError):
            os.unlink(entry["staged"])
    return True


def failed(error: OSError) -> StateError:
    """A failure of the disk before anything became true, as the error that people see."""
    name = os.path.basename(error.filename or "") or "The project"
    return StateError(
        f"{name} cannot be written ({_said(error)}); nothing has changed.",
        at=name,
        fix="Free the disk, or correct the permissions, and repeat the command.",
    )


def unfinished(error: OSError) -> StateError:
    """A failure of the disk after a write became true."""
    return StateError(
        f"The write is recorded and not yet finished ({_said(error)}).",
        at=os.path.basename(error.filename or ""),
        fix="Free the disk; the next loopx command finishes it.",
    )


def _said(error: OSError) -> str:
    return (error.strerror or "unknown").lower()
