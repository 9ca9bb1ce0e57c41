"""The evidence for now: the decision, what is wrong, stale or unread, and what blocks each todo.

Nothing here decides; it gathers what the decision rests on.
"""

from __future__ import annotations

import shlex
from typing import Any, Final

from loopx_policy.commands import agent_flags, context_flags
from loopx_policy.decide import Evaluation
from loopx_policy.decision import Decision
from loopx_policy.facts.history import is_mine, lesson_key, open_proposals, unpromoted_lessons
from loopx_policy.facts.leases import in_force
from loopx_policy.facts.view import USER_CLASSES
from loopx_policy.facts.waits import resumable
from loopx_policy.messages import fill, source_at
from loopx_policy.model import Lease, Run, Snapshot, Todo
from loopx_policy.project.times import iso, parse_time
from loopx_policy.text import cut
from loopx_policy.todo_standing import Standing, standings

Json = dict[str, Any]
SCHEMA: Final = "loopx_diagnosis_v0"


def diagnose(evaluation: Evaluation, decision: Decision) -> Json:
    """``{decision, problems, leases, overlays, owed, todos}``, each finding with the command that deals with it."""
    snapshot = evaluation.snapshot
    words = _words(evaluation)
    problems = [*snapshot.problems, *snapshot.state.problems]
    return {
        "schema_version": SCHEMA,
        "goal_id": snapshot.goal.goal_id,
        "agent_id": snapshot.invocation.agent_id,
        "as_of": iso(snapshot.now),
        "decision": decision.to_dict(),
        "problems": [
            {"at": each.at, "message": each.message, "fix": each.fix, "breaks_contract": each.breaks_contract}
            for each in sorted(problems, key=lambda problem: not problem.breaks_contract)
        ],
        "leases": [
            {"todo_id": lease.todo_id, "owner": lease.owner, "why": why, "command": fill(CHECK, words)}
            for lease in snapshot.leases
            if (why := stale(lease, snapshot))
        ],
        "overlays": [_overlay(run) | {"command": fill(REWARDS, words)} for run in unread(snapshot)],
        "owed": _owed(evaluation, decision, words),
        "todos": [
            _todo(todo, found, snapshot.state.file) | {"command": _command(todo, found, words, evaluation)}
            for todo, _, found in standings(evaluation)
        ],
    }


ASKS: Final = "loopx review-packet --goal-id {goal_id} --gate-id {todo_id}{flags}"
CLAIM: Final = "loopx todo claim --goal-id {goal_id} --todo-id {todo_id}{claims}{flags}"
REOPEN: Final = "loopx todo reopen --goal-id {goal_id} --todo-id {todo_id}{author}{flags}"
SHOW: Final = "loopx todo show --goal-id {goal_id} --todo-id {todo_id}{claims}{flags}"
EXPLAIN: Final = "loopx explain --goal-id {goal_id}{agent_flags}"
CHECK: Final = "loopx check --fix --dry-run --goal-id {goal_id}{flags}"
REWARDS: Final = "loopx history --kind reward --goal-id {goal_id}{flags}"
PROPOSALS: Final = "loopx history --kind dreaming --goal-id {goal_id}{flags}"
LESSON: Final = "loopx lesson promote --goal-id {goal_id} --lesson {ref} --todo-id {todo_id}{author}{flags}"


def _words(evaluation: Evaluation) -> dict[str, str]:
    turn = evaluation.turn
    return {
        "goal_id": shlex.quote(evaluation.snapshot.goal.goal_id),
        "agent_flags": agent_flags(turn),
        "flags": context_flags(turn),
        "claims": f" --agent-id {shlex.quote(turn.view.me)}" if turn.view.me else "",
        "author": f" --agent-id {shlex.quote(turn.view.me)}" if turn.view.me else " --operator",
    }


def _todo(todo: Todo, found: Standing, file: str) -> Json:
    return {
        "todo_id": todo.todo_id,
        "role": todo.role,
        "status": todo.status,
        "text": cut(todo.text, 160),
        "at": source_at(todo, file),
        "claimed_by": todo.claimed_by,
        "runnable": found.runnable,
        "why": "" if found.runnable else "; ".join(reason.why for reason in found.reasons),
    }


def _command(todo: Todo, found: Standing, words: dict[str, str], evaluation: Evaluation) -> str:
    """The command that moves a todo on; where there is none, the one that shows all about it."""
    template = SHOW
    if todo.status != "deferred" and (todo.role == "user" or todo.task_class in USER_CLASSES):
        template = ASKS
    elif found.runnable and words["claims"] and not todo.claimed_by:
        template = CLAIM
    elif todo in resumable(evaluation.turn.view) and todo.claimed_by in ("", evaluation.turn.view.me):
        template = REOPEN
    return fill(template, words | {"todo_id": shlex.quote(todo.todo_id)})


def ended(lease: Lease, now: int) -> bool:
    """Whether a lease is past its end."""
    return not in_force(lease.expires_at, now, done=False)


def stale(lease: Lease, snapshot: Snapshot) -> str:
    """Why a lease has no effect any more, or should not have one; empty where it is sound."""
    if ended(lease, snapshot.now):
        return f"it ended at {iso(lease.expires_at or 0)}"
    todo = next((each for each in snapshot.state.todos if each.todo_id == lease.todo_id), None)
    if todo is not None and todo.status == "done":
        return "its todo is done"
    if todo is None and snapshot.state.readable:
        return "its todo does not exist"
    return ""


def unread(snapshot: Snapshot) -> list[Run]:
    """Runs that a person judged after the caller's latest row: the caller has not seen that yet."""
    me = snapshot.invocation.agent_id or ""
    own = (run for run in snapshot.runs.rows if is_mine(run, me) and run.generated_at is not None)
    latest = max((run.generated_at or 0 for run in own), default=0)
    return [run for run in snapshot.runs.rows if _judged_at(run) > latest]


def _judged_at(run: Run) -> int:
    reward = run.raw.get("human_reward")
    stamp = reward.get("recorded_at") if isinstance(reward, dict) else None
    time = parse_time(stamp) if isinstance(stamp, str) else None
    return time[0] if time else 0


def _overlay(run: Run) -> Json:
    reward = run.raw["human_reward"]
    kept = {name: str(reward[name]) for name in ("reward", "decision", "reason_summary", "follow_up") if name in reward}
    return {"run": run.generated_at_text, "recorded_at": reward["recorded_at"], **kept}


def _owed(evaluation: Evaluation, decision: Decision, words: dict[str, str]) -> list[Json]:
    """What is owed: the obligations of the turn, corrections that nobody carries, proposals that nobody decided."""
    state, rows = evaluation.snapshot.state, evaluation.snapshot.runs.rows
    owed: list[Json] = [
        {"what": duty.id, "text": duty.text, "command": fill(EXPLAIN, words)}
        for duty in decision.duties
        if duty.kind == "agent"
    ]
    selected = next((todo.todo_id for todo in evaluation.turn.view.advancement), "")
    for run in unpromoted_lessons(rows, [*state.todos, *state.archived]):
        key = lesson_key(run)
        template = LESSON if selected else EXPLAIN
        command = fill(template, words | {"ref": shlex.quote(key), "todo_id": shlex.quote(selected)})
        owed.append({"what": key, "text": str(run.raw["lesson"].get("rule", "")), "command": command})
    for run in open_proposals(rows):
        proposal = run.raw["dreaming_proposal"]
        command = fill(PROPOSALS, words)
        owed.append({"what": run.generated_at_text, "text": str(proposal.get("title", "")), "command": command})
    return owed
