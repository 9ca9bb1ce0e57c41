"""The run index, read from its end: only what the quota window and the latest meaningful rows need.

Source: the run index. Which classifications are status-neutral is policy (IP-023) and comes in.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Sequence
from io import BytesIO
from typing import BinaryIO, Final, NoReturn

from ..errors import StateError
from ..model import Json, Run, Runs
from .files import is_file, open_regular, reason
from .pending import NOTHING, Pending
from .times import iso, parse_time

ENOUGH_ROWS: Final = 64
"""Meaningful rows that are collected beyond the quota window."""

ROW_CAP: Final = 4096
"""Rows of any kind that are read beyond the quota window at most."""

INDEX: Final = "runs/index.jsonl"
"""The name of the index shown to people: inside the goal's folder of the runtime."""

BLOCK: Final = 65_536
LINE_LIMIT: Final = 1024 * 1024
BYTE_LIMIT: Final = 256 * 1024 * 1024
_PAYLOAD_LIMIT: Final = 1024 * 1024

SPENT: Final = "quota_slot_spent"
VOIDED: Final = "quota_slot_voided"
_SPENT: Final = SPENT.encode()
_KEPT: Final = ("generated_at", "goal_id", "classification", "agent_id", "json_path", "markdown_path")
"""What is read of a row that spent a slot and is no proper JSON."""


def read_runs(
    folder: str,
    *,
    goal_id: str,
    window_start: int,
    neutral: Collection[str],
    enough: int = ENOUGH_ROWS,
    cap: int = ROW_CAP,
    pending: Pending = NOTHING,
) -> Runs:
    """The newest rows of ``folder``/index.jsonl, newest first. Rows of another goal are left out.

    Reading stops at the first row older than ``window_start`` (seconds) after which ``enough`` rows that
    are not ``neutral`` have been seen, or ``cap`` rows beyond the window. A row that carries
    ``human_reward`` is an overlay on an older run and says nothing about how far reading has come.
    A line that is no JSON object and names ``quota_slot_spent`` becomes a row marked ``torn``: nobody can say that
    it spent nothing. A missing file has no rows. Raises ``StateError`` where the index cannot be opened: nobody knows
    then what has been spent.
    """
    path = os.path.join(folder, os.path.basename(INDEX))
    try:
        newest = pending.line(path)
        with open_regular(path, buffering=0) as stream:
            return runs_from(stream, folder, goal_id, window_start, neutral, enough, cap, newest)
    except FileNotFoundError:
        return runs_from(BytesIO(), folder, goal_id, window_start, neutral, enough, cap, newest) if newest else Runs()
    except (OSError, ValueError) as error:
        fix = "Correct its permissions or its place."
        raise StateError(f"The run index cannot be read ({reason(error)}).", at=INDEX, fix=fix) from None


def runs_from(
    stream: BinaryIO,
    folder: str,
    goal_id: str,
    window_start: int,
    neutral: Collection[str],
    enough: int = ENOUGH_ROWS,
    cap: int = ROW_CAP,
    newest: bytes = b"",
) -> Runs:
    """``read_runs`` on an open file; ``newest`` is a row that a writer has still to append to it."""
    runs = Runs()
    rows: dict[object, _Row] = {}
    deepest: int | None = None
    meaningful = beyond = 0
    lines = lines_from_end(stream)
    for line in _with_newest(newest, lines) if newest else lines:
        if not line.strip():
            continue
        raw = row_of(line)
        if raw is None:
            runs.torn += 1
            raw = _lost_spending(line, deepest)
            if raw is None:
                continue
        if raw.get("goal_id", goal_id) != goal_id:
            continue
        row = _Row(raw)
        # A later line with the same identity overlays this one, and has been read before it.
        identity = identity_of(raw)
        later = rows.pop(identity, None) if identity else None
        if later is not None:
            row.overlaid_by(later)
        rows[identity or object()] = row
        time = row.time
        overlay = "human_reward" in raw
        row.own = not overlay
        if not overlay:
            deepest = deepest if time is None else time
            meaningful += _text(raw, "classification") not in neutral
        if time is not None and time < window_start:
            beyond += 1
            if beyond >= cap or (meaningful >= enough and not overlay):
                runs.complete = False
                break
    else:
        runs.complete = stream.seek(0, os.SEEK_END) <= BYTE_LIMIT
    for row in rows.values():
        # What is older than the oldest row reached, or as old and no row of its own, overlays a run not reached.
        reached = row.time is None or deepest is None or row.time > deepest or (row.time == deepest and row.own)
        if runs.complete or reached:
            recent = row.time is None or row.time >= window_start
            runs.rows.append(run_of(row.raw, goal_id, folder if recent else "", row.voids))
    return runs


