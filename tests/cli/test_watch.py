"""``loopx watch`` prints the decision at once, and again whenever it is another one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.cli.test_added_rules import FREEZE


def asked(project: Path, answers: int) -> subprocess.Popen[str]:
    words = ["--format", "json", "watch", "--agent-id", "builder", "--interval", "0.05", "--answers", str(answers)]
    command = [sys.executable, "-m", "loopx_policy", *words]
    return subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True)


def test_each_change_is_one_line_of_json(project: Path) -> None:
    state = project / "STATE.md"
    before = state.read_text(encoding="utf-8")
    with asked(project, 3) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        state.unlink()
        second = json.loads(process.stdout.readline())
        state.write_text(before, encoding="utf-8")
        third = json.loads(process.stdout.readline())
        assert process.wait(20) == 0
    assert first["should_run"] is True
    assert second["interaction_contract"]["mode"] == "health_blocked"
    assert {**third, "decided_at": ""} == {**first, "decided_at": ""}


def test_a_rule_that_the_project_adds_counts_from_then_on(project: Path) -> None:
    with asked(project, 2) as process:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        ready = project / "rules"
        ready.mkdir()
        (ready / "ACME-001-freeze.yaml").write_text(FREEZE, encoding="utf-8")
        ready.rename(project / ".loopx" / "rules")
        second = json.loads(process.stdout.readline())
        process.wait(20)
    assert first["interaction_contract"]["agent_channel"]["delivery_allowed"] is True
    assert second["interaction_contract"]["agent_channel"]["delivery_allowed"] is False
