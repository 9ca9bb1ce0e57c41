"""Slots: one booked for a validated delivery run, and one taken back (``quota_spend``; IP-001, IP-019, IP-021).

Whether a decision permits the booking is read from what was recorded in the turn, not from what the caller says: the
row of the delivery keeps the decision that it ran under, and the bookings name the rows that they pay for.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from ..errors import UsageError
from ..project.runs import SPENT, VOIDED
from .documents import lane_part
from .observed import Observer
from .places import Ground
from .run_history import Recorded, Spending, booked, recorded, recorded_in, seconds, spendings
from .run_rows import new_row, scope_of
from .turns import Turn, turn_of
from .write import Judge, Plan, allow

Json = dict[str, Any]
EVENT = "quota_event_v0"
POINT = "quota_spend"


def spend(here: Ground, judge: Judge, observer: Observer, run: str = "", evidence: str = "") -> Plan:
    """Book one slot for a delivery run: the named one, else the newest of the caller.

    ``evidence`` says how the work was validated, where its row does not.
    """
    me = here.caller.agent_id
    target = _named(here, run) if run else _newest(here, observer)
    turn = turn_of(here, observer, me)
    paid = booked(here, target.run.generated_at_text) if target else 0
    standing = _standing(here, target, paid)

    def document(decision: Json) -> Json:
        return {
            "operation": "spend",
            "goal": lane_part(here.goal),
            "agent_id": me,
            "slots": 1,
            "capabilities": list(here.snapshot.invocation.capabilities),
            "decision": _decision(here, decision, standing),
            "delivery": _delivery(here, turn, decision, target, evidence),
            "spends_for_delivery": paid,
            "minutes_behind": _minutes_behind(here),
            "texts": {"evidence": evidence} if evidence else {},
        }

    decisions = target.decisions if target else turn.decided(observer.look(here.snapshot).decision)
    decision = next((one for one in decisions if judge(POINT, document(one)).verdict == "allow"), decisions[0])
    allow(judge, POINT, document(decision))
    if target is None:
        raise UsageError("No run row records the work of this turn.", fix="Run loopx refresh-state first.")
    stamp = target.run.generated_at_text
    event = {"schema_version": EVENT, "event": "slot_spent", "slots": 1, "run": stamp, "mode": decision.get("mode", "")}
    if target.delivery.get("artifact_mark"):
        event["artifact_mark"] = target.delivery["artifact_mark"]
    row, edits = new_row(
        here,
        SPENT,
        "Ask quota should-run for the next turn.",
        {"progress_scope": scope_of(here), "quota_event": event},
        {"spent_under": decision, "evidence": evidence or target.delivery.get("evidence", "")},
        {"For": f"{target.run.classification} at {stamp}", "Slots": "1", "Evidence": evidence},
    )
    result = {"run": stamp, "classification": target.run.classification, "slots": 1, "spend": row["generated_at"]}
    return Plan(f"Spend one slot for {target.run.classification} at {stamp}", result, edits)


def void(here: Ground, judge: Judge, run: str = "", reason: str = "", *, operator: bool = False) -> Plan:
    """Take one booked slot back: that of the named run or booking, else the caller's newest."""
    me = here.caller.agent_id
    spent = spendings(here)
    if run:
        chosen = [one for one in spent if run in (one.spent_on, one.run.generated_at_text)]
        if not chosen:
            raise _unknown(run, [stamp for one in spent for stamp in (one.spent_on, one.run.generated_at_text)])
    else:
        chosen = [one for one in spent if operator or me is None or one.run.agent_id == me]
    target: Spending | None = next((one for one in chosen if not one.voided), None)
    document: Json = {
        "operation": "void",
        "goal": lane_part(here.goal),
        "agent_id": me,
        "operator": operator,
        "slots": target.run.slots if target else 1,
        "spends_for_delivery": target.run.slots if target else 0,
        "texts": {"reason": reason} if reason else {},
    }
    if target is not None:
        document["decision"] = {"agent_id": target.run.agent_id}
    allow(judge, POINT, document)
    if target is None:
        raise UsageError("There is no booking to take back.", fix="See: loopx quota status")
    spend_stamp = target.run.generated_at_text
    event = {
        "schema_version": EVENT,
        "event": "slot_voided",
        "slots": target.run.slots,
        "run": target.spent_on,
        "spend": spend_stamp,
    }
    row, edits = new_row(
        here,
        VOIDED,
        "Ask quota should-run for the next turn.",
        {"progress_scope": scope_of(here), "quota_event": event},
        {"reason": reason, "operator": operator},
        {"Takes back": spend_stamp, "Slots": str(target.run.slots), "Reason": reason},
    )
    result = {
        "run": target.spent_on,
        "spend": spend_stamp,
        "slots": target.run.slots,
        "void": row["generated_at"],
    }
    return Plan(f"Take back the slot spent at {spend_stamp}", result, edits)


