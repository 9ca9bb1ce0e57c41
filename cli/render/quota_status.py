"""What each goal may spend, and has spent: a bar that also reads as figures."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, markdown_table, rows, words

Data = dict[str, Any]
BAR = 20
HEAD = ["goal", "spent", "left", "window", "note"]


def note(goal: Data) -> str:
    """What a reader must know beside the figures."""
    parts = []
    if not goal["ok"]:
        parts.append("state broken, see loopx doctor")
    if goal["paused"]:
        parts.append("paused: compute is 0")
    elif goal["cooling_down"]:
        parts.append(f"not before {goal['next_eligible_at']}")
    elif not goal["left"]:
        parts.append("window spent")
    if goal["burst_until"]:
        parts.append(f"burst until {goal['burst_until']}, then {goal['allowed_after_burst']}")
    return "; ".join(parts)


def figures(goal: Data) -> str:
    return f"{goal['spent']} of {goal['allowed']}"


def window(goal: Data) -> str:
    return f"{goal['window_hours']:g} h, slots of {goal['slot_minutes']:g} min"


def bar(goal: Data, look: Look) -> Text:
    """How much of the window's slots is spent."""
    share = min(1.0, goal["spent"] / goal["allowed"]) if goal["allowed"] else 1.0
    full = round(share * BAR)
    signs = ("█", "░") if look.fancy else ("#", ".")
    colour = "green" if share < 0.75 else "yellow" if share < 1 else "red"
    return Text(signs[0] * full, style=colour) + Text(signs[1] * (BAR - full), style="dim")


def rich(data: Data, look: Look) -> RenderableType:
    lines = [
        (
            words(g["goal_id"], "bold"),
            bar(g, look),
            words(figures(g)),
            words("; ".join(filter(None, [window(g), note(g)])), "dim"),
        )
        for g in data["goals"]
    ]
    return rows([8, BAR, 9, None], lines, indent=2) if lines else Text("The registry lists no goal.")


def markdown(data: Data) -> str:
    table = [(g["goal_id"], figures(g), g["left"], window(g), note(g)) for g in data["goals"]]
    return f"# Quota\n\n{markdown_table(HEAD, table)}"
