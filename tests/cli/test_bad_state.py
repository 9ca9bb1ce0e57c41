"""State that cannot be read still gets a decision, exit code 3, and a person who is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

LINE = b"- [ ] [P1] Chart the basin\n"


def folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


BROKEN: dict[str, Callable[[Path], object]] = {
    "missing": lambda file: file.unlink(),
    "empty": lambda file: file.write_bytes(b""),
    "binary": lambda file: file.write_bytes(bytes(range(256)) * 8),
    "50 MB": lambda file: file.write_bytes(LINE * (50_000_000 // len(LINE))),
    "a folder": folder,
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_state_file_that_is_none_blocks_the_goal_and_tells_its_operator(loopx: Run, project: Path, kind: str) -> None:
    BROKEN[kind](project / "STATE.md")
    ran = loopx("--format", "json", "quota", "should-run", "--agent-id", "builder", cwd=project)
    answer = json.loads(ran.out)
    contract = answer["interaction_contract"]
    assert ran.code == 3
    assert contract["mode"] == "health_blocked"
    assert contract["user_channel"]["notify"] == "NOTIFY"
    assert not contract["agent_channel"]["delivery_allowed"]
    assert "STATE.md" in answer["reason"]
    assert str(project) not in ran.out


@pytest.mark.parametrize("kind", ["missing", "empty", "binary", "a folder", "breaks its contract"])
@pytest.mark.parametrize("command", ["status", "quota status", "quota plan", "explain --agent-id builder"])
def test_every_view_of_broken_state_is_printed_and_exits_3(
    loopx: Run, project: Path, edit: Callable[[str, str], None], kind: str, command: str
) -> None:
    if kind == "breaks its contract":
        edit("status=open task_class=user_gate blocks_agent=builder", "status=open task_class=user_gate")
    else:
        BROKEN[kind](project / "STATE.md")
    for form in ("json", "markdown", "rich"):
        ran = loopx(*command.split(), "--format", form, cwd=project)
        assert (ran.code, ran.err) == (3, "")
        assert "harbor" in ran.out
        if command in ("status", "quota status") and form == "rich":
            assert "broken" in ran.out.lower()


def test_one_broken_goal_of_several_is_seen_in_the_exit_code_of_a_plan(loopx: Run, project: Path) -> None:
    file = project / ".loopx" / "registry.json"
    registry = json.loads(file.read_text())
    registry["goals"].append({**registry["goals"][0], "id": "lighthouse", "state_file": "NONE.md"})
    file.write_text(json.dumps(registry))
    for command in (("quota", "plan"), ("quota", "status")):
        assert loopx(*command, cwd=project).code == 3
        assert loopx(*command, "--goal-id", "harbor", cwd=project).code == 0


def test_what_is_only_lint_breaks_nothing(loopx: Run, project: Path, edit: Callable[[str, str], None]) -> None:
    edit("todo_id=todo_manual status=open", "todo_id=todo_manual next_due_at=2026-12-01T09:00:00 status=open")
    ran = loopx("--format", "json", "status", cwd=project)
    assert (ran.code, ran.json["ok"]) == (0, True)
    assert [problem["breaks_contract"] for problem in ran.json["problems"]] == [False]
    assert "PROBLEMS" in loopx("status", cwd=project).out
