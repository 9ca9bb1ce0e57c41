"""A record as a project: a snapshot document whose projection gives the record back.

Every fact has a way to be produced. What cannot be produced is an :class:`UnrealisableError`, and whoever asks for a
project compares what the projection says of it with the record (``back``), so no witness shows something else.
"""

from __future__ import annotations

from typing import Any

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.engine.conditions import Value
from loopx_policy.engine.record import Record
from loopx_policy.errors import StateError
from loopx_policy.project.document import from_document
from loopx_policy.project.times import parse_time
from loopx_policy.prove.defaults import GOAL, NOW
from loopx_policy.prove.realise.frontier import LINKED, Exact, add_frontier
from loopx_policy.prove.realise.history import floor_of, rows_of
from loopx_policy.prove.realise.lanes import add_handoffs, add_parked, add_spare, add_watches_and_others, claim, room_of
from loopx_policy.prove.realise.palette import Judge, Needs
from loopx_policy.prove.realise.people import add_people
from loopx_policy.prove.realise.scene import Json, Scene, UnrealisableError, cast

CAP = "IP-022.lane_cap"
WAITS = {
    "wait.evidence": "external_evidence",
    "wait.user": "user",
    "wait.held": "focus_wait",
    "wait.unknown": "high_tide",
}
BROKEN = {"message": "The cadence of an old note is no time.", "fix": "Correct it."}


def realise(policy: Policy, record: Record) -> Json:
    """The document for a record of a turn, or of a turn and one of its candidates.

    Raises :class:`UnrealisableError` where the record cannot be laid out, or the projection does not give it back.
    """
    judge = Judge(policy.catalog)
    trouble = UnrealisableError("The record cannot be laid out.")
    for held_lane in (False, True) if record["lanes.hidden"] else (False,):
        try:
            document = _lay_out(policy, judge, record, held_lane)
            wrong = differing(record, back(policy, document))
        except UnrealisableError as error:
            trouble = error
            continue
        except StateError as error:  # what the record asks for cannot even be written
            trouble = UnrealisableError(error.message, at=error.at)
            continue
        if not wrong:
            return document
        name, (wanted, found) = next(iter(wrong.items()))
        trouble = UnrealisableError(f"No project is known in which {name} is {wanted}; it came out as {found}.")
    raise trouble


def _lay_out(policy: Policy, judge: Judge, record: Record, held_lane: bool) -> Json:
    scene = Scene(record, cast(record), policy.catalog.points["turn"].facts, held_lane)
    exact = _exact(judge, record) if "candidate.claim" in record else None
    add_people(scene, LINKED if exact is not None and exact.needs.linked else "")
    frontier = add_frontier(scene, judge, exact)
    add_watches_and_others(scene)
    cap = policy.catalog.parameters.get(CAP, 0)
    room = room_of(scene, frontier, int(cap) if isinstance(cap, int) else 0)
    add_spare(scene, frontier, room)
    claim(scene, frontier, room)
    broken = add_handoffs(scene)
    add_parked(scene)
    return _document(scene, broken)


def back(policy: Policy, document: Json) -> Evaluation:
    """What the projection and the policy say of a document."""
    return policy.evaluate(from_document(document))


def differing(record: Record, evaluation: Evaluation) -> dict[str, tuple[Value, Value]]:
    """The facts of a record that a project does not show: wanted and found. A candidate is looked for among all."""
    turn = evaluation.turn.record.values
    found = {name: (record[name], value) for name, value in turn.items() if name in record and record[name] != value}
    wanted = {name: record[name] for name in record if name not in turn}
    judged = [candidate.values for candidate in evaluation.turn.frontier.candidates]
    if wanted and wanted not in judged:
        nearest = max(judged, key=lambda one: sum(one[name] == wanted[name] for name in wanted), default={})
        found |= {
            name: (wanted[name], nearest.get(name, "none")) for name in wanted if nearest.get(name) != wanted[name]
        }
    return found


