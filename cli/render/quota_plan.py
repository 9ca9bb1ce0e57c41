"""The next automatic turn of every agent of every goal."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, cell, heading, markdown_table, rows, stack, words
from .verdict import verdict

Data = dict[str, Any]


def next_line(data: Data) -> str:
    """Who would run first."""
    following = data["next"]
    if following is None:
        return "No agent of any goal would run now."
    agent = following["agent_id"] or "its agent"
    return f"Next: {agent} on {following['goal_id']}."


def tail(turn: Data) -> str:
    """What a reader wants beside the mode."""
    parts = [
        turn["selected_todo_id"] or "",
        f"{turn['user_items']} for the user" if turn["user_items"] else "",
        f"not before {turn['not_before']}" if turn["not_before"] else "",
    ]
    return ", ".join(part for part in parts if part)


def rich(data: Data, look: Look) -> RenderableType:
    parts: list[RenderableType] = [Text(next_line(data), style="bold")]
    for goal_id in dict.fromkeys(turn["goal_id"] for turn in data["turns"]):
        lines: list[list[RenderableType]] = []
        for turn in data["turns"]:
            if turn["goal_id"] != goal_id:
                continue
            said = verdict(turn["decision"])
            line = Text.assemble(words(turn["mode"]), "  ", words(tail(turn), "cyan"))
            lines.append([words(turn["agent_id"] or "(any agent)", "bold"), Text(said.word, style=said.colour), line])
            lines.append(["", "", words(turn["reason"], "dim")])
        parts += [heading(goal_id, name=True), rows([8, 5, None], lines)]
    return stack(*parts)


def markdown(data: Data) -> str:
    table = [
        (t["goal_id"], t["agent_id"] or "", verdict(t["decision"]).word, t["mode"], tail(t), t["reason"])
        for t in data["turns"]
    ]
    head = ["goal", "agent", "verdict", "mode", "with", "reason"]
    return f"# Plan\n\n{cell(next_line(data))}\n\n{markdown_table(head, table)}"
