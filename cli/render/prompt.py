"""A heartbeat prompt is text to copy: shown as it is, never wrapped."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, cell, stack

Data = dict[str, Any]


def rich(data: Data, look: Look) -> RenderableType:
    """The prompt; several are told apart by a heading with the agent's id."""
    prompts = data["prompts"]
    parts: list[RenderableType] = []
    for entry in prompts:
        if len(prompts) > 1:
            parts.append(Text(f"--- agent {entry['agent_id']} ---\n", style="bold"))
        parts.append(Text(entry["prompt"], no_wrap=True, overflow="ignore"))
    return stack(*parts)


def markdown(data: Data) -> str:
    """Each prompt in a fenced block below a heading."""
    parts = [f"# Heartbeat prompt for {cell(data['goal_id'])}"]
    for entry in data["prompts"]:
        parts.append(f"## {cell(entry['agent_id'] or 'any agent')}")
        parts.append(f"````text\n{entry['prompt']}````")
    return "\n\n".join(parts)
