"""Facts of todos that wait for other todos or for a merge, deferred or open.

Seed: IP-027 (deferred resume); IP-020 (what is superseded is history).
"""

from __future__ import annotations

from loopx_policy.facts.record import Record
from loopx_policy.facts.view import View
from loopx_policy.model import Todo
from loopx_policy.project.links import current

DONE = "todo_done:"
MERGED = "pr_merged:"


def resume_met(todo: Todo, view: View) -> bool | None:
    """Whether the resume condition of a todo is met; ``None`` where it has none.

    ``todo_done:<id>`` needs that todo done, or what replaced it where it was superseded. ``pr_merged:`` needs the
    merge in the rollout log; a bare number is matched only where the goal's rows name one repository. Without
    ``resume_when``, a todo that others name as their unblock target waits for all of them.
    """
    condition = todo.resume_when
    if condition.startswith(DONE):
        target = current(condition[len(DONE) :], todo, view.by_id)
        return target is not None and target.status == "done"
    if condition.startswith(MERGED):
        repo, _, number = condition[len(MERGED) :].rpartition("#")
        repo = repo or str(view.snapshot.goal.raw.get("repository", ""))
        return bool(repo) and any(merge.repo == repo and str(merge.number) == number for merge in view.snapshot.merges)
    if condition:
        return False
    holders = view.unblockers.get(todo.todo_id, ())
    return all(other.status == "done" for other in holders) if holders else None


def parked(view: View) -> list[Todo]:
    """Deferred work, whoever holds it.

    A deferred blocker is a note about work, not work; what is superseded or has no follow-up is settled.
    """
    return [
        todo for todo in view.deferred if todo.task_class != "blocker" and not (todo.no_followup or todo.superseded_by)
    ]


def resumable(view: View) -> list[Todo]:
    """Deferred work whose condition is met, whoever holds it."""
    return [todo for todo in parked(view) if resume_met(todo, view)]


def awaited(todo: Todo, view: View) -> list[str]:
    """What a todo waits for, each as ``resume_when`` would say it; empty where it has no condition."""
    if todo.resume_when:
        return [todo.resume_when]
    return [DONE + other.todo_id for other in view.unblockers.get(todo.todo_id, ())]


def unwakeable(todo: Todo, view: View) -> bool:
    """Whether nothing that a machine can see would ever release a waiting todo.

    It has no condition and gives no reason for that, waits for a todo that was superseded, or for a merge in a
    repository that nobody names.
    """
    for condition in awaited(todo, view):
        if condition.startswith(DONE):
            target = current(condition[len(DONE) :], todo, view.by_id)
            if target is None or (target.status != "done" and target.superseded_by):
                return True
        elif condition.startswith(MERGED + "#") and not view.snapshot.goal.raw.get("repository"):
            return True
    return not awaited(todo, view) and not todo.reason


def returns(todo: Todo, view: View) -> bool:
    """Whether something that a machine can see brings a parked todo back, or has come already."""
    return bool(awaited(todo, view)) and not unwakeable(todo, view)


def project(view: View, record: Record) -> None:
    """Facts ``deferred.*`` and ``waiting.*``."""
    mine = ("", view.me)
    ready = resumable(view)
    record.count("deferred.ready", [todo for todo in ready if todo.claimed_by in mine])
    record.count("deferred.ready_elsewhere", [todo for todo in ready if todo.claimed_by not in mine])
    candidates = (*parked(view), *(todo for todo in view.advancement if todo.resume_when))
    waiting = [todo for todo in candidates if todo.claimed_by in mine and not resume_met(todo, view)]
    record.count("waiting.unwakeable", [todo for todo in waiting if unwakeable(todo, view)])
    wakeable = [todo for todo in waiting if not unwakeable(todo, view)]
    conditions = dict.fromkeys(condition for todo in wakeable for condition in awaited(todo, view))
    record.count("waiting.wakeable", wakeable, list(conditions))
