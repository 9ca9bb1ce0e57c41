"""Steps that end a todo: complete, supersede, record that nothing follows. What follows is written with the end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ..model import Todo
from ..records import record, replace
from .drafts import Draft, draft, edit
from .state_text import StateText
from .todo_steps import New, Step, known, texts_of, write_new
from .todo_words import marker
from .write import Plan

Json = dict[str, Any]
WATCHING: Final = ("continuous_monitor", "blocker")
INHERITED: Final = (
    "task_class", "action_kind", "claimed_by", "blocks_agent", "global_gate", "unblocks_todo_id",
    "required_write_scopes", "required_capabilities", "target_capabilities", "decision_scope",
    "required_decision_scopes", "safety_class", "target_key", "cadence", "next_due_at", "expires_at",
)  # fmt: skip
"""What a replacement takes over unless it says otherwise: who holds the work, and every limit that is set to it."""
OWNERSHIP: Final = ("claimed_by", "blocks_agent", "unblocks_todo_id")


@record(frozen=True)
class Completion:
    """What is handed in with a finished slice. ``validated`` and ``self_merge_allowed`` are ``None`` where unsaid."""

    evidence: str = ""
    reason: str = ""
    new: Sequence[New] = ()
    existing: Sequence[str] = ()
    no_follow_up: bool = False
    trivial: bool = False
    self_merged: bool = False
    scale: str = ""
    validated: bool | None = None
    self_merge_allowed: bool | None = None

    def document(self, successors: list[Json]) -> Json:
        """As the decision point reads it."""
        said: Json = {
            "evidence": self.evidence,
            "side_agent_self_merged": self.self_merged,
            "trivial": self.trivial,
            "no_follow_up": self.no_follow_up,
            "successors": successors,
        }
        told = {"scale": self.scale or None, "validated": self.validated}
        told["policy_allows_self_merge"] = self.self_merge_allowed
        return said | {name: value for name, value in told.items() if value is not None}


def complete(step: Step, todo_id: str, done: Completion) -> Plan:
    """Finish a slice, with its evidence and what follows.

    A side agent that did not merge by itself hands over: successors without a holder go to the handoff owner, block
    the side agent, and unblock its lane.
    """
    todo = known(step.here, todo_id)
    existing = [known(step.here, each) for each in done.existing]
    new = _handed_over(step, todo, done)
    text = edit(step.here)
    ids = write_new(step, text, new)
    follow = [*todo.successor_todo_ids, *(each.todo_id for each in existing), *ids]
    changes: dict[str, str | None] = {"status": "done", "completed_at": step.now, "updated_at": step.now}
    changes |= {"evidence": done.evidence} if done.evidence else {}
    changes |= {"reason": done.reason} if done.reason else {}
    changes |= {"successor_todo_ids": ",".join(dict.fromkeys(follow))} if follow else {}
    changes |= {"no_followup": "true"} if done.no_follow_up else {}
    made = _closed(step, text, todo, changes, ids)
    successors = [step.part(each) for each in (*(made.todo(each) for each in ids), *existing)]
    step.allow("complete", step.part(todo), texts_of(new), completion=done.document(successors), reason=done.reason)
    result: Json = {"todo_id": todo_id, "status": "done", "successor_todo_ids": follow}
    if done.no_follow_up:
        result["no_followup"] = True
    then = f", followed by {', '.join(follow)}" if follow else ""
    return made.plan(f"Complete {todo_id}{then}", result | _left(step, todo_id))


def supersede(step: Step, todo_id: str, reason: str, new: New | None = None, existing: str = "") -> Plan:
    """Replace a todo by another, new or existing. The old one stays as history and names what replaced it."""
    todo = known(step.here, todo_id)
    text = edit(step.here)
    written = [_replacement(step, text, todo, new)] if new else []
    ids = write_new(step, text, written)
    other = known(step.here, existing) if existing and existing != todo_id else None
    successor = existing or (ids[0] if ids else "")
    changes: dict[str, str | None] = {"status": "done", "superseded_by": successor or None, "updated_at": step.now}
    changes |= {"reason": reason} if reason else {}
    if other is not None and not other.note:
        text.set_metadata(other, {"note": f"supersedes {todo_id}"})
    made = _closed(step, text, todo, changes, ids)
    how: Json = {"replacement_todo_id": existing} if existing else {}
    if ids:
        how = {"replacement_text": written[0].text, "replacement": step.part(made.todo(ids[0]))}
    if other is not None:
        how["replacement_status"] = other.status
    step.allow("supersede", step.part(todo), texts_of(written), supersede=how, reason=reason)
    result = {"todo_id": todo_id, "status": "done", "superseded_by": successor}
    return made.plan(f"Supersede {todo_id} by {successor}", result | _left(step, todo_id))


def no_followup(step: Step, todo_id: str, reason: str) -> Plan:
    """Record that nothing follows a todo. A stale handoff that is still open ends with it; a parked todo stays so."""
    todo = known(step.here, todo_id)
    text = edit(step.here)
    changes: dict[str, str | None] = {"no_followup": "true", "updated_at": step.now}
    changes |= {"reason": reason} if reason else {}
    if todo.status in ("open", "blocked"):
        changes |= {"status": "done", "completed_at": step.now}
        made = _closed(step, text, todo, changes, ())
    else:
        text.set_metadata(todo, changes)
        made = draft(step.here, text)
    step.allow("no_followup", step.part(todo), {}, reason=reason)
    status = made.todo(todo_id).status
    return made.plan(
        f"Record that nothing follows {todo_id}", {"todo_id": todo_id, "status": status, "no_followup": True}
    )


def _closed(step: Step, text: StateText, todo: Todo, changes: dict[str, str | None], new: Sequence[str]) -> Draft:
    text.set_mark(todo, "done")
    text.set_metadata(todo, changes)
    return draft(step.here, text, new)


def _handed_over(step: Step, todo: Todo, done: Completion) -> list[New]:
    """The successors; of a side agent that did not merge by itself, with what makes each a handoff."""
    goal, me = step.here.goal, step.actor
    owner = goal.primary_agent if goal.handoff_agent in ("", me) else goal.handoff_agent
    side = me in goal.agents and bool(goal.primary_agent) and me != goal.primary_agent
    placed = [replace(new, section=todo.section if new.role == todo.role else "") for new in done.new]
    if not side or done.self_merged or todo.role != "agent" or todo.task_class in WATCHING:
        return placed
    link = {"claimed_by": owner, "blocks_agent": me, "unblocks_todo_id": todo.todo_id}
    return [
        replace(new, metadata=link | dict(new.metadata))
        if new.role == "agent" and new.metadata.get("claimed_by", owner) == owner
        else new
        for new in placed
    ]


def _replacement(step: Step, text: StateText, todo: Todo, new: New) -> New:
    """A replacement with what it takes over from the todo that it replaces, and a note that says so."""
    own: dict[str, str] = {}
    wording = new.text
    if new.role == todo.role:
        known_keys = text.metadata(todo)
        own = {key: known_keys[key] for key in INHERITED if key in known_keys}
        if not marker(wording):
            wording = f"{marker(todo.text)} {wording}".strip()
        blocks_me = bool(step.actor) and todo.blocks_agent == step.actor
        if todo.status == "done" or blocks_me:
            # The old work is over: what replaces it is the route of whoever waited for it.
            own = {key: value for key, value in own.items() if key not in OWNERSHIP}
            own |= {"claimed_by": step.actor} if blocks_me else {}
    metadata = own | dict(new.metadata)
    metadata.setdefault("note", f"supersedes {todo.todo_id}")
    return New(new.role, wording, metadata, todo.section if new.role == todo.role else "")


def _left(step: Step, todo_id: str) -> Json:
    """Open gates that would unblock the todo that ends here: they are unclear afterwards, and somebody should look."""
    open_ones = [todo for todo in step.here.snapshot.state.todos if todo.status in ("open", "blocked")]
    gates = [todo.todo_id for todo in open_ones if todo.task_class == "user_gate" and todo.unblocks_todo_id == todo_id]
    return {"gates_left": gates} if gates else {}
