"""The todos of a goal, list by list."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
BOXES = {"open": "[ ]", "done": "[x]", "deferred": "[-]", "blocked": "[!]"}
COLOURS = {"open": "bold", "blocked": "red", "deferred": "yellow", "done": "dim"}
SHORT = {"advancement_task": "", "continuous_monitor": "monitor", "user_gate": "gate", "user_action": "action"}


def headline(data: Data) -> str:
    """How many todos fit, of how many in which status."""
    counted = ", ".join(f"{number} {status}" for status, number in data["counts"].items()) or "no todos"
    every = sum(data["counts"].values())
    if data["found"] == every:
        return f"{data['goal_id']}: {counted}"
    return f"{data['goal_id']}: {data['found']} of {every} todos ({counted})"


def about(todo: Data) -> str:
    """Class and holder, as far as they are not the usual ones."""
    kind = SHORT.get(todo["task_class"], todo["task_class"])
    holder = todo["claimed_by"] or ("" if todo["role"] == "user" or todo["status"] == "done" else "unclaimed")
    return ", ".join(part for part in (kind, holder) if part)


def hidden(data: Data) -> str:
    return f"{data['hidden']} more are not shown (--limit)" if data["hidden"] else ""


def sections(data: Data) -> list[tuple[str, list[Data]]]:
    """The todos by the heading that they stand below, in file order."""
    found: dict[str, list[Data]] = {}
    for todo in data["todos"]:
        found.setdefault(todo["section"], []).append(todo)
    return list(found.items())


def rich(data: Data, look: Look) -> RenderableType:
    parts: list[RenderableType] = [Text(headline(data), style="bold")]
    for section, todos in sections(data):
        lines: list[list[RenderableType]] = []
        for todo in todos:
            box = Text(BOXES[todo["status"]], style=COLOURS[todo["status"]])
            lines.append([box, words(todo["text"], "dim" if todo["status"] == "done" else "")])
            below = Text.assemble(
                words(todo["todo_id"], "cyan"), "  ", words(about(todo)), "  ", words(todo["at"], "dim")
            )
            lines.append(["", below])
        parts += [heading(section, name=True), rows([3, None], lines)]
    if not data["todos"]:
        parts.append(Text("Nothing fits." if data["filters"] else "There is no todo."))
    if data["hidden"]:
        parts.append(Text(f"\n{hidden(data)}", style="dim"))
    return stack(*parts)


def markdown(data: Data) -> str:
    parts = [f"# {cell(headline(data))}"]
    for section, todos in sections(data):
        table = [(BOXES[t["status"]], t["todo_id"], about(t), t["text"], t["at"]) for t in todos]
        parts += [f"## {cell(section)}", markdown_table(["", "todo", "who", "text", "at"], table)]
    if not data["todos"]:
        parts.append("Nothing fits." if data["filters"] else "There is no todo.")
    if data["hidden"]:
        parts.append(f"{hidden(data)}.")
    return "\n\n".join(parts)
