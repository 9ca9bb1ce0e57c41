"""The answer of a decision point: verdict, reason, pattern, and what would make it better."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, banner, bullet_list, cell, heading, rows, stack, words

Data = dict[str, Any]


def title(data: Data) -> str:
    return f"{data.get('point', '')} {data['verdict']}".strip()


def rich(data: Data, look: Look) -> RenderableType:
    colour = "green" if data["pattern"] and not data["requires"] else "yellow"
    by = Text.assemble("by ", words(data["pattern"], "bold")) if data["pattern"] else Text("no rule permits it")
    parts: list[RenderableType] = [banner(data["verdict"].upper(), colour, [words(data["reason"]), by], look)]
    if data["requires"]:
        parts += [heading("requires"), rows([1, None], [(look.mark("here"), words(need)) for need in data["requires"]])]
    return stack(*parts)


def markdown(data: Data) -> str:
    parts = [f"# {cell(data['verdict'])}: {cell(data['reason'])}", f"By {cell(data['pattern'] or 'no rule')}."]
    if data["requires"]:
        parts += ["## Requires", bullet_list(cell(need) for need in data["requires"])]
    return "\n\n".join(parts)
