"""The doctor's findings: a mark, a word, what was found, and the fix below it."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, banner, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
SIGNS = {"ok": "yes", "warn": "warn", "fail": "no"}
STYLES = {"ok": "green", "warn": "yellow", "fail": "red"}


def verdict(data: Data) -> tuple[str, str, str]:
    """Word, colour and sentence for all checks together."""
    failed = sum(check["status"] == "fail" for check in data["checks"])
    warned = sum(check["status"] == "warn" for check in data["checks"])
    if failed:
        return "MEND", "red", f"{failed} of {len(data['checks'])} checks failed."
    if warned:
        return "WORKS", "yellow", f"{warned} of {len(data['checks'])} checks could be better."
    return "WELL", "green", f"All {len(data['checks'])} checks are fine."


def rich(data: Data, look: Look) -> RenderableType:
    word, colour, sentence = verdict(data)
    lines: list[list[RenderableType]] = []
    for check in data["checks"]:
        status = Text(check["status"], style=STYLES[check["status"]])
        lines.append([look.mark(SIGNS[check["status"]]), status, words(check["name"], "bold"), words(check["found"])])
        if check["fix"]:
            lines.append(["", "", "", words(f"fix: {check['fix']}", "cyan")])
    return stack(banner(word, colour, [Text(sentence)], look), heading("checks"), rows([1, 4, 8, None], lines))


def markdown(data: Data) -> str:
    word, _, sentence = verdict(data)
    table = [(check["name"], check["status"], check["found"], check["fix"]) for check in data["checks"]]
    return f"# {word}: {sentence}\n\n{markdown_table(['check', 'status', 'found', 'fix'], table)}"
