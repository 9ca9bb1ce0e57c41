"""The proof: a line for each check, and under it what failed, with a project that shows it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, banner, bullet_list, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]


def summary(data: Data) -> str:
    failed = [check["name"] for check in data["checks"] if not check["ok"]]
    if failed:
        return f"{', '.join(failed)} failed for catalog {data['catalog_digest']}"
    return f"catalog {data['catalog_digest']}, in every state that the axioms allow"


def told(check: Data) -> list[Data]:
    """The findings worth a reader's time: failures, and of the rest those with a witness."""
    return [finding for finding in check["findings"] if finding["failed"] or finding["witness"]]


def rich(data: Data, look: Look) -> RenderableType:
    word, colour = ("PROVED", "green") if data["ok"] else ("FAILED", "red")
    lines = [
        (
            look.mark("yes" if check["ok"] else "no"),
            words(check["name"], "bold"),
            words(check["number"]),
            words(check["says"]),
        )
        for check in data["checks"]
    ]
    parts: list[RenderableType] = [banner(word, colour, [words(summary(data))], look), rows([1, 13, 5, None], lines)]
    for check in data["checks"]:
        failed = [finding for finding in told(check) if finding["failed"]]
        if failed:
            parts.append(heading(f"{check['name']}: {len(failed)} failed"))
            for finding in failed:
                parts += list(failure(finding, look))
        rest = [finding for finding in told(check) if not finding["failed"]]
        if rest:
            parts.append(
                heading(f"{check['name']}: accepted", "pairs that rest on the default order, each with a witness")
            )
            parts.append(rows([1, None], [(look.mark("item"), accepted(finding)) for finding in rest]))
    if not data["engine"]:
        parts.append(
            rows([1, None], [(look.mark("warn"), words("durable_rules is not installed and was not compared"))])
        )
    return stack(*parts)


def accepted(finding: Data) -> Text:
    differs = finding["witness"]["differs"]
    shown = ", ".join(f"{name}={value}".replace("True", "true") for name, value in differs.items())
    line = Text.assemble(words(finding["subject"], "bold"), "  ", words(finding["says"]))
    return line.append(f" (seen when {shown})", style="dim")


def failure(finding: Data, look: Look) -> Iterator[RenderableType]:
    yield rows(
        [1, None], [(look.mark("no"), Text.assemble(words(finding["subject"], "bold"), "  ", words(finding["says"])))]
    )
    lines = [(words(label, "dim"), words(text)) for label, text in witness_lines(finding)]
    if lines:
        yield rows([9, None], lines, indent=6)


def witness_lines(finding: Data) -> Iterator[tuple[str, str]]:
    """Label and text of each thing that a witness says, for every format alike."""
    if finding["by"]:
        yield "by", ", ".join(finding["by"])
    witness = finding["witness"]
    if not witness:
        return
    project = witness["project"] or {}
    yield "when", project.get("words") or "nothing is the matter"
    differs = {
        name: str(value).lower() if isinstance(value, bool) else value for name, value in witness["differs"].items()
    }
    yield "facts", ", ".join(f"{name}={value}" for name, value in differs.items()) or "all as in an empty project"
    happens = project.get("happens")
    if happens:
        yield from happening_lines(happens)
    if project.get("folder"):
        yield "project", project["folder"]
        yield "try", project["command"]
    if project.get("trouble"):
        yield "project", f"none is known that shows it: {project['trouble']}"


def happening_lines(happens: Data) -> Iterator[tuple[str, str]]:
    """What is decided in a project, in a few lines."""
    yield "then", f"{happens['lead'] or 'nothing'} leads: {happens['mode']}; {happens['reason']}"
    flags = [name for name, value in happens["flags"].items() if value]
    yield "flags", ", ".join(flags) or "none"
    if happens["candidate"]:
        yield "todo", happens["candidate"]
    for label, key in (("below", "below"), ("obliged", "obliged"), ("withheld", "withheld")):
        if happens[key]:
            yield label, "; ".join(happens[key][:4]) + (" ..." if len(happens[key]) > 4 else "")


def markdown(data: Data) -> str:
    parts = [f"# {'Proved' if data['ok'] else 'Failed'}: {cell(summary(data))}"]
    table = [("yes" if c["ok"] else "**no**", c["name"], c["number"], c["says"]) for c in data["checks"]]
    parts.append(markdown_table(["holds", "check", "of", "what"], table))
    for check in data["checks"]:
        for finding in told(check):
            if finding["failed"]:
                parts.append(f"## {cell(check['name'])}: {cell(finding['subject'])}\n\n{cell(finding['says'])}")
                parts.append(bullet_list(f"{label}: {cell(text)}" for label, text in witness_lines(finding)))
        rest = [finding for finding in told(check) if not finding["failed"]]
        if rest:
            parts.append(f"## {cell(check['name'])}: accepted")
            parts.append(bullet_list(cell(f"{finding['subject']} {finding['says']}") for finding in rest))
    return "\n\n".join(parts)
