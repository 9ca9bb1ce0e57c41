"""CONTRIBUTING does what it says: its commands and files, in a copy of the repository, without a line of Python."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^        loopx (.+)$", PAGE, flags=re.M)
FILES = dict(re.findall(r"^`([\w/.-]+\.yaml)`:\n\n```yaml\n(.*?)```", PAGE, flags=re.M | re.S))
LEFT_OUT = (".git", ".venv*", "__pycache__", "*.so", "*.egg-info", ".*_cache", ".hypothesis", "build", "dist")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("copy") / "repository"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    identity = ("-c", "user.name=new", "-c", "user.email=new@example.com")
    for step in (("init", "-q"), ("add", "-A"), (*identity, "commit", "-q", "-m", "A copy")):
        subprocess.run(["git", *step], cwd=folder, check=True, timeout=60)
    return folder


def run(copy: Path, command: str, *before: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(copy), "XDG_CACHE_HOME": str(copy.parent / "cache")}
    return subprocess.run(
        [sys.executable, "-m", "loopx_policy", *before, *shlex.split(command)],
        cwd=copy, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


def test_a_new_pattern_decides_is_covered_mutated_documented_and_selected(copy: Path) -> None:
    new, *checks = COMMANDS
    assert new.startswith("catalog new IP-030 ")
    assert len(checks) == 9
    assert len(FILES) == 2
    made = run(copy, new)
    assert made.returncode == 0, made.stderr
    lint = run(copy, "catalog lint")
    assert lint.returncode == 1
    assert "docs/rule-files.md#fill-in" in lint.stdout
    for name, text in FILES.items():
        assert (copy / name).exists(), "catalog new made the file"
        (copy / name).write_text(text, encoding="utf-8")
    families = copy / "catalog" / "canary" / "families.yaml"
    row = "patterns: [IP-010, IP-013, IP-018, IP-024]"
    families.write_text(families.read_text().replace(row, row.replace("]", ", IP-030]"), 1))
    for command in checks:
        done = run(copy, command)
        wanted = 1 if command.startswith("catalog diff") else 0
        assert done.returncode in (0, wanted), f"{command}\n{done.stdout[:2000]}\n{done.stderr}"
    page = (copy / "docs" / "catalog" / "patterns" / "IP-030.md").read_text(encoding="utf-8")
    assert "say which of the runnable todos can wait" in page
    covered = json.loads(run(copy, "catalog coverage --pattern IP-030", "--format", "json").stdout)
    assert (covered["comparisons"], covered["covered"]) == (1, 1)
    mutated = json.loads(run(copy, "catalog mutate --pattern IP-030", "--format", "json").stdout)
    assert mutated["mutants"] == mutated["noticed"] > 5
    planned = run(copy, "canary plan --pattern IP-030", "--format", "json")
    assert "IP-030" in planned.stdout
    assert "IP-030.can_wait" in run(copy, "catalog diff approved .").stdout
