"""The record of a turn: every module's facts, in one place and in one order."""

from __future__ import annotations

from loopx_policy.facts import frontier, gates, goal, history, lanes, waits, watches
from loopx_policy.facts.frontier import Frontier, Judge
from loopx_policy.facts.gates import Gates
from loopx_policy.facts.record import Record
from loopx_policy.facts.view import Parameters, View, look
from loopx_policy.model import Snapshot
from loopx_policy.records import record


@record
class Turn:
    """One caller's turn: the record and what it was projected from."""

    view: View
    gates: Gates
    frontier: Frontier
    record: Record


def project(snapshot: Snapshot, parameters: Parameters, judge: Judge) -> Turn:
    """Project a snapshot onto the facts of a turn; ``judge`` answers for one candidate record."""
    view = look(snapshot, parameters)
    sorted_gates = gates.sort_gates(view)
    found = frontier.build(view, sorted_gates, judge)
    record = Record()
    goal.project(view, record)
    gates.project(sorted_gates, record)
    history.project(view, record)
    frontier.project(view, found, sorted_gates, record)
    watches.project(view, record)
    waits.project(view, record)
    lanes.project(view, record)
    return Turn(view, sorted_gates, found, record)
