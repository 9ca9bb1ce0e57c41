"""Checks that are run in a process of their own: tests, and commands of this program."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping

from loopx_policy.canary.expand import Item
from loopx_policy.canary.outcome import Problem
from loopx_policy.records import record

_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py)(\S*)(?: - (.*))?$", re.MULTILINE)
_SHOWN = 4_000
_READ = 1_000_000
"""Characters of the end of an output that are shown, and bytes of it that are searched for failures."""
_ONLY_GITS = ("GIT_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_WORK_TREE")
"""What git sets for a hook: a test that makes a repository of its own must not be led to this one."""


@record(frozen=True)
class Machine:
    """What a check is run with: the Python, the environment, and the tree that it is run in."""

    python: str
    environ: Mapping[str, str]
    root: str


@record(frozen=True)
class Ended:
    """``problems`` are empty where all is well; ``output`` is the end of what was printed. ``late``: it was stopped."""

    problems: list[Problem]
    output: str = ""
    late: bool = False


class Running:
    """One check under way, in a process group of its own, so that what it starts ends with it."""

    __slots__ = ("_folder", "_item", "_log", "_process")

    def __init__(self, item: Item, machine: Machine) -> None:
        self._item = item
        self._folder = tempfile.TemporaryDirectory(prefix="loopx-canary-", ignore_cleanup_errors=True)
        self._log = tempfile.TemporaryFile(dir=self._folder.name)  # noqa: SIM115
        self._process = subprocess.Popen(
            command_of(item, machine.python),
            cwd=machine.root,
            env=environment(machine.environ, self._folder.name),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def wait(self, seconds: float | None) -> Ended:
        """What came of it; it is stopped after that many seconds."""
        try:
            code = self._process.wait(seconds)
            return self._ended(code)
        except subprocess.TimeoutExpired:
            self.stop()
            return Ended([], self._printed()[-_SHOWN:], late=True)
        finally:
            self._log.close()
            self._folder.cleanup()

    def stop(self) -> None:
        """End it and all that it started."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        finally:
            self._process.wait()

    def _ended(self, code: int) -> Ended:
        output = self._printed()
        if code == self._item.runs.exit:
            return Ended([], output)
        failed = [Problem(f"{file}{test}: {why or 'failed'}", file) for file, test, why in _FAILED.findall(output)] or [
            Problem(f"It ended with the exit code {code}, not {self._item.runs.exit}.")
        ]
        return Ended(failed, output[-_SHOWN:])

    def _printed(self) -> str:
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - _READ))
        return self._log.read().decode("utf-8", "replace").strip()


def command_of(item: Item, python: str) -> list[str]:
    """The command line of a check."""
    if item.runs.pytest:
        options = ["-q", "-p", "no:cacheprovider", "--tb=short", "-rfE", "--no-header"]
        return [python, "-m", "pytest", *options, *map(str, item.runs.pytest)]
    return [python, "-m", "loopx_policy", *map(str, item.runs.command)]


def environment(environ: Mapping[str, str], folder: str) -> dict[str, str]:
    """The environment of a check: what Python and its tools would leave in the tree goes to a folder that passes."""
    found = {name: value for name, value in environ.items() if name not in _ONLY_GITS}
    return found | {
        "PYTHONDONTWRITEBYTECODE": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": os.path.join(folder, "hypothesis"),
        "COLUMNS": "160",
    }
