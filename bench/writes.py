"""What a write costs beside a question about the same files: a claim on ten thousand todos and much history."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from bench.cold import guard, program
from bench.measure import MS, Figure, Sample, peak_memory, ratio, run, side_by_side
from bench.projects import NOW_TEXT, lay
from loopx_policy.cli.entry import parse
from loopx_policy.cli.request import Result

TODOS, ROWS = 10_000, 100_000
FREE = 3
"""Every third todo is nobody's, and so can be claimed."""


def writes(folder: Path, quick: bool) -> Iterator[Figure]:
    """``todo claim`` against ``quota should-run``, as whole programs and within one process."""
    root = lay(folder / "writes", todos=TODOS, rows=ROWS)
    state = root / "states" / "00000.md"
    state.write_bytes(state.read_bytes().replace(b" claimed_by=side", b""))
    numbers = count(0, FREE)

    def claim() -> list[str]:
        todo = f"todo_a{next(numbers):06d}"
        return ["--format", "json", "--now", NOW_TEXT, "todo", "claim", "--todo-id", todo, "--agent-id", "main"]

    ask = guard("--agent-id", "main")
    for kind, taken in (
        ("whole program", _programs(root, lambda: [program(), *claim()], ask, 6 if quick else 20)),
        ("in one process", _calls(root, claim, ask[1:], 6 if quick else 20)),
    ):
        written, read = taken
        yield Figure("writes", f"claim, {TODOS:,} todos, {kind}", written.median * MS, "ms", written.spread * MS)
        yield Figure("writes", f"claim / question, {kind}", ratio(written, read), "x", ratio=True, limit=2)
    yield Figure("writes", "claim, peak memory", peak_memory([program(), *claim()], str(root)), "MB")


def _programs(root: Path, claim: Callable[[], list[str]], ask: list[str], times: int) -> list[Sample]:
    return side_by_side([lambda: run(claim(), str(root)), lambda: run(ask, str(root))], times, 1)


def _calls(root: Path, claim: Callable[[], list[str]], ask: list[str], times: int) -> list[Sample]:
    here = os.getcwd()
    os.chdir(root)

    def call(argv: list[str]) -> None:
        request = parse(argv)
        assert not isinstance(request, int | Result), argv
        request.run()

    try:
        return side_by_side([lambda: call(claim()), lambda: call(ask)], times, 2)
    finally:
        os.chdir(here)
