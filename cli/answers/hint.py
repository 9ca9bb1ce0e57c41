"""``loopx hint list | preview | retire | rewrite``: what feedback asks for, what it changes, and its owner's edits."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from loopx_policy.decide import Policy
from loopx_policy.decision import build
from loopx_policy.errors import UsageError
from loopx_policy.facts.view import Parameters, look
from loopx_policy.hints.derive import Hints, derive
from loopx_policy.hints.hint import Hint
from loopx_policy.hints.surface import effect_data, shown, unused
from loopx_policy.ledger import hint_steps
from loopx_policy.ledger.hint_steps import Rewrite
from loopx_policy.ledger.places import Ground
from loopx_policy.model import Snapshot
from loopx_policy.project.times import iso

from ..request import Globals, Result
from .goals import snapshot_of
from .policy import load
from .quota import awake
from .writing import Writer, onlooker, write

Data = dict[str, Any]


def list_hints(options: Globals, goal_id: str | None, agent_id: str | None, everything: bool) -> Result:
    """``{goal_id, as_of, hints, resting, ended, unused}``; without ``everything`` only those that are active."""
    catalog = load(options)
    snapshot = snapshot_of(options, catalog, goal_id, agent_id)
    hints = _hints(onlooker(snapshot), catalog.parameters)
    return Result(
        {
            "schema_version": "loopx_hints_v0",
            "goal_id": snapshot.goal.goal_id,
            "as_of": iso(snapshot.now),
            "hints": [shown(hint) for hint in (hints.every if everything else hints.active)],
            "resting": len(hints.resting),
            "ended": len(hints.ended),
            "unused": unused(hints),
        },
        "hints",
    )


def preview(options: Globals, goal_id: str | None, agent_id: str | None) -> Result:
    """The active hints, and of each agent the todos without and with them; one agent's where one is named."""
    catalog = load(options)
    policy = Policy(catalog)
    snapshot = snapshot_of(options, catalog, goal_id, agent_id)
    agents: list[str | None] = [agent_id] if agent_id is not None else list(snapshot.goal.agents) or [None]
    hints = _hints(onlooker(snapshot), catalog.parameters)
    return Result(
        {
            "schema_version": "loopx_hint_preview_v0",
            "goal_id": snapshot.goal.goal_id,
            "as_of": iso(snapshot.now),
            "hints": [shown(hint) for hint in hints.active],
            "resting": len(hints.resting),
            "ended": len(hints.ended),
            "unused": unused(hints),
            "turns": [_turn(policy, awake(snapshot, agent)) for agent in agents],
        },
        "hints",
    )


def _turn(policy: Policy, snapshot: Snapshot) -> Data:
    evaluation = policy.evaluate(snapshot)
    decision = build(evaluation)
    runnable = [candidate.todo.todo_id for candidate in evaluation.turn.frontier.runnable]
    effect = effect_data(evaluation.hinted)
    return {
        "agent_id": snapshot.invocation.agent_id,
        "mode": decision.contract,
        "selected": decision.selected,
        "runnable": runnable[:10],
        "effect": effect,
    }


def retire(writer: Writer, hint_id: str, reason: str, operator: bool) -> Result:
    parameters = load(writer.options).parameters
    return write(
        writer,
        "hint retire",
        {"hint_id": hint_id, "reason": reason, "operator": operator},
        lambda here, judge: hint_steps.retire(
            here, judge, _named(here, parameters, hint_id), reason, operator=operator
        ),
    )


def rewrite(writer: Writer, hint_id: str, wanted: Rewrite, reason: str, operator: bool) -> Result:
    parameters = load(writer.options).parameters
    request = {
        "hint_id": hint_id,
        "summary": wanted.summary,
        "effect": wanted.effect,
        "action_kinds": wanted.action_kinds,
        "strength": wanted.strength,
        "days": wanted.days,
        "reason": reason,
        "operator": operator,
    }

    def plan(here: Ground, judge: Any) -> Any:
        hint = _named(here, parameters, hint_id)
        return hint_steps.rewrite(here, judge, hint, wanted, reason, operator=operator)

    return write(writer, "hint rewrite", request, plan)


def _hints(snapshot: Snapshot, parameters: Parameters) -> Hints:
    return derive(look(snapshot, parameters))


def _named(here: Ground, parameters: Parameters, hint_id: str) -> Hint:
    hints = _hints(onlooker(here.snapshot), parameters).every
    for hint in hints:
        if hint.hint_id == hint_id:
            return hint
    near = get_close_matches(hint_id, [hint.hint_id for hint in hints], n=1)
    fix = f"Did you mean {near[0]}?" if near else "See: loopx hint list --all"
    raise UsageError(f"This goal has no hint {hint_id[:60]}.", fix=fix)
