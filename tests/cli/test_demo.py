"""``make demo`` asks, explains, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("git", [True, False])
def test_the_demo_shows_a_decision_and_why(tmp_path: Path, home: Path, git: bool) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    environment = {"PATH": os.environ["PATH"] if git else str(tools), "HOME": str(home), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "loopx_policy.cli.demo"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "loopx quota should-run --agent-id builder" in done.stdout
    assert ("bounded_delivery" in done.stdout) is git
    assert "LEAD  IP-003.fallback" in done.stdout
    assert list(tmp_path.iterdir()) == [tools]
