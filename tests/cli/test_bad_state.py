"""State that cannot be read still gets a decision, exit code 3, and a person who is told."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

LINE = b"- [ ] [P1] Chart the basin\n"
BROKEN: dict[str, Callable[[Path], object]] = {
    "missing": lambda file: file.unlink(),
    "empty": lambda file: file.write_bytes(b""),
    "binary": lambda file: file.write_bytes(bytes(range(256)) * 8),
    "50 MB": lambda file: file.write_bytes(LINE * (50_000_000 // len(LINE))),
    "a folder": lambda file: (file.unlink(), file.mkdir()),
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
