"""The one way through for every write: lock, recover, recognise a repeat, plan, then preview or commit.

The plan is made under the lock, from what stands on disk then; policy comes in as the ``Judge``, so that nothing
here knows a rule.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

from ..errors import ConflictError, RefusedError, StateError
from ..model import Snapshot, State
from ..project.files import reason
from ..project.pending import Reading
from ..project.reader import with_state
from ..records import field, record
from . import plain_text
from .edits import Append, Edit, diff
from .events import digest_of, encode, event, first_result, size_of
from .journal import commit, left_unfinished, recover
from .lock import LastWriter, goal_lock, registry_lock
from .observed import Observer
from .places import Caller, Ground, Places, ground, places_of

Json = dict[str, Any]


class Verdict(Protocol):
    """What a decision point answers (``decide_point.PointDecision``)."""

    verdict: str
    reason: str
    case: str
    kind: str
    requires: tuple[str, ...]
    command: str
    facts: Mapping[str, Any]


Judge = Callable[[str, Json], Verdict]
"""Asks a decision point: its name and its document in, its verdict out."""


@record
class Plan:
    """What a command would do. ``summary`` names it in the imperative, ``result`` is what it reports.

    ``after`` is the goal state as it reads afterwards, where the edits change that file alone.
    """

    summary: str
    result: Json = field(default_factory=dict)
    edits: list[Edit] = field(default_factory=list)
    after: State | None = None


@record(frozen=True)
class Order:
    """One write as asked for.

    ``request`` holds every argument that makes it what it is; ``registry`` says that the registry changes;
    ``execute`` is false for a preview.
    """

    command: str
    request: Mapping[str, Any]
    execute: bool
    key: str = ""
    registry: bool = False


@record
class Outcome:
    """``written`` is false for a preview; ``repeated`` where an earlier write with the same key is reported.

    ``snapshot`` is the goal as it stands now, where the write knows that without reading all of it again.
    """

    command: str
    goal_id: str
    summary: str
    result: Json
    written: bool
    repeated: bool = False
    diff: str = ""
    snapshot: Snapshot | None = None

    def to_dict(self) -> Json:
        return {
            "schema_version": "loopx_write_v0",
            "command": self.command,
            "goal_id": self.goal_id,
            "summary": self.summary,
            "written": self.written,
            "repeated": self.repeated,
            "result": self.result,
            "diff": self.diff,
        }


def perform(caller: Caller, order: Order, plan: Callable[[Ground], Plan], observer: Observer | None = None) -> Outcome:
    """Plan under the lock and commit, or plan without a trace and show the diff.

    With an ``observer`` the event records the decision that held before the write: for every write that can take
    away what the turn may do.
    """
    plain_text.check({**order.request, "idempotency_key": order.key})
    if order.key:
        _check_key(order.key)
    goal, places = places_of(caller)
    digest = digest_of(order.command, dict(order.request) | {"agent_id": caller.agent_id})
    with unreadable_told(), ExitStack() as held:
        if order.execute:
            last = held.enter_context(changing_registry(places.registry)) if order.registry else None
            held.enter_context(goal_lock(places.folder))
            recover(places.folder)
            if last is not None:
                last.note(places.folder)
        else:
            held.enter_context(Reading(places.folder))
        if order.key:
            first = first_result(places.events, order.key, digest)
            if first is not None:
                said, result = str(first.get("summary", "")), first["details"].get("result")
                return Outcome(order.command, goal.goal_id, said, result or {}, written=True, repeated=True)
        here = ground(caller, places)
        made = plan(here)
        outcome = Outcome(order.command, goal.goal_id, made.summary, made.result, False, diff=_shown(made, places))
        if not order.execute or not made.edits:
            outcome.snapshot = here.snapshot
            return outcome
        row = event(
            goal_id=goal.goal_id,
            command=order.command,
            agent_id=caller.agent_id,
            now=caller.now,
            summary=made.summary,
            result=made.result,
            key=order.key,
            digest=digest,
            decision=observer.look(here.snapshot).decision if observer else None,
            place=size_of(places.events),
        )
        commit(places.folder, [*made.edits, Append(places.events, encode(row))])
        outcome.written = True
        outcome.snapshot = with_state(here.snapshot, made.after) if made.after is not None else None
        return outcome


@contextmanager
def unreadable_told() -> Iterator[None]:
    """``StateError`` for a file of the project that cannot be read: by the name of the file, never by its path."""
    try:
        yield
    except OSError as error:
        name = os.path.basename(os.fsdecode(error.filename or ""))
        raise StateError(
            f"{name or 'A file of the project'} cannot be read ({reason(error)}); nothing has changed.",
            at=name,
            fix="Mend it or its permissions, or move it away.",
        ) from None


@contextmanager
def changing_registry(registry: str) -> Iterator[LastWriter]:
    """Hold the registry's lock; what a killed writer of whichever goal changed in the registry is finished."""
    with registry_lock(registry) as last:
        if left_unfinished(last.folder):
            with goal_lock(last.folder):
                recover(last.folder)
        yield last


def _check_key(key: str) -> None:
    from ..safe_text import hits  # its patterns cost more than the rest of a small write

    private = hits(key)
    if private:
        raise RefusedError(
            f"The idempotency key looks private ({', '.join(private)}).", fix="Name the request in plain words."
        )


def _shown(made: Plan, places: Places) -> str:
    return diff(made.edits, places.shown)


def allow(judge: Judge, point: str, document: Json, wanted: Sequence[str] = ("allow",)) -> Verdict:
    """The verdict of a point where it is one of ``wanted``; an error naming rule, reason and remedy else."""
    verdict = judge(point, document)
    if verdict.verdict in wanted:
        return verdict
    raise refused(verdict)


def refused(verdict: Verdict) -> RefusedError | ConflictError:
    """A denial as the error that people see: the rule, its reason, what would be accepted, and the command for it.

    What was reviewed before somebody changed the state (``stale``) is a conflict; all else is refused.
    """
    needs = "; ".join(verdict.requires)
    fix = f"{needs[:1].upper()}{needs[1:]}." if needs else ""
    if verdict.command:
        fix = f"{fix} Accepted: {verdict.command}".strip()
    error = ConflictError if verdict.kind == "stale" else RefusedError
    return error(f"{verdict.case or 'policy'}: {verdict.reason}", fix=fix)
