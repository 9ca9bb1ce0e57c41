"""The audit of the canary data: what has drifted, and what covers each pattern."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, banner, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]


def summary(data: Data) -> str:
    errors = sum(finding["severity"] == "error" for finding in data["findings"])
    covered = f"{len(data['patterns'])} patterns and {len(data['surfaces'])} surfaces are covered"
    if errors:
        covered = f"{errors} thing{'s' if errors > 1 else ''} to mend"
    warnings = len(data["findings"]) - errors
    return f"{covered}, {warnings} warning{'' if warnings == 1 else 's'}"


def by(entry: Data) -> str:
    """What covers a pattern, or why nothing does."""
    return ", ".join(entry["profiles"]) or f"none: {entry['rationale']}"


def rich(data: Data, look: Look) -> RenderableType:
    word, colour = ("COVERED", "green") if data["ok"] else ("DRIFT", "red")
    parts: list[RenderableType] = [banner(word, colour, [words(summary(data), "bold")], look)]
    lines: list[list[RenderableType]] = []
    for finding in data["findings"]:
        sign = look.mark("no" if finding["severity"] == "error" else "warn")
        lines.append([sign, words(finding["at"], "bold")])
        lines.append(["", Text.assemble(words(finding["message"]), "  ", words(f"[{finding['rule']}]", "dim"))])
    if lines:
        parts.append(rows([1, None], lines))
    if data["patterns"]:
        parts.append(heading("patterns", "the profiles that cover each"))
        table = [(words(each["pattern"]), words(each["importance"]), words(by(each))) for each in data["patterns"]]
        parts.append(rows([12, 2, None], table))
        parts.append(heading("surfaces", "--surface takes these"))
        parts.append(rows([18, 4, None], [_surface(each) for each in data["surfaces"]]))
    if data["profiles"]:
        parts.append(heading("profiles", "--profile takes these"))
        parts.append(
            rows([23, None], [(words(each["profile"]), words(each["situation"])) for each in data["profiles"]])
        )
    return stack(*parts)


def _surface(each: Data) -> tuple[RenderableType, ...]:
    why = words(each["why"], "dim")
    return words(each["surface"]), words(each["path"]), Text.assemble(words(each["meaning"]), "  ", why)


def markdown(data: Data) -> str:
    parts = [f"# {'Covered' if data['ok'] else 'Drift'}: {cell(summary(data))}"]
    if data["findings"]:
        table = [(f["at"], f["severity"], f["message"], f["rule"]) for f in data["findings"]]
        parts.append(markdown_table(["at", "severity", "message", "rule"], table))
    if data["patterns"]:
        parts.append(
            markdown_table(["pattern", "profiles"], [(each["pattern"], by(each)) for each in data["patterns"]])
        )
        lines = [(each["surface"], each["path"], each["meaning"]) for each in data["surfaces"]]
        parts.append(markdown_table(["surface", "path", "meaning"], lines))
    if data["profiles"]:
        lines = [(each["profile"], each["owner"], each["situation"]) for each in data["profiles"]]
        parts.append(markdown_table(["profile", "owner", "situation"], lines))
    return "\n\n".join(parts)
