"""Real projects on disk, and the real program in a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.cli import demo
from loopx_policy.cli.edge import perform
from loopx_policy.cli.entry import parse

NOW = 1_796_115_600
"""2026-12-01T09:00:00Z."""


@dataclass(frozen=True)
class Ran:
    """What a run of the program gave."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ran]


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with a warm cache for all runs of the session, and nothing else in it."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="session")
def demo_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo project as it is for NOW; tests must not change it."""
    folder: Path = demo.build(tmp_path_factory.mktemp("demo"), True, NOW)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A demo project of one's own, to break."""
    folder: Path = demo.build(tmp_path, False, NOW)
    return folder


NOW_OPTION = ["--now", "2026-12-01T09:00:00Z"]


def variables_for(home: Path, more: dict[str, str]) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", **more}


@pytest.fixture
def loopx(home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the console entry in this process: all of the program but the start of Python.

    ``cwd``, ``stdin`` and environment variables come as keywords.
    """

    def run(*arguments: str, cwd: Path | None = None, stdin: str = "", now: bool = True, **variables: str) -> Ran:
        written = [io.BytesIO(), io.BytesIO()]
        streams = [io.TextIOWrapper(raw, encoding="utf-8") for raw in written]
        with monkeypatch.context() as patch:
            wanted = variables_for(home, variables)
            for name in list(os.environ):
                patch.delenv(name)
            for name, value in wanted.items():
                patch.setenv(name, value)
            patch.chdir(cwd or home)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
            patch.setattr(sys, "stdout", streams[0])
            patch.setattr(sys, "stderr", streams[1])
            code = perform(parse, [*(NOW_OPTION if now else []), *arguments])
        for stream in streams:
            stream.flush()
        return Ran(code, *(raw.getvalue().decode() for raw in written))

    return run


@pytest.fixture(scope="session")
def process(home: Path) -> Run:
    """Runs ``python -m loopx_policy`` for real; keywords as for ``loopx``."""

    def run(*arguments: str, cwd: Path | None = None, stdin: str = "", now: bool = True, **variables: str) -> Ran:
        environment = variables_for(home, variables)
        clock = NOW_OPTION if now else []
        command = [sys.executable, "-m", "loopx_policy", *clock, *arguments]
        done = subprocess.run(
            command,
            cwd=cwd or home,
            input=stdin,
            capture_output=True,
            text=True,
            env=environment,
            timeout=60,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def edit(project: Path) -> Callable[[str, str], None]:
    """Replaces a text in the project's state file or registry; it must stand there exactly once."""

    def change(old: str, new: str) -> None:
        for file in (project / "STATE.md", project / ".loopx" / "registry.json"):
            text = file.read_text(encoding="utf-8")
            if old in text:
                assert text.count(old) == 1
                file.write_text(text.replace(old, new), encoding="utf-8")
                return
        raise AssertionError(f"{old!r} stands nowhere")

    return change
