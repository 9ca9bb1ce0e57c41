"""The project reader and the generator, each written from the same description, see the same project."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from loopx_policy.model import Run, Snapshot
from loopx_policy.project import read_project
from tests.support.features import agents_of, second
from tests.support.laying import Layout, laid, scratch
from tests.support.projects import Project, sample_projects
from tests.support.scene import GOAL, HOUR

NEUTRAL = frozenset(
    ("quota_slot_spent", "quota_slot_voided", "quota_monitor_poll", "readiness_ping", "display_refresh")
)
SLOT_ROWS = ("quota_slot_spent", "quota_slot_voided")
Pair = tuple[Project, Snapshot]


def snapshot(project: Project, layout: Layout) -> Snapshot:
    return read_project(
        goal_id=project.goal_id,
        registry=layout.registry_path,
        runtime_root=None,
        cwd=layout.cwd,
        env={},
        now=project.now,
        agent_id=project.agent_id,
        capabilities=project.capabilities,
        neutral=NEUTRAL,
    )


@pytest.fixture(scope="module")
def folder() -> Iterator[str]:
    with scratch() as path:
        yield path


@pytest.fixture(scope="module")
def pairs(folder: str) -> list[Pair]:
    found = []
    for project in sample_projects(600, 41):
        with laid(project, folder) as layout:
            found.append((project, snapshot(project, layout)))
    return found


def whole(pairs: list[Pair]) -> list[Pair]:
    """The pairs whose project breaks no contract."""
    return [(project, got) for project, got in pairs if not project.broken]


def test_a_state_is_readable_unless_its_file_is_broken(pairs: list[Pair]) -> None:
    for project, got in pairs:
        assert got.state.readable == project.state_readable, project.dump()


def test_a_contract_is_broken_only_where_the_generator_broke_it(pairs: list[Pair]) -> None:
    for project, got in pairs:
        problems = [problem for problem in (*got.problems, *got.state.problems) if problem.breaks_contract]
        assert bool(problems) == (bool(project.broken) or gates_a_stranger(got)), project.dump()


def gates_a_stranger(got: Snapshot) -> bool:
    """Whether a gate that still waits names an agent that the goal does not register."""
    return bool(got.goal.agents) and any(
        todo.task_class == "user_gate"
        and todo.status != "done"
        and not todo.global_gate
        and todo.blocks_agent not in ("", *got.goal.agents)
        for todo in got.state.todos
    )


def test_the_caller_stands_where_the_layout_puts_it(pairs: list[Pair]) -> None:
    for project, got in pairs:
        assert got.workspace.kind == ("not_git" if project.cwd == "plain" else project.cwd), project.dump()
        if project.cwd == "worktree":
            assert got.workspace.branch == ("" if project.detached else "lane")


def test_real_git_is_classified_like_checkouts_made_by_hand(pairs: list[Pair], folder: str) -> None:
    for cwd in ("primary", "worktree", "plain", "unrelated"):
        project, by_hand = next(pair for pair in pairs if pair[0].cwd == cwd)
        with laid(project, folder, git=True) as layout:
            assert snapshot(project, layout).workspace == by_hand.workspace


def test_todos_are_read_as_they_were_written(pairs: list[Pair]) -> None:
    words = ("claimed_by", "blocks_agent", "unblocks_todo_id", "resume_when", "superseded_by", "safety_class")
    texts = ("target_key", "note", "reason", "evidence", "action_kind", "result_hash")
    times = ("next_due_at", "expires_at", "updated_at", "completed_at", "last_checked_at")
    for project, got in whole(pairs):
        parts = [
            todo for section in project.document.sections if section.kind in ("user", "agent") for todo in section.todos
        ]
        assert [part.status for part in parts] == [todo.status for todo in got.state.todos], project.dump()
        for part, todo in zip(parts, got.state.todos, strict=True):
            meta = part.meta
            assert part.todo_id in ("", todo.todo_id)
            assert [meta.get(key, "") for key in (*words, *texts)] == [getattr(todo, key) for key in (*words, *texts)]
            assert [second(meta[k]) if k in meta else None for k in times] == [getattr(todo, k) for k in times]
            assert _split(meta.get("required_write_scopes", "")) == list(todo.required_write_scopes)
            assert _split(meta.get("required_decision_scopes", "")) == [str(s) for s in todo.required_decision_scopes]
            assert _split(meta.get("required_capabilities", "").replace("-", "_")) == list(todo.required_capabilities)
            assert " ".join((part.text, *part.more)) in todo.text


def _split(text: str) -> list[str]:
    return [item for item in text.replace(";", ",").replace("|", ",").split(",") if item]


def test_next_actions_name_the_same_todos(pairs: list[Pair]) -> None:
    for project, got in whole(pairs):
        assert [part.todo_ids for part in project.document.bullets()] == [
            list(action.todo_ids) for action in got.state.next_actions
        ], project.dump()


def test_the_goal_is_read_as_the_registry_says(pairs: list[Pair]) -> None:
    for project, got in pairs:
        coordination, quota = project.goal.get("coordination", {}), project.goal.get("quota", {})
        assert got.goal.agents == tuple(agents_of(project))
        assert got.goal.primary_agent == coordination.get("primary_agent", "")
        assert got.goal.write_scope == tuple(coordination.get("write_scope", ()))
        assert len(got.goal.authority) == len(coordination.get("checkpointed_boundary_authority", ()))
        minutes = quota.get("window_hours", 24) * 60 / quota.get("slot_minutes", 1)
        assert got.goal.quota.allowed_slots == quota.get("allowed_slots", int(minutes * quota.get("compute", 1)))


def _overlaid(project: Project) -> dict[tuple[str, str], dict[str, Any]]:
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row in project.rows:
        if row["goal_id"] == GOAL:
            key = (row["generated_at"], row["json_path"])
            rows[key] = {**rows.get(key, {}), **row}
    return rows


def test_all_rows_of_the_goal_are_read_once(pairs: list[Pair]) -> None:
    for project, got in pairs:
        rows = _overlaid(project)
        if got.runs.complete:
            assert len(got.runs.rows) == len(rows), project.dump()
        assert {run.generated_at_text for run in got.runs.rows} <= {time for time, _ in rows}
        assert got.runs.torn == sum(bool(raw.strip()) for _, raw in project.torn)


def test_spent_and_voided_slots_add_up(pairs: list[Pair]) -> None:
    for project, got in pairs:
        if len(_overlaid(project)) < len([row for row in project.rows if row["goal_id"] == GOAL]):
            continue
        start = project.now - project.goal.get("quota", {}).get("window_hours", 24) * HOUR

        def recent(run: Run, start: int = start) -> bool:
            return run.generated_at is not None and run.generated_at >= start

        wanted = sum(_slots(project, row) for row in project.rows if second(row["generated_at"]) >= start)
        assert sum(run.slots for run in got.runs.rows if recent(run)) == wanted, project.dump()


def _slots(project: Project, row: dict[str, Any]) -> int:
    if row["goal_id"] != GOAL or row["classification"] not in SLOT_ROWS:
        return 0
    beside = project.payloads.get(os.path.basename(row["json_path"]), {})
    event = row.get("quota_event") or beside.get("quota_event", {})
    slots: int = event.get("slots", 1)
    return slots if row["classification"] == "quota_slot_spent" else -slots


def test_leases_and_awaited_merges_are_read(pairs: list[Pair]) -> None:
    for project, got in whole(pairs):
        written = sorted(project.leases, key=lambda lease: str(lease["todo_id"]))
        assert [(one["todo_id"], one["owner"], tuple(one["write_scopes"])) for one in written] == [
            (lease.todo_id, lease.owner, lease.write_scopes) for lease in got.leases
        ]
        awaited = " ".join(todo.meta.get("resume_when", "") + " " for todo in project.document.todos)
        merged = {
            (event["details"].get("repo", ""), event["details"]["number"])
            for event in project.rollout
            if event["event_kind"] in ("pr_merge", "pr_merged") and event["goal_id"] == GOAL
        }
        assert {(merge.repo, merge.number) for merge in got.merges} == {
            (repo, number) for repo, number in merged if f"#{number} " in awaited
        }, project.dump()
