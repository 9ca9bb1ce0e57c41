"""A heartbeat prompt is text to copy: shown as it is, never wrapped."""

from __future__ import annotations

from typing import Any

from .look import cell

Data = dict[str, Any]


def text(data: Data) -> str:
    """The prompt as it is, to copy; several are told apart by a line with the agent's id."""
    prompts = data["prompts"]
    several = len(prompts) > 1
    parts = [(f"--- agent {entry['agent_id']} ---\n\n" if several else "") + entry["prompt"] for entry in prompts]
    return "\n".join(parts)


def markdown(data: Data) -> str:
    """Each prompt in a fenced block below a heading."""
    parts = [f"# Heartbeat prompt for {cell(data['goal_id'])}"]
    for entry in data["prompts"]:
        parts.append(f"## {cell(entry['agent_id'] or 'any agent')}")
        parts.append(f"````text\n{entry['prompt']}````")
    return "\n\n".join(parts)
