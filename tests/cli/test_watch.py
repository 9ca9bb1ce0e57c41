"""``loopx watch`` prints the decision at once, and again whenever it is another one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def test_each_change_is_one_line_of_json(project: Path) -> None:
    words = ["--format", "json", "watch", "--agent-id", "builder", "--interval", "0.05", "--answers", "3"]
    command = [sys.executable, "-m", "loopx_policy", *words]
    state = project / "STATE.md"
    before = state.read_text(encoding="utf-8")
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as process:
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