def _with_newest(newest: bytes, lines: Iterator[bytes]) -> Iterator[bytes]:
    """The line that is still to be appended, then the lines of the file without a part of it."""
    yield newest
    last = next(lines, b"")
    if not newest.startswith(last):
        yield last
    yield from lines


def unvoided(rows: Sequence[Run], now: int) -> list[Run]:
    """The rows that spent slots and were not taken back, oldest first; ``rows`` are newest first.

    A void takes back the spending that it names in ``quota_event.spend``; one that names none, the spending before
    it. A spending in the future counts, and a void in the future or without a time does not: a wrong clock must not
    give slots back.
    """
    spent: list[Run] = []
    for row in reversed(rows):
        if row.slots > 0:
            spent.append(row)
        elif row.slots < 0 and row.generated_at is not None and row.generated_at <= now:
            event = row.raw.get("quota_event")
            named = event.get("spend") if isinstance(event, dict) else None
            places = [place for place, one in enumerate(spent) if not named or one.generated_at_text == named]
            if places:
                del spent[places[-1]]
    return spent


class _Row:
    """One row while its overlays are merged. ``own`` unless only an overlay of it was met so far; ``voids`` are the
    slots that an overlay takes back.
    """

    __slots__ = ("own", "raw", "time", "voids")

    def __init__(self, raw: Json) -> None:
        self.raw = raw
        self.own = True
        self.voids = 0
        stamp = raw.get("generated_at")
        time = parse_time(stamp) if isinstance(stamp, str) else None
        self.time = time[0] if time else None

    def overlaid_by(self, later: _Row) -> None:
        self.voids = later.voids
        if self.raw.get("classification") == SPENT and later.raw.get("classification") == VOIDED:
            # The overlay undoes the spending; it is not a second event that gives a slot back.
            self.voids += _figure(later.raw.get("quota_event"), 1)
            self.raw = {**later.raw, **self.raw}
        else:
            self.raw = {**self.raw, **later.raw}


def run_of(raw: Json, goal_id: str, folder: str = "", voids: int = 0) -> Run:
    """The typed view of one row. ``folder`` is where its JSON file may lie (empty: do not look)."""
    stamp = _text(raw, "generated_at")
    time = parse_time(stamp)
    target = raw.get("monitor_target")
    ack = raw.get("autonomous_replan_ack")
    delta = ack.get("delta_contract") if isinstance(ack, dict) else None
    kinds = delta.get("delta_kinds") if isinstance(delta, dict) else None
    classification = _text(raw, "classification")
    slots = 0
    if classification == SPENT:
        slots = max(0, _slots(raw, folder) - voids)
    elif classification == VOIDED:
        slots = -_slots(raw, folder)
    return Run(
        generated_at=time[0] if time else None,
        generated_at_text=stamp,
        goal_id=goal_id,
        classification=classification,
        agent_id=_text(raw, "agent_id"),
        progress_scope=_text(raw, "progress_scope"),
        recommended_action=_text(raw, "recommended_action"),
        delivery_batch_scale=_text(raw, "delivery_batch_scale"),
        delivery_outcome=_text(raw, "delivery_outcome"),
        monitor_target=_text(target, "target_id")
        if isinstance(target, dict)
        else target
        if isinstance(target, str)
        else "",
        ack_recorded=isinstance(ack, dict) and ack.get("recorded") is True,
        ack_delta=isinstance(delta, dict) and delta.get("delta_present") is True,
        delta_kinds=tuple(kind for kind in kinds if isinstance(kind, str)) if isinstance(kinds, list) else (),
        slots=slots,
        raw=raw,
    )


