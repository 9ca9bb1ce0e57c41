"""Facts of the registry entry: health, pause, quota, identity, workspace, declared waits.

Seed: IP-019 (identity, workspace guard); IP-012 (external evidence); IP-004 (a wait without its todo).
"""

from __future__ import annotations

from loopx_policy.facts.record import Record
from loopx_policy.facts.view import View
from loopx_policy.model import Problem, Run
from loopx_policy.project.goal import slots_at
from loopx_policy.project.runs import unvoided
from loopx_policy.project.times import iso

WORKSPACES = {
    "primary": "the primary checkout",
    "worktree": "an independent worktree",
    "unrelated": "another repository",
    "not_git": "a folder without git",
    "unknown": "an unknown place",
}


def spending(view: View) -> tuple[int, list[Run]]:
    """Slots spent in the quota window and not taken back, and the rows that say so."""
    start = view.snapshot.now - int(view.snapshot.goal.quota.window_hours * 3600)
    spent = unvoided(view.snapshot.runs.rows, view.snapshot.now)
    rows = [row for row in spent if row.generated_at is None or row.generated_at > start]
    return sum(row.slots for row in rows), rows


WAITS = (
    ("wait.evidence", "evidence_waits"),
    ("wait.user", "user_waits"),
    ("wait.held", "goal_waits"),
)
"""The facts of declared waits, and the word list that each of them is about."""


def declared_waits(view: View) -> dict[str, list[str]]:
    """The facts ``wait.*`` that hold, each with the registry's own words for it.

    A word counts in any case, with blanks or hyphens for underscores. One that stands in no list is unknown.
    """
    goal = view.snapshot.goal
    found: dict[str, list[str]] = {}
    for written, ignored in (
        (goal.waiting_on, ("agent_waits",)),
        (goal.attention_status, ("agent_waits", "quiet_attention")),
    ):
        word = "_".join(written.replace("-", " ").lower().split())
        if not word or any(word in view.words(name) for name in ignored):
            continue
        fact = next((fact for fact, name in WAITS if word in view.words(name)), "wait.unknown")
        found.setdefault(fact, []).append(written)
    return found


def project(view: View, record: Record) -> None:
    """Facts ``state.*``, ``repair.*``, ``quota.*``, ``agent.*``, ``workspace.*`` and ``wait.*``."""
    snapshot, goal = view.snapshot, view.snapshot.goal
    problems: list[Problem] = [*snapshot.problems, *snapshot.state.problems]
    broken = [problem for problem in problems if problem.breaks_contract]
    record.flag("state.readable", snapshot.state.readable, [] if snapshot.state.readable else broken)
    record.count("state.contract_errors", broken)
    record.flag("repair.health", goal.self_repair_enabled and goal.allow_health_blocker_repair)
    record.flag("repair.waiting", goal.self_repair_enabled and goal.allow_waiting_projection_repair)

    record.flag("quota.paused", goal.quota.compute <= 0)
    spent, rows = spending(view)
    allowed = slots_at(goal.quota, snapshot.now)
    record.flag("quota.spent", spent >= allowed, rows, [f"{spent} of {allowed}"])
    after = goal.quota.next_eligible_at
    cooling = after is not None and after > snapshot.now
    record.flag("quota.cooling_down", cooling, words=[iso(after)] if after is not None else ())

    record.word("agent.identity", view.identity, words=[view.me] if view.me else ())
    kind = snapshot.workspace.kind
    record.flag("workspace.independent", kind == "worktree", words=[WORKSPACES[kind]])
    record.flag("workspace.guarded", goal.side_agent_worktree_required)

    waits = declared_waits(view)
    for fact in (*(fact for fact, _ in WAITS), "wait.unknown"):
        record.flag(fact, fact in waits, words=list(dict.fromkeys(waits.get(fact, ()))), free=True)
