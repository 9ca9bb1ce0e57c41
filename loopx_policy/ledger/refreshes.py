"""``refresh-state``: a row that says what a turn did, with the decision it ran under and the frontier it left behind.

The frontier is compared here, whatever the caller claims (IP-024), and a replan obligation closes only by an
acknowledgement whose frontier really differs (IP-013). ``state_refresh`` decides; nothing here does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..model import Snapshot
from ..project.times import iso
from ..records import replace
from .artifacts import mark_of
from .documents import lane_part
from .drafts import draft, edit
from .edits import Edit
from .observed import Observation, Observer
from .places import Ground
from .run_history import Recorded, recorded
from .run_rows import GOAL, LANE, new_row, scope_of
from .turns import Turn, latest_agent, turn_of
from .write import Judge, Plan, allow

Json = dict[str, Any]
ACK = "autonomous_replan_ack_v0"
CONTRACT = "repair_delta_contract_v0"
GAP = "outcome_gap"
WRITTEN = ("blocker", "user_todo")
"""Surfaces of a frontier that todos are written to, by their ids, where work cannot go on."""
WORKED_ON = 5
"""Todos that a row names at most."""


@dataclass(slots=True, frozen=True)
class Refresh:
    """What the caller says. Empty where not given; ``next_actions`` is ``None`` where Next Action stays."""

    classification: str = ""
    scale: str = ""
    outcome: str = ""
    recommended_action: str = ""
    next_actions: tuple[str, ...] | None = None
    acknowledges: bool = False
    delta_kinds: tuple[str, ...] = ()
    progress_scope: str = ""
    artifact: str = ""
    evidence: str = ""

    @property
    def operation(self) -> str:
        return "replan_ack" if self.acknowledges else "repair" if self.delta_kinds else "progress"

    @property
    def label(self) -> str:
        """The classification, or what a row of this operation is called."""
        usual = {"replan_ack": "autonomous_replan_recorded", "repair": "repair_recorded"}
        return self.classification or usual.get(self.operation, "progress_recorded")


def refresh(here: Ground, judge: Judge, observer: Observer, said: Refresh) -> Plan:
    """Write the row of a turn, and Next Action where it is given."""
    me = here.caller.agent_id
    seen = observer.look(here.snapshot)
    turn = turn_of(here, observer, me)
    edits, after = _next_actions(here, said)
    before = _before(here, said)
    obligation, scope = _obligation(here, observer, seen, said)
    action = said.recommended_action or next((one.text for one in after.state.next_actions), "")
    document: Json = {
        "operation": said.operation,
        "goal": lane_part(here.goal),
        "agent_id": me,
        "decision_agent_id": me or (latest_agent(here, observer) if here.goal.agents else ""),
        "classification": said.label,
        "repair_delta_kinds": list(said.delta_kinds),
        "texts": _texts(said, action),
    }
    if said.outcome:
        document["delivery_outcome"] = said.outcome
    if obligation:
        document["obligation"] = obligation
    compared: Json = {}
    if before is not None:
        compared = observer.frontier(after, before.frontier_at)
        document |= {"before": before.frontier, "after": compared}
    verdict = allow(judge, "state_refresh", document, ("recorded", "noop"))

    changed = [
        name.removeprefix("delta.") for name, value in verdict.facts.items() if name[:6] == "delta." and value is True
    ]
    delta = {"schema_version": CONTRACT, "delta_present": bool(changed), "delta_kinds": changed}
    noop = verdict.verdict == "noop"
    label = ("replan_noop" if said.acknowledges else "repair_noop") if noop else said.label
    outcome = GAP if noop else said.outcome
    left = observer.frontier(after, here.caller.now)
    shown = _Shown(bool(changed), before.frontier or {}, compared) if before else _first(turn, left)
    delivery = _delivery(here, said, seen, turn, shown)
    fields: Json = {
        "todo_ids": _worked_on(here, turn) or None,
        "progress_scope": scope,
        "delivery_batch_scale": said.scale,
        "delivery_outcome": outcome,
    }
    if said.acknowledges:
        fields["autonomous_replan_ack"] = {"schema_version": ACK, "recorded": not noop, "delta_contract": delta}
    elif said.operation == "repair":
        fields["repair_delta"] = delta
    # The row's own capabilities: not every write of a turn is told them.
    asked = {"capabilities": list(here.snapshot.invocation.capabilities)}
    first, *others = [one | asked for one in turn.decided(seen.decision)]
    payload: Json = {
        "decision": first,
        "also_under": others,
        "replan": seen.replan,
        "frontier_at": iso(here.caller.now),
        "frontier": left,
        "compared_with": before.run.generated_at_text if before else "",
        "delta": delta,
        "delivery": delivery,
    }
    note = {"Outcome": outcome, "Artifact": said.artifact, "Evidence": said.evidence, "Changed": ", ".join(changed)}
    row, written = new_row(here, label, action, fields, payload, note)
    result = {
        "run": row["generated_at"],
        "classification": label,
        "delivery_outcome": outcome,
        "progress_scope": scope,
        "delta_kinds": changed,
        "claimed_but_unchanged": [kind for kind in said.delta_kinds if kind not in changed],
        "why": verdict.reason if said.operation != "progress" else "",
    }
    return Plan(_summary(label, me, noop), result, [*edits, *written])


def _worked_on(here: Ground, turn: Turn) -> list[str]:
    """The todos that the row speaks of: those that the turn completed, else the one that the agent holds.

    What people say of the run is then known to be said of that kind of work.
    """
    completed = [todo.todo_id for todo in turn.completed(here)]
    me = here.caller.agent_id
    held = [
        todo.todo_id for todo in here.snapshot.state.todos if me and todo.claimed_by == me and todo.status == "open"
    ]
    return completed[:WORKED_ON] or (held if len(held) == 1 else [])


def _summary(label: str, me: str | None, noop: bool) -> str:
    whom = f" for {me}" if me else ""
    return f"Record {label}{whom}" + (", since nothing changed" if noop else "")


def _texts(said: Refresh, action: str) -> Json:
    texts = {
        "classification": said.classification,
        "delivery_batch_scale": said.scale,
        "recommended_action": action,
        "artifact": said.artifact,
        "evidence": said.evidence,
        "next_action": list(said.next_actions or ()),
    }
    return {name: text for name, text in texts.items() if text}


def _next_actions(here: Ground, said: Refresh) -> tuple[list[Edit], Snapshot]:
    """The edit of Next Action where it changes, and the snapshot as it will be."""
    if said.next_actions is None:
        return [], here.snapshot
    text = edit(here)
    text.set_next_actions(said.next_actions)
    made = draft(here, text)
    if made.data == here.state:
        return [], here.snapshot
    return made.plan("", {}).edits, replace(here.snapshot, state=made.state)


def _before(here: Ground, said: Refresh) -> Recorded | None:
    """The row whose frontier stands for the time before the work; only the lane's own can be compared with it.

    For an acknowledgement that is the newest one written while no obligation of the lane was open, else the oldest
    that there is: what was recorded under the obligation may show half of the repair. For any other row it is the
    newest delivery row, else the oldest poll.
    """
    oldest: Recorded | None = None
    for one in recorded(here, here.caller.agent_id or "", neutral=True):
        if one.frontier is None:
            continue
        if said.acknowledges:
            settled = one.replan == "none"
        else:
            settled = one.run.classification not in here.caller.neutral
        if settled:
            return one
        oldest = one
    return oldest


def _obligation(here: Ground, observer: Observer, seen: Observation, said: Refresh) -> tuple[Json, str]:
    """The obligation that the row meets, for ``state_refresh``, and the scope of the row.

    An acknowledgement for the whole goal would close what other lanes owe too, so it takes the lane's own scope where
    another lane owes something of its own, and meets that obligation where the caller insists on the goal.
    """
    if not said.acknowledges:
        return {}, said.progress_scope or scope_of(here)
    wanted = said.progress_scope or (GOAL if seen.replan == "goal" else scope_of(here))
    other = _other_lane(here, observer) if wanted == GOAL or seen.replan == "none" else ""
    owed: Json = {"scope": "lane", "lane": other}
    if other and (seen.replan == "none" or said.progress_scope == GOAL):
        return owed, wanted
    scope = LANE if other else wanted
    if seen.replan == "none":
        return {}, scope
    return {"scope": seen.replan, "lane": here.caller.agent_id or ""}, scope


def _other_lane(here: Ground, observer: Observer) -> str:
    """Another registered agent whose own lane owes a replan."""
    for agent in here.goal.agents:
        if agent == here.caller.agent_id:
            continue
        asking = replace(here.snapshot.invocation, agent_id=agent)
        if observer.look(replace(here.snapshot, invocation=asking)).own_replan:
            return agent
    return ""


@dataclass(slots=True, frozen=True)
class _Shown:
    """Whether the frontier ``changed`` in the turn, and the surfaces of it that are compared."""

    changed: bool
    before: Json
    after: Json

    def gained(self, *surfaces: str) -> bool:
        return any(set(self.after.get(name, ())) - set(self.before.get(name, ())) for name in surfaces)


def _first(turn: Turn, left: Json) -> _Shown:
    """What the first turn of a lane shows, before which no frontier is on record: what the record of writes tells."""
    moved = turn.moved()
    return _Shown(bool(moved), {}, {name: [one for one in left.get(name, ()) if one in moved] for name in WRITTEN})


def _delivery(here: Ground, said: Refresh, seen: Observation, turn: Turn, shown: _Shown) -> Json:
    """What ``quota_spend`` will ask about this row, found out from files as far as they tell.

    While a replan is owed, only its acknowledgement accounts for a changed frontier.
    """
    completed = turn.completed(here)
    product = "none"
    if shown.gained("evidence_handle") or turn.took_in():
        product = "result"
    elif shown.gained(*WRITTEN):
        product = "blocker"
    elif said.artifact or completed:
        product = "artifact"
    return {
        "product": product,
        "completed": [todo.todo_id for todo in completed],
        "artifact": said.artifact,
        "artifact_mark": mark_of(said.artifact, (here.caller.cwd, here.places.repo)) if said.artifact else "",
        "evidence": said.evidence,
        "validated": bool(said.evidence or any(todo.evidence for todo in completed)),
        "frontier_changed": shown.changed and (said.acknowledges or seen.replan == "none"),
    }