def _named(here: Ground, run: str) -> Recorded:
    rows = [row for row in here.snapshot.runs.rows if row.classification not in here.caller.neutral]
    found = next((recorded_in(here, row) for row in rows if row.generated_at_text == run), None)
    if found is None:
        raise _unknown(run, [row.generated_at_text for row in rows])
    return found


def _unknown(run: str, known: Sequence[str]) -> UsageError:
    near = get_close_matches(run, known, n=1)
    fix = f"Did you mean {near[0]}?" if near else "See: loopx status --limit 20"
    return UsageError(f"No row of the run index at {run[:60]} can be meant.", at="runs/index.jsonl", fix=fix)


def _newest(here: Ground, observer: Observer) -> Recorded | None:
    """The caller's newest delivery row; ``None`` where a turn is under way that no row records yet.

    Where the caller has none, or is nobody, the newest of another agent that is still unpaid: its spending is refused,
    and the refusal names who may spend.
    """
    me = here.caller.agent_id or ""
    own = next(recorded(here, me), None)
    if own is not None:
        paid = booked(here, own.run.generated_at_text) > 0
        return None if paid and turn_of(here, observer, me).works() else own
    start = here.caller.now - observer.turn_minutes * 60
    for one in recorded(here):
        if one.run.generated_at is None or one.run.generated_at < start:
            break
        if not booked(here, one.run.generated_at_text):
            return one
    return None


def _standing(here: Ground, target: Recorded | None, paid: int) -> str:
    """Whether the recorded decision speaks for this turn: overtaken by a later row of its agent, or spent on."""
    if target is None:
        return "fresh"
    if paid:
        return "used"
    newest = next(recorded(here, target.run.agent_id))
    return "fresh" if newest.run is target.run else "stale"


def _decision(here: Ground, decision: Json, standing: str) -> Json:
    at = seconds(decision.get("decided_at"))
    # A clock that was set back makes a decision no fresher than one that was set on.
    age = abs(here.caller.now - at) // 60 if at is not None else 10**6
    return {
        "agent_id": str(decision.get("agent_id", "")),
        "capabilities": [str(name) for name in decision.get("capabilities") or ()],
        "mode": str(decision.get("mode", "")),
        "spend_after_validation": decision.get("spend_after_validation") is True,
        "standing": standing,
        "age_minutes": age,
    }


def _minutes_behind(here: Ground) -> int:
    """How far the newest row lies ahead of the caller's clock: what is booked back there leaves its window early."""
    newest = max((run.generated_at for run in here.snapshot.runs.rows if run.generated_at is not None), default=0)
    return max(0, newest - here.caller.now) // 60


def _paid_before(here: Ground, target: Recorded) -> bool:
    """Whether a row left nothing behind but an artifact that a standing slot of another row was booked for already."""
    said = target.delivery
    mark = said.get("artifact_mark")
    if not mark or said.get("product") != "artifact" or said.get("completed"):
        return False
    stamp = target.run.generated_at_text
    return any(one.mark == mark and one.spent_on != stamp and not one.voided for one in spendings(here))


def _delivery(here: Ground, turn: Turn, decision: Json, target: Recorded | None, evidence: str) -> Json:
    """What was delivered, as its row says; of a turn that no row records, what the record of writes shows."""
    kind = str(decision.get("turn_kind", "wait"))
    if target is None:
        done = turn.completed(here)
        return {
            "kind": kind,
            "product": "artifact" if done else "none",
            "validated": bool(evidence or any(todo.evidence for todo in done)),
            "written_back": False,
            "frontier_changed": False,
        }
    said = target.delivery
    return {
        "kind": kind,
        "product": str(said.get("product", "none")),
        "validated": bool(evidence) or said.get("validated") is True,
        "written_back": True,
        "frontier_changed": said.get("frontier_changed") is True,
        "paid_before": _paid_before(here, target),
    }
