"""``quota should-run``: the hot path. Imports only what a decision needs."""

from __future__ import annotations

from typing import Any

from loopx_policy.budget import encode, fit
from loopx_policy.decide import Evaluation, Policy
from loopx_policy.decision import Decision, build
from loopx_policy.engine.catalog import Catalog
from loopx_policy.model import Snapshot

from ..request import Result, ShouldRun
from .goals import BROKEN, snapshot_of
from .policy import load

UNDER = 2_046
"""Bytes of the compact answer: with its line end it stays under 2,048."""


def should_run(asked: ShouldRun) -> Result:
    """The decision; exit code 3 where the state is too broken for one that runs anything."""
    _, decision, evaluation = evaluated(asked)
    code = exit_code(decision)
    if asked.options.format == "json":
        document = detailed(decision, evaluation) if asked.detail else fit(decision.to_dict(), UNDER)
        return Result({}, "decision", code, encode(document))
    return Result(for_people(decision, evaluation, asked.detail), "decision", code)


def evaluated(asked: ShouldRun) -> tuple[Catalog, Decision, Evaluation]:
    """Read, evaluate, decide."""
    catalog = load(asked.options, project=asked.snapshot is None)
    evaluation = Policy(catalog).evaluate(subject(asked, catalog))
    return catalog, build(evaluation), evaluation


def subject(asked: ShouldRun, catalog: Catalog) -> Snapshot:
    """What is decided on: a project, or the snapshot document that was named."""
    if asked.snapshot is None:
        return snapshot_of(asked.options, catalog, asked.goal_id, asked.agent_id, asked.available_capability)
    from .snapshot import read_document

    return read_document(asked)


def exit_code(decision: Decision) -> int:
    """What a turn ends with: a decision was made, or made on a state that nobody but its operator may mend."""
    return BROKEN if decision.mode.name == "health_blocked" else 0


def detailed(decision: Decision, evaluation: Evaluation) -> dict[str, Any]:
    """The answer with everything that ``--detail`` adds."""
    from loopx_policy.detail import detailed as add

    return add(decision, evaluation)


def for_people(decision: Decision, evaluation: Evaluation, detail: bool) -> dict[str, Any]:
    """The full answer, and beside it what a person wants to see of each todo, and what is wrong in the project."""
    from loopx_policy.detail import diagnostics

    snapshot = evaluation.snapshot
    file = snapshot.state.file
    todos = {
        todo.todo_id: {
            "text": todo.text,
            "priority": f"P{todo.priority}" if todo.priority < 9 else "",
            "at": f"{file}:{todo.line}" if todo.line else file,
        }
        for todo in snapshot.state.todos
    }
    data: dict[str, Any] = {"decision": decision.to_dict(), "todos": todos, "diagnostics": diagnostics(snapshot)}
    if detail:
        data["facts"] = evaluation.turn.record.values
    return data
