"""The answer of a decision point: verdict, reason, pattern, what would make it better, and the facts it rests on."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from loopx_policy.text import literal

from .look import Look, banner, bullet_list, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
COLOURS = {"deny": "red", "not_countable": "red", "allow": "green"}


def about(data: Data) -> str:
    """Which case decided at which point, and what kind of denial it is. Where no case did, the reason says so."""
    by = f", by {data['pattern']}.{data['case']}" if data["pattern"] else ""
    return f"{data['point']}{by}" + (f", {data['kind']}" if data["kind"] else "")


def others(data: Data) -> list[str]:
    """The cases that matched and did not decide: the strictest does."""
    return [key for key in data["matched"] if key != f"{data['pattern']}.{data['case']}"]


def rich(data: Data, look: Look) -> RenderableType:
    verdict = data["verdict"]
    lines = [words(data["reason"], "bold"), words(about(data), "dim")]
    word = verdict.upper().replace("_", " ")
    parts: list[RenderableType] = [banner(word, COLOURS.get(verdict, "yellow"), lines, look)]
    if data["requires"]:
        parts += [heading("requires"), rows([1, None], [(look.mark("here"), words(need)) for need in data["requires"]])]
    if data["command"]:
        parts += [heading("accepted"), rows([1, None], [(look.mark("here"), words(data["command"]))])]
    if others(data):
        parts += [heading("matched too", "the strictest verdict decides")]
        parts.append(rows([1, None], [(look.mark("item"), words(key)) for key in others(data)]))
    facts = [(words(name), words(literal(value))) for name, value in data["facts"].items()]
    parts += [heading("facts"), rows([24, None], facts)]
    return stack(*parts, Text(f"\n{look.join(footer(data))}", style="dim"))


def footer(data: Data) -> list[str]:
    return [f"engine {data['engine']}", f"catalog {data['catalog_digest']}"]


def markdown(data: Data) -> str:
    parts = [f"# {cell(data['verdict'])}: {cell(data['reason'])}", f"{cell(about(data))}."]
    if data["requires"]:
        parts += ["## Requires", bullet_list(cell(need) for need in data["requires"])]
    if data["command"]:
        parts += ["## Accepted", f"`{data['command']}`"]
    if others(data):
        parts += ["## Matched too", bullet_list(cell(key) for key in others(data))]
    facts = [(name, literal(value)) for name, value in data["facts"].items()]
    return "\n\n".join([*parts, "## Facts", markdown_table(["fact", "value"], facts), f"{'; '.join(footer(data))}."])
