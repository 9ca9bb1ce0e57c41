"""The set-up script says in one line what is missing, and how to mend it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def setup(python: str, venv: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(venv.parent), "PYTHON": python}
    command = ["sh", str(ROOT / "scripts" / "setup.sh"), str(venv), "run"]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60, check=False)


def test_without_a_new_enough_python_it_says_what_to_install(tmp_path: Path) -> None:
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = setup(str(old), tmp_path / "venv")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "apt install python3 python3-venv" in done.stderr
    assert not (tmp_path / "venv").exists()


def test_without_ensurepip_and_pip_it_says_what_to_install(tmp_path: Path) -> None:
    bare = tmp_path / "python"
    # New enough, and without the modules that a virtual environment is seeded from.
    bare.write_text('#!/bin/sh\ncase "$*" in *version_info*) exit 0;; *) exit 1;; esac\n')
    bare.chmod(0o755)
    done = setup(str(bare), tmp_path / "venv")
    assert done.returncode == 1
    assert "apt install python3-venv" in done.stderr


@pytest.mark.parametrize("script", ["scripts/setup.sh", "scripts/test_all.sh", ".ci/run"])
def test_scripts_are_executable(script: str) -> None:
    assert os.access(ROOT / script, os.X_OK)
