"""A plan: the checks with their reasons, and then what was left out and what nothing covers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, banner, bullet_list, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
PROFILES = {
    "hot": ("hot path", "what a heartbeat goes through"),
    "cold": ("cold path", "what people and reviewers look at"),
    "deep": ("deep", "asked for with --include-deep"),
}
SHOWN = 3
"""Reasons of a check, files, and not followed modules that are written out."""


def seconds(milliseconds: int) -> str:
    """A time in words."""
    if milliseconds < 1000:
        return f"{milliseconds} ms"
    return f"{milliseconds / 1000:.0f} s" if milliseconds < 120_000 else f"{milliseconds / 60_000:.0f} min"


def summary(data: Data) -> str:
    """How much there is to do."""
    count = len(data["checks"])
    if not count:
        return "Nothing to check."
    told = f"{count} check{'s' if count > 1 else ''}, about {seconds(data['milliseconds'])} one after the other"
    gaps = len(data["gaps"])
    return f"{told}; {gaps} gap{'s' if gaps > 1 else ''}" if gaps else told


def scope(data: Data) -> str:
    """What the plan is about."""
    files = len({each["path"] for each in data["touched"]})
    parts = [f"{files} file{'' if files == 1 else 's'}"] if files else []
    patterns = len(data["patterns"])
    parts += [f"{patterns} pattern{'' if patterns == 1 else 's'}"] if patterns else []
    surfaces = ", ".join(each["surface"] for each in data["surfaces"])
    return (
        "Touched: " + ", ".join([*parts, *([surfaces] if surfaces else [])])
        if parts or surfaces
        else "Nothing changed."
    )


def some(lines: list[str], most: int = SHOWN) -> list[str]:
    """The first few, and how many more there are."""
    return lines[:most] + ([f"and {len(lines) - most} more"] if len(lines) > most else [])


def by_profile(data: Data) -> Iterator[tuple[str, str, list[Data]]]:
    """Heading, note and checks of each profile that has some."""
    for name, (title, note) in PROFILES.items():
        checks = [each for each in data["checks"] if each["profile"] == name]
        if checks:
            yield title, note, checks


def files(data: Data) -> list[tuple[str, str]]:
    """Each changed file with what it touches."""
    found = []
    for each in data["touched"]:
        what = ["every pattern"] if each["every_pattern"] else each["patterns"]
        found.append((each["path"], ", ".join([*what, *each["surfaces"]]) or "nothing that is known"))
    return found


def notes(data: Data) -> list[str]:
    """What was left out, and how it comes in."""
    found = [f"{name}: {why}" for name, why in data["left_out"].items()]
    found += [
        f"{each['id']} is deep ({seconds(each['milliseconds'])}): {'; '.join(each['why'])}."
        f" Take it in with --include-deep when {each['when'] or 'it is promoted'}."
        for each in data["deep"]
    ]
    for each in data["touched"]:
        if each["not_followed"]:
            others = ", ".join(some(each["not_followed"]))
            found.append(f"{each['path']} is used by {others} too, whose own facts were not followed.")
    if data["profiles"]["fitting"]:
        fitting = " or ".join(f"--profile {name}" for name in data["profiles"]["fitting"])
        found.append(f"For a change of a known kind: {fitting}.")
    return found


def rich(data: Data, look: Look) -> RenderableType:
    colour = "yellow" if data["gaps"] else "green"
    parts: list[RenderableType] = [banner("PLAN", colour, [words(summary(data), "bold"), words(scope(data))], look)]
    if data["touched"]:
        parts.append(heading("changed"))
        parts.append(rows([None, None], [(words(path), words(what)) for path, what in some_files(data)]))
    for title, note, checks in by_profile(data):
        parts.append(heading(title, note))
        parts.append(rows([1, None, 6], [line for each in checks for line in _check(each, look)]))
    if data["gaps"]:
        parts.append(heading("gaps", "nothing covers these"))
        parts.append(rows([1, None], [line for group in alike(data["gaps"]) for line in _gaps(group, look)]))
    if notes(data):
        parts.append(heading("left out"))
        parts.append(rows([1, None], [(look.mark("item"), words(note)) for note in notes(data)]))
    return stack(*parts)


def some_files(data: Data) -> list[tuple[str, str]]:
    """The first files; a large change is told by its surfaces."""
    found = files(data)
    return found[:12] + ([(f"and {len(found) - 12} more", "")] if len(found) > 12 else [])


def _check(each: Data, look: Look) -> Iterator[tuple[RenderableType, ...]]:
    when = f" when {each['when']}" if each["when"] else ""
    yield look.mark("here"), words(each["id"], "bold"), words(seconds(each["milliseconds"]), "dim")
    yield "", words(each["runs"], "dim"), ""
    yield from (("", Text.assemble("why: ", words(why + when)), "") for why in some(each["why"]))
    yield "", Text.assemble("if it fails: ", words(each["failure"])), ""


def alike(gaps: list[Data]) -> list[list[Data]]:
    """The gaps, those together for which the same was tried."""
    groups: dict[tuple[str, ...], list[Data]] = {}
    for number, gap in enumerate(gaps):
        groups.setdefault(tuple(gap["tried"]) or (str(number),), []).append(gap)
    return list(groups.values())


def _gaps(group: list[Data], look: Look) -> Iterator[tuple[RenderableType, ...]]:
    for gap in group[:12]:
        yield look.mark("warn"), Text.assemble(words(gap["what"], "bold"), ": ", words(gap["why"]))
    if len(group) > 12:
        yield look.mark("warn"), words(f"and {len(group) - 12} more")
    if group[0]["tried"]:
        yield "", words("What was tried first:", "dim")
        yield from (("", words(f"- {tried}", "dim")) for tried in group[0]["tried"])
    if group[0]["then"]:
        yield "", words(group[0]["then"])


def markdown(data: Data) -> str:
    parts = [f"# {cell(summary(data))}", cell(scope(data))]
    for title, _, checks in by_profile(data):
        table = [(each["id"], each["runs"], "; ".join(some(each["why"])), each["failure"]) for each in checks]
        parts += [f"## {title.capitalize()}", markdown_table(["check", "runs", "why", "if it fails"], table)]
    if data["gaps"]:
        parts.append("## Gaps")
        for group in alike(data["gaps"]):
            parts.append(bullet_list(cell(f"{gap['what']}: {gap['why']}") for gap in group))
            if group[0]["tried"]:
                parts += ["What was tried first:", bullet_list(map(cell, group[0]["tried"])), cell(group[0]["then"])]
    if notes(data):
        parts += ["## Left out", bullet_list(map(cell, notes(data)))]
    return "\n\n".join(parts)
