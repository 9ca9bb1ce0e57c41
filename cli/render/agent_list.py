"""The agents of a goal."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, cell, markdown_table, rows, stack, words

Data = dict[str, Any]
HEAD = ["agent", "is", "for", "holds"]
EMPTY = "No agent is registered: any may work on the goal, and none is told apart."


def line(agent: Data) -> list[str]:
    role = f"{agent['role']}, takes handoffs" if agent["handoff"] else agent["role"]
    return [agent["agent_id"], role, agent["scope"], ", ".join(agent["holds"])]


def rich(data: Data, look: Look) -> RenderableType:
    del look
    if not data["agents"]:
        return Text(EMPTY)
    lines = []
    for agent in data["agents"]:
        name, role, scope, holds = line(agent)
        about = "; ".join(part for part in (scope, f"holds {holds}" if holds else "") if part)
        lines.append((words(name, "bold"), words(role), words(about, "dim")))
    return stack(words(data["goal_id"], "bold"), rows([12, 10, None], lines))


def markdown(data: Data) -> str:
    table = markdown_table(HEAD, map(line, data["agents"])) if data["agents"] else EMPTY
    return f"# Agents of {cell(data['goal_id'])}\n\n{table}"
