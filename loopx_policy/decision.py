"""The decision and its interaction contract: who is told what, who does what, what may be spent.

Every flag of the agent and CLI channel is the mode's, and the mode is the lead's. The user channel
follows from the open items, from an owner ask that leads, and from what is owed to the user; where that tells
somebody something, the agent may not be quiet about it.
"""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from loopx_policy.collector import MANY, Paused
from loopx_policy.commands import commands
from loopx_policy.digests import hex16
from loopx_policy.engine.catalog import Case, Mode
from loopx_policy.engine.channels import FAIL_CLOSED_STATE, channels
from loopx_policy.facts.frontier import Candidate
from loopx_policy.facts.record import NO_EVIDENCE
from loopx_policy.messages import QUOTED, Speaker, candidate_why, source_at, source_name
from loopx_policy.model import Todo
from loopx_policy.project.times import iso
from loopx_policy.records import field, record
from loopx_policy.text import cut

if TYPE_CHECKING:
    from loopx_policy.decide import Evaluation

SCHEMA = "loopx_decision_v0"
CONTRACT_SCHEMA = "interaction_contract_v0"
SHOWN = 3
LISTED = 16
"""Candidates that a decision lists in full length; ``counts`` has how many there are."""
TODO_ID = re.compile(r"todo_[a-z0-9_-]+")
UNSOUND = FAIL_CLOSED_STATE
"""The state in which the project or the caller is not known for what it is, so that nothing is said of the frontier."""


@record
class Item:
    """Something that a person is shown: an open gate or action, or the todo that an owner ask is about."""

    todo_id: str
    text: str
    at: str


@record
class Listed:
    """A frontier todo in a list: ``cases`` and ``why`` say what blocks it, and are empty for a candidate."""

    todo_id: str
    at: str
    cases: tuple[str, ...] = ()
    why: str = ""


@record
class Swayed:
    """That a hint put the selected todo before its equal ``over``: which hint, why, and what it goes back to."""

    hint_id: str
    over: str
    why: str
    sources: tuple[str, ...]


@record
class Duty:
    """An obligation with its text filled in."""

    id: str
    kind: str
    text: str


@record
class Decision:
    """One answer. ``to_dict`` gives the published shape, in full length; ``budget.fit`` cuts it to size."""

    goal_id: str
    agent_id: str | None
    decided_at: str
    catalog_digest: str
    facts_digest: str
    engine: str
    pattern: str
    case: str
    stratum: str
    state: str
    effective_action: str
    mode: Mode
    contract: str
    reason: str
    action_required: bool
    notify: bool
    quiet_noop_allowed: bool
    user_reason: str
    primary_action: str
    items: list[Item] = field(default_factory=list)
    duties: list[Duty] = field(default_factory=list)
    selected: str | None = None
    candidates: list[Listed] = field(default_factory=list)
    blocked: list[Listed] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    swayed: Swayed | None = None
    cli_actions: list[str] = field(default_factory=list)

    @property
    def should_run(self) -> bool:
        return self.mode.must_attempt

    def to_dict(self) -> dict[str, Any]:
        """The published shape (``catalog/schemas/decision.schema.json``)."""
        hint = self.swayed
        swayed = (
            {}
            if hint is None
            else {"hint": {"id": hint.hint_id, "over": hint.over, "why": hint.why, "sources": list(hint.sources)}}
        )
        return {
            "schema_version": SCHEMA,
            "goal_id": self.goal_id,
            "agent_id": self.agent_id,
            "point": "turn",
            "decided_at": self.decided_at,
            "catalog_digest": self.catalog_digest,
            "facts_digest": self.facts_digest,
            "engine": self.engine,
            "lead": {"pattern": self.pattern, "case": self.case},
            "obligations": [{"id": duty.id, "kind": duty.kind, "text": duty.text} for duty in self.duties],
            "should_run": self.should_run,
            "state": self.state,
            "effective_action": self.effective_action,
            "reason": self.reason,
            "interaction_contract": {
                "schema_version": CONTRACT_SCHEMA,
                "mode": self.mode.name,
                "user_channel": {
                    "action_required": self.action_required,
                    "notify": "NOTIFY" if self.notify else "DONT_NOTIFY",
                    "items": [{"todo_id": item.todo_id, "text": item.text, "at": item.at} for item in self.items],
                    "reason": self.user_reason,
                },
                "agent_channel": {
                    "must_attempt": self.mode.must_attempt,
                    "delivery_allowed": self.mode.delivery_allowed,
                    "quiet_noop_allowed": self.quiet_noop_allowed,
                    "primary_action": self.primary_action,
                    "selected_todo_id": self.selected,
                    "candidates": [{"todo_id": c.todo_id, "at": c.at} for c in self.candidates],
                    "blocked": [{"todo_id": b.todo_id, "by": list(b.cases), "why": b.why} for b in self.blocked],
                    "counts": self.counts,
                    **swayed,
                },
                "cli_channel": {
                    "spend_allowed_now": False,
                    "spend_after_validation": self.mode.spend_after_validation,
                    "spend_policy": self.mode.spend_policy,
                    "next_cli_actions": self.cli_actions,
                },
            },
        }


