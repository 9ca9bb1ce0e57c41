"""One todo: what it says, where it stands, what is in its way, and what it is linked to."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from loopx_policy.text import literal

from .look import Look, banner, bullet_list, cell, clean, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
COLOURS = {"open": "green", "blocked": "red", "deferred": "yellow", "done": "blue"}


def verdict(data: Data) -> tuple[str, str]:
    """The word for where it stands, and its colour."""
    if data["archived"]:
        return "ARCHIVED", "blue"
    if data["standing"]["runnable"]:
        return "RUNNABLE", "green"
    status = data["todo"]["status"]
    return ("NOT NOW" if status == "open" else status.upper()), "yellow" if status == "open" else COLOURS[status]


def place(data: Data) -> str:
    todo = data["todo"]
    return f"{todo['todo_id']}, {todo['role']} todo at {todo['at']}, below {todo['section']}"


def why(data: Data) -> list[tuple[str, str]]:
    """The reasons with the case that gives each, then the turn as a whole."""
    reasons = [(each["by"], each["why"]) for each in data["standing"]["reasons"]]
    turn = data["turn"]
    return reasons + ([("turn", f"{turn['mode']}: {turn['reason']}")] if turn else [])


def pairs(data: Data) -> list[tuple[str, str]]:
    return [
        (key, ", ".join(map(str, value)) if isinstance(value, list) else literal(value))
        for key, value in data["metadata"].items()
    ]


def linked(data: Data) -> list[tuple[str, str, str, str]]:
    """Every link: in which direction, by which key, to what."""
    out = [("names", each["key"], f"{each['todo_id']} ({each['status']})", each["text"]) for each in data["names"]]
    into = [
        ("named by", each["key"], f"{each['todo_id']} ({each['status']})", each["text"]) for each in data["named_by"]
    ]
    gates = [("gate", "covers it", each["todo_id"], each["text"]) for each in data["gates"]]
    return [*out, *into, *gates]


def leased(data: Data) -> list[str]:
    return [
        f"{each['owner'] or 'somebody'} until {each['expires_at'] or 'given back'}"
        + ("" if each["in_force"] else ", no longer in force")
        for each in data["leases"]
    ]


def rich(data: Data, look: Look) -> RenderableType:
    word, colour = verdict(data)
    seen = f"as {data['seen_by']} sees it" if data["seen_by"] else ""
    parts: list[RenderableType] = [
        banner(word, colour, [words(data["todo"]["text"], "bold"), words(place(data), "dim")], look)
    ]
    if why(data):
        lines = [(words(by, "dim"), words(text)) for by, text in why(data)]
        parts += [heading("now", seen), rows([12, None], lines)]
    if data["metadata"]:
        parts += [heading("metadata"), rows([20, None], [(words(k, "dim"), words(v)) for k, v in pairs(data)])]
    if linked(data):
        lines = [
            (words(way, "dim"), Text.assemble(words(key), " ", words(name, "cyan"), "  ", words(text, "dim")))
            for way, key, name, text in linked(data)
        ]
        parts += [heading("links"), rows([8, None], lines)]
    if data["leases"]:
        parts += [heading("leases"), rows([1, None], [(look.mark("item"), words(line)) for line in leased(data)])]
    if data["problems"]:
        mended = [(look.mark("no"), words(f"{p['at']}: {p['message']} {p['fix']}")) for p in data["problems"]]
        parts += [heading("problems"), rows([1, None], mended)]
    if data["steps"]:
        steps = (Text(f"  $ {clean(step)}", no_wrap=True, overflow="ignore") for step in data["steps"])
        parts += [heading("what may come next"), *steps]
    return stack(*parts)


def markdown(data: Data) -> str:
    word, _ = verdict(data)
    parts = [f"# {word.capitalize()}: {cell(data['todo']['text'])}", cell(place(data))]
    if why(data):
        parts.append(bullet_list(f"{cell(by)}: {cell(text)}" if by else cell(text) for by, text in why(data)))
    if data["metadata"]:
        parts += ["## Metadata", markdown_table(["key", "value"], pairs(data))]
    if linked(data):
        parts += ["## Links", markdown_table(["", "key", "todo", "text"], linked(data))]
    if data["leases"]:
        parts += ["## Leases", bullet_list(map(cell, leased(data)))]
    if data["problems"]:
        parts += [
            "## Problems",
            markdown_table(["at", "what", "fix"], [(p["at"], p["message"], p["fix"]) for p in data["problems"]]),
        ]
    if data["steps"]:
        parts += ["## What may come next", "```\n" + "\n".join(data["steps"]) + "\n```"]
    return "\n\n".join(parts)
