"""The answer of a writing command: what was done or would be done, the diff, and the decision that now holds."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from loopx_policy.text import literal

from .decision import unbroken
from .look import Look, banner, cell, clean, heading, rows, stack, words
from .verdict import verdict

Data = dict[str, Any]
LONGEST = 400
"""Characters of a line of the diff that are shown."""
STYLES = {"+": "green", "-": "red", "@": "cyan"}


def headline(data: Data) -> tuple[str, str, str]:
    """Word, colour and note: whether anything was written."""
    if data["repeated"]:
        return "ALREADY DONE", "blue", "This idempotency key was used before; its first result is reported."
    if data["written"]:
        return "WRITTEN", "green", ""
    if data["diff"]:
        return "PREVIEW", "yellow", "Nothing was changed."
    return "NO CHANGE", "blue", "Nothing had to be changed."


def results(data: Data) -> list[tuple[str, str]]:
    """The figures and names that the command reports."""
    return [
        (name.replace("_", " "), ", ".join(map(str, value)) if isinstance(value, list) else literal(value))
        for name, value in data["result"].items()
        if value not in ("", None, [], {}) and not isinstance(value, dict)
    ]


def next_turn(data: Data) -> str:
    """The decision that now holds, in one line."""
    decision = data["decision"]
    said = verdict(decision)
    whose = f" for {decision['agent_id']}" if decision["agent_id"] else ""
    return f"{said.word}{whose}: {decision['reason']}"


def short(line: str) -> str:
    """A line of a diff as people want to see it: a row of a log is longer than anybody reads."""
    return line if len(line) <= LONGEST else f"{line[:LONGEST]} ... and {len(line) - LONGEST} more characters"


def diff_lines(text: str) -> Text:
    out = Text()
    for line in map(short, text.splitlines()):
        style = "bold" if line[:3] in ("---", "+++") else STYLES.get(line[:1], "dim")
        out.append("".join(mark if mark.isprintable() or mark == "\t" else "�" for mark in line) + "\n", style=style)
    return out


def rich(data: Data, look: Look) -> RenderableType:
    word, colour, note = headline(data)
    lines = [words(data["summary"], "bold")] + ([words(note, "dim")] if note else [])
    parts: list[RenderableType] = [banner(word, colour, lines, look)]
    found = results(data)
    if found:
        parts += [heading("result"), rows([14, None], [(words(name, "dim"), words(value)) for name, value in found])]
    if data["diff"]:
        parts += [heading("changes"), diff_lines(data["diff"])]
    if data["decision"] is not None:
        parts += [heading("now"), rows([1, None], [(look.mark("here"), words(next_turn(data)))])]
    if data.get("next"):
        parts += [heading("next"), *map(unbroken, data["next"])]
    return stack(*parts)


def markdown(data: Data) -> str:
    word, _, note = headline(data)
    parts = [f"# {word.capitalize()}: {cell(data['summary'])}"]
    if note:
        parts.append(note)
    found = results(data)
    if found:
        parts.append("\n".join(f"- {name}: {cell(value)}" for name, value in found))
    if data["diff"]:
        fence = "````"
        parts.append(f"{fence}diff\n{clean_lines(data['diff'])}\n{fence}")
    if data["decision"] is not None:
        parts.append(f"Now: {cell(next_turn(data))}")
    if data.get("next"):
        parts.append("Next:\n\n" + "\n".join(f"- `{clean(step)}`" for step in data["next"]))
    return "\n\n".join(parts)


def clean_lines(text: str) -> str:
    return "\n".join(clean(line) if not line[:1].isspace() else line for line in map(short, text.splitlines()))