def digest(evaluation: Evaluation) -> str:
    """16 hex digits over who asks for what, the facts, and the evidence that an answer can quote.

    The clock is no part of it: time that changes nothing gives the same digest. The facts stand in the order of their
    projection, so that their names need not be said.
    """
    view, record = evaluation.turn.view, evaluation.turn.record
    file = view.snapshot.state.file
    evidence = [
        (
            fact,
            [(source_name(source), source_at(source, file)) for source in found.sources[:QUOTED]],
            list(found.words[:QUOTED]),
            len(found.sources),
            len(found.words),
        )
        for fact, found in sorted(record.evidence.items(), key=itemgetter(0))
    ]
    # ascii() writes plain values unambiguously, the same in every version of Python, and in half the time of JSON.
    return hex16([ascii((view.snapshot.goal.goal_id, view.me, tuple(record.values.values()), evidence)).encode()])


def build(evaluation: Evaluation) -> Decision:
    """Turn what matched into the answer."""
    with Paused(len(evaluation.snapshot.state.todos) > MANY):
        return _build(evaluation)


def _build(evaluation: Evaluation) -> Decision:
    catalog, turn, combined = evaluation.catalog, evaluation.turn, evaluation.combined
    snapshot, lead = evaluation.snapshot, combined.lead
    speaker = Speaker(turn, catalog.placeholders)
    file = snapshot.state.file
    open_items = [*turn.gates.mine, *turn.gates.actions]
    asked = _asked(evaluation, lead) if lead is not None and lead.asks else []
    says = channels(catalog, combined, bool(open_items), bool(asked))
    mode, fault = says.mode, says.fault
    duties = [Duty(item.key, item.kind, speaker.say(item.text, item.when)) for item in combined.obligations]
    frontier = turn.frontier
    known = [] if says.state == UNSOUND else frontier.candidates
    runnable = [candidate for candidate in known if candidate.verdict.runnable]
    blocked = [candidate for candidate in known if not candidate.verdict.runnable]
    listed = runnable if mode.lists_candidates else []
    reason = fault or (speaker.say(lead.reason, lead.when) if lead else "no rule decides this state")
    return Decision(
        goal_id=snapshot.goal.goal_id,
        agent_id=snapshot.invocation.agent_id,
        decided_at=iso(int(snapshot.now)),  # a plain number: the time of the answer, on which nothing in it depends
        catalog_digest=catalog.digest,
        facts_digest=digest(evaluation),
        engine="engine_disagreement" if evaluation.disagreement else evaluation.matches.engine,
        pattern=lead.pattern if lead else "",
        case=lead.id if lead else "",
        stratum=lead.stratum if lead else "",
        state=says.state,
        effective_action=_effective_action(mode, lead),
        mode=mode,
        contract=(lead.contract if lead else "") or mode.name,
        reason=cut(reason, 240),
        action_required=says.action_required,
        notify=says.notify,
        quiet_noop_allowed=says.quiet_noop_allowed,
        user_reason=cut(_user_reason(fault or speaker.say(lead.user_reason, lead.when), duties), 300)
        if lead and not says.silent
        else "",
        primary_action=cut(speaker.say(lead.primary_action, lead.when), 300) if lead and not fault else "",
        items=[_item(todo, file) for todo in (*open_items, *(() if fault else asked))],
        duties=[Duty(duty.id, duty.kind, cut(duty.text, 200)) for duty in duties],
        selected=listed[0].todo.todo_id if listed else None,
        candidates=[Listed(c.todo.todo_id, source_at(c.todo, file)) for c in listed[:LISTED]],
        blocked=[_blocked(candidate, evaluation) for candidate in blocked[:SHOWN]],
        counts={
            "user_items": len(open_items),
            "candidates": len(known),
            "runnable": len(runnable),
            "blocked": len(blocked),
        },
        swayed=_swayed(evaluation) if listed else None,
        cli_actions=commands(mode, turn, catalog.placeholders),
    )


def _swayed(evaluation: Evaluation) -> Swayed | None:
    """The strongest hint that put another todo first, if one did."""
    effect = evaluation.hinted
    if effect is None or effect.leading is None:
        return None
    from loopx_policy.hints.hint import source_name as name_of

    hint = effect.leading
    return Swayed(hint.hint_id, effect.before[0], cut(hint.summary, 160), tuple(map(name_of, hint.sources)))


def _user_reason(told: str, duties: list[Duty]) -> str:
    """What a person is told: the lead's text, or why it was overruled, then what is owed to the user and was not said.

    A text that names todos has been said where each of them is named.
    """
    for duty in duties:
        names = TODO_ID.findall(duty.text) or [duty.text]
        if duty.kind == "user" and any(name not in told for name in names):
            told = f"{told}; {duty.text}" if told else duty.text
    return told


def _effective_action(mode: Mode, lead: Case | None) -> str:
    if lead is not None and lead.effective_action in mode.effective_actions:
        return lead.effective_action
    return mode.effective_actions[0]


def _asked(evaluation: Evaluation, lead: Case) -> list[Todo]:
    """The todos that an owner ask is about: the evidence of the fact that the lead names."""
    evidence = evaluation.turn.record.evidence.get(lead.asks, NO_EVIDENCE)
    return [source for source in evidence.sources if isinstance(source, Todo)]


def _item(todo: Todo, file: str) -> Item:
    return Item(todo.todo_id, cut(todo.text, 160), source_at(todo, file))


def _blocked(candidate: Candidate, evaluation: Evaluation) -> Listed:
    why = candidate_why(candidate, evaluation.turn, evaluation.catalog)
    return Listed(candidate.todo.todo_id, "", candidate.verdict.cases, cut(why, 120))
