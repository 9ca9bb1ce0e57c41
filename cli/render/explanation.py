"""Why: the lead with its evidence, then what became of every other pattern."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from . import decision as decisions
from .look import Look, bullet_list, cell, clean, heading, literal, markdown_table, rows, stack, words
from .verdict import verdict

Data = dict[str, Any]
TITLES = {
    "obliged": ("obliged", "matched, and adds this whoever leads"),
    "withholds": ("withholding", "matched, and takes this away whoever leads"),
    "below_lead": ("matched below the lead", "would lead if nothing above it did"),
    "not_matched": ("not matched", "the first condition that failed: wanted, and found"),
}


def rich(data: Data, look: Look) -> RenderableType:
    """``data`` is ``{decision, explanation, why_not?}``."""
    decision, explanation = data["decision"], data["explanation"]
    if "why_not" in data:
        return stack(decisions.header(decision, look), *why_not(data["why_not"], look))
    parts: list[RenderableType] = [decisions.header(decision, look), decisions.channels(decision, look)]
    lead = explanation["lead"]
    if lead is not None:
        parts += [heading("lead", lead_line(lead)), conditions(lead["because"], look)]
    judged = explanation["candidates"]
    if judged:
        parts += [heading("frontier", "each open todo that this caller could take, in order"), candidates(judged, look)]
    for status, (title, note) in TITLES.items():
        notes = [item for item in explanation["patterns"] if item["status"] == status]
        if not notes:
            continue
        parts.append(heading(f"{title} ({len(notes)})", note))
        parts += list(unmatched(notes)) if status == "not_matched" else list(matched(notes, look))
    return stack(*parts, decisions.footer(decision, look))


def lead_line(lead: Data) -> str:
    return f"{lead['key']} in stratum {lead['stratum']}" if lead["stratum"] else str(lead["key"])


def conditions(because: Iterable[Data], look: Look, indent: int = 2) -> RenderableType:
    """Condition by condition: whether it held, what was found, and where that stands in the state."""
    lines: list[list[RenderableType]] = []
    for item in because:
        line = Text.assemble(
            words(item["fact"]), " ", words(item["wanted"]), "  ", words(f"found {literal(item['found'])}", "dim")
        )
        lines.append([look.mark("yes" if item["held"] else "no"), line])
        lines += [["", Text.assemble("  ", words(place, "cyan"))] for place in item["evidence"]]
    return rows([1, None], lines, indent)


def candidates(judged: Iterable[Data], look: Look) -> RenderableType:
    lines = []
    for entry in judged:
        line = Text.assemble(words(entry["why"]), "  ", words(f"{', '.join(entry['by'])}", "dim"))
        line.append(f"  {clean(entry['at'])}", style="cyan")
        lines.append((look.mark("yes" if entry["runnable"] else "no"), words(entry["todo_id"], "bold"), line))
    return rows([1, 8, None], lines)


def matched(notes: Iterable[Data], look: Look) -> Iterable[RenderableType]:
    for note in notes:
        yield rows(
            [1, None], [(look.mark("item"), Text.assemble(words(note["key"], "bold"), "  ", words(note["text"])))]
        )
        yield conditions(note["because"], look, indent=4)


def unmatched(notes: Iterable[Data]) -> Iterable[RenderableType]:
    lines = []
    for note in notes:
        failed = note["because"]
        line = Text(" or ").join(
            Text.assemble(words(f"{item['fact']} {item['wanted']}"), words(f", found {literal(item['found'])}", "dim"))
            for item in failed
        )
        lines.append((words(note["key"]), line if failed else words(note["text"])))
    yield rows([28, None], lines)


WAYS = 10
"""Ways that are shown to people; JSON has all of them."""


def wanted(answer: Data) -> str:
    return f"To get {answer['mode']}" if answer["mode"] else "What would make it another turn"


def then(way: Data, answer: Data) -> str:
    """What leads after the changes; the mode where it is not the one that was asked for."""
    return f"{way['case']} leads" + ("" if answer["mode"] else f" with {way['mode']}")


def more(answer: Data) -> str:
    """How many ways are not shown, and how they were found."""
    left = len(answer["ways"]) - WAYS
    return "; ".join(part for part in (f"{left} more of them" if left > 0 else "", answer["note"]) if part)


def why_not(answer: Data, look: Look) -> list[RenderableType]:
    """The minimal sets of changes, smallest first, each as something that a person can do."""
    parts: list[RenderableType] = [heading(wanted(answer), name=True)]
    lines: list[list[RenderableType]] = []
    for number, way in enumerate(answer["ways"][:WAYS], 1):
        for place, change in enumerate(way["changes"]):
            step = words(change, "bold") if place == 0 else Text.assemble("and ", words(change, "bold"))
            lines.append([Text(f"{number}." if place == 0 else ""), step])
        lines.append(["", Text.assemble("then ", words(then(way, answer)), style="dim")])
    parts.append(rows([2, None], lines))
    if more(answer):
        parts.append(rows([None], [[Text.assemble(look.mark("item"), " ", words(more(answer)))]]))
    return parts


def markdown(data: Data) -> str:
    """The same as Markdown."""
    decision, explanation = data["decision"], data["explanation"]
    parts = [f"# {verdict(decision).word}: {cell(decision['reason'])}"]
    if "why_not" in data:
        answer = data["why_not"]
        parts.append(f"## {cell(wanted(answer))}")
        for number, way in enumerate(answer["ways"][:WAYS], 1):
            steps = " and ".join(cell(change) for change in way["changes"])
            parts.append(f"{number}. {steps} (then {cell(then(way, answer))})")
        if more(answer):
            parts.append(cell(more(answer)))
        return "\n\n".join(parts)
    lead = explanation["lead"]
    if lead is not None:
        parts += [f"## Lead: {cell(lead_line(lead))}", conditions_markdown(lead["because"])]
    if explanation["candidates"]:
        table = [
            (c["todo_id"], "runnable" if c["runnable"] else "blocked", c["why"], ", ".join(c["by"]), c["at"])
            for c in explanation["candidates"]
        ]
        parts += ["## Frontier", markdown_table(["todo", "verdict", "why", "by", "at"], table)]
    for status, (title, note) in TITLES.items():
        notes = [item for item in explanation["patterns"] if item["status"] == status]
        if not notes:
            continue
        parts += [f"## {title.capitalize()} ({len(notes)})", note.capitalize() + "."]
        if status == "not_matched":
            parts.append(markdown_table(["pattern", "first failed condition"], [(n["key"], n["text"]) for n in notes]))
        else:
            for item in notes:
                parts += [f"**{cell(item['key'])}**: {cell(item['text'])}", conditions_markdown(item["because"])]
    return "\n\n".join(parts)


def conditions_markdown(because: Iterable[Data]) -> str:
    lines = []
    for item in because:
        line = (
            f"{'held' if item['held'] else 'failed'}: {item['fact']} {item['wanted']}, found {literal(item['found'])}"
        )
        places = f" ({', '.join(item['evidence'])})" if item["evidence"] else ""
        lines.append(cell(line + places))
    return bullet_list(lines)
