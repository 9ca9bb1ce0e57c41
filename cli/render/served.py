"""Where the dashboard is, and what it may do."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .look import Look, stack, words

Data = dict[str, Any]


def may(data: Data) -> str:
    """What the server was started for."""
    if data["reward_append"]:
        return "Previewed rewards may be appended from this machine."
    return "Nothing is written (rewards: --enable-reward-write-api)."


def rich(data: Data, look: Look) -> RenderableType:
    del look
    return stack(Text.assemble("Dashboard: ", words(data["url"], "bold")), Text(f"{may(data)} Ctrl-C ends it."))


def markdown(data: Data) -> str:
    return f"Dashboard: {data['url']}\n\n{may(data)} Ctrl-C ends it."
