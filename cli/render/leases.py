"""The leases of a goal: what holds, by whom, until when, over what."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
NONE = "No leases."
COLOURS = {"in force": "green", "expired": "yellow", "finished todo": "dim"}


def ends(lease: Data) -> str:
    """When a lease ends, and in how many minutes."""
    if lease["expires_at"] is None:
        return "never"
    left = f" ({lease['minutes_left']} min)" if lease["standing"] == "in force" else ""
    return f"{lease['expires_at']}{left}"


def covers(lease: Data) -> str:
    return ", ".join(lease["write_scopes"]) or "writes nothing"


def rich(data: Data, look: Look) -> RenderableType:
    parts: list[RenderableType] = [words(look.join([data["goal_id"], f"as of {data['as_of']}"]), "dim")]
    if not data["leases"]:
        parts.append(Text(NONE))
    for lease in data["leases"]:
        standing = words(lease["standing"], COLOURS[lease["standing"]])
        parts.append(Text.assemble("\n", words(lease["todo_id"], "bold"), "  ", standing))
        lines = [
            (words("owner", "dim"), words(lease["owner"] or "nobody")),
            (words("until", "dim"), words(ends(lease))),
            (words("covers", "dim"), words(covers(lease))),
        ]
        parts.append(rows([6, None], lines + ([(words("todo", "dim"), words(lease["text"]))] if lease["text"] else [])))
    if data["problems"]:
        parts.append(heading("problems"))
        parts += [words(f"{each['at']}: {each['message']} {each['fix']}") for each in data["problems"]]
    return stack(*parts)


def markdown(data: Data) -> str:
    parts = [f"# Leases of {cell(data['goal_id'])}"]
    table = [
        (each["todo_id"], each["owner"] or "nobody", each["standing"], ends(each), covers(each))
        for each in data["leases"]
    ]
    parts.append(markdown_table(["todo", "owner", "standing", "until", "covers"], table) if table else NONE)
    parts += [f"- {cell(each['at'])}: {cell(each['message'])} {cell(each['fix'])}" for each in data["problems"]]
    return "\n\n".join(parts)
