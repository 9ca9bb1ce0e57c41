"""What a write costs beside the read of the same files: 10,000 todos and 100,000 rows of history."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

from bench.cold import guard, program
from bench.measure import MS, Figure, peak_memory, ratio, run, side_by_side
from bench.projects import NOW_TEXT, lay

TODOS = 10_000
ROWS = 100_000


def ledger(folder: Path, quick: bool) -> Iterator[Figure]:
    """``todo claim`` against ``quota should-run``, each a whole process; every claim takes another todo."""
    todos, rows = (1000, 10_000) if quick else (TODOS, ROWS)
    root = str(lay(folder / "ledger", todos=todos, rows=rows, claimed=False))
    unclaimed = count()

    def claim() -> list[str]:
        todo = f"todo_a{next(unclaimed):06d}"
        base = [program(), "--format", "json", "--now", NOW_TEXT]
        return [*base, "todo", "claim", "--todo-id", todo, "--claimed-by", "main"]

    times = 5 if quick else 12
    writing, reading = side_by_side([lambda: run(claim(), root), lambda: run(guard(), root)], times, 2)
    size = f"{todos:,} todos, {rows:,} rows"
    yield Figure("ledger", f"claim / read, {size}", ratio(writing, reading), "x", ratio=True, limit=2)
    yield Figure("ledger", "claim", writing.median * MS, "ms", writing.spread * MS)
    yield Figure("ledger", "read", reading.median * MS, "ms", reading.spread * MS)
    yield Figure("ledger", "claims a second, one writer", 1 / writing.median, "/s")
    yield Figure("ledger", "peak memory of a claim", peak_memory(claim(), root), "MB")
