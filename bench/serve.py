"""The loopback server on a project of 1,000 todos: requests one after another, and what they leave in memory."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from bench.cold import program
from bench.measure import MS, Figure, Sample, timed
from bench.projects import lay

TODOS = 1_000
PER_SECOND = 200
SECONDS, QUICK = 60, 5
WARM = 500


def serve(folder: Path, quick: bool) -> Iterator[Figure]:
    """``GET /status.json`` at the clock's time, so that the status is made anew each second; then the page."""
    root = lay(folder / "serve", todos=TODOS)
    time.sleep(2.5)  # a file that has just changed is read again for every request
    with _serving(root) as (connection, process):
        for _ in range(WARM):
            _get(connection, "/status.json")
        before = _resident(process)
        taken, end = Sample(), time.monotonic() + (QUICK if quick else SECONDS)
        while time.monotonic() < end:
            taken.seconds.append(timed(lambda: _get(connection, "/status.json")))
        grown = _resident(process) - before
        page = Sample([timed(lambda: _get(connection, "/")) for _ in range(10)])
    each = sum(taken.seconds) / len(taken.seconds)
    yield Figure("serve", f"/status.json, {TODOS:,} todos, mean", each * MS, "ms", limit=MS / PER_SECOND)
    yield Figure("serve", "the same, 99th percentile", taken.percentile(99) * MS, "ms")
    yield Figure("serve", f"memory more after {len(taken.seconds):,} of them", grown, "MB", limit=4)
    yield Figure("serve", "the dashboard, made anew", page.median * MS, "ms", page.spread * MS)


@contextmanager
def _serving(root: Path) -> Iterator[tuple[http.client.HTTPConnection, int]]:
    command = [program(), "--format", "json", "serve-status", "--port", "0"]
    process = subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        url = urlsplit(json.loads(process.stdout.readline())["url"])
        yield http.client.HTTPConnection(str(url.hostname), url.port, timeout=30), process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)


def _get(connection: http.client.HTTPConnection, path: str) -> None:
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200


def _resident(pid: int) -> float:
    """What a process holds in memory now, in MB."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024
