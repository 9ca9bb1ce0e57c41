"""The real program serving a real project, in a process of its own."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from loopx_policy.cli import demo
from tests.cli.conftest import NOW, NOW_OPTION, Ran, home, loopx, variables_for
from tests.ledger.people.conftest import RUN, Harbor, harbor

__all__ = ["harbor", "home", "loopx"]

WRITE = "--enable-reward-write-api"
REWARD: dict[str, Any] = {
    "goal_id": "harbor",
    "run_generated_at": RUN,
    "decision": "continue_route",
    "reward": "positive",
    "reason_summary": "comparable validation improved and the route is worth extending",
    "follow_up": "promote the route to the next longer-window check",
}


@dataclass(frozen=True)
class Reply:
    """What the server answered."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Server:
    """A running server, asked as a browser on its own page would unless the headers say otherwise."""

    url: str
    process: subprocess.Popen[str]

    @property
    def port(self) -> int:
        return urlsplit(self.url).port or 0

    @property
    def origin(self) -> str:
        return self.url.rstrip("/")

    def ask(self, method: str, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> Reply:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Reply(answer.status, answer.read(), found)
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> Reply:
        return self.ask("GET", path, None, headers)

    def post(self, path: str, body: Any, headers: dict[str, str] | None = None) -> Reply:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"Origin": self.origin, "Content-Type": "application/json"} | (headers or {})
        return self.ask("POST", path, raw, {name: value for name, value in given.items() if value})

    def dry_run(self, body: Any = REWARD, headers: dict[str, str] | None = None) -> Reply:
        return self.post("/reward/dry-run", body, headers)

    def append(self, body: Any, headers: dict[str, str] | None = None) -> Reply:
        return self.post("/reward/append", body, headers)

    def previewed(self, **changes: Any) -> dict[str, Any]:
        """A reward with the preview id that holds for it now."""
        body = REWARD | changes
        reply = self.dry_run(body)
        assert reply.status == 200, reply.body
        return body | {"preview_id": reply.json["preview_id"]}


Serve = Callable[..., Server]


@contextmanager
def serving(project: Path, home: Path) -> Iterator[Serve]:
    """Starts ``loopx serve-status`` on a free port of its own; ends what it started, which must have said no error."""
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str, now: bool = True) -> Server:
        program = [sys.executable, "-m", "loopx_policy", "--format", "json", *(NOW_OPTION if now else [])]
        process = subprocess.Popen(
            [*program, "serve-status", "--port", "0", *arguments],
            cwd=project,
            env=variables_for(home, {}),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        running.append(process)
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise AssertionError(f"the server did not start: {process.communicate(timeout=30)[1]}")
        return Server(json.loads(line)["url"], process)

    try:
        yield start
    finally:
        for process in running:
            process.send_signal(signal.SIGINT)
        ended = [_ended(process) for process in running]
    assert ended == [""] * len(running)


def _ended(process: subprocess.Popen[str]) -> str:
    """What a server that was told to end has said of errors."""
    try:
        return process.communicate(timeout=20)[1]
    except subprocess.TimeoutExpired:
        process.kill()
        return f"it did not end: {process.communicate()[1]}"


@pytest.fixture
def serve(harbor: Harbor, home: Path) -> Iterator[Serve]:
    """Starts servers of a project of one's own."""
    with serving(harbor.project, home) as start:
        yield start


def _nothing(*arguments: str, **more: Any) -> Ran:
    raise AssertionError(f"{arguments} {more} would change a project that tests share")


@pytest.fixture(scope="module")
def shared_harbor(tmp_path_factory: pytest.TempPathFactory) -> Harbor:
    """A project that a module's tests share: none of them may change it."""
    return Harbor(demo.build(tmp_path_factory.mktemp("shared"), False, NOW), _nothing)


@pytest.fixture(scope="module")
def target(shared_harbor: Harbor, home: Path) -> Iterator[Server]:
    """A server of the shared project that appends."""
    with serving(shared_harbor.project, home) as start:
        yield start(WRITE)


@pytest.fixture
def untouched(shared_harbor: Harbor) -> Iterator[None]:
    """Every byte of the shared project must be afterwards what it was."""
    before = shared_harbor.files()
    yield
    assert shared_harbor.files() == before


@pytest.fixture
def reading(serve: Serve) -> Server:
    """A server as it is without flags."""
    return serve()


@pytest.fixture
def writing(serve: Serve) -> Server:
    """A server that appends."""
    return serve(WRITE)
