"""``loopx lesson``, ``plan`` and ``dreaming``: requests to the ledger's records."""

from __future__ import annotations

from collections.abc import Sequence

from loopx_policy.decide import Policy
from loopx_policy.errors import UsageError
from loopx_policy.ledger import lessons, plans, proposals
from loopx_policy.ledger.places import Ground
from loopx_policy.ledger.proposals import Check, Standing
from loopx_policy.model import Snapshot
from loopx_policy.records import replace

from ..request import Result
from .policy import load
from .writing import Writer, write

REPLAN = "autonomous_replan"
CLOSED = ("throttled", "paused", "blocked_health")
"""Conditions of a goal in which the normal quota check permits nothing."""


def record_lesson(writer: Writer, lesson: dict[str, str], todo_id: str, operator: bool) -> Result:
    request = {**lesson, "todo_id": todo_id, "operator": operator}
    return write(
        writer,
        "lesson record",
        request,
        lambda here, judge: lessons.record(here, judge, lesson, todo_id, operator=operator),
    )


def promote_lesson(writer: Writer, ref: str, todo_id: str, recorded_in: str, operator: bool) -> Result:
    if todo_id and recorded_in:
        raise UsageError("--todo-id and --recorded-in are two carriers.", fix="Keep the one that is to last.")
    request = {"lesson": ref, "todo_id": todo_id, "recorded_in": recorded_in, "operator": operator}
    return write(
        writer,
        "lesson promote",
        request,
        lambda here, judge: lessons.promote(here, judge, ref, todo_id, recorded_in, operator=operator),
    )


def record_plan(
    writer: Writer, texts: dict[str, tuple[str, ...]], recommended_action: str, speculative: bool, operator: bool
) -> Result:
    items = [plans.read_item(text, kind) for kind, given in texts.items() for text in given]
    if not items:
        raise UsageError("A plan without items promises nothing.", fix="Pass --item 'todo_x01: what is promised'.")
    request = {
        "items": {kind: list(given) for kind, given in texts.items()},
        "recommended_action": recommended_action,
        "speculative": speculative,
        "operator": operator,
    }
    return write(
        writer,
        "plan record",
        request,
        lambda here, judge: plans.record(
            here, judge, items, recommended_action, speculative=speculative, operator=operator
        ),
    )


def propose(
    writer: Writer, texts: dict[str, str], scopes: Sequence[str], capabilities: Sequence[str], operator: bool
) -> Result:
    request = {**texts, "write_scopes": list(scopes), "capabilities": list(capabilities), "operator": operator}
    return write(
        writer,
        "dreaming propose",
        request,
        lambda here, judge: proposals.propose(here, judge, texts, scopes, capabilities, operator=operator),
    )


def decide(writer: Writer, verb: str, ref: str, reason: str, operator: bool) -> Result:
    request = {"proposal": ref, "reason": reason, "operator": operator}
    return write(
        writer,
        f"dreaming {verb}",
        request,
        lambda here, judge: proposals.decide(here, judge, verb, ref, reason, check_on(writer, here), operator=operator),
    )


def check_on(writer: Writer, here: Ground) -> Check:
    """The normal quota and boundary check on what a proposal wants, and whether any lane owes a replan."""

    def check(scopes: Sequence[str], capabilities: Sequence[str]) -> Standing:
        policy = Policy(load(writer.options))
        turns = [policy.evaluate(seen_by(here.snapshot, agent)) for agent in here.goal.agents or (None,)]
        owed = any(case.mode == REPLAN for turn in turns for case in turn.combined.matched)
        lead = turns[0].combined.lead
        boundary = turns[0].turn.frontier.boundary
        had = {*turns[0].turn.view.words("builtin_capabilities"), *here.goal.capabilities}
        open_for_work = lead is not None and lead.state not in CLOSED
        able = all(name in had for name in capabilities)
        return Standing(owed, open_for_work and able and not boundary.outside(tuple(scopes)))

    return check


def seen_by(snapshot: Snapshot, agent_id: str | None) -> Snapshot:
    """The same state, as one agent finds it."""
    return replace(snapshot, invocation=replace(snapshot.invocation, agent_id=agent_id))
