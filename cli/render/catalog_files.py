"""Files that a command of the workshop made, and what to do next."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType

from .look import Look, banner, cell, heading, rows, stack, words

Data = dict[str, Any]


def summary(data: Data) -> str:
    total = f" of {data['pages']} pages" if "pages" in data else ""
    return f"{len(data['files'])}{total or ' files'} {data['what']}"


def rich(data: Data, look: Look) -> RenderableType:
    ok = not data["broken"] and (data["what"] == "written" or not data["files"])
    word, colour = ("DONE", "green") if ok else ("TO DO", "red")
    parts: list[RenderableType] = [banner(word, colour, [words(summary(data), "bold")], look)]
    for title, names in (("files", data["files"]), ("broken links", data["broken"]), ("next", data["next"])):
        if names:
            parts += [heading(title), rows([None], [[words(name)] for name in names])]
    return stack(*parts)


def markdown(data: Data) -> str:
    parts = [f"# {summary(data)}"]
    for title, names in (("Files", data["files"]), ("Broken links", data["broken"]), ("Next", data["next"])):
        if names:
            parts.append(f"## {title}\n\n" + "\n".join(f"- {cell(name)}" for name in names))
    return "\n\n".join(parts)