def _exact(judge: Judge, record: Record) -> Exact:
    lease = record["lease.state"]
    covered, decides = bool(record["gate.covers"]), bool(record["candidate.requires_decision"])
    needs = Needs(
        covered=covered and decides,
        linked=covered and not decides,
        bridge=bool(record["capability.lacks_bridge"]),
        owner=bool(record["capability.lacks_owner"]),
        unsupported=bool(record["capability.lacks_unsupported"]),
        outside=not record["boundary.projected"],
        leased=lease == "taken",
        overlapping=lease == "overlapping",
        own_lease=lease == "mine",
        decides=decides,
        safety=str(record["candidate.safety"]),
    )
    kinds = judge.kinds({name: record[name] for name in record if name.partition(".")[0] in CANDIDATE})
    if kinds is None:
        raise UnrealisableError("No rule speaks of this candidate.")
    return Exact(needs, kinds, record["candidate.claim"] == "mine")


CANDIDATE = ("candidate", "gate", "capability", "boundary", "lease")


def _document(scene: Scene, broken: int) -> Json:
    record, count = scene.record, scene.count
    now = parse_time(NOW)
    assert now is not None
    errors = count("state.contract_errors")
    readable = bool(record["state.readable"])
    notes = [_note(number) for number in range(max(0, errors - broken))] if readable else []
    problems = [{**BROKEN, "todo_id": note["todo_id"]} for note in notes]
    if not readable:
        problems = [{"message": "STATE.md does not exist.", "fix": "Create it."}] * errors
    if scene.record["next_action.present"] and not scene.bullets:
        scene.bullets.append("Decide which berth comes next")
    live = [*scene.gates, *scene.gates_elsewhere, *scene.actions, *scene.actions_elsewhere, *scene.frontier]
    live += [*scene.monitors, *scene.others, *scene.stuck, *scene.spare]
    todos = [*live, *notes, *scene.parked, *scene.finished]
    todos.sort(key=lambda entry: entry.get("role", "agent") != "user")
    document: dict[str, Any] = {
        "now": NOW,
        "agent": scene.cast.me or None,
        "goal": _goal(scene),
        "workspace": {"kind": "worktree" if record["workspace.independent"] else "primary"},
        "state": {"file": "STATE.md", "readable": readable, "problems": problems},
        "todos": todos,
        "next_action": list(scene.bullets),
        "runs": rows_of(scene, now[0])[::-1],
        "leases": scene.leases,
    }
    return {key: value for key, value in document.items() if value not in (None, [], {})}


def _note(number: int) -> Json:
    return {"todo_id": f"todo_n{number + 1:02d}", "text": "An old note", "status": "deferred", "task_class": "blocker"}


def _goal(scene: Scene) -> Json:
    record = scene.record
    goal: Json = {"id": GOAL}
    if scene.cast.agents:
        goal["agents"] = list(scene.cast.agents)
    if scene.cast.primary:
        goal["primary_agent"] = scene.cast.primary
    if scene.write_scope:
        goal["write_scope"] = scene.write_scope
    quota: Json = {}
    if record["quota.paused"]:
        quota |= {"compute": 0, "allowed_slots": 10}
    if record["quota.spent"]:
        quota["allowed_slots"] = 0
    if record["quota.cooling_down"]:
        quota["next_eligible_at"] = "+1h"
    if quota:
        goal["quota"] = quota
    words = [word for fact, word in WAITS.items() if record[fact]]
    goal |= dict(zip(("waiting_on", "attention_status"), words, strict=False))
    floor = floor_of(scene)
    if floor is not None:
        goal["outcome_floor"] = floor
    repairs = {"allow_health_blocker_repair": "repair.health", "allow_waiting_projection_repair": "repair.waiting"}
    allowed = {key: True for key, fact in repairs.items() if record[fact]}
    if allowed:
        goal["self_repair"] = {"enabled": True, **allowed}
    if not record["workspace.guarded"]:
        goal["side_agent_independent_worktree_required"] = False
    return goal
