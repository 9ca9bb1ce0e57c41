"""A goal's latest meaningful run, its todos, and the rows before it."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
NO_RUN = "No meaningful run."


def latest_line(data: Data) -> str:
    """The newest row that says something about the goal, or that there is none."""
    row = data["latest"]
    if row is None:
        beside = " The rows below are status-neutral." if data["rows"] else ""
        return f"{NO_RUN}{beside}"
    return f"{row['classification']} at {row['generated_at']}"


def todo_line(counted: dict[str, int]) -> str:
    return ", ".join(f"{number} {status}" for status, number in counted.items()) or "none"


def more(data: Data) -> str:
    """What is not shown, in words."""
    parts = [
        f"{data['hidden']} older rows are not shown (--limit)" if data["hidden"] else "",
        f"{data['torn']} torn lines were skipped" if data["torn"] else "",
    ]
    return "; ".join(part for part in parts if part)


def rich(data: Data, look: Look) -> RenderableType:
    about = look.join([data["goal_id"], data["agent_id"] or "", data["state_file"], f"as of {data['as_of']}"])
    top = [(Text("USER", style="bold"), words(f"todos: {todo_line(data['todos']['user'])}"))]
    top.append((Text("AGENT", style="bold"), words(f"todos: {todo_line(data['todos']['agent'])}")))
    parts: list[RenderableType] = [Text(latest_line(data), style="bold"), words(about, "dim")]
    latest = data["latest"]
    if latest is not None:
        for label, key in (("outcome", "delivery_outcome"), ("next", "recommended_action"), ("by", "agent_id")):
            if latest[key]:
                parts.append(Text.assemble(f"  {label}  ", words(latest[key])))
    if data["objective"]:
        parts.append(words(data["objective"], "italic"))
    parts += [Text(""), rows([5, None], top)]
    if data["problems"]:
        lines = [
            (
                look.mark("no"),
                Text.assemble(words(p["at"], "bold"), "  ", words(p["message"]), " ", words(p["fix"], "cyan")),
            )
            for p in data["problems"]
        ]
        parts += [heading("problems"), rows([1, None], lines)]
    if data["rows"]:
        runs = [
            (
                words(row["generated_at"], "dim"),
                words(row["classification"] + neutral(row)),
                words(row["agent_id"] or ""),
            )
            for row in data["rows"]
        ]
        parts += [heading("runs", more(data)), rows([20, None, 8], runs)]
    return stack(*parts)


def neutral(row: Data) -> str:
    return " (neutral)" if row["neutral"] else ""


def markdown(data: Data) -> str:
    parts = [f"# {cell(data['goal_id'])}: {cell(latest_line(data))}"]
    parts.append(f"User todos: {todo_line(data['todos']['user'])}. Agent todos: {todo_line(data['todos']['agent'])}.")
    if data["problems"]:
        parts += ["## Problems", markdown_table(["at", "what", "fix"], [tuple(p.values()) for p in data["problems"]])]
    if data["rows"]:
        table = [(r["generated_at"], r["classification"] + neutral(r), r["agent_id"] or "") for r in data["rows"]]
        parts += ["## Runs", markdown_table(["at", "classification", "agent"], table)]
        if more(data):
            parts.append(f"{more(data)}.")
    return "\n\n".join(parts)
