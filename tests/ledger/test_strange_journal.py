"""A journal that came with somebody's files carries nothing outside its goal."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.torture.harness import lay

CLAIM = ["todo", "claim", "--todo-id", "todo_plan", "--claimed-by", "main"]


def claim(root: Path) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "loopx_policy", "--format", "json", *CLAIM]
    return subprocess.run(argv, cwd=root, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", ["replace", "append", "remove"])
def test_a_journal_that_names_a_file_elsewhere_is_refused(tmp_path: Path, kind: str) -> None:
    root = lay(tmp_path / "project")
    mine = tmp_path / "mine.txt"
    mine.write_text("mine\n")
    ledger = root / "runtime" / "goals" / "harbour" / ".ledger"
    ledger.mkdir()
    (ledger / ".0.loopx-staged").write_text("theirs\n")
    edit: dict[str, Any] = {"kind": kind, "path": str(mine)}
    edit |= {"staged": str(ledger / ".0.loopx-staged")} if kind == "replace" else {}
    edit |= {"line": "theirs", "size": 5, "new": False} if kind == "append" else {}
    (ledger / "journal.json").write_text(json.dumps({"edits": [edit]}))
    done = claim(root)
    assert done.returncode == 3
    assert "journal" in json.loads(done.stdout)["error"]
    assert mine.read_text() == "mine\n"
