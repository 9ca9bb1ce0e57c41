"""Rich and Markdown are two looks of one answer: what the one tells, the other tells."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.cli import edge, screen
from loopx_policy.cli.request import Result

from .conftest import Run

COMMANDS = [
    ("quota", "should-run", "--agent-id", "builder"),
    ("quota", "should-run", "--agent-id", "writer", "--detail"),
    ("quota", "should-run"),
    ("quota", "status"),
    ("quota", "plan"),
    ("status",),
    ("status", "--agent-id", "builder", "--limit", "1"),
    ("explain", "--agent-id", "builder"),
    ("explain", "--agent-id", "writer", "--all"),
    ("explain", "--agent-id", "builder", "--why-not", "bounded_delivery"),
    ("explain", "--agent-id", "builder", "--why-not", "user_gate"),
    ("explain", "--agent-id", "builder", "--why-not", "blocked_wait"),
    ("decide", "quota_spend", "--input", "-"),
    ("heartbeat-prompt",),
    ("catalog", "list"),
    ("catalog", "show", "IP-002"),
    ("catalog", "show", "IP-010"),
    ("catalog", "show", "IP-021"),
    ("catalog", "show", "GR-health"),
    ("catalog", "order"),
    ("catalog", "lint"),
    ("catalog", "test", "--fixtures", "{fixtures}", "--pattern", "IP-007"),
    ("snapshot", "export"),
    ("todo", "claim", "--todo-id", "todo_manual", "--claimed-by", "writer", "--dry-run"),
    ("doctor",),
]
WORD = re.compile(r"[^\W_][\w./:*-]*\w")
LABELS = {"agent", "goal", "outcome", "user", "view", "turn", "why", "state"}
"""Texts of a single word that a heading or a column may say as well."""


def leaves(value: Any) -> Iterator[str]:
    """Every text in plain data, keys that are names of things among them; a diagram is for Markdown alone."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not str(key).isidentifier():
                yield str(key)
            if key != "visual":
                yield from leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner)
    elif isinstance(value, str):
        yield value


def words(text: str) -> set[str]:
    return set(WORD.findall(text.replace("\\|", "|").replace("&lt;", "<").casefold()))


def told(data: Any, out: str) -> set[str]:
    """The texts of ``data`` of which every word stands in ``out``."""
    there = words(out)
    return {leaf for leaf in leaves(data) if words(leaf) and words(leaf) <= there and leaf not in LABELS}


def both(monkeypatch: pytest.MonkeyPatch, ask: Callable[[], object]) -> tuple[Any, str, str]:
    """What a command answers as data, and that data in either look."""
    caught: list[Result] = []
    with monkeypatch.context() as patch:
        patch.setattr(edge, "show", lambda result, wanted: caught.append(result))
        ask()
    (result,) = caught
    with monkeypatch.context() as patch:
        patch.setenv("COLUMNS", "120")
        return result.data, screen.draw(result, "rich"), screen.draw(result, "markdown")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("broken", [False, True])
def test_what_is_told_in_one_look_is_told_in_the_other(
    loopx: Run,
    project: Path,
    monkeypatch: pytest.MonkeyPatch,
    edit: Callable[[str, str], None],
    command: tuple[str, ...],
    broken: bool,
) -> None:
    if broken:
        edit("status=open task_class=user_gate blocks_agent=builder", "status=open task_class=user_gate")
    fixtures = str(Path(__file__).resolve().parents[2] / "fixtures")
    arguments = [part.format(fixtures=fixtures) for part in command]
    stdin = json.dumps({"operation": "spend", "agent_id": "builder"})
    data, rich, markdown = both(monkeypatch, lambda: loopx(*arguments, cwd=project, stdin=stdin))
    assert told(data, rich) == told(data, markdown)
