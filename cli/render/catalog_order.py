"""Who may lead before whom: the strata from the strictest on, and the cases of each in order."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]


def rich(data: Data, look: Look) -> RenderableType:
    del look
    parts: list[RenderableType] = [Text("The first case that matches, from the top, leads the turn.")]
    for number, stratum in enumerate(data["strata"], 1):
        parts += [heading(f"{number}. {stratum['name']}", name=True), rows([None], [[words(stratum["why"], "dim")]])]
        lines = [
            (words(c["key"], "bold"), words(c["importance"]), words(c["mode"] + after(c)), words(c["state"], "dim"))
            for c in stratum["cases"]
        ]
        parts.append(rows([24, 2, None, 10], lines))
    return stack(*parts)


def after(case: Data) -> str:
    return f" (after {', '.join(case['after'])})" if case["after"] else ""


def markdown(data: Data) -> str:
    parts = ["# Order of a turn"]
    for number, stratum in enumerate(data["strata"], 1):
        table = [(c["key"], c["importance"], c["mode"] + after(c), c["state"]) for c in stratum["cases"]]
        parts += [f"## {number}. {cell(stratum['name'])}", cell(stratum["why"])]
        parts.append(markdown_table(["case", "importance", "mode", "state"], table))
    return "\n\n".join(parts)
