"""Steps in the life of a todo: what each writes, once ``todo_transition`` allows it (IP-019, IP-020).

Here: what all of them share, and the steps that begin a todo or change it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..errors import StateError, UsageError
from ..model import Role, Snapshot, Todo
from ..project.grammar import is_agent_id
from ..project.times import iso
from ..project.todo_text import default_class
from ..records import names, record
from . import todo_words
from .documents import actor_part, goal_part, todo_part
from .drafts import draft, edit
from .places import Ground, readable_state
from .state_text import StateText
from .write import Judge, Plan, allow

Json = dict[str, Any]


@record(frozen=True)
class Knowledge:
    """What only the facts can say, and a step needs: whether a deferred todo's condition is met, whether something
    that a machine can see brings it back, and whether a recorded decision of the owner answers a gate.
    """

    ready: Callable[[Snapshot, Todo], bool] = lambda snapshot, todo: False
    decided: Callable[[Snapshot, Todo], bool] = lambda snapshot, todo: False
    returns: Callable[[Snapshot, Todo], bool] = lambda snapshot, todo: False


@record(frozen=True)
class Step:
    """One step of one caller on one goal: the ground, the judge, and who acts."""

    here: Ground
    judge: Judge
    operator: bool = False
    knows: Knowledge = Knowledge()

    @property
    def now(self) -> str:
        return iso(self.here.caller.now)

    @property
    def actor(self) -> str:
        """The acting agent; empty for a person, and where nobody is named."""
        return "" if self.operator else self.here.caller.agent_id or ""

    def part(self, todo: Todo) -> Json:
        """A todo as the decision point reads it."""
        answered = todo.status == "done" or self.knows.decided(self.here.snapshot, todo)
        return todo_part(todo, decided=answered)

    def allow(self, operation: str, todo: Json, texts: Mapping[str, str], **parts: Any) -> None:
        """``RefusedError`` where the catalog does not allow the step. ``texts`` are all texts that it would write."""
        document: Json = {
            "operation": operation,
            "actor": actor_part(self.here.caller, self.operator),
            "goal": goal_part(self.here.goal),
            "todo": todo,
            "texts": {name: text for name, text in texts.items() if text},
        }
        allow(self.judge, "todo_transition", document | parts)

    def taken(self) -> set[str]:
        """The ids that a new todo may not have."""
        state = self.here.snapshot.state
        return {todo.todo_id for todo in (*state.todos, *state.archived)}


def known(here: Ground, todo_id: str) -> Todo:
    """The active todo with this id; ``UsageError`` with the nearest one where there is none."""
    readable_state(here)
    state = here.snapshot.state
    found = [todo for todo in state.todos if todo.todo_id == todo_id]
    if len(found) > 1:
        lines = " and ".join(str(todo.line) for todo in found)
        raise StateError(
            f"{todo_id} is the id of {len(found)} todos, in lines {lines}.",
            at=state.file,
            fix="Give one of them another id.",
        )
    if found:
        return found[0]
    if any(todo.todo_id == todo_id for todo in state.archived):
        raise UsageError(f"{todo_id} is archived.", at=state.file, fix="Add a new todo; history stays as it is.")
    from difflib import get_close_matches  # only for a slip

    near = get_close_matches(todo_id, [todo.todo_id for todo in state.todos], n=1)
    fix = f"Did you mean {near[0]}?" if near else "See: loopx todo list"
    raise UsageError(f"There is no todo {todo_id[:80]}.", at=state.file, fix=fix)


def claim(step: Step, todo_id: str, claimed_by: str, *, reassign: bool = False) -> Plan:
    """Make an agent the soft owner of a todo; its own claim again changes nothing. Another's claim is passed on
    with ``reassign`` only.
    """
    if claimed_by and not is_agent_id(claimed_by):
        raise UsageError(f"{claimed_by[:80]!r} is no agent id.", fix="Write a-z first, then a-z, 0-9, _ . : @ or -.")
    todo = known(step.here, todo_id)
    operation = "reassign" if reassign else "claim"
    # A registered name stands in the registry already.
    texts = {} if claimed_by in step.here.goal.agents else {"claimed_by": claimed_by}
    step.allow(operation, step.part(todo), texts, claim={"claimed_by": claimed_by})
    result = {"todo_id": todo.todo_id, "claimed_by": claimed_by, "previous": todo.claimed_by}
    verb = f"Pass {todo.todo_id} on to {claimed_by}" if reassign else f"Claim {todo.todo_id} for {claimed_by}"
    if todo.claimed_by == claimed_by:
        return Plan(f"{verb}, who holds it already", result)
    text = edit(step.here)
    text.set_metadata(todo, {"claimed_by": claimed_by, "updated_at": step.now})
    return draft(step.here, text).plan(verb, result)


@record(frozen=True)
class New:
    """A todo to be added. ``metadata`` has no id; ``section`` is a heading, or empty for the first list."""

    role: Role
    text: str
    metadata: Mapping[str, str]
    section: str = ""


def write_new(step: Step, text: StateText, todos: Iterable[New]) -> list[str]:
    """Put new todos into a state text; their ids."""
    taken = step.taken()
    ids = []
    for new in todos:
        todo_id = todo_words.new_id(step.here.goal.goal_id, step.here.caller.now, f"{new.role}|{new.text}", taken)
        taken.add(todo_id)
        ids.append(todo_id)
        status = new.metadata.get("status", "open")
        own = {"status": status} if status else {}
        if new.role == "agent":
            own["task_class"] = default_class("agent", new.text)
        fields = {"todo_id": todo_id, **own, **new.metadata, "updated_at": step.now}
        text.add(new.role, new.text, fields, status, section=new.section)
    return ids


def texts_of(todos: Sequence[New], name: str = "text") -> dict[str, str]:
    """All that new todos would write, by what it is."""
    found: dict[str, str] = {}
    for number, new in enumerate(todos):
        more = f"[{number}]" if len(todos) > 1 else ""
        found[name + more] = new.text
        found |= {key + more: value for key, value in todo_words.told(new.metadata).items()}
    return found


def add(step: Step, new: New) -> Plan:
    """Add a todo at the end of a list of its role."""
    readable_state(step.here)
    sections = {todo.section for todo in step.here.snapshot.state.todos if todo.role == new.role}
    if new.section and new.section not in sections:
        known_ones = ", ".join(sorted(sections)[:4])
        fix = f"Lists with {new.role} todos: {known_ones}." if sections else "Leave --section out."
        raise UsageError(f"{new.section[:80]!r} is no list with {new.role} todos.", fix=fix)
    text = edit(step.here)
    (todo_id,) = write_new(step, text, [new])
    made = draft(step.here, text, [todo_id])
    todo = made.todo(todo_id)
    step.allow("add", step.part(todo), texts_of([new]))
    result = {"todo_id": todo_id, "role": new.role, "task_class": todo.task_class, "section": todo.section}
    return made.plan(f"Add {todo_id} to {todo.section}", result)


@record(frozen=True)
class Change:
    """What an update asks for. ``text`` and ``priority`` are empty where they stay; a key that is ``None`` goes."""

    text: str = ""
    priority: str = ""
    metadata: Mapping[str, str | None] | None = None
    same_route: bool = False


def update(step: Step, todo_id: str, change: Change) -> Plan:
    """Change the wording or the metadata of a todo. What has its value already is left alone."""
    todo = known(step.here, todo_id)
    wanted = dict(change.metadata or {})
    text = edit(step.here)
    # A priority is no part of the wording: it stays unless another is given.
    old = todo_words.marker(todo.text)
    words = change.text if todo_words.marker(change.text) or not change.text else f"{old} {change.text}".strip()
    words = todo_words.prioritised(words or todo.text, change.priority)
    if words != todo.text:
        text.set_text(todo, words)
    text.set_metadata(todo, wanted | {"updated_at": step.now})
    if "status" in wanted and wanted["status"] is not None and wanted["status"] in ("open", "blocked"):
        text.set_mark(todo, wanted["status"])
    made = draft(step.here, text)
    after = made.todo(todo_id)
    fields = changed_fields(todo, after)
    texts = {"text": change.text, **todo_words.told(wanted)}
    result = {"todo_id": todo_id, "changed": fields}
    edited = {"fields": fields, "same_route": change.same_route, "todo": step.part(after)}
    step.allow("update", step.part(todo), texts, edit=edited)
    if not fields:
        return Plan(f"Update {todo_id}, which is so already", result)
    return made.plan(f"Update {todo_id}: {', '.join(fields)}", result)


def changed_fields(before: Todo, after: Todo) -> list[str]:
    """The metadata keys in which two readings of a todo differ, and ``text`` for its wording."""
    aside = ("line", "last_line", "order", "priority", "section", "extra", "updated_at")
    found = [name for name in names(Todo) if name not in aside and getattr(before, name) != getattr(after, name)]
    keys = sorted({*before.extra, *after.extra})
    return found + [key for key in keys if before.extra.get(key) != after.extra.get(key)]
