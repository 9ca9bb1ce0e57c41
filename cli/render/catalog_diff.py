"""A change of the policy: what was edited, then the states that are decided otherwise, each with a project."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType

from .look import Look, banner, bullet_list, cell, heading, markdown_table, rows, stack, words
from .proof import happening_lines

Data = dict[str, Any]


def summary(data: Data) -> str:
    semantic, between = data["semantic"], f"{data['old']} -> {data['new']}"
    if semantic is None:
        count = len(data["edits"])
        return f"{between}: {count} entr{'y differs' if count == 1 else 'ies differ'}"
    if semantic["same"]:
        return f"{between}: no state changes"
    number = len(semantic["changes"])
    return f"{between}: {number} way{'s' if number > 1 else ''} in which states are decided otherwise"


def word(data: Data) -> tuple[str, str]:
    semantic = data["semantic"]
    if semantic is None:
        return ("EDITED", "yellow") if data["edits"] else ("SAME", "green")
    if semantic["serious"]:
        return "AGREE FIRST", "red"
    return ("SAME", "green") if semantic["same"] else ("CHANGED", "yellow")


def edit(entry: Data) -> str:
    return f"{entry['kind']} {entry['key']}: {entry['what']}{' (words only)' if entry['texts'] else ''}"


def headline(change: Data) -> str:
    point = "" if change["point"] == "turn" else f"{change['point']}: "
    note = {"reason": " (the same answer, for another reason)"}.get(change["kind"], "")
    return f"{point}{change['before']} -> {change['after']}{note}"


def where(change: Data) -> list[str]:
    return [*change["where"], *(["and in further states"] if change["rest"] else [])]


def lines(change: Data) -> Iterator[tuple[str, str]]:
    for place in where(change):
        yield "where", place
    if change["touches_p0"]:
        yield "touches", f"P0 ({', '.join(change['patterns'])})"
    witness = change["witness"]
    project = (witness or {}).get("project") or {}
    if project.get("words"):
        yield "example", project["words"]
    for label, key in (("before", "before"), ("after", "after")):
        if project.get(key):
            told = dict(happening_lines(project[key]))
            yield label, "; ".join(told[name] for name in ("then", "todo") if name in told) + f" [{told['flags']}]"
    if project.get("folder"):
        yield "project", project["folder"]
        yield "try", project["command"]
    if project.get("trouble"):
        yield "project", project["trouble"]


def rich(data: Data, look: Look) -> RenderableType:
    said, colour = word(data)
    parts: list[RenderableType] = [banner(said, colour, [words(summary(data))], look)]
    if data["edits"]:
        parts += [
            heading(f"edited ({len(data['edits'])})"),
            rows([None], [[words(edit(one))] for one in data["edits"]]),
        ]
    semantic = data["semantic"]
    if semantic is None:
        return stack(*parts)
    if semantic["broken"]:
        parts.append(heading("invariants that fail", data["new"]))
        parts.append(rows([1, None], [(look.mark("no"), words(one)) for one in semantic["broken"]]))
    for change in semantic["changes"]:
        parts.append(heading(headline(change), name=True))
        parts.append(rows([9, None], [(words(label, "dim"), words(text)) for label, text in lines(change)]))
    if semantic["notes"]:
        parts.append(rows([1, None], [(look.mark("warn"), words(one)) for one in semantic["notes"]]))
    return stack(*parts)


def markdown(data: Data) -> str:
    """Fit for a comment on a pull request."""
    said, _ = word(data)
    parts = [f"# {said.capitalize()}: {cell(summary(data))}"]
    semantic = data["semantic"]
    if semantic is not None:
        if semantic["broken"]:
            parts.append("## Invariants that fail\n\n" + bullet_list(map(cell, semantic["broken"])))
        for change in semantic["changes"]:
            parts.append(f"## {cell(headline(change))}")
            told = [
                pair for pair in lines(change) if pair[0] not in ("project", "try")
            ]  # a path here is one of nobody else
            parts.append(bullet_list(f"{label}: {cell(text)}" for label, text in told))
        if semantic["notes"]:
            parts.append("## Notes\n\n" + bullet_list(map(cell, semantic["notes"])))
    if data["edits"]:
        table = [
            (one["kind"], one["key"], one["what"] + (" (words only)" if one["texts"] else "")) for one in data["edits"]
        ]
        parts.append("## Edited\n\n" + markdown_table(["kind", "entry", "what"], table))
    return "\n\n".join(parts)
