"""``quota monitor-poll``: one look at a watch that costs no slot (IP-008), and what follows from a material change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..model import Todo
from ..project.times import iso
from ..records import replace
from .documents import lane_part
from .drafts import draft, edit
from .observed import Observer, Watch
from .places import Ground, readable_state
from .run_rows import new_row, scope_of
from .todo_steps import New, Step, known, texts_of, write_new
from .todo_words import wording
from .write import Judge, Plan, allow

Json = dict[str, Any]
POLL = "quota_monitor_poll"
TARGET = "quota_monitor_target_v0"


@dataclass(slots=True, frozen=True)
class Look:
    """What the caller saw. Without a ``todo_id`` the caller's own watches are looked through for the one to poll.

    ``next_agent_todo`` is the text of what follows from a material change; ``no_follow_up`` says that nothing does.
    """

    todo_id: str = ""
    result_hash: str = ""
    material_change: bool = False
    next_agent_todo: str = ""
    no_follow_up: bool = False
    reason: str = ""


def poll(here: Ground, judge: Judge, observer: Observer, look: Look) -> Plan:
    """Record the look in a neutral row and at its watch; one that is not due and shows nothing new is left alone."""
    readable_state(here)
    now, me = here.caller.now, here.caller.agent_id
    seen = observer.look(here.snapshot)
    watches = observer.watches(here.snapshot)
    todo = known(here, look.todo_id) if look.todo_id else _chosen(here, watches)
    changed = bool(look.result_hash and todo and todo.result_hash and look.result_hash != todo.result_hash)
    document: Json = {
        "operation": "poll",
        "goal": lane_part(here.goal),
        "agent_id": me,
        "texts": {
            name: text
            for name, text in (
                ("result_hash", look.result_hash),
                ("next_agent_todo", look.next_agent_todo),
                ("reason", look.reason),
                ("target_key", todo.target_key if todo else ""),
            )
            if text
        },
    }
    if todo is not None:
        document["watch"] = _watch(todo, look, changed, watches.get(todo.todo_id))
    verdict = allow(judge, "quota_spend", document, ("allow", "noop"))
    target = (todo.target_key or todo.todo_id) if todo else ""
    if todo is None or verdict.verdict == "noop":
        due = iso(todo.next_due_at) if todo and todo.next_due_at else ""
        left = {"todo_id": todo.todo_id if todo else "", "target_id": target, "next_due_at": due}
        return Plan(f"Leave {target} alone: {verdict.reason}", left)

    text = edit(here)
    step = Step(here, judge)
    following = _follow_up(todo, look)
    ids = write_new(step, text, following)
    changes = _metadata(todo, look, changed, watches[todo.todo_id].due, now)
    if ids:
        changes["successor_todo_ids"] = ",".join((*todo.successor_todo_ids, *ids))
    text.set_metadata(todo, changes)
    made = draft(here, text, ids)
    for todo_id in ids:
        step.allow("add", step.part(made.todo(todo_id)), texts_of(following))
    unchanged = int(changes.get("consecutive_no_change") or 0)
    about: dict[str, Any] = {
        "schema_version": TARGET,
        "target_id": target,
        "todo_id": todo.todo_id,
        "result_hash": changes.get("result_hash") or todo.result_hash,
        "consecutive_no_change": unchanged,
        "material_change": look.material_change,
    }
    said = (
        "found a material change" if look.material_change else "found another result" if changed else "found no change"
    )
    row, edits = new_row(
        here,
        POLL,
        f"Look at {target} again when it is due.",
        {"progress_scope": scope_of(here), "monitor_target": about},
        {
            "decision": seen.decision,
            "replan": seen.replan,
            "frontier_at": iso(now),
            "frontier": observer.frontier(replace(here.snapshot, state=made.state), now),
            "reason": look.reason,
        },
        {
            "Target": target,
            "Found": said.removeprefix("found "),
            "Follows": look.next_agent_todo,
            "Reason": look.reason,
        },
    )
    result: Json = {
        "run": row["generated_at"],
        "todo_id": todo.todo_id,
        "target_id": target,
        "material_change": look.material_change,
        "consecutive_no_change": unchanged,
        "next_due_at": changes.get("next_due_at") or "",
        "follow_up": ids[0] if ids else "",
    }
    planned = made.plan(f"Record that a look at {target} {said}", result)
    return Plan(planned.summary, result, [*planned.edits, *edits])


def _chosen(here: Ground, watches: dict[str, Watch]) -> Todo | None:
    """The watch that the caller should look at: its own or nobody's, due before not due, longest unseen first."""
    me = here.caller.agent_id or ""
    mine = [
        todo
        for todo in here.snapshot.state.todos
        if todo.todo_id in watches and watches[todo.todo_id].open and todo.claimed_by in ("", me)
    ]
    return min(mine, key=lambda one: (not watches[one.todo_id].due, one.last_checked_at or 0, one.order), default=None)


def _watch(todo: Todo, look: Look, changed: bool, watch: Watch | None) -> Json:
    return {
        "todo_id": todo.todo_id,
        "task_class": todo.task_class or "none",
        "open": watch is not None and watch.open,
        "claimed_by": todo.claimed_by,
        "due": watch is not None and watch.due,
        "looked_before": todo.last_checked_at is not None,
        "unchanged_polls": watch.unchanged if watch else 0,
        "result_changed": changed,
        "material_change": look.material_change,
        "follow_up": bool(look.next_agent_todo),
        "no_follow_up": look.no_follow_up and bool(look.reason),
    }


def _metadata(todo: Todo, look: Look, changed: bool, due: bool, now: int) -> dict[str, str | None]:
    """The watch after the look. One that has a due time and no cadence has no schedule any more once that is past."""
    news = changed or look.material_change
    changes: dict[str, str | None] = {
        "last_checked_at": iso(now),
        "consecutive_no_change": "0" if news else str(todo.consecutive_no_change + 1),
        "material_change": "true" if look.material_change else "false" if todo.material_change else None,
        "updated_at": iso(now),
    }
    if look.result_hash:
        changes["result_hash"] = look.result_hash
    if todo.cadence is not None:
        changes["next_due_at"] = iso(now + todo.cadence * 60)
    elif due:
        changes["next_due_at"] = None
    return changes


def _follow_up(todo: Todo, look: Look) -> list[New]:
    """The todo that follows, in the lane of the watch."""
    if not look.next_agent_todo:
        return []
    claim = {"claimed_by": todo.claimed_by} if todo.claimed_by else {}
    return [New("agent", wording(look.next_agent_todo, "--next-agent-todo"), claim)]
