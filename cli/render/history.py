"""What happened to a goal, newest first."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
NOTHING = "Nothing is on record."


def about(data: Data) -> list[str]:
    """Whose history it is, and what of it."""
    return [data["goal_id"], data["agent_id"] or "", ", ".join(data["kinds"])]


def told(entry: Data) -> str:
    """What an entry says: its own name first where the kind does not say it already."""
    head = "" if entry["what"].startswith(entry["kind"]) or entry["kind"] in ("reward", "gate") else entry["what"]
    return ": ".join(part for part in (head, entry["summary"]) if part) or entry["what"]


def subject(entry: Data) -> str:
    """What it was about, where the summary does not name it."""
    return "" if entry["ref"] in (entry["at"], *entry["summary"].replace(":", " ").split()) else entry["ref"]


def more(data: Data) -> str:
    """What is not shown, in words."""
    parts = [
        f"{data['hidden']} older entries are not shown (--limit)" if data["hidden"] else "",
        f"{data['torn']} torn lines were skipped" if data["torn"] else "",
    ]
    return "; ".join(part for part in parts if part)


def rich(data: Data, look: Look) -> RenderableType:
    lines = [
        (
            words(entry["at"], "dim"),
            words(entry["kind"], "bold"),
            Text.assemble(words(told(entry)), "  ", words(subject(entry), "dim")),
            words(entry["agent_id"], "cyan"),
        )
        for entry in data["entries"]
    ]
    top = Text(look.join(about(data)), style="bold")
    return stack(top, heading("history", more(data)), rows([20, 8, None, 8], lines) if lines else words(NOTHING, "dim"))


def markdown(data: Data) -> str:
    parts = [f"# History of {cell(', '.join(part for part in about(data) if part))}"]
    table = [(e["at"], e["kind"], told(e), subject(e), e["agent_id"]) for e in data["entries"]]
    parts.append(markdown_table(["at", "kind", "what", "about", "by"], table) if table else NOTHING)
    if more(data):
        parts.append(f"{more(data)}.")
    return "\n\n".join(parts)
