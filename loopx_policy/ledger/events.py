"""The record of writes: one event a write in the goal's rollout log, by which a repeat is recognised.

Source: rollout-event-log.jsonl, events of kind ``ledger_write``.
"""

from __future__ import annotations

import json
import mmap
import os
from typing import Any, Final

from ..digests import hex16
from ..errors import ConflictError, UsageError
from ..project.files import open_regular
from ..project.times import iso

KIND: Final = "ledger_write"
SCHEMA: Final = "loopx_rollout_event_v0"
Json = dict[str, Any]


def encode(data: Any) -> bytes:
    """One line of JSON, as all ledger files hold it."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def event(
    *,
    goal_id: str,
    command: str,
    agent_id: str | None,
    now: int,
    summary: str,
    result: Json,
    key: str,
    digest: str,
    decision: Json | None = None,
    place: int = 0,
) -> Json:
    """The event of one write.

    ``digest`` is that of the request, so that a reused key is noticed; ``decision`` the one that held before the
    write (``ledger.observed``), by which a spending finds the decision that its turn ran under. ``place`` is the size
    of the log before it: two writes of one second that say the same are two events.
    """
    details: Json = {"command": command, "agent_id": agent_id or "", "result": result, "request_digest": digest}
    if key:
        details["idempotency_key"] = key
    if decision:
        details["decision"] = decision
    body = {
        "schema_version": SCHEMA,
        "event_kind": KIND,
        "goal_id": goal_id,
        "recorded_at": iso(now),
        "status": "done",
        "summary": summary,
        "details": details,
    }
    return {"event_id": "evt_" + hex16([encode(body), b"%d" % place]), **body}


def size_of(path: str) -> int:
    """The size of the log; 0 where there is none yet."""
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def digest_of(command: str, request: Json) -> str:
    """16 hex digits that tell one request from another."""
    text = json.dumps([command, request], sort_keys=True, ensure_ascii=False, default=str)
    try:
        return hex16([text.encode()])
    except UnicodeEncodeError:
        raise UsageError("Something in the command is not UTF-8.", fix="Type it in UTF-8.") from None


def first_result(path: str, key: str, digest: str) -> Json | None:
    """The event that was recorded under an idempotency key; ``None`` where it is new.

    ``ConflictError`` where the key stands for another request.
    """
    found = find_key(path, key)
    if found is None:
        return None
    if found["details"].get("request_digest") != digest:
        raise ConflictError(
            f"The idempotency key {key[:60]} was used for another request ({found['details'].get('command', '')}).",
            fix="Choose a new key for a new request.",
        )
    return found


def find_key(path: str, key: str) -> Json | None:
    """The newest event with this key."""
    wanted = b'"idempotency_key":' + encode(key)
    try:
        with open_regular(path) as stream:
            if os.fstat(stream.fileno()).st_size == 0:
                return None
            with mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
                end = len(data)
                while (at := data.rfind(wanted, 0, end)) >= 0:
                    start = data.rfind(b"\n", 0, at) + 1
                    stop = data.find(b"\n", at)
                    row = read_event(data[start : stop if stop >= 0 else len(data)])
                    if row is not None and row["details"].get("idempotency_key") == key:
                        return row
                    end = start
    except FileNotFoundError:
        pass
    return None


def read_event(line: bytes) -> Json | None:
    """The event of a write in a line of the log; ``None`` for any other line."""
    try:
        row = json.loads(line)
    except ValueError:
        return None
    if not isinstance(row, dict) or row.get("event_kind") != KIND or not isinstance(row.get("details"), dict):
        return None
    return row
