"""What happened to a goal: rows of the run index, rewards over them, and the events of the rollout log, in one line.

A write of the ledger that made a row is told once, by its row.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from loopx_policy.project.files import open_regular
from loopx_policy.project.pending import Pending
from loopx_policy.project.rollout import LOG
from loopx_policy.project.runs import INDEX, LINE_LIMIT, SPENT, VOIDED, identity_of, row_of
from loopx_policy.project.times import parse_time
from loopx_policy.text import cut

Json = dict[str, Any]
KINDS: Final = ("run", "reward", "gate", "lesson", "plan", "dreaming", "quota", "poll", "write", "event")
WRITE: Final = "ledger_write"
POLL: Final = "quota_monitor_poll"
ROW_OF: Final = {
    "refresh-state": "run", "quota monitor-poll": "run", "quota spend-slot": "spend", "quota void-slot": "void",
}  # fmt: skip
"""Where the result of a write names the row that it made, unless as ``generated_at``."""


@dataclass(slots=True)
class Entry:
    """One thing that happened. ``at`` is its time as recorded; ``where`` the file and line that say so.

    ``what`` is a classification, a command or an event kind; ``ref`` is what it was about. ``agent_id`` is who did it
    (empty: a person, or nobody said), ``lane`` whether it concerns that agent's lane alone.
    """

    at: str
    seconds: int
    kind: str
    what: str
    summary: str
    agent_id: str
    lane: bool
    ref: str
    where: str

    def concerns(self, agent_id: str) -> bool:
        """Whether an agent did it, or it is no other lane's own."""
        return not self.lane or self.agent_id == agent_id

    def to_dict(self) -> Json:
        """The entry as plain data."""
        shown = ("at", "kind", "what", "summary", "agent_id", "lane", "ref", "where")
        return {name: getattr(self, name) for name in shown}


@dataclass(slots=True)
class Chronicle:
    """Entries newest first; ``torn`` lines could not be read."""

    entries: list[Entry] = field(default_factory=list)
    torn: int = 0


def read_chronicle(folder: str, goal_id: str, pending: Pending) -> Chronicle:
    """Everything that the files in a goal's folder tell; where two things have one time, the later line is newer."""
    told = Chronicle()
    rows = list(_rows(os.path.join(folder, *INDEX.split("/")), goal_id, pending, told))
    made = {entry.at for entry in rows} | {f"reward {entry.ref} {entry.at}" for entry in rows if entry.kind == "reward"}
    events = _events(os.path.join(folder, LOG), goal_id, pending, told)
    entries = [*rows, *(entry for entry, row in events if row not in made)]
    told.entries = sorted(entries, key=lambda entry: entry.seconds)[::-1]
    return told


def _lines(path: str, pending: Pending, told: Chronicle) -> Iterator[tuple[int, Json]]:
    """``(line number, object)`` of each line that is one; last, the line that is still to be appended."""
    number, due = 0, pending.line(path)
    with suppress(FileNotFoundError), open_regular(path) as stream:
        while line := stream.readline(LINE_LIMIT):
            number += 1
            row = row_of(line)
            if row is not None:
                yield number, row
            elif line.strip() and not due.startswith(line):
                told.torn += 1
    row = row_of(due) if due else None
    if row is not None:
        yield number + 1, row


def _rows(path: str, goal_id: str, pending: Pending, told: Chronicle) -> Iterator[Entry]:
    known: dict[object, Json] = {}
    for number, row in _lines(path, pending, told):
        if row.get("goal_id", goal_id) != goal_id:
            continue
        where, identity = f"{INDEX}:{number}", identity_of(row)
        earlier = known.get(identity) if identity else None
        if identity and earlier is None:
            known[identity] = row
        reward = row.get("human_reward")
        if isinstance(reward, dict) and (earlier is not None or not _text(row, "classification")):
            yield _reward(row, reward, where)
        else:
            yield _row(row, where)


