"""The goals of a registry."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, markdown_table, rows, words

Data = dict[str, Any]
HEAD = ["goal", "objective", "agents", "open todos", "state"]
EMPTY = "The registry lists no goal."


def line(goal: Data) -> list[str]:
    paused = " (paused)" if goal["paused"] else ""
    agents = ", ".join(goal["agents"])
    return [goal["goal_id"] + paused, goal["objective"], agents, str(goal["open_todos"]), goal["state_file"]]


def about(goal: Data) -> Text:
    """The objective, and below it who works on the goal, how much is open and where."""
    _, objective, agents, todos, state = line(goal)
    note = words("; ".join(filter(None, [agents, f"{todos} open", state])), "dim")
    return Text.assemble(words(objective), "\n", note) if objective else note


def rich(data: Data, look: Look) -> RenderableType:
    del look
    lines = [(words(line(goal)[0], "bold"), about(goal)) for goal in data["goals"]]
    return rows([10, None], lines) if lines else Text(EMPTY)


def markdown(data: Data) -> str:
    return f"# Goals\n\n{markdown_table(HEAD, map(line, data['goals']))}" if data["goals"] else EMPTY
