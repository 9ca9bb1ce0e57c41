"""What an agent has done in the turn that is under way, and under which decisions, from the record of writes.

A turn runs from the agent's latest delivery row or fruitless poll on, and no longer than a decision speaks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..model import Todo
from ..project.files import open_regular
from ..project.runs import lines_from_end
from .events import read_event
from .observed import Observer
from .places import Ground
from .run_history import seconds

Json = dict[str, Any]
REFRESH = "refresh-state"
POLL = "quota monitor-poll"
COMPLETE = "todo complete"
CLAIM = "todo claim"
STEPS = ("todo add", COMPLETE, "todo supersede", "todo defer", "todo reopen", "todo no-followup")
"""The steps of a todo that change what can be worked on."""


@dataclass(slots=True)
class Turn:
    """``decisions`` held before the turn's writes, oldest first; ``commands`` are those writes with their results."""

    decisions: list[Json] = field(default_factory=list)
    commands: list[tuple[str, Json]] = field(default_factory=list)

    def decided(self, now: Json) -> list[Json]:
        """The decisions that the turn runs under: those that let a slot be spent, one of each mode, oldest first; else
        the one that holds now.

        What an agent completes is gone from its frontier, so the decision after its work is not the one before it.
        """
        found: dict[object, Json] = {}
        for one in (*self.decisions, now):
            if one.get("spend_after_validation") is True:
                found.setdefault(one.get("mode"), one)
        return list(found.values()) or [now]

    def works(self) -> bool:
        """Whether a todo has been moved, beyond a claim."""
        return any(command[:5] == "todo " and command != CLAIM for command, _ in self.commands)

    def moved(self) -> set[str]:
        """The todos that the turn added, or took a step further in their lives, with those that came of it."""
        found: set[str] = set()
        for command, result in self.commands:
            if command in STEPS:
                follow = result.get("successor_todo_ids")
                named = [
                    result.get("todo_id"),
                    result.get("superseded_by"),
                    *(follow if isinstance(follow, list) else ()),
                ]
                found.update(str(name) for name in named if name)
        return found

    def completed(self, here: Ground) -> list[Todo]:
        """The todos that the turn completed."""
        ids = {str(result.get("todo_id", "")) for command, result in self.commands if command == COMPLETE}
        state = here.snapshot.state
        return [todo for todo in (*state.todos, *state.archived) if todo.todo_id in ids and todo.status == "done"]

    def took_in(self) -> bool:
        """Whether a poll of the turn reported a material change."""
        return any(command == POLL and result.get("material_change") is True for command, result in self.commands)


def turn_of(here: Ground, observer: Observer, agent_id: str | None) -> Turn:
    """The turn of an agent as it stands."""
    turn = Turn()
    for details in _writes(here, observer.turn_minutes):
        if details.get("agent_id", "") != (agent_id or ""):
            continue
        command, result, decision = str(details.get("command", "")), details.get("result"), details.get("decision")
        result = result if isinstance(result, dict) else {}
        if command == REFRESH or (command == POLL and result.get("material_change") is not True):
            break
        turn.commands.insert(0, (command, result))
        if isinstance(decision, dict):
            turn.decisions.insert(0, decision)
    return turn


def latest_agent(here: Ground, observer: Observer) -> str:
    """The agent of the latest write that an agent made; empty where none is as recent as a turn."""
    return next((str(one["agent_id"]) for one in _writes(here, observer.turn_minutes) if one.get("agent_id")), "")


def _writes(here: Ground, minutes: int) -> Iterator[Json]:
    """The details of the goal's writes within the last ``minutes``, newest first."""
    start = here.caller.now - minutes * 60
    try:
        with open_regular(here.places.events, buffering=0) as stream:
            for line in lines_from_end(stream):
                row = read_event(line) if line else None
                if row is None:
                    continue
                at = seconds(row.get("recorded_at"))
                if at is not None and at < start:
                    return
                yield row["details"]
    except FileNotFoundError:
        return
