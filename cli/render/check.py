"""What a check found, and what it mended."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, banner, cell, heading, rows, stack, words
from .written import clean_lines, diff_lines

Data = dict[str, Any]


def headline(data: Data) -> tuple[str, str]:
    """The word and the sentence for it."""
    findings, mended = len(data["findings"]), len(data["mended"])
    said = f"{findings} finding{'s' * (findings != 1)}" if findings else "Nothing is wrong"
    where = [f"in {', '.join(data['goals'])}" if data["goals"] else "", *data["paths"]]
    said = " ".join([said, *(part for part in where if part)])
    return ("FOUND" if findings else "CLEAN"), said + (f"; {mended} mended" if mended else "") + "."


def place(finding: Data) -> str:
    """``file:line``, as editors and terminals open it."""
    return f"{finding['file']}:{finding['line']}" if finding["line"] else finding["file"]


def advice(data: Data) -> str:
    """How to have the mechanical ones mended."""
    if any(finding["mechanical"] for finding in data["findings"]) and not data["diff"]:
        return "loopx check --fix mends the mechanical ones; add --dry-run to see how."
    return ""


def rich(data: Data, look: Look) -> RenderableType:
    word, said = headline(data)
    parts: list[RenderableType] = [banner(word, "red" if data["findings"] else "green", [words(said, "bold")], look)]
    if data["findings"]:
        marks = {"error": "no", "warning": "warn"}
        lines = [(look.mark(marks[each["level"]]), _finding(each)) for each in data["findings"]]
        parts += [heading("findings", advice(data)), rows([1, None], lines)]
    if data["mended"]:
        lines = [(look.mark("yes"), _finding(each)) for each in data["mended"]]
        parts += [heading("mended"), rows([1, None], lines)]
    if data["diff"]:
        parts += [heading("changes", "not made yet" if data["dry_run"] else ""), diff_lines(data["diff"])]
    return stack(*parts)


def _finding(finding: Data) -> Text:
    head = Text.assemble(
        words(place(finding), "bold"), ": ", words(finding["message"]), " ", words(finding["rule"], "dim")
    )
    return head.append("\n").append(words(finding["fix"], "cyan")) if finding["fix"] else head


def markdown(data: Data) -> str:
    word, said = headline(data)
    parts = [f"# {word.capitalize()}: {cell(said)}"]
    for title, name in (("Findings", "findings"), ("Mended", "mended")):
        lines = [
            f"- `{cell(place(each))}` {each['rule']}: {cell(each['message'])} {cell(each['fix'])}"
            for each in data[name]
        ]
        parts += [f"## {title}", "\n".join(lines)] if lines else []
    if data["diff"]:
        parts.append(f"````diff\n{clean_lines(data['diff'])}\n````")
    return "\n\n".join(parts)
