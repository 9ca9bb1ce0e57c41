"""How a run goes, on a terminal: a bar on standard error that is gone at the end. Elsewhere nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from loopx_policy.canary.outcome import Outcome
from loopx_policy.canary.plan import Planned
from loopx_policy.canary.run import Tell


@contextmanager
def progress(count: int, wanted: str) -> Iterator[Tell]:
    """What to tell of each check that starts and ends; ``wanted`` is the format of the answer."""
    if not count or wanted == "json" or sys.stderr is None or not sys.stderr.isatty():
        yield lambda planned, outcome: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (
        SpinnerColumn(),
        BarColumn(bar_width=20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}", markup=False),
    )
    running: dict[str, None] = {}
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=count)

        def tell(planned: Planned, outcome: Outcome | None) -> None:
            name = planned.item.id
            if outcome is None:
                running[name] = None
            else:
                running.pop(name, None)
                bar.advance(task)
                if outcome.status != "passed":
                    bar.console.print(f"{outcome.status.replace('_', ' ')}: {name}", markup=False, highlight=False)
            bar.update(task, description=", ".join(running))

        yield tell
