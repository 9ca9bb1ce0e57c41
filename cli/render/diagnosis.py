"""The evidence for now: what is decided, what is wrong or stale, and how each todo stands."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, banner, cell, heading, rows, stack, words
from .verdict import verdict

Data = dict[str, Any]
LISTED = 40
"""Todos that are shown; the rest are counted."""


def findings(data: Data) -> list[tuple[str, str, str, str]]:
    """``(mark, where, what, command or fix)`` of everything that is wrong, stale, unread or owed."""
    found = [
        ("no" if each["breaks_contract"] else "warn", each["at"], each["message"], each["fix"])
        for each in data["problems"]
    ]
    found += [
        ("warn", each["todo_id"], f"stale lease of {each['owner'] or 'nobody'}: {each['why']}", each["command"])
        for each in data["leases"]
    ]
    for each in data["overlays"]:
        said = " ".join(each[name] for name in ("reward", "decision", "reason_summary") if each.get(name))
        found.append(("warn", each["run"], f"not read yet: {said}", each["command"]))
    return found + [("item", each["what"], each["text"], each["command"]) for each in data["owed"]]


def shown(data: Data) -> list[Data]:
    """The todos that are listed: what may run first, then what is in the way of others, in file order."""
    ordered = sorted(data["todos"], key=lambda todo: (not todo["runnable"], todo["status"] == "deferred"))
    return ordered[:LISTED]


def left_out(data: Data) -> str:
    """How many todos are not listed, in words."""
    rest = len(data["todos"]) - len(shown(data))
    return f"{rest} more (--format json has all)" if rest else ""


def says(todo: Data) -> str:
    """How a todo stands."""
    return "may run" if todo["runnable"] else str(todo["why"])


def rich(data: Data, look: Look) -> RenderableType:
    decision = data["decision"]
    said = verdict(decision)
    about = look.join([data["goal_id"], data["agent_id"] or "", f"as of {data['as_of']}"])
    lines = [words(decision["reason"], "bold"), words(about, "dim")]
    parts: list[RenderableType] = [banner(said.word, said.colour, lines, look)]
    found = findings(data)
    parts.append(heading("findings", "" if found else "none"))
    parts.append(rows([1, None], ((look.mark(mark), _lines(what, where, step)) for mark, where, what, step in found)))
    if data["todos"]:
        cells: Iterable[tuple[RenderableType, ...]] = (
            (look.mark("yes" if todo["runnable"] else "item"), _todo(todo)) for todo in shown(data)
        )
        parts += [heading("todos", left_out(data)), rows([1, None], cells)]
    return stack(*parts)


def _lines(what: str, where: str, step: str) -> Text:
    out = Text.assemble(words(where, "bold"), "  ", words(what))
    return out.append("\n").append(words(step, "cyan")) if step else out


def _todo(todo: Data) -> Text:
    head = Text.assemble(words(todo["todo_id"], "bold"), "  ", words(says(todo)), "  ", words(todo["at"], "dim"))
    return Text("\n").join([head, words(todo["text"], "dim"), words(todo["command"], "cyan")])


def markdown(data: Data) -> str:
    decision = data["decision"]
    parts = [f"# {verdict(decision).word.capitalize()}: {cell(decision['reason'])}"]
    found = findings(data)
    listed = [f"- **{cell(where)}** {cell(what)} `{cell(step)}`" for _, where, what, step in found]
    parts += ["## Findings", "\n".join(listed) or "None."]
    if data["todos"]:
        todos = [
            f"- **{cell(todo['todo_id'])}** {cell(says(todo))}. {cell(todo['text'])} `{cell(todo['command'])}`"
            for todo in shown(data)
        ]
        parts += ["## Todos", "\n".join(todos)] + ([left_out(data)] if left_out(data) else [])
    return "\n\n".join(parts)