class _Line:
    """The parts of one line, met from its end. Of one beyond ``LINE_LIMIT`` only what it names is kept."""

    __slots__ = ("edge", "length", "named", "parts")

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.length = 0
        self.edge = b""
        self.named = False

    def add(self, part: bytes) -> None:
        self.length += len(part)
        if self.length <= LINE_LIMIT:
            self.parts.append(part)
            return
        met = b"".join((part, *reversed(self.parts), self.edge))
        self.named = self.named or _SPENT in met
        self.edge = met[: len(_SPENT) - 1]
        self.parts.clear()

    def whole(self) -> bytes:
        if self.length > LINE_LIMIT:
            return b"\0" + _SPENT if self.named else b"\0"
        return self.parts[0] if len(self.parts) == 1 else b"".join(reversed(self.parts))


def lines_from_end(stream: BinaryIO, block: int = BLOCK) -> Iterator[bytes]:
    """The lines of a file, last first, without their ends.

    Of a line beyond ``LINE_LIMIT`` a stub is given that is no JSON and names ``quota_slot_spent`` where the line
    does. Nothing is read before it is asked for; after ``BYTE_LIMIT`` bytes the file counts as ended.
    """
    position = stream.seek(0, os.SEEK_END)
    stop = max(0, position - BYTE_LIMIT)
    line = _Line()
    while position > stop:
        size = min(block, position)
        position -= size
        stream.seek(position)
        head, *rest = stream.read(size).split(b"\n")
        if rest:
            line.add(rest.pop())
            yield line.whole()
            yield from reversed(rest)
            line = _Line()
        line.add(head)
    if position == 0:
        yield line.whole()


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant)


def row_of(line: bytes) -> Json | None:
    """The row in a line of the index; ``None`` where it is not one JSON object in UTF-8."""
    try:
        value = _DECODER.decode(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _lost_spending(line: bytes, latest: int | None) -> Json | None:
    """The row to count for a line that is no row; ``None`` where it spent nothing.

    NaN, and bytes that are no UTF-8, leave the rest of a row legible. Of any other line only its place is known:
    it is no later than the row below it, which was recorded at ``latest``.
    """
    if _SPENT not in line:
        return None
    try:
        row = json.loads(line.decode("utf-8-sig", "replace"))
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        stamp = {} if latest is None else {"generated_at": iso(latest)}
        return {**stamp, "classification": SPENT, "torn": True}
    if row.get("classification") != SPENT:
        return None
    kept: Json = {key: row[key] for key in _KEPT if isinstance(row.get(key), str)}
    event = row.get("quota_event")
    if isinstance(event, dict) and "slots" in event:
        kept["quota_event"] = {"slots": _figure(event, 1)}
    return {**kept, "torn": True}


def identity_of(raw: Json) -> tuple[str, str, str] | None:
    """What overlays share. Rows without a time or without a file are nobody's overlay."""
    stamp, payload, note = (_text(raw, key) for key in ("generated_at", "json_path", "markdown_path"))
    return (stamp, payload, note) if stamp and (payload or note) else None


def _text(data: Json, key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def _slots(raw: Json, folder: str) -> int:
    """The slots of a quota row: its own figure, the one in its JSON file, or one."""
    event = raw.get("quota_event")
    if folder and not (isinstance(event, dict) and "slots" in event):
        payload = read_payload(_text(raw, "json_path"), folder)
        event = payload.get("quota_event", event) if payload else event
    return _figure(event, 1)


def _figure(event: object, default: int) -> int:
    value = event.get("slots") if isinstance(event, dict) else None
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 10**9:
        return -int(-value // 1)
    return default


def read_payload(name: str, folder: str) -> Json | None:
    """The JSON file of a row, ``name`` as its ``json_path`` says; ``None`` unless it lies inside the runs folder."""
    path = artifact(name, folder)
    try:
        with open_regular(path) as stream:
            return row_of(stream.read(_PAYLOAD_LIMIT))
    except (OSError, ValueError):
        return None


def artifact(name: str, folder: str) -> str:
    """Where the file that a row names lies, if it exists inside the runs folder ``folder``; empty where not."""
    try:
        inside = os.path.realpath(folder) + os.sep
        for base in (folder, os.path.dirname(folder), os.path.dirname(os.path.dirname(os.path.dirname(folder)))):
            path = os.path.realpath(os.path.join(base, name))
            if name and path.startswith(inside) and is_file(path):
                return path
    except (OSError, ValueError):
        pass
    return ""
