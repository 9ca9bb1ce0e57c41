"""What a heartbeat pays: the whole program, started anew."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.measure import MS, Figure, peak_memory, ratio, run, side_by_side
from bench.projects import NOW_TEXT, lay

BASE = [sys.executable, "-I", "-c", "import json"]


def program() -> str:
    """The installed command beside this interpreter."""
    beside = Path(sys.executable).parent / "loopx"
    found = str(beside) if beside.exists() else shutil.which("loopx")
    if found is None:
        raise SystemExit("loopx is not installed for this interpreter.")
    return found


def guard(*more: str) -> list[str]:
    return [program(), "--format", "json", "--now", NOW_TEXT, "quota", "should-run", "--agent-id", "main", *more]


def cold(folder: Path, quick: bool) -> Iterator[Figure]:
    """One decision from a cold start, against an interpreter that only imports ``json``."""
    root = str(lay(folder / "cold"))
    times = 15 if quick else 40
    ours, base, bare = side_by_side(
        [lambda: run(guard(), root), lambda: run(BASE), lambda: run([sys.executable, "-I", "-S", "-c", ""])], times, 3
    )
    yield Figure("cold", "should-run / import json", ratio(ours, base), "x", ratio=True, limit=3.0)
    yield Figure("cold", "should-run", ours.median * MS, "ms", ours.spread * MS)
    yield Figure("cold", "import json", base.median * MS, "ms", base.spread * MS)
    yield Figure("cold", "bare interpreter", bare.median * MS, "ms", bare.spread * MS)
    yield Figure("cold", "peak memory", peak_memory(guard(), root), "MB", limit=40)
    answer = subprocess.run(guard(), cwd=root, stdout=subprocess.PIPE, check=True).stdout
    assert json.loads(answer)["should_run"] is True
    yield Figure("cold", "bytes of the answer", len(answer), "B", limit=2048)
