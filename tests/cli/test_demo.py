"""``make demo`` asks, explains, and leaves a project in which the commands that it prints run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest


def bash(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", "-euc", script]
    return subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120, check=False)


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
    assert ("bounded_delivery |" in done.stdout) is git
    assert "LEAD  IP-003.fallback" in done.stdout


@pytest.mark.slow
def test_what_the_demo_prints_runs_afterwards_even_where_loopx_is_not_on_the_path(tmp_path: Path, home: Path) -> None:
    environment = {"HOME": str(home), "TMPDIR": str(tmp_path), "LOOPX_REGISTRY": "elsewhere.json"}
    bare = "/usr/bin:/bin"
    ran = bash(f"{sys.executable} -m loopx_policy.cli.demo", PATH=bare, **environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    shown = re.findall(r"^\$ (.*)$", ran.stdout, re.MULTILINE)
    told = re.findall(r"^    (\S.*)$", ran.stdout.partition("The project stays")[2], re.MULTILINE)
    *steps, away = told
    assert len(shown) == 3
    assert sum(step.startswith("loopx ") for step in steps) == 3
    (reach,) = [step for step in steps if "PATH" in step]
    for command in [*shown, "\n".join(steps)]:
        done = bash(f"unset LOOPX_REGISTRY\n{reach}\n{command}", PATH=bare, **environment)
        assert (done.returncode, done.stderr) == (0, ""), command
    assert bash("\n".join(steps), PATH=bare, **environment).returncode == 0
    assert list(tmp_path.iterdir()) != []
    assert bash(away, PATH=bare).returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_the_demo_with_nowhere_to_write_is_one_sentence(tmp_path: Path, home: Path) -> None:
    command = f"{sys.executable} -m loopx_policy.cli.demo > /dev/full"
    done = bash(command, PATH="/usr/bin:/bin", HOME=str(home), TMPDIR=str(tmp_path))
    assert done.returncode == 74
    assert done.stderr == "loopx: cannot write the answer: No space left on device\n"
