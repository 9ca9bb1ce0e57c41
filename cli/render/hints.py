"""The hints of a goal, what each rests on, and what they make of a turn."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, bullet_list, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
NONE = "No active hint: nothing that people said puts todos in order now."
COLOURS = {"active": "green", "resting": "yellow", "expired": "dim", "retired": "dim"}
EFFECTS = {"prefer_candidate": "before its equals", "avoid_candidate": "after its equals"}


def rest(data: Data) -> str:
    """What is not shown, in words."""
    shown = {hint["standing"] for hint in data["hints"]}
    parts = [f"{data[name]} {name}" for name in ("resting", "ended") if data[name] and not shown & _standings(name)]
    return f"{' and '.join(parts)}: add --all" if parts else ""


def _standings(name: str) -> set[str]:
    return {"resting"} if name == "resting" else {"expired", "retired"}


def rests_on(hint: Data) -> str:
    """What a hint rests on, how strong it is, and until when."""
    sources = ", ".join(hint["sources"]) or "its owner's words"
    return f"{sources}; {hint['strength']} until {hint['expires_at']}"


def life(hint: Data) -> str:
    end = (
        "until"
        if hint["standing"] in ("active", "resting")
        else "ended"
        if hint["standing"] == "expired"
        else "was to end"
    )
    return f"{hint['strength']}, {hint['confidence']}, {end} {hint['expires_at']}"


def about(hint: Data) -> str:
    return f"{', '.join(hint['applies_to']['action_kinds'])} {EFFECTS[hint['hint_kind']]}"


def moved(turn: Data) -> str:
    """What hints did to a turn, in one line."""
    effect = turn["effect"]
    if effect is None:
        return "nothing moves"
    if effect["over"] is None:
        return f"{effect['after'][0]} stays first; others change places"
    return f"{effect['after'][0]} goes before {effect['over']} ({', '.join(effect['because'])})"


def rich(data: Data, look: Look) -> RenderableType:
    parts: list[RenderableType] = [words(look.join([data["goal_id"], f"as of {data['as_of']}"]), "dim")]
    if not data["hints"]:
        parts.append(Text(NONE))
    for hint in data["hints"]:
        standing = words(hint["standing"], COLOURS[hint["standing"]])
        parts.append(Text.assemble("\n", words(hint["hint_id"], "bold"), "  ", standing))
        lines = [
            (words("says", "dim"), words(hint["summary"])),
            (words("effect", "dim"), words(about(hint))),
            (words("from", "dim"), words(", ".join(hint["sources"]) or "its owner", "cyan")),
            (words("life", "dim"), words(life(hint))),
        ]
        parts.append(rows([6, None], lines))
    for turn in data.get("turns", ()):
        parts.append(heading(f"turn of {turn['agent_id'] or 'the agent'}", f"{turn['mode']}: {moved(turn)}"))
        if turn["effect"]:
            lines = [
                (words("without", "dim"), words(", ".join(turn["effect"]["before"][:6]))),
                (words("with", "dim"), words(", ".join(turn["effect"]["after"][:6]))),
            ]
            parts.append(rows([7, None], lines))
    if data["unused"]:
        parts.append(heading("feedback that orders nothing"))
        parts.append(rows([20, None], [(words(each["source"], "cyan"), words(each["why"])) for each in data["unused"]]))
    if rest(data):
        parts.append(words(f"\n{rest(data)}", "dim"))
    return stack(*parts)


def markdown(data: Data) -> str:
    parts = [f"# Hints of {cell(data['goal_id'])}"]
    table = [
        (each["hint_id"], each["standing"], each["summary"], about(each), ", ".join(each["sources"]), life(each))
        for each in data["hints"]
    ]
    head = ["hint", "standing", "says", "effect", "from", "life"]
    parts.append(markdown_table(head, table) if table else NONE)
    turns = [f"**{cell(turn['agent_id'] or 'the agent')}**: {cell(moved(turn))}" for turn in data.get("turns", ())]
    unused = [f"{cell(each['source'])}: {cell(each['why'])}" for each in data["unused"]]
    parts += [bullet_list(turns)] if turns else []
    parts += ["## Feedback that orders nothing", bullet_list(unused)] if unused else []
    parts += [f"{rest(data)}."] if rest(data) else []
    return "\n\n".join(parts)
