"""Findings of lint, one below the other, each at file:line:column."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, banner, cell, markdown_table, rows, stack, words

Data = dict[str, Any]


def summary(data: Data) -> str:
    """How many errors and warnings in how many files."""
    errors = sum(finding["severity"] == "error" for finding in data["findings"])
    warnings = len(data["findings"]) - errors
    return f"{counted(errors, 'error')} and {counted(warnings, 'warning')} in {counted(data['files'], 'file')}"


def counted(number: int, word: str) -> str:
    return f"{number} {word}{'s' * (number != 1)}"


def rich(data: Data, look: Look) -> RenderableType:
    word, colour = ("CLEAN", "green") if data["ok"] else ("MEND", "red")
    lines: list[list[RenderableType]] = []
    for finding in data["findings"]:
        sign = look.mark("no" if finding["severity"] == "error" else "warn")
        lines.append([sign, Text.assemble(words(finding["at"], "bold"), "  ", words(f"{finding['severity']}", "dim"))])
        lines.append(
            [
                "",
                Text.assemble(
                    words(finding["message"]), "  ", words(f"[{finding.get('page') or finding['rule']}]", "dim")
                ),
            ]
        )
    return stack(banner(word, colour, [Text(summary(data))], look), rows([1, None], lines))


def markdown(data: Data) -> str:
    title = f"# {'Clean' if data['ok'] else 'To mend'}: {cell(summary(data))}"
    if not data["findings"]:
        return title
    table = [(f["at"], f["severity"], f["message"], f.get("page") or f["rule"]) for f in data["findings"]]
    return f"{title}\n\n{markdown_table(['at', 'severity', 'message', 'rule'], table)}"
