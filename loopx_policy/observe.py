"""What a writer needs to know of a decision: by whom, in which mode, with which leave, under which obligation.

The ledger records these observations beside the rows that it writes, and never asks the engine itself.
"""

from __future__ import annotations

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
        return Observation(
            decision=_decision(evaluation),
            replan=self._replan(evaluation),
            boundary=evaluation.turn.frontier.boundary.allowed,
        )

    def _replan(self, evaluation: Evaluation) -> Standing:
        """The replan obligation in force: the whole goal's where it stands without the rows of the lane itself."""
        if not _owed(evaluation):
            return "none"
        snapshot = evaluation.snapshot
        rows = [row for row in snapshot.runs.rows if is_goal_wide(row) or _closes(row)]
        if len(rows) == len(snapshot.runs.rows):
            return "goal"
        shared = replace(snapshot, runs=Runs(rows, snapshot.runs.complete, snapshot.runs.torn))
        return "goal" if _owed(self._policy.evaluate(shared)) else "lane"


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
