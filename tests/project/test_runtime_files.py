"""The rollout log and the task leases."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.globs import any_overlap
from loopx_policy.model import Lease, Merge, Todo
from loopx_policy.project.leases import read_leases
from loopx_policy.project.rollout import awaited, read_merges

NOW = 1_796_083_200
"""2026-12-01T00:00:00Z."""


def event(kind: str = "pr_merged", goal_id: str = "g", status: str = "completed", **details: Any) -> dict[str, Any]:
    return {"event_kind": kind, "goal_id": goal_id, "status": status, "details": details}


def merges(folder: Path, *lines: dict[str, Any] | bytes, numbers: set[int] = frozenset({7, 12})) -> list[Merge]:  # type: ignore[assignment]
    data = b"\n".join(item if isinstance(item, bytes) else json.dumps(item).encode() for item in lines)
    (folder / "rollout-event-log.jsonl").write_bytes(data)
    return read_merges(str(folder), goal_id="g", numbers=numbers, now=NOW)


@pytest.mark.parametrize(
    "line, merge",
    [
        (event(repo="acme/tool", number=12), Merge("acme/tool", 12)),
        (event("pr_merge", repository="acme/tool", pr_number="12"), Merge("acme/tool", 12)),
        (event(number=12), Merge("", 12)),
        (event(repo="acme/tool", pr="#12"), Merge("acme/tool", 12)),
        (event(pr="acme/tool#12"), Merge("acme/tool", 12)),
        ({"event_kind": "pr_merged", "repo": "acme/tool", "number": 12}, Merge("acme/tool", 12)),
    ],
)
def test_a_merge_event_gives_its_pull_request(tmp_path: Path, line: dict[str, Any], merge: Merge) -> None:
    assert merges(tmp_path, line, line) == [merge]


@pytest.mark.parametrize(
    "line",
    [
        event("pr_opened", repo="acme/tool", number=12),
        event(repo="acme/tool", number=99),
        event(goal_id="other", repo="acme/tool", number=12),
        event(status="failed", repo="acme/tool", number=12),
        event(repo="not a repo", number=12),
        event(repo="acme/tool", number=True),
        event(repo="acme/tool", number=-12),
        event(repo="acme/tool"),
        {"event_kind": "pr_merged", "details": "12"},
        b'{"event_kind": "pr_merged", "details": {"number": 12',
        b'"pr_merge"',
        b"pr_merge \xff",
    ],
)
def test_anything_else_merges_nothing(tmp_path: Path, line: dict[str, Any] | bytes) -> None:
    assert merges(tmp_path, line) == []


@pytest.mark.parametrize(
    "stamp, merged",
    [
        ("2026-12-01T00:00:00Z", True),
        ("2026-12-01T01:00:00+01:00", True),
        (None, True),
        ("2026-12-01T00:00:01Z", False),
        ("2027-01-01T00:00:00Z", False),
        ("soon", False),
        (1_796_000_000, False),
    ],
)
def test_a_merge_counts_from_the_time_at_which_it_is_recorded(tmp_path: Path, stamp: object, merged: bool) -> None:
    line = {**event(repo="acme/tool", number=12), "recorded_at": stamp}
    assert bool(merges(tmp_path, line)) is merged


def test_the_log_is_read_only_for_what_is_awaited(tmp_path: Path) -> None:
    assert merges(tmp_path, event(number=12), numbers=set()) == []
    assert read_merges(str(tmp_path / "none"), goal_id="g", numbers={12}, now=NOW) == []
    todos = [
        Todo("todo_a01", "agent", "", resume_when="pr_merged:acme/tool#12"),
        Todo("todo_a02", "agent", "", resume_when="pr_merged:#7"),
        Todo("todo_a03", "agent", "", resume_when="pr_merged:#8", status="done"),
        Todo("todo_a04", "agent", "", resume_when="todo_done:todo_a01"),
    ]
    assert awaited(todos) == {12, 7}


def lease(folder: Path, data: Any, name: str = "todo_a01.json", breaks: bool = False) -> tuple[list[Lease], list[str]]:
    place = folder / "task-leases"
    place.mkdir(exist_ok=True)
    (place / name).write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    leases, problems = read_leases(str(folder))
    assert all(problem.breaks_contract is breaks for problem in problems)
    assert all(problem.at == f"task-leases/{name}" and problem.fix for problem in problems)
    return leases, [problem.message for problem in problems]


WHOLE = {
    "schema_version": "task_lease_v0",
    "todo_id": "todo_a01",
    "owner": "main",
    "acquired_at": "1970-01-01T00:00:01Z",
    "expires_at": "1970-01-01T00:00:09Z",
    "write_scopes": ["src/**"],
    "idempotency_key": "k",
}


def test_a_lease_is_typed(tmp_path: Path) -> None:
    assert lease(tmp_path, WHOLE) == ([Lease("todo_a01", "main", 1, 9, ("src/**",), "k")], [])


def test_a_released_lease_holds_nothing(tmp_path: Path) -> None:
    assert lease(tmp_path, {**WHOLE, "status": "released"}) == ([], [])
    assert lease(tmp_path, {**WHOLE, "released_at": "1970-01-01T00:00:02Z"}) == ([], [])


@pytest.mark.parametrize(
    "data, said",
    [
        (b"{", "is not JSON"),
        (b"\xff", "is not JSON"),
        ([], "is not an object"),
        ({**WHOLE, "owner": ""}, "names no owner"),
        ({**WHOLE, "todo_id": "the basin"}, "is about the basin"),
    ],
)
def test_a_broken_lease_holds_its_todo_for_nobody_and_breaks_the_contract(tmp_path: Path, data: Any, said: str) -> None:
    leases, messages = lease(tmp_path, data, breaks=True)
    assert leases == [Lease("todo_a01", "")]
    assert said in messages[0]


@pytest.mark.parametrize("data", [{**WHOLE, "expires_at": "later"}, {**WHOLE, "acquired_at": 5}])
def test_a_lease_with_a_broken_time_does_not_end_and_breaks_the_contract(tmp_path: Path, data: Any) -> None:
    leases, messages = lease(tmp_path, data, breaks=True)
    assert [(item.owner, item.expires_at) for item in leases] == [("main", None)]
    assert len(messages) == 1


def test_a_lease_without_an_end_does_not_end(tmp_path: Path) -> None:
    leases, messages = lease(tmp_path, {**WHOLE, "expires_at": None})
    assert [(item.owner, item.expires_at) for item in leases] == [("main", None)]
    assert len(messages) == 1


def test_a_lease_whose_name_and_content_differ_holds_both_todos_and_breaks_the_contract(tmp_path: Path) -> None:
    leases, messages = lease(tmp_path, {**WHOLE, "todo_id": "todo_b01"}, breaks=True)
    assert leases == [Lease("todo_a01", ""), Lease("todo_b01", "")]
    assert messages == ["The lease file is named after todo_a01 and is about todo_b01."]


def test_a_lease_file_with_an_odd_name_holds_what_it_is_about_and_breaks_the_contract(tmp_path: Path) -> None:
    leases, messages = lease(tmp_path, WHOLE, "notes.JSON", breaks=True)
    assert leases == [Lease("todo_a01", "")]
    assert messages == ["The lease file is named after notes and is about todo_a01."]


def test_a_file_among_the_leases_that_is_no_lease_is_reported(tmp_path: Path) -> None:
    leases, messages = lease(tmp_path, WHOLE, "todo_a01.json~")
    assert leases == []
    assert messages == ["A file among the leases is not named <todo_id>.json and is not read."]
    (tmp_path / "task-leases" / "todo_a01.json~").rename(tmp_path / "task-leases" / ".todo_a01.json.tmp")
    assert read_leases(str(tmp_path)) == ([], [])


@pytest.mark.parametrize("scopes", [["docs/**", "/src"], ["docs/**", 5], "../src", {"a": "src"}, ["!src/**"], [""]])
def test_a_lease_with_a_scope_that_is_none_covers_every_file(tmp_path: Path, scopes: Any) -> None:
    leases, messages = lease(tmp_path, {**WHOLE, "write_scopes": scopes})
    assert any_overlap(leases[0].write_scopes, ["src/one.py"])
    assert (leases[0].owner, leases[0].expires_at) == ("main", 9)
    assert messages == ["The lease file has a write scope that is no relative glob, so it covers every file."]


@pytest.mark.parametrize("kind", ["a link to nothing", "a folder", "a pipe"])
def test_a_lease_file_that_is_no_file_holds_its_todo_and_breaks_the_contract(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "task-leases"
    place.mkdir()
    file = place / "todo_a01.json"
    make: dict[str, Callable[[], None]] = {
        "a link to nothing": lambda: file.symlink_to("gone"),
        "a folder": lambda: file.mkdir(),
        "a pipe": lambda: os.mkfifo(file),
    }
    make[kind]()
    leases, (problem,) = read_leases(str(tmp_path))
    assert leases == [Lease("todo_a01", "")]
    assert (problem.at, problem.breaks_contract) == ("task-leases/todo_a01.json", True)


def test_no_folder_is_no_lease(tmp_path: Path) -> None:
    assert read_leases(str(tmp_path)) == ([], [])


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_listed_breaks_the_contract(tmp_path: Path) -> None:
    (tmp_path / "task-leases").mkdir(mode=0)
    (problem,) = read_leases(str(tmp_path))[1]
    assert problem.breaks_contract


@pytest.mark.parametrize("kind", ["a loop", "a link to nothing", "a file"])
def test_a_folder_that_is_none_breaks_the_contract(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "task-leases"
    if kind == "a file":
        place.write_text("todo_a01")
    else:
        place.symlink_to(place if kind == "a loop" else tmp_path / "gone")
    leases, (problem,) = read_leases(str(tmp_path))
    assert leases == []
    assert problem.breaks_contract
