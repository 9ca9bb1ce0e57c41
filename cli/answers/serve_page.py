"""What the dashboard shows of each goal, gathered from the answers of the other commands."""

from __future__ import annotations

from shlex import quote
from typing import Any, Final

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.decision import build
from loopx_policy.detail.lanes import handoff_gates
from loopx_policy.diagnose import diagnose
from loopx_policy.explain import explain
from loopx_policy.hints.surface import effect_data
from loopx_policy.messages import source_at
from loopx_policy.model import Snapshot
from loopx_policy.review_packet import ReviewPacket
from loopx_policy.text import cut
from loopx_policy.todo_standing import standings

from ..request import Globals
from . import history, status
from .quota import awake, in_window
from .review_packet import judgeable, waiting
from .writing import Writer, onlooker

Data = dict[str, Any]
ROWS: Final = 20
"""Rows of the run index that are shown of each goal."""
TODOS: Final = 60
FEEDBACK: Final = ("reward", "gate", "lesson")

SETTINGS: Final = (
    ("Pause the goal", "loopx quota pause --goal-id {goal} --reason 'Paused by its owner' --operator"),
    ("Let it go on", "loopx quota resume --goal-id {goal} --operator"),
    ("Halve what it may spend", "loopx quota set --goal-id {goal} --compute {half} --operator"),
    ("Allow more slots for two hours", "loopx quota burst --goal-id {goal} --allowed-slots {more} --until +2h "
     "--reason 'More for a while' --operator"),
    ("Let agents mend the control plane", "loopx goal set --goal-id {goal} --self-repair --operator"),
    ("Wait on purpose", "loopx goal set --goal-id {goal} --waiting-on focus_wait --operator"),
)  # fmt: skip
"""Settings of the control plane with the command that shows what it would change, and changes nothing."""


def goal_page(options: Globals, policy: Policy, snapshot: Snapshot) -> Data:
    """Everything about one goal: what waits for a person, turns, todos, runs, what was said of them, settings."""
    catalog, goal_id = policy.catalog, snapshot.goal.goal_id
    writer = Writer(options, goal_id)
    looked = policy.evaluate(onlooker(snapshot))
    there = judgeable(writer, catalog)
    diagnosis = diagnose(looked, build(looked))
    agents: list[str | None] = list(snapshot.goal.agents) or [None]
    turns = [policy.evaluate(awake(snapshot, agent)) for agent in agents]
    quota = in_window(snapshot, catalog)
    shown = status.of(snapshot, catalog, None, ROWS)
    files = {row.generated_at_text: there(row) for row in snapshot.runs.rows[:ROWS]}
    for row in shown["rows"]:
        row["judgeable"] = not row["neutral"] and files.get(row["generated_at"], False)
    return shown | {
        "quota": quota,
        "turns": [_turn(evaluation) for evaluation in turns],
        "packet": ReviewPacket(policy, looked, there).write(waiting(snapshot, None)),
        "lanes": _lanes([looked, *turns]),
        "more_todos": max(0, len(diagnosis["todos"]) - TODOS),
        "handoffs": handoff_gates(looked),
        "leases": diagnosis["leases"],
        "unread": diagnosis["overlays"],
        "feedback": history.read(writer, catalog, FEEDBACK, 8)["entries"],
        "settings": _settings(goal_id, quota),
    }


def _turn(evaluation: Evaluation) -> Data:
    lead = explain(evaluation).lead
    because = [each for each in lead.to_dict()["because"] if each["held"]] if lead is not None else []
    return {"decision": build(evaluation).to_dict(), "because": because, "effect": effect_data(evaluation.hinted)}


def _lanes(seen: list[Evaluation]) -> list[Data]:
    """The unfinished todos by who holds them, as the holder finds them: a person's first and nobody's last.

    What no agent holds is shown as the first evaluation finds it.
    """
    found: dict[str, list[Data]] = {}
    mine = {
        each.snapshot.invocation.agent_id: {todo.todo_id: stands for todo, _, stands in standings(each)}
        for each in seen
    }
    for todo, _, usual in standings(seen[0])[:TODOS]:
        stands = mine.get(todo.claimed_by, {}).get(todo.todo_id, usual)
        why = "" if stands.runnable else "; ".join(reason.why for reason in stands.reasons)
        holder = "a person" if todo.role == "user" else todo.claimed_by or "nobody"
        row = {"todo_id": todo.todo_id, "text": cut(todo.text, 160), "status": todo.status, "runnable": stands.runnable}
        place = source_at(todo, seen[0].snapshot.state.file)
        found.setdefault(holder, []).append(row | {"why": why, "at": place})
    order = sorted(found, key=lambda name: (name != "a person", name == "nobody", name))
    return [{"holder": name, "todos": found[name]} for name in order]


def _settings(goal_id: str, quota: Data) -> list[Data]:
    words = {"goal": quote(goal_id), "half": (quota["compute"] or 1) / 2, "more": (quota["allowed"] or 0) + 4}
    return [{"label": label, "command": template.format(**words)} for label, template in SETTINGS]
