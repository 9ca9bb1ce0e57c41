"""A small reader of the state's grammar, written from the format's description alone.

It shares nothing with the generator and nothing with the project reader. It is strict: what the grammar
does not allow is a complaint.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote

TODO = re.compile(r"- \[([ xX-])\] (?:\[(P[0-4])(?:-monitor)?\] )?(\S.*)")
COMMENT = re.compile(r"  <!-- loopx:todo ((?:\S+=\S+ ?)+)-->")
KEY = re.compile(r"[a-z_][a-z0-9_-]*")

ID = r"todo_[a-z0-9_-]{3,64}"
NAME = r"[a-z][a-z0-9_.:@-]{0,79}"
CAPABILITY = r"[a-z][a-z0-9_:-]{0,63}"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?"
FLAG = r"true|false|1|0|yes|no"
SCOPE = (
    r"(?:private_read|write_scope|resource|production|public_claim|direction)"
    r":(?:action|lane|goal|project|global):\S+?"
)

VALUES = {
    "todo_id": ID,
    "unblocks_todo_id": ID,
    "superseded_by": ID,
    "successor_todo_ids": f"{ID}(?:,{ID})*",
    "status": "open|done|blocked|deferred",
    "task_class": "advancement_task|continuous_monitor|user_gate|user_action|blocker",
    "action_kind": r"[a-z][a-z0-9_-]{0,63}",
    "claimed_by": NAME,
    "blocks_agent": NAME,
    "global_gate": FLAG,
    "no_followup": FLAG,
    "route_continuation_replan_required": FLAG,
    "resume_when": rf"todo_done:{ID}|pr_merged:(?:[a-z]+/[a-z]+)?#\d+",
    "required_write_scopes": r"(?!/)(?!.*\.\.).{1,160}(?:[,;|].{1,160})*",
    "required_capabilities": f"{CAPABILITY}(?:,{CAPABILITY})*",
    "target_capabilities": f"{CAPABILITY}(?:,{CAPABILITY})*",
    "decision_scope": SCOPE,
    "required_decision_scopes": f"{SCOPE}(?:,{SCOPE})*",
    "safety_class": "read_only|local_write|external_run|protected_write",
    "target_key": r"\S+",
    "cadence": r"\d+[mhd]",
    "next_due_at": TIME,
    "expires_at": TIME,
    "last_checked_at": TIME,
    "updated_at": TIME,
    "completed_at": TIME,
    "result_hash": r"[0-9a-f]+",
    "consecutive_no_change": r"\d+",
    "material_change": FLAG,
    "note": r".+",
    "reason": r".+",
    "evidence": r".+",
}


@dataclass(slots=True)
class Read:
    """One todo as read."""

    section: str
    mark: str
    priority: str
    text: str
    more: list[str] = field(default_factory=list)
    meta: dict[str, str] = field(default_factory=dict)

    @property
    def status(self) -> str:
        return self.meta.get("status", {" ": "open", "-": "deferred"}.get(self.mark, "done"))


@dataclass(slots=True)
class Reading:
    front: dict[str, str] = field(default_factory=dict)
    headings: list[str] = field(default_factory=list)
    todos: dict[str, list[Read]] = field(default_factory=dict)
    bullets: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def kind_of(heading: str) -> str:
    """``user``, ``agent``, ``archive``, ``next`` or ``other``, by the words of the heading."""
    heading = heading.lower()
    for kind, words in (
        ("archive", ("todo archive", "work archive", "completed archive", "completed work")),
        ("user", ("user todo", "owner review reading queue", "owner reading queue")),
        ("agent", ("agent todo", "codex todo", "project agent todo")),
        ("next", ("next action",)),
    ):
        if any(word in heading for word in words):
            return kind
    return "other"


def read(text: str) -> Reading:
    """The whole state; line ends of either kind."""
    reading = Reading()
    lines = text.replace("\r\n", "\n").split("\n")
    if lines[0] == "---":
        for line in lines[1 : lines.index("---", 1)]:
            key, _, value = line.partition(": ")
            reading.front[key] = value
        lines = lines[lines.index("---", 1) + 1 :]
    kind, todo = "", None
    for line in lines:
        if line.startswith("## "):
            reading.headings.append(line[3:])
            kind, todo = kind_of(line[3:]), None
        elif kind == "next" and line.startswith("- "):
            reading.bullets.append(line[2:])
        elif match := TODO.fullmatch(line):
            todo = Read(reading.headings[-1], match[1], match[2] or "", match[3])
            reading.todos.setdefault(kind, []).append(todo)
        elif todo is not None and (match := COMMENT.fullmatch(line)):
            _metadata(match[1], todo, reading)
        elif todo is not None and line.startswith("  "):
            todo.more.append(line.strip())
        elif line.startswith(("- ", "  ")):
            reading.complaints.append(f"stray line: {line}")
    return reading


def _metadata(pairs: str, todo: Read, reading: Reading) -> None:
    for pair in pairs.split():
        name, _, raw = pair.partition("=")
        key, value = name.replace("-", "_"), unquote(raw, errors="strict")
        if not KEY.fullmatch(name):
            reading.complaints.append(f"bad key: {name}")
        if key in todo.meta:
            reading.complaints.append(f"key twice: {key}")
        if key in VALUES and not re.fullmatch(VALUES[key], value):
            reading.complaints.append(f"bad value: {key}={value}")
        todo.meta[key] = value
