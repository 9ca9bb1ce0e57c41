"""What a writer needs to know of a decision: by whom, in which mode, with which leave, under which obligation.

The ledger records these observations beside the rows that it writes, and never asks the engine itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.decision import build
from loopx_policy.facts.history import NEUTRAL, WATCH, is_closed, is_goal_wide, read_lane, unchanged_polls
from loopx_policy.facts.view import look
from loopx_policy.facts.watches import is_due
from loopx_policy.ledger.observed import Observation, Standing, Watch
from loopx_policy.model import Run, Runs, Snapshot
from loopx_policy.project.times import iso
from loopx_policy.records import replace
from loopx_policy.surfaces import settled, surfaces

SCHEMA = "loopx_turn_decision_v0"
REPLAN = "replan"
"""The ``turn_kind`` of a mode in which a replan is owed."""
TURN_MINUTES = "IP-001.turn_minutes"


class Observer:
    """Observes decisions for the ledger (``ledger.observed.Observer``)."""

    __slots__ = ("_last", "_policy")

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self._last: tuple[Snapshot, Observation] | None = None

    @property
    def turn_minutes(self) -> int:
        """Minutes for which a decision speaks for its turn."""
        figure = self._policy.catalog.parameters.get(TURN_MINUTES, 0)
        return figure if isinstance(figure, int) else 0

    def look(self, snapshot: Snapshot) -> Observation:
        """The decision for the caller of a snapshot, and what is owed. The last snapshot's is remembered."""
        if self._last is None or self._last[0] is not snapshot:
            self._last = (snapshot, self._observe(snapshot))
        return self._last[1]

    def watches(self, snapshot: Snapshot) -> dict[str, Watch]:
        """Every watch of the state, by the id of its todo."""
        view = look(snapshot, self._policy.catalog.parameters)
        polls = unchanged_polls(read_lane(view, frozenset(view.words(NEUTRAL))), view)
        return {
            todo.todo_id: Watch(
                open=not is_closed(todo, snapshot.now),
                due=is_due(todo, snapshot.now),
                unchanged=len(polls.get(todo.target_key or todo.todo_id, ())),
            )
            for todo in snapshot.state.todos
            if todo.task_class == WATCH
        }

    def frontier(self, snapshot: Snapshot, at: int) -> dict[str, Any]:
        """The surfaces of the frontier, as they would be at ``at`` with this state."""
        return surfaces(self._policy.evaluate(settled(snapshot, at)))

    def _observe(self, snapshot: Snapshot) -> Observation:
        evaluation = self._policy.evaluate(snapshot)
        standing, own = self._replan(evaluation)
        return Observation(
            decision=_decision(evaluation),
            replan=standing,
            own_replan=own,
            boundary=evaluation.turn.frontier.boundary.allowed,
        )

    def _replan(self, evaluation: Evaluation) -> tuple[Standing, bool]:
        """The replan obligation in force, and whether the lane owes one of its own.

        The goal owes what stands without the lane's own rows; the lane owes what stands by them alone, and what
        stands by both together only.
        """
        if not _owed(evaluation):
            return "none", False
        shared = self._owed_by(evaluation.snapshot, is_goal_wide)
        own = not shared or self._owed_by(evaluation.snapshot, lambda row: not is_goal_wide(row))
        return ("goal" if shared else "lane"), own

    def _owed_by(self, snapshot: Snapshot, counts: Callable[[Run], bool]) -> bool:
        """Whether a replan is owed by some of the rows alone; every acknowledgement goes on counting."""
        rows = [row for row in snapshot.runs.rows if counts(row) or _closes(row)]
        some = replace(snapshot, runs=Runs(rows, snapshot.runs.complete, snapshot.runs.torn))
        return _owed(self._policy.evaluate(some))


def _owed(evaluation: Evaluation) -> bool:
    """Whether a replan is owed, whoever leads: a case that would put the turn into a mode of replanning matched."""
    modes = evaluation.catalog.modes
    return any(modes[case.mode].turn_kind == REPLAN for case in evaluation.combined.matched)


def _closes(row: Run) -> bool:
    return row.ack_recorded and row.ack_delta


def _decision(evaluation: Evaluation) -> dict[str, Any]:
    made = build(evaluation)
    invocation = evaluation.snapshot.invocation
    return {
        "schema_version": SCHEMA,
        "decided_at": iso(evaluation.snapshot.now),
        "agent_id": invocation.agent_id or "",
        "capabilities": list(invocation.capabilities),
        "mode": made.mode.name,
        "turn_kind": made.mode.turn_kind,
        "effective_action": made.effective_action,
        "case": f"{made.pattern}.{made.case}" if made.pattern else "",
        "spend_after_validation": made.mode.spend_after_validation,
        "spend_policy": made.mode.spend_policy,
        "facts_digest": made.facts_digest,
        "catalog_digest": made.catalog_digest,
    }
