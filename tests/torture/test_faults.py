"""Killed, or failing, at any change of the disk: a write is there whole or not at all, and the next one succeeds."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.cli.app import built
from loopx_policy.cli.width import PLAIN
from tests.torture.commands import COMMANDS, FIRST_OF_EACH_PATH, Written
from tests.torture.harness import Forks, build_faults, events, lay, leftovers, seen, start, stop

TESTED = COMMANDS if os.environ.get("LOOPX_TORTURE") else FIRST_OF_EACH_PATH
KEY = "once-only"
NEXT = ["--format", "json", "todo", "claim", "--todo-id", "todo_tide", "--claimed-by", "main"]
NEXT_OF_REGISTRY = ["--format", "json", "quota", "set", "--window-hours", "12", "--operator", "--execute"]


@pytest.fixture(scope="session")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    folder = tmp_path_factory.mktemp("faults")
    runner = start(build_faults(folder), folder)
    yield runner
    stop(runner)


class Ground:
    """A project for each fault, and what it looks like before and after the command."""

    def __init__(self, folder: Path, forks: Forks, command: Written) -> None:
        self.folder, self.forks, self.argv = folder, forks, command.keyed(KEY)
        self.path = command.path
        self.root = folder / "project"
        self.template = lay(folder / "template")
        for words in command.first:
            done = forks.run(self.template, words)
            assert done["code"] == 0, done
        self.old = self.fresh()
        answer = forks.run(self.root, self.argv)
        assert answer["code"] == 0, answer
        self.calls, self.new = answer["calls"], seen(self.root)
        assert self.new != self.old or command.path == "events"

    def fresh(self) -> str:
        """The project as it was, at the same place; what a reader sees."""
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(self.template, self.root, symlinks=True)
        return seen(self.root)


@pytest.fixture
def ground(tmp_path: Path, forks: Forks, request: pytest.FixtureRequest) -> Ground:
    return Ground(tmp_path, forks, request.param)


def by_name(command: Written) -> str:
    return command.name


@pytest.mark.slow
@pytest.mark.parametrize("half", [False, True], ids=["before", "torn"])
@pytest.mark.parametrize("ground", TESTED, ids=by_name, indirect=True)
def test_a_kill_leaves_the_old_state_or_the_new_one(ground: Ground, half: bool) -> None:
    assert ground.calls > 5
    outcomes = set()
    for at in range(1, ground.calls + 1):
        ground.fresh()
        answer = ground.forks.run(ground.root, ground.argv, at, half=half)
        assert answer["code"] == -signal.SIGKILL, (at, answer)
        now = seen(ground.root)
        assert now in (ground.old, ground.new), at
        outcomes.add(now == ground.new)
        again = ground.forks.run(ground.root, ground.argv)
        assert again["code"] == 0, (at, again)
        assert seen(ground.root) == ground.new, at
        assert events(ground.root, KEY) == 1, at
        assert leftovers(ground.root) == [], at
    assert outcomes == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("ground", FIRST_OF_EACH_PATH, ids=by_name, indirect=True)
def test_after_a_kill_another_command_succeeds(ground: Ground) -> None:
    for at in range(1, ground.calls + 1):
        ground.fresh()
        ground.forks.run(ground.root, ground.argv, at, half=True)
        other = ground.forks.run(ground.root, NEXT)
        assert other["code"] == 0, (at, other)
        if "registry" in ground.path:
            # What was staged for the registry and never became true waits for the next change of the registry.
            assert ground.forks.run(ground.root, NEXT_OF_REGISTRY)["code"] == 0, at
        assert leftovers(ground.root) == [], at


@pytest.mark.slow
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EACCES], ids=["full", "broken", "forbidden"])
@pytest.mark.parametrize("ground", TESTED, ids=by_name, indirect=True)
def test_a_failing_disk_is_a_clear_error_and_loses_nothing(ground: Ground, error: int) -> None:
    for at in range(1, ground.calls + 1):
        ground.fresh()
        answer = ground.forks.run(ground.root, ground.argv, at, error, half=True)
        now = seen(ground.root)
        assert answer["code"] in (0, 3), (at, answer)
        if answer["code"] == 3:
            said = json.loads(answer["out"])
            assert os.strerror(error).lower() in said["error"].lower(), (at, said)
            assert said["fix"], (at, said)
            assert now == (ground.new if "not yet finished" in said["error"] else ground.old), (at, said)
        else:
            assert now == ground.new, (at, answer)
        assert ground.forks.run(ground.root, ground.argv)["code"] == 0, at
        assert seen(ground.root) == ground.new, at
        assert events(ground.root, KEY) == 1, at


@pytest.mark.slow
@pytest.mark.parametrize("ground", [one for one in TESTED if "state" in one.path], ids=by_name, indirect=True)
def test_what_a_hand_wrote_after_a_kill_is_never_lost(ground: Ground) -> None:
    for at in range(1, ground.calls + 1):
        ground.fresh()
        ground.forks.run(ground.root, ground.argv, at, half=True)
        with (ground.root / "STATE.md").open("a") as state:
            state.write("By hand.\n")
        again = ground.forks.run(ground.root, ground.argv)
        assert again["code"] == 0, (at, again)
        assert (ground.root / "STATE.md").read_text().splitlines().count("By hand.") == 1, at
        assert events(ground.root, KEY) == 1, at
        assert leftovers(ground.root) == [], at


UNKEYED = {"check", "catalog lint"}
"""``--fix`` of a check mends what is there now and has no key; that of lint writes rule files and no state."""


def test_every_command_that_writes_state_is_among_those_that_are_killed() -> None:
    writing = {path for path, options in commands_with_options() if options & {"--execute", "--dry-run", "--fix"}}
    assert {one.command for one in COMMANDS} == writing - UNKEYED


def commands_with_options() -> Iterator[tuple[str, set[str]]]:
    """Each command of the program with its options."""

    def below(command: Any, path: str) -> Iterator[tuple[str, set[str]]]:
        for name, one in getattr(command, "commands", {}).items():
            yield from below(one, f"{path} {name}".strip())
        if not hasattr(command, "commands"):
            yield path, {option for parameter in command.params for option in parameter.opts}

    yield from below(built(False, PLAIN), "")
