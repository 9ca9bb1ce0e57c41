"""A file of the project that is no file, or cannot be read, is one clear error, and the next command is not stopped."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.torture.harness import NOW_TEXT, lay

CLAIM = ["todo", "claim", "--todo-id", "todo_plan", "--claimed-by", "main"]
ROW = ["refresh-state", "--agent-id", "main", "--artifact", "src/wall.csv", "--evidence", "measured"]
LEASE = ["lease", "claim", "--todo-id", "todo_plan", "--agent-id", "main", "--write-scope", "src/**"]
LEASE += ["--ttl-minutes", "30", "--idempotency-key", "k1"]
GOAL = "runtime/goals/harbour"


def loopx(root: Path, argv: list[str]) -> tuple[int, Any]:
    words = [sys.executable, "-m", "loopx_policy", "--format", "json", "--now", NOW_TEXT, *argv]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder(path: Path) -> None:
    path.mkdir()


def link_to_nothing(path: Path) -> None:
    path.symlink_to(path.parent.parent / "unmounted" / path.name)


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def regular_file(path: Path) -> None:
    path.write_text("a file\n")


@pytest.mark.parametrize(
    ("name", "argv"),
    [("STATE.md", CLAIM), (f"{GOAL}/rollout-event-log.jsonl", CLAIM), (f"{GOAL}/runs/index.jsonl", ROW)],
)
@pytest.mark.parametrize("kind", [pipe, folder, link_to_nothing, link_to_itself])
def test_what_is_no_file_is_told_and_nothing_is_written(
    tmp_path: Path, name: str, argv: list[str], kind: Callable[[Path], None]
) -> None:
    root = lay(tmp_path / "project")
    place = root / name
    aside = tmp_path / "aside"
    if place.exists():
        place.rename(aside)
    kind(place)
    state = (root / "STATE.md").read_bytes() if name != "STATE.md" else b""
    code, said = loopx(root, argv)
    assert code == 3
    assert place.name in said["error"]
    assert "nothing has changed" in said["error"]
    assert str(tmp_path) not in json.dumps(said)
    assert said["fix"]
    if state:
        assert (root / "STATE.md").read_bytes() == state
    assert not (root / GOAL / ".ledger" / "journal.json").exists()
    assert not list(tmp_path.rglob("unmounted"))
    place.rmdir() if kind is folder else place.unlink()
    if aside.exists():
        aside.rename(place)
    code, said = loopx(root, argv)
    assert code == 0, said


@pytest.mark.parametrize(("name", "argv"), [("runs", ROW), ("task-leases", LEASE)])
def test_a_file_where_a_folder_should_be_is_told(tmp_path: Path, name: str, argv: list[str]) -> None:
    root = lay(tmp_path / "project")
    place = root / GOAL / name
    if place.exists():
        place.rename(tmp_path / "aside")
    regular_file(place)
    code, said = loopx(root, argv)
    assert code == 3
    assert "nothing has changed" in said["error"]
    assert str(tmp_path) not in json.dumps(said)
    assert place.read_text() == "a file\n"


def test_two_writes_of_one_second_that_say_the_same_are_two_events(tmp_path: Path) -> None:
    root = lay(tmp_path / "project")
    for note in ("deep", "flat", "deep"):
        code, said = loopx(root, ["todo", "update", "--todo-id", "todo_plan", "--agent-id", "main", "--note", note])
        assert code == 0, said
    log = (root / GOAL / "rollout-event-log.jsonl").read_text().splitlines()
    assert len({json.loads(line)["event_id"] for line in log}) == 3


@pytest.mark.parametrize(
    ("name", "argv"),
    [
        ("STATE.md", CLAIM),
        (".loopx/registry.json", ["quota", "set", "--window-hours", "12", "--operator", "--execute"]),
        (f"{GOAL}/runs/index.jsonl", ROW),
    ],
)
def test_a_file_that_nobody_may_write_is_not_replaced(tmp_path: Path, name: str, argv: list[str]) -> None:
    root = lay(tmp_path / "project")
    place = root / name
    place.chmod(0o444)
    before = place.read_bytes()
    code, said = loopx(root, argv)
    assert code == 3
    assert f"{place.name} cannot be written (permission denied); nothing has changed." in said["error"]
    assert "permissions" in said["fix"]
    assert place.read_bytes() == before
    place.chmod(0o644)
    assert loopx(root, argv)[0] == 0
