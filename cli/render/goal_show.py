"""One goal as it is set, as a list of what stands where."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from . import quota_status
from .look import Look, bullet_list, cell, heading, rows, stack, words

Data = dict[str, Any]
NOTHING = "none"


def settings(data: Data) -> list[tuple[str, str]]:
    """Label and value of everything but the approvals."""
    quota, floor = data["quota"], data["outcome_floor"]
    note = quota_status.note(quota)
    spent = f"{quota_status.figures(quota)} slots, {quota_status.window(quota)}"
    lines = [
        ("objective", data["objective"] or "not set"),
        ("next action", "; ".join(data["next_actions"]) or NOTHING),
        ("agents", ", ".join(agent(data, name) for name in data["agents"]) or "none registered"),
        ("may write", ", ".join(data["write_scope"]) or "nothing declared"),
        ("quota", f"{spent}; {note}" if note else spent),
        ("waits for", waits(data)),
        ("attention", data["attention_status"]),
        ("recommended", data["recommended_action"]),
        ("outcome floor", outcome(floor) if floor else ""),
        ("may repair", ", ".join(data["self_repair"])),
        ("longest lease", f"{data['claim_ttl_minutes']} minutes" if data["claim_ttl_minutes"] else ""),
        ("state", data["state_file"]),
    ]
    return [(label, value) for label, value in lines if value]


def waits(data: Data) -> str:
    """The declared wait, and how its owner ends it."""
    if not data["waiting_on"]:
        return "nothing"
    return f"{data['waiting_on']}; its owner ends it with loopx goal set --clear waiting_on --operator --execute"


def agent(data: Data, name: str) -> str:
    marks = [
        word
        for word, key in (("primary", "primary_agent"), ("takes handoffs", "side_agent_handoff_agent"))
        if data[key] == name
    ]
    return f"{name} ({', '.join(marks)})" if marks else name


def outcome(floor: Data) -> str:
    advance = f", {', '.join(floor['must_advance'])} must advance" if floor["must_advance"] else ""
    return f"after {floor['surface_streak_threshold']} thin rows{advance}"


def approval(entry: Data) -> tuple[str, str]:
    """The scope of an approval, and what there is to know of it."""
    end = f"until {entry['expires_at']}" if entry["expires_at"] else "without end"
    standing = f"grants nothing: {entry['rejected']}" if entry["rejected"] else f"in force {end}"
    return ", ".join(entry["write_scope"]), f"{standing}; {entry['source'] or 'no source'}"


def rich(data: Data, look: Look) -> RenderableType:
    table = [(words(label, "dim"), words(value)) for label, value in settings(data)]
    parts: list[RenderableType] = [words(data["goal_id"], "bold"), Text(""), rows([13, None], table)]
    if data["approvals"]:
        lines = [
            (look.mark("no" if entry["rejected"] else "yes"), *map(words, approval(entry)))
            for entry in data["approvals"]
        ]
        parts += [heading("approvals"), rows([1, 13, None], lines)]
    return stack(*parts)


def markdown(data: Data) -> str:
    parts = [
        f"# {cell(data['goal_id'])}",
        bullet_list(f"{label}: {cell(value)}" for label, value in settings(data)),
    ]
    if data["approvals"]:
        told = (approval(entry) for entry in data["approvals"])
        parts += ["## Approvals", bullet_list(f"{cell(scope)}: {cell(standing)}" for scope, standing in told)]
    return "\n\n".join(parts)
