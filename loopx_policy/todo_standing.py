"""How each unfinished todo stands for one caller: may it run, and if not, what blocks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from loopx_policy.decide import Evaluation
from loopx_policy.facts.view import USER_CLASSES
from loopx_policy.facts.waits import resumable
from loopx_policy.facts.watches import is_due
from loopx_policy.messages import candidate_why, source_at
from loopx_policy.model import Todo
from loopx_policy.project.times import iso
from loopx_policy.text import cut

Json = dict[str, Any]
STEPS: Final = {
    "asks": "loopx review-packet --goal-id {goal_id} --gate-id {todo_id}{flags}",
    "does": "loopx review-packet --goal-id {goal_id}{agent_flags}",
    "runnable": "loopx todo claim --goal-id {goal_id} --todo-id {todo_id}{claims}{flags}",
    "gated": "loopx review-packet --goal-id {goal_id}{agent_flags}",
}
"""The command that moves a todo on, by how it stands; where none is named, the explanation is."""
EXPLAIN: Final = "loopx explain --goal-id {goal_id}{agent_flags}"


@dataclass(slots=True)
class Standing:
    """``standing`` in one word; ``why`` what blocks it, empty where it may run; ``step`` names the command for it."""

    todo: Todo
    standing: str
    why: str
    step: str = ""

    def to_dict(self, file: str) -> Json:
        """The todo as plain data; ``at`` is its place in the state file."""
        todo = self.todo
        return {
            "todo_id": todo.todo_id,
            "role": todo.role,
            "priority": f"P{todo.priority}" if todo.priority < 9 else "",
            "text": cut(todo.text, 160),
            "at": source_at(todo, file),
            "claimed_by": todo.claimed_by,
            "standing": self.standing,
            "why": self.why,
        }


def standings(evaluation: Evaluation) -> list[Standing]:
    """Every todo that is not done, in file order."""
    turn = evaluation.turn
    judged = {candidate.todo.todo_id: candidate for candidate in turn.frontier.candidates}
    ready = {todo.todo_id for todo in resumable(turn.view)}
    found: list[Standing] = []
    for todo in evaluation.snapshot.state.todos:
        if todo.status == "done":
            continue
        candidate = judged.get(todo.todo_id)
        if candidate is None:
            found.append(_aside(todo, evaluation, todo.todo_id in ready))
        elif candidate.verdict.runnable:
            found.append(Standing(todo, "runnable", "", "runnable"))
        else:
            why = candidate_why(candidate, turn, evaluation.catalog) or "no rule permits it"
            kinds = sorted(candidate.verdict.blocks)
            found.append(Standing(todo, "blocked", why, kinds[0] if kinds else ""))
    return found


def _aside(todo: Todo, evaluation: Evaluation, ready: bool) -> Standing:
    """A todo that is no candidate of this caller."""
    me, now = evaluation.turn.view.me, evaluation.snapshot.now
    if todo.status == "deferred":
        why = "its condition is met" if ready else f"waits for {todo.resume_when or 'what brings it back'}"
        return Standing(todo, "ready" if ready else "deferred", why, "ready" if ready else "deferred")
    if todo.role == "user" or todo.task_class in USER_CLASSES:
        other = f", and blocks {todo.blocks_agent} only" if todo.blocks_agent not in ("", me) else ""
        gate = todo.task_class == "user_gate"
        asked = "a person has to decide" if gate else "a person has to do it"
        return Standing(todo, "open", asked + other, "asks" if gate else "does")
    if todo.superseded_by:
        return Standing(todo, "superseded", f"{todo.superseded_by} replaced it", "superseded")
    if todo.status == "blocked" or todo.task_class == "blocker":
        return Standing(todo, "blocked", todo.reason or todo.note or "its status says so", "stuck")
    if todo.claimed_by and todo.claimed_by != me:
        return Standing(todo, "held", f"{todo.claimed_by} holds it", "held")
    if todo.task_class == "continuous_monitor":
        return _watch(todo, now)
    if todo.blocks_agent and todo.blocks_agent == me:
        return Standing(todo, "waiting", f"{todo.claimed_by or 'somebody'} has to hand it over", "handoff")
    return Standing(
        todo, "waiting", f"waits for {todo.resume_when}" if todo.resume_when else "is no candidate", "waiting"
    )


def _watch(todo: Todo, now: int) -> Standing:
    if todo.expires_at is not None and todo.expires_at <= now:
        return Standing(todo, "expired", f"its watch ended at {iso(todo.expires_at)}", "expired")
    if is_due(todo, now):
        return Standing(todo, "due", "", "due")
    when = f"next look at {iso(todo.next_due_at)}" if todo.next_due_at is not None else "the next look is not due"
    if todo.next_due_at is None and todo.cadence is None:
        when = "it has no schedule"
    return Standing(todo, "watching", when, "watching")
