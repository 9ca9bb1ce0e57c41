"""The patterns by family."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]


def rich(data: Data, look: Look) -> RenderableType:
    """A heading with its purpose for each family, a line for each pattern."""
    del look
    parts: list[RenderableType] = []
    for family in data["families"]:
        if not family["patterns"]:
            continue
        parts += [heading(family["name"]), rows([None], [[words(family["purpose"], "dim")]])]
        lines = [
            (
                words(p["id"], "bold"),
                words(p["importance"]),
                Text.assemble(words(p["name"]), "  ", words(f"({', '.join(p['decides'])})", "dim")),
            )
            for p in family["patterns"]
        ]
        parts.append(rows([12, 2, None], lines))
    return stack(*parts)


def markdown(data: Data) -> str:
    parts = ["# Patterns"]
    for family in data["families"]:
        if family["patterns"]:
            table = [(p["id"], p["importance"], p["name"], ", ".join(p["decides"])) for p in family["patterns"]]
            parts += [f"## {cell(family['name'])}", cell(family["purpose"])]
            parts.append(markdown_table(["id", "importance", "name", "decides"], table))
    return "\n\n".join(parts)
