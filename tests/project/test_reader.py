"""A whole project on disk to a snapshot."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.errors import StateError, UsageError
from loopx_policy.model import Invocation, Lease, Merge, Snapshot, Workspace
from loopx_policy.project import from_document, read_goals, read_project, to_document
from loopx_policy.project.times import iso

NOW = 1_796_083_200
STATE = """---
status: active
---
## User Todo

- [ ] Decide
  <!-- loopx:todo todo_id=todo_u01 task_class=user_gate{gate} -->

## Agent Todo

- [-] [P0] Release
  <!-- loopx:todo todo_id=todo_a01 resume_when=pr_merged%3Aacme/tool%2312 -->
"""


def lay(root: Path, *goals: dict[str, Any], gate: str = " global_gate=true", **top: Any) -> None:
    """A project in ``root``/project with its runtime in ``root``/runtime."""
    project = root / "project"
    (project / ".loopx").mkdir(parents=True)
    (project / "docs").mkdir()
    entries = goals or ({"id": "g", "repo": str(project), "state_file": "docs/STATE.md"},)
    registry = {"goals": list(entries), "common_runtime_root": str(root / "runtime"), **top}
    (project / ".loopx" / "registry.json").write_text(json.dumps(registry, indent=1))
    (project / "docs" / "STATE.md").write_text(STATE.format(gate=gate))


def read(root: Path, **options: Any) -> Snapshot:
    asked: dict[str, Any] = {
        "goal_id": None,
        "registry": None,
        "runtime_root": None,
        "cwd": str(root / "project" / "docs"),
        "env": {"HOME": str(root / "home")},
        "now": NOW,
        "agent_id": None,
        "capabilities": (),
        "neutral": (),
    }
    return read_project(**{**asked, **options})


def test_everything_of_a_project_is_in_its_snapshot(tmp_path: Path) -> None:
    lay(tmp_path)
    folder = tmp_path / "runtime" / "goals" / "g"
    (folder / "runs").mkdir(parents=True)
    (folder / "task-leases").mkdir()
    (folder / "task-leases" / "todo_a01.json").write_text(json.dumps({"owner": "x", "expires_at": iso(NOW)}))
    row = {"generated_at": iso(NOW - 5), "classification": "note", "json_path": str(folder / "runs" / "r.json")}
    (folder / "runs" / "index.jsonl").write_text(json.dumps(row) + "\n")
    event = {"event_kind": "pr_merged", "goal_id": "g", "details": {"repo": "acme/tool", "number": 12}}
    (folder / "rollout-event-log.jsonl").write_text(json.dumps(event) + "\n")
    snapshot = read(tmp_path, agent_id="me", capabilities=["cli-bridge", "cli_bridge", "network"])
    assert snapshot.state.file == "docs/STATE.md"
    assert [(todo.todo_id, todo.line, todo.last_line) for todo in snapshot.state.todos] == [
        ("todo_u01", 6, 7),
        ("todo_a01", 11, 12),
    ]
    assert [(run.classification, run.raw["json_path"]) for run in snapshot.runs.rows] == [("note", "r.json")]
    assert snapshot.leases == [Lease("todo_a01", "x", None, NOW)]
    assert snapshot.merges == [Merge("acme/tool", 12)]
    assert snapshot.workspace == Workspace("not_git")
    assert snapshot.invocation == Invocation("me", ("cli_bridge", "network"))
    assert snapshot.problems == snapshot.state.problems == []
    assert from_document(to_document(snapshot)) == snapshot


def test_a_project_that_never_ran_is_whole(tmp_path: Path) -> None:
    lay(tmp_path)
    snapshot = read(tmp_path)
    assert (snapshot.runs.rows, snapshot.runs.complete, snapshot.leases, snapshot.merges) == ([], True, [], [])


def test_no_absolute_path_is_in_a_snapshot(tmp_path: Path) -> None:
    state = str(tmp_path / "project" / "docs" / "STATE.md")
    lay(
        tmp_path,
        {"id": "g", "repo": str(tmp_path / "project"), "state_file": state, "authority_registry": {"at": [state]}},
    )
    snapshot = read(tmp_path)
    assert snapshot.state.file == "docs/STATE.md"
    assert str(tmp_path) not in repr(snapshot)


def test_the_options_are_kept_as_typed(tmp_path: Path) -> None:
    lay(tmp_path)
    snapshot = read(tmp_path, registry="../.loopx/registry.json", runtime_root="../../other")
    assert snapshot.invocation == Invocation(None, (), "../.loopx/registry.json", "../../other")


def test_the_agents_of_the_goal_decide_whether_a_gate_needs_a_scope(tmp_path: Path) -> None:
    agents = {"registered_agents": ["a", "b"]}
    lay(tmp_path, {"id": "g", "state_file": "docs/STATE.md", "coordination": agents}, gate="")
    (problem,) = read(tmp_path).state.problems
    assert (problem.at, problem.todo_id, problem.breaks_contract) == ("docs/STATE.md:6", "todo_u01", True)


@pytest.mark.parametrize(
    "options, said",
    [
        ({"goal_id": "x"}, "No goal 'x' is registered."),
        ({"agent_id": ""}, "--agent-id is empty."),
        ({"agent_id": "  "}, "--agent-id is empty."),
        ({"agent_id": "Main Agent"}, "--agent-id 'Main Agent' is no agent id."),
        ({"agent_id": "a" * 81}, f"--agent-id '{'a' * 60}' is no agent id."),
        ({"runtime_root": ""}, "--runtime-root is empty."),
        ({"registry": ""}, "--registry is empty."),
        ({"capabilities": ["Shell"]}, "--available-capability 'Shell' is no capability."),
    ],
)
def test_wrong_arguments_are_usage_errors_with_the_fix(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    lay(tmp_path)
    with pytest.raises(UsageError) as caught:
        read(tmp_path, **options)
    assert caught.value.message == said
    assert caught.value.fix


def test_without_a_goal_id_the_only_goal_is_meant(tmp_path: Path) -> None:
    lay(tmp_path, {"id": "a"}, {"id": "b"})
    with pytest.raises(UsageError, match=r"The registry has 2 goals\. Name one with --goal-id: a, b\."):
        read(tmp_path)
    lay(tmp_path / "none", goals=[])
    with pytest.raises(UsageError, match="lists no goal"):
        read(tmp_path / "none")


def test_a_goal_with_mistakes_still_gives_a_snapshot_that_fails_closed(tmp_path: Path) -> None:
    lay(tmp_path, {"id": "g", "quota": 7, "state_file": "gone.md"}, {"id": "h", "repo": "nowhere"})
    snapshot = read(tmp_path, goal_id="g")
    assert snapshot.goal.quota.allowed_slots == 0
    assert [problem.at for problem in snapshot.problems] == ["registry.json:5"]
    assert not snapshot.state.readable
    assert snapshot.state.problems[0].at == "gone.md"
    other = read(tmp_path, goal_id="h")
    assert not other.state.readable
    assert other.state.problems[0].at.startswith("registry.json:")
    assert other.workspace.kind == "unknown"
    for item in (snapshot, other):
        assert from_document(to_document(item)) == item


def test_all_goals_come_from_one_reading_of_the_registry(tmp_path: Path) -> None:
    lay(tmp_path, {"id": "a"}, {"id": "b", "state_file": "docs/STATE.md"}, {"id": "a"})
    found = read_goals(
        registry=None,
        runtime_root=None,
        cwd=str(tmp_path / "project"),
        env={},
        now=NOW,
        agent_id=None,
        capabilities=(),
        neutral=(),
    )
    first = next(found)
    (tmp_path / "project" / ".loopx" / "registry.json").unlink()
    second = next(found)
    assert next(found, None) is None
    assert [item.goal.goal_id for item in (first, second)] == ["a", "b"]
    assert "2 goals have the id 'a'" in first.problems[0].message
    assert first.problems[0].breaks_contract
    assert len(second.state.todos) == 2
    with pytest.raises(StateError):
        lay(tmp_path / "again", {"id": "a"}, {"id": "a"})
        read(tmp_path / "again")


def test_equal_projects_give_equal_snapshots(tmp_path: Path) -> None:
    for name in ("one", "two"):
        lay(tmp_path / name, {"id": "g", "repo": ".", "state_file": "docs/STATE.md"})
    assert read(tmp_path / "one") == read(tmp_path / "two")


def test_reading_a_project_imports_nothing_slow() -> None:
    slow = "typer rich yaml jsonschema subprocess argparse pathlib importlib.resources urllib tempfile datetime difflib"
    code = (
        "import sys; import loopx_policy.project as p; p.read_project; "
        f"print(sorted({{*{slow.split()!r}, 'loopx_policy.project.document'}} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2]
    )
    assert done.stdout.strip() == "[]"


def test_a_name_that_the_package_does_not_have_is_an_attribute_error() -> None:
    import loopx_policy.project as package

    assert all(getattr(package, name) is not None for name in package.__all__)
    with pytest.raises(AttributeError):
        package.nonsense  # noqa: B018


def test_an_index_that_cannot_be_read_breaks_the_contract_because_spending_is_unknown(tmp_path: Path) -> None:
    lay(tmp_path)
    (tmp_path / "runtime" / "goals" / "g" / "runs" / "index.jsonl").mkdir(parents=True)
    snapshot = read(tmp_path)
    assert [(problem.at, problem.breaks_contract) for problem in snapshot.problems] == [("runs/index.jsonl", True)]
    assert not snapshot.runs.complete


def test_torn_lines_and_times_in_the_future_are_reported_and_break_nothing(tmp_path: Path) -> None:
    lay(tmp_path)
    folder = tmp_path / "runtime" / "goals" / "g" / "runs"
    folder.mkdir(parents=True)
    rows = [json.dumps({"generated_at": iso(NOW + ahead)}).encode() for ahead in (0, 299, 3600)]
    (folder / "index.jsonl").write_bytes(b"\n".join([*rows, b"{", b"\xff"]) + b"\n")
    state = tmp_path / "project" / "docs" / "STATE.md"
    state.write_text(
        state.read_text() + f"  <!-- loopx:todo updated_at={iso(NOW + 3600)} next_due_at={iso(NOW + 9)} -->\n"
    )
    snapshot = read(tmp_path)
    assert len(snapshot.runs.rows) == 3
    assert [(problem.message, problem.at) for problem in snapshot.problems] == [
        ("2 lines of the run index are no JSON object and are skipped.", "runs/index.jsonl"),
        ("1 rows of the run index lie in the future, up to 2026-12-01T01:00:00Z.", "runs/index.jsonl"),
        ("todo_a01: updated_at=2026-12-01T01:00:00Z lies in the future.", "docs/STATE.md:11"),
    ]
    assert not any(problem.breaks_contract for problem in snapshot.problems)
    assert from_document(to_document(snapshot)) == snapshot
