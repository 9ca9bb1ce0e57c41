"""Fixtures, a line for each pattern, and under it what failed with the differing fields."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, banner, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]


def summary(data: Data) -> str:
    """The closing line."""
    more = "".join(f", {len(data[key])} {key}" for key in ("errors", "missing") if data[key])
    return f"{data['passed']} passed, {data['failed']} failed{more}"


def by_pattern(data: Data) -> dict[str, list[Data]]:
    """The outcomes by the folder that they stand in."""
    found: dict[str, list[Data]] = {}
    for outcome in data["outcomes"]:
        found.setdefault(outcome["fixture"].split("/")[0], []).append(outcome)
    return found


def difference(item: Data) -> str:
    """One differing field in words."""
    return f"{item['field']}: wanted {item['wanted']}, found {item['found']}"


def rich(data: Data, look: Look) -> RenderableType:
    word, colour = ("PASSED", "green") if data["ok"] else ("FAILED", "red")
    lines: list[list[RenderableType]] = []
    for pattern, outcomes in by_pattern(data).items():
        bad = [outcome for outcome in outcomes if not outcome["passed"]]
        sign = look.mark("no" if bad else "yes")
        lines.append([sign, words(f"{pattern}  {len(outcomes) - len(bad)} passed, {len(bad)} failed")])
        for outcome in bad:
            lines.append(["", Text.assemble(words(outcome["fixture"], "bold"), "  ", words(outcome["name"]))])
            told = [outcome["error"]] if outcome["error"] else [difference(item) for item in outcome["differences"]]
            lines += [["", words(f"  {line}")] for line in told]
    parts: list[RenderableType] = [banner(word, colour, [Text(summary(data))], look), rows([1, None], lines)]
    for key, title in (("errors", "cannot be read"), ("missing", "without a fixture")):
        if data[key]:
            parts += [heading(title), rows([None], [[words(line)] for line in data[key]])]
    return stack(*parts)


def markdown(data: Data) -> str:
    parts = [f"# {'Passed' if data['ok'] else 'Failed'}: {summary(data)}"]
    table = [
        (outcome["fixture"], outcome["name"], outcome["error"] or "; ".join(map(difference, outcome["differences"])))
        for outcome in data["outcomes"]
        if not outcome["passed"]
    ]
    if table:
        parts.append(markdown_table(["fixture", "case", "what differs"], [tuple(map(cell, row)) for row in table]))
    parts += [f"- {cell(line)}" for line in (*data["errors"], *data["missing"])]
    return "\n\n".join(parts)