def _reward(row: Json, reward: Json, where: str) -> Entry:
    at = _text(reward, "recorded_at") or _text(row, "generated_at")
    value = reward.get("reward", reward.get("value", ""))
    said = " ".join(str(part) for part in (value, _text(reward, "decision")) if part != "")
    why = _text(reward, "reason_summary") or _text(reward, "reason")
    return _entry(at, "reward", "human_reward", _joined(said, why), {}, _text(row, "generated_at"), where)


def _row(row: Json, where: str) -> Entry:
    kind, summary, ref = _sort(row)
    what = _text(row, "classification") or kind
    return _entry(_text(row, "generated_at"), kind, what, summary, row, ref, where)


def _sort(row: Json) -> tuple[str, str, str]:
    """Kind, summary and what it is about."""
    gate, lesson, plan = (_part(row, name) for name in ("operator_gate", "lesson", "plan"))
    proposal, decision = _part(row, "dreaming_proposal"), _part(row, "dreaming_decision")
    action = _text(row, "recommended_action")
    if gate:
        ref = _text(gate, "gate_id")
        why = _text(gate, "reason_summary") or _text(gate, "reason")
        return "gate", _joined(f"{_text(gate, 'decision') or 'asked'} {ref}".strip(), why), ref
    if lesson:
        return "lesson", _joined("correction", _text(lesson, "rule")), _text(lesson, "id")
    if row.get("lesson_ref"):
        return "lesson", _joined("promoted", action), str(row["lesson_ref"])
    if plan:
        items = plan.get("items")
        count = len(items) if isinstance(items, list) else 0
        return "plan", f"{count} item{'s' * (count != 1)} told", ""
    if proposal:
        return "dreaming", _joined("proposed", _text(proposal, "title")), _text(row, "generated_at")
    if decision:
        return "dreaming", _joined(_text(decision, "decision"), _text(decision, "reason")), _text(decision, "ref")
    if _text(row, "classification") == POLL:
        target = _text(row, "monitor_target") or _text(_part(row, "monitor_target"), "target_id")
        return "poll", "one look at a watch", target
    if _text(row, "classification") in (SPENT, VOIDED) or _part(row, "quota_event"):
        slots = _part(row, "quota_event").get("slots", 1)
        return "quota", f"{slots} slot{'s' * (slots != 1)}", ""
    outcome = _text(row, "delivery_outcome")
    return "run", f"{action} [{outcome}]".strip() if outcome else action, ""


def _events(path: str, goal_id: str, pending: Pending, told: Chronicle) -> Iterator[tuple[Entry, str]]:
    """The events, each with the time of the row that tells the same, or with nothing."""
    for number, event in _lines(path, pending, told):
        if event.get("goal_id", goal_id) != goal_id:
            continue
        details, where = _part(event, "details"), f"{LOG}:{number}"
        at, kind = _text(event, "recorded_at"), _text(event, "event_kind")
        result = _part(details, "result")
        if kind != WRITE:
            yield _entry(at, "event", kind, _text(event, "summary") or json.dumps(details), {}, "", where), ""
            continue
        command = _text(details, "command")
        made = _text(result, ROW_OF.get(command, "generated_at"))
        if command == "reward":
            made = f"reward {_text(result, 'target_ref')} {_text(result, 'recorded_at')}"
        yield _entry(at, "write", command, _text(event, "summary"), details, _text(result, "todo_id"), where), made


def _entry(at: str, kind: str, what: str, summary: str, row: Mapping[str, Any], ref: str, where: str) -> Entry:
    time = parse_time(at)
    agent = _text(row, "agent_id")
    lane = bool(agent) and row.get("progress_scope") != "goal"
    return Entry(at, time[0] if time else 0, kind, what, cut(summary, 300), agent, lane, ref, where)


def _joined(head: str, tail: str) -> str:
    return ": ".join(part for part in (head, tail) if part)


def _part(row: Mapping[str, Any], name: str) -> Json:
    found = row.get(name)
    return found if isinstance(found, dict) else {}


def _text(row: Mapping[str, Any], name: str) -> str:
    found = row.get(name)
    return found if isinstance(found, str) else ""
