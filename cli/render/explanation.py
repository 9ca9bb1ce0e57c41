"""Why: the lead with its evidence, then what became of every other pattern."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from loopx_policy.text import literal

from . import decision as decisions
from .hints import rests_on
from .look import Look, bullet_list, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
TITLES = {
    "obliged": ("obliged", "matched, and adds this whoever leads"),
    "withholds": ("withholding", "matched, and takes this away whoever leads"),
    "below_lead": ("matched below the lead", "would lead if nothing above it did"),
    "not_matched": ("not matched", "the first condition that failed: wanted, and found"),
}
FRONTIER = "each open todo that this caller could take, in order"
MORE = "add --all to see the first condition that failed of each"
BARRED = "What the cases of this mode lack"


class Told:
    """The facts whose evidence stands further up already: nobody wants to read of the same gate in every section."""

    def __init__(self) -> None:
        self._facts: set[str] = set()

    def split(self, because: Iterable[Data]) -> tuple[list[Data], list[Data]]:
        """The conditions to show in full, and those that rest on what was shown."""
        fresh: list[Data] = []
        known: list[Data] = []
        for item in because:
            (known if item["fact"] in self._facts else fresh).append(item)
        self._facts |= {item["fact"] for item in fresh}
        return fresh, known


def comparison(item: Data) -> str:
    """One condition in words, with what was found where the wish does not tell it."""
    found = literal(item["found"])
    same = item["held"] and item["wanted"] == f"is {found}"
    return f"{item['fact']} {item['wanted']}" + ("" if same else f" (found {found})")


def again(known: Iterable[Data]) -> str:
    """The conditions that were shown in full further up."""
    return "; ".join(f"{item['fact']} {item['wanted']}" for item in known)


def lead_line(lead: Data) -> str:
    return f"{lead['key']} in stratum {lead['stratum']}" if lead["stratum"] else str(lead["key"])


def of_status(explanation: Data, status: str) -> list[Data]:
    return [item for item in explanation["patterns"] if item["status"] == status]


def rich(data: Data, look: Look) -> RenderableType:
    """``data`` is ``{decision, explanation, why_not?}``."""
    decision, explanation, told = data["decision"], data["explanation"], Told()
    if "why_not" in data:
        return stack(decisions.header(decision, look), *why_not(data["why_not"], look))
    parts: list[RenderableType | None] = [decisions.header(decision, look)]
    lead = explanation["lead"]
    if lead is not None:
        parts += [heading("lead", lead_line(lead)), conditions(lead["because"], look, told)]
    judged = explanation["candidates"]
    if judged:
        parts += [heading("frontier", FRONTIER), candidates(judged, look), more(judged)]
    parts += feedback(explanation["feedback"], look)
    for status, (title, note) in TITLES.items():
        notes = of_status(explanation, status)
        if status == "not_matched" and not notes and explanation["not_matched"]:
            parts.append(heading(f"{title} ({explanation['not_matched']})", MORE))
        elif notes:
            parts.append(heading(f"{title} ({len(notes)})", note))
            parts += [unmatched(notes)] if status == "not_matched" else list(matched(notes, look, told))
    return stack(*parts, decisions.footer(decision, look))


def conditions(because: Iterable[Data], look: Look, told: Told, indent: int = 2) -> RenderableType:
    """Condition by condition: whether it held, what was found, and where that stands in the state."""
    fresh, known = told.split(because)
    lines: list[list[RenderableType]] = []
    for item in fresh:
        line = words(comparison(item))
        if item["evidence"]:
            line.append("  ").append_text(words(", ".join(item["evidence"]), "cyan"))
        lines.append([look.mark("yes" if item["held"] else "no"), line])
    if known:
        lines.append(["", words(f"{'and, as above, ' if fresh else 'as above: '}{again(known)}", "dim")])
    return rows([1, None], lines, indent)


def feedback(surface: Data, look: Look) -> list[RenderableType]:
    """The hints that hold, and what they did to the order."""
    if not surface["active"]:
        return []
    lines = [
        (look.mark("item"), Text.assemble(words(hint["summary"]), "  ", words(rests_on(hint), "dim")))
        for hint in surface["active"]
    ]
    return [heading("what feedback changed", swayed(surface["effect"])), rows([1, None], lines)]


def swayed(effect: Data | None) -> str:
    """What hints did to the order, in one line."""
    if effect is None:
        return "no todo changes its place"
    if effect["over"] is None:
        return f"{effect['after'][0]} stays first, and others of its rank change places"
    return f"{effect['after'][0]} goes before its equal {effect['over']}"


def more(judged: Sequence[Data]) -> Text | None:
    """How many todos of the frontier are not listed, since a screen holds only so much."""
    hidden = len(judged) - decisions.SHOWN
    return Text(f"  and {hidden} more", style="dim") if hidden > 0 else None


def candidates(judged: Sequence[Data], look: Look) -> RenderableType:
    lines = []
    for entry in judged[: decisions.SHOWN]:
        line = Text.assemble(words(entry["why"]), "  ", words(f"{', '.join(entry['by'])}", "dim"))
        line.append("  ").append_text(words(entry["at"], "cyan"))
        lines.append((look.mark("yes" if entry["runnable"] else "no"), words(entry["todo_id"], "bold"), line))
    return rows([1, 8, None], lines)


def matched(notes: Iterable[Data], look: Look, told: Told) -> Iterable[RenderableType]:
    for note in notes:
        said = Text.assemble(words(note["key"], "bold"), "  ", words(note["text"]))
        yield rows([1, None], [(look.mark("item"), said)])
        if note["because"]:
            yield conditions(note["because"], look, told, indent=5)


def unmatched(notes: Iterable[Data]) -> RenderableType:
    return rows([28, None], [(words(note["key"]), words(note["text"])) for note in notes])


WAYS = 10
"""Ways that are shown to people; JSON has all of them."""


def wanted(answer: Data) -> str:
    return f"To get {answer['mode']}" if answer["mode"] else "What would make it another turn"


def then(way: Data, answer: Data) -> str:
    """What leads after the changes; the mode where it is not the one that was asked for."""
    return f"{way['case']} leads" + ("" if answer["mode"] else f" with {way['mode']}")


def rest(answer: Data) -> str:
    """How many ways are not shown, and how they were found."""
    left = len(answer["ways"]) - WAYS
    return " ".join(part for part in (f"And {left} more." if left > 0 else "", answer["note"]) if part)


def why_not(answer: Data, look: Look) -> list[RenderableType]:
    """The minimal sets of changes, smallest first, each as something that a person can do."""
    parts: list[RenderableType] = [heading(wanted(answer), name=True)]
    lines: list[list[RenderableType]] = []
    for number, way in enumerate(answer["ways"][:WAYS], 1):
        for place, change in enumerate(way["changes"]):
            step = words(change, "bold") if place == 0 else Text.assemble("and ", words(change, "bold"))
            lines.append([Text(f"{number}." if place == 0 else ""), step])
        lines.append(["", Text.assemble("then ", words(then(way, answer)), style="dim")])
    if lines:
        parts.append(rows([2, None], lines))
    if rest(answer):
        parts.append(rows([None], [[words(rest(answer))]]))
    if answer["barred"]:
        parts.append(heading(BARRED))
        parts.append(
            rows([1, 20, None], [(look.mark("no"), words(b["key"]), words(b["text"])) for b in answer["barred"]])
        )
    return parts


def markdown(data: Data) -> str:
    """The same as Markdown."""
    decision, explanation, told = data["decision"], data["explanation"], Told()
    parts = decisions.title_markdown(decision)
    if "why_not" in data:
        return "\n\n".join([*parts, *why_not_markdown(data["why_not"])])
    lead = explanation["lead"]
    if lead is not None:
        parts += [f"## Lead: {cell(lead_line(lead))}", conditions_markdown(lead["because"], told)]
    if explanation["candidates"]:
        table = [
            (c["todo_id"], "runnable" if c["runnable"] else "blocked", c["why"], ", ".join(c["by"]), c["at"])
            for c in explanation["candidates"][: decisions.SHOWN]
        ]
        head = ["todo", "verdict", "why", "by", "at"]
        parts += ["## Frontier", f"{FRONTIER.capitalize()}.", markdown_table(head, table)]
        hidden = more(explanation["candidates"])
        parts += [str(hidden).strip()] if hidden else []
    surface = explanation["feedback"]
    if surface["active"]:
        hints = [f"{cell(hint['summary'])} ({cell(rests_on(hint))})" for hint in surface["active"]]
        parts += ["## What feedback changed", f"{cell(swayed(surface['effect']).capitalize())}.", bullet_list(hints)]
    for status, (title, note) in TITLES.items():
        notes = of_status(explanation, status)
        if status == "not_matched" and not notes and explanation["not_matched"]:
            parts += [f"## {title.capitalize()} ({explanation['not_matched']})", f"{MORE.capitalize()}."]
        elif notes:
            parts += [f"## {title.capitalize()} ({len(notes)})", f"{note.capitalize()}."]
            if status == "not_matched":
                failed = [(n["key"], n["text"]) for n in notes]
                parts.append(markdown_table(["pattern", "first failed condition"], failed))
            else:
                for item in notes:
                    parts.append(f"**{cell(item['key'])}**: {cell(item['text'])}")
                    parts.append(conditions_markdown(item["because"], told))
    return "\n\n".join(part for part in [*parts, decisions.footer_markdown(decision)] if part)


def conditions_markdown(because: Iterable[Data], told: Told) -> str:
    fresh, known = told.split(because)
    lines = []
    for item in fresh:
        places = f": {', '.join(item['evidence'])}" if item["evidence"] else ""
        lines.append(cell(f"{'held' if item['held'] else 'failed'}: {comparison(item)}{places}"))
    if known:
        lines.append(cell(f"as above: {again(known)}"))
    return bullet_list(lines)


def why_not_markdown(answer: Data) -> list[str]:
    parts = [f"## {cell(wanted(answer))}"]
    ways = [
        f"{number}. {' and '.join(cell(change) for change in way['changes'])} (then {cell(then(way, answer))})"
        for number, way in enumerate(answer["ways"][:WAYS], 1)
    ]
    if ways:
        parts.append("\n".join(ways))
    if rest(answer):
        parts.append(cell(rest(answer)))
    if answer["barred"]:
        barred = [(item["key"], item["text"]) for item in answer["barred"]]
        parts += [f"## {BARRED}", markdown_table(["case", "what it lacks"], barred)]
    return parts
