"""Mutants of the rules: how many the fixtures notice, and which live."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType

from .look import Look, banner, cell, heading, rows, stack, words

Data = dict[str, Any]


def summary(data: Data) -> str:
    excused = f", {len(data['excused'])} excused with a reason" if data["excused"] else ""
    return f"{data['noticed']} of {data['mutants']} mutants are noticed{excused}, {len(data['alive'])} live"


def rich(data: Data, look: Look) -> RenderableType:
    ok = not data["alive"] and not data["unused_excuses"]
    word, colour = ("ALL NOTICED", "green") if ok else ("ALIVE", "red")
    parts: list[RenderableType] = [banner(word, colour, [words(summary(data), "bold")], look)]
    if data["alive"]:
        parts += [heading("alive", "no fixture fails with this change"), _list(data["alive"], look)]
    if data["unused_excuses"]:
        parts += [heading("excuses that nothing needs"), _list(data["unused_excuses"], look)]
    return stack(*parts)


def _list(names: list[str], look: Look) -> RenderableType:
    return rows([1, None], [(look.mark("no"), words(name)) for name in names])


def markdown(data: Data) -> str:
    parts = [f"# {summary(data)}"]
    for title, names in (("Alive", data["alive"]), ("Excuses that nothing needs", data["unused_excuses"])):
        if names:
            parts.append(f"## {title}\n\n" + "\n".join(f"- {cell(name)}" for name in names))
    return "\n\n".join(parts)
