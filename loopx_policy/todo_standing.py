"""Where one todo stands: whether its agent may work on it now, what is in the way, and what it is linked to.

What a rule decides is said in the rule's own words; what the todo says of itself (done, parked, held by another) needs
no rule.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from loopx_policy.decide import Evaluation
from loopx_policy.facts.frontier import Candidate
from loopx_policy.facts.leases import in_force
from loopx_policy.facts.view import USER_CLASSES, View
from loopx_policy.facts.waits import awaited, resume_met
from loopx_policy.facts.watches import is_due
from loopx_policy.messages import candidate_words, fill, source_at
from loopx_policy.model import Snapshot, Todo
from loopx_policy.project.links import awaited as awaited_todo
from loopx_policy.project.times import iso
from loopx_policy.records import as_dict
from loopx_policy.text import cut

Json = dict[str, Any]
PLACE = ("todo_id", "role", "text", "line", "last_line", "section", "order", "priority", "extra")
TIMES = ("next_due_at", "expires_at", "last_checked_at", "updated_at", "completed_at")


@dataclass(slots=True)
class Reason:
    """Why a todo may or may not run; ``by`` is the key of the rule's case, empty where the todo says it itself."""

    by: str
    why: str


@dataclass(slots=True)
class Standing:
    """``runnable`` is what the rules say of the todo alone; the turn as a whole may still be closed."""

    runnable: bool
    reasons: list[Reason] = field(default_factory=list)

    def to_dict(self) -> Json:
        return {"runnable": self.runnable, "reasons": [{"by": each.by, "why": each.why} for each in self.reasons]}


def standing(todo: Todo, evaluation: Evaluation) -> Standing:
    """Whether the caller of an evaluation may work on a todo of its snapshot now, and why or why not."""
    judged = next((each for each in evaluation.turn.frontier.candidates if each.todo is todo), None)
    return _standing(todo, judged, evaluation)


def standings(evaluation: Evaluation) -> list[tuple[Todo, Candidate | None, Standing]]:
    """Where every todo stands that is not done, in file order, with what was found out of those of the frontier."""
    judged = {id(candidate.todo): candidate for candidate in evaluation.turn.frontier.candidates}
    unfinished = [todo for todo in evaluation.snapshot.state.todos if todo.status != "done"]
    found = [(todo, judged.get(id(todo))) for todo in unfinished]
    return [(todo, candidate, _standing(todo, candidate, evaluation)) for todo, candidate in found]


def _standing(todo: Todo, candidate: Candidate | None, evaluation: Evaluation) -> Standing:
    turn, catalog = evaluation.turn, evaluation.catalog
    if candidate is None:
        return Standing(False, [Reason("", why) for why in _aside(todo, turn.view)])
    said = {case.key: case.reason for case in catalog.cases.get("candidate", ())}
    words = candidate_words(candidate, turn)
    reasons = [Reason(key, fill(said[key], words)) for key in candidate.verdict.cases if key in said]
    return Standing(candidate.verdict.runnable, reasons or [Reason("", "no rule permits it")])


def _aside(todo: Todo, view: View) -> list[str]:
    """Why a todo is not among the candidates of the caller: what it says of itself."""
    found = []
    if todo.superseded_by:
        found.append(f"{todo.superseded_by} has replaced it")
    if todo.status == "done":
        return [*found, "it is done"]
    if todo.status == "deferred":
        return [*found, _parked(todo, view)]
    if todo.role == "user" or todo.task_class in USER_CLASSES:
        return [*found, "a person has to decide it" if todo.task_class == "user_gate" else "a person has to do it"]
    if todo.status == "blocked":
        found.append(
            f"it is blocked: {cut(todo.reason, 200)}" if todo.reason else "it is blocked, and says not by what"
        )
    if todo.task_class == "blocker":
        found.append("it says what is in the way, and is no work itself")
    if todo.claimed_by and todo.claimed_by != view.me:
        found.append(f"{todo.claimed_by} holds it")
    if todo.blocks_agent and todo.blocks_agent == view.me:
        found.append(f"{view.me} waits for it, so somebody else has to do it")
    if todo.task_class == "continuous_monitor":
        return [*found, _watch(todo, view.snapshot.now)]
    if todo.resume_when and not resume_met(todo, view):
        found.append(_parked(todo, view))
    return found or ["it is no candidate"]


def _parked(todo: Todo, view: View) -> str:
    met = resume_met(todo, view)
    if met is None:
        return "it is parked, and nothing would wake it"
    waits = ", ".join(awaited(todo, view))
    return f"it was parked until {waits}, which has come" if met else f"it waits for {waits}"


def _watch(todo: Todo, now: int) -> str:
    if is_due(todo, now):
        return "it is a watch, and due now"
    if todo.expires_at is not None and todo.expires_at <= now:
        return f"it is a watch that ended at {iso(todo.expires_at)}"
    if todo.next_due_at is None and todo.cadence is None:
        return "it is a watch without a schedule"
    return f"it is a watch, due at {iso(todo.next_due_at)}" if todo.next_due_at else "it is a watch, and not due yet"


def metadata(todo: Todo) -> Json:
    """All that the metadata of a todo says, as plain data, without what is empty; unknown keys come last."""
    found: Json = {}
    for name, value in as_dict(todo).items():
        if name in PLACE or value in (None, "", (), False, 0):
            continue
        if name in TIMES:
            value = iso(value)
        elif name == "cadence":
            value = f"{value}m"
        elif isinstance(value, tuple):
            value = [str(item) for item in value]
        found[name] = value if isinstance(value, (bool, int, list)) else str(value)
    return found | todo.extra


def links(todo: Todo, snapshot: Snapshot) -> tuple[list[Json], list[Json]]:
    """The todos that a todo names, and those that name it: ``[{key, todo_id, status, text, at}]`` each."""
    file = snapshot.state.file
    every = [*snapshot.state.todos, *snapshot.state.archived]
    by_id = {each.todo_id: each for each in reversed(every)}

    def entry(key: str, todo_id: str, other: Todo | None) -> Json:
        status = "missing" if other is None else other.status
        text, at = ("", "") if other is None else (cut(other.text, 160), source_at(other, file))
        return {"key": key, "todo_id": todo_id, "status": status, "text": text, "at": at}

    named = [entry(key, name, by_id.get(name)) for key, name in _named(todo)]
    naming = [
        entry(key, other.todo_id, other)
        for other in every
        if other is not todo
        for key, name in _named(other)
        if name == todo.todo_id
    ]
    return named, naming


def _named(todo: Todo) -> list[tuple[str, str]]:
    pairs = [
        ("unblocks_todo_id", todo.unblocks_todo_id),
        ("superseded_by", todo.superseded_by),
        ("resume_when", awaited_todo(todo)),
        *(("successor_todo_ids", name) for name in todo.successor_todo_ids),
    ]
    return [(key, name) for key, name in pairs if name]


def leases(todo: Todo, snapshot: Snapshot) -> list[Json]:
    """The leases on a todo: ``[{owner, expires_at, in_force}]``."""
    done = todo.status == "done"
    return [
        {
            "owner": lease.owner,
            "expires_at": iso(lease.expires_at) if lease.expires_at is not None else None,
            "in_force": in_force(lease.expires_at, snapshot.now, done=done),
        }
        for lease in snapshot.leases
        if lease.todo_id == todo.todo_id
    ]
