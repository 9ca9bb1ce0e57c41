"""Fixtures, a line for each pattern, and under it what failed with the differing fields."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, banner, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]


def summary(data: Data) -> str:
    """The closing line."""
    told = f"{data['passed']} passed, {data['failed']} failed{in_error(len(data['errors']))}"
    return f"{told}, {len(data['missing'])} missing" if data["missing"] else told


def in_error(number: int) -> str:
    """How many could not be judged, where any could not."""
    return f", {number} error{'s' if number > 1 else ''}" if number else ""


def by_pattern(data: Data) -> dict[str, list[Data]]:
    """The outcomes by the folder that they stand in."""
    found: dict[str, list[Data]] = {}
    for outcome in data["outcomes"]:
        found.setdefault(outcome["fixture"].split("/")[0], []).append(outcome)
    return found


def count(outcomes: list[Data]) -> str:
    """How many of a pattern's outcomes passed, failed, and could not be judged."""
    passed = sum(outcome["passed"] for outcome in outcomes)
    errors = sum(bool(outcome["error"]) for outcome in outcomes)
    return f"{passed} passed, {len(outcomes) - passed - errors} failed{in_error(errors)}"


def difference(item: Data) -> str:
    """One differing field in words."""
    return f"{item['at']}  {item['field']}: wanted {item['wanted']}, found {item['found']}"


def rich(data: Data, look: Look) -> RenderableType:
    word, colour = ("PASSED", "green") if data["ok"] else ("FAILED", "red")
    lines: list[list[RenderableType]] = []
    for pattern, outcomes in by_pattern(data).items():
        bad = [outcome for outcome in outcomes if not outcome["passed"]]
        lines.append([look.mark("no" if bad else "yes"), words(f"{pattern}  {count(outcomes)}")])
        for outcome in (outcome for outcome in bad if outcome["differences"]):
            lines.append(["", Text.assemble(words(outcome["fixture"], "bold"), "  ", words(outcome["name"]))])
            lines += [["", words(f"  {difference(item)}")] for item in outcome["differences"]]
    parts: list[RenderableType] = [banner(word, colour, [Text(summary(data))], look), rows([1, None], lines)]
    for key, title in (("errors", "cannot be judged"), ("missing", "without a fixture")):
        if data[key]:
            parts += [heading(title), rows([None], [[words(line)] for line in data[key]])]
    return stack(*parts)


def markdown(data: Data) -> str:
    parts = [f"# {'Passed' if data['ok'] else 'Failed'}: {summary(data)}"]
    patterns = [(pattern, count(outcomes)) for pattern, outcomes in by_pattern(data).items()]
    if patterns:
        parts.append(markdown_table(["pattern", "outcome"], patterns))
    table = [
        (outcome["fixture"], outcome["name"], "; ".join(map(difference, outcome["differences"])))
        for outcome in data["outcomes"]
        if outcome["differences"]
    ]
    if table:
        parts.append(markdown_table(["fixture", "case", "what differs"], table))
    for key, title in (("errors", "Cannot be judged"), ("missing", "Without a fixture")):
        if data[key]:
            parts.append(f"## {title}")
            parts.append("\n".join(f"- {cell(line)}" for line in data[key]))
    return "\n\n".join(parts)
