"""Many goals on all cores: parts of the registry to forked processes, answers in its order."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

Work = Callable[[slice], list[Any]]
FEW = 300
"""Up to this many goals one process is done before others would have started."""
PART = 50

_work: Work | None = None


def over(goals: int, work: Work) -> Iterator[Any]:
    """What ``work`` gives for each part of so many goals, one after another.

    ``work`` may hold anything, since the processes are forked with it; what it returns is pickled. Where there is one
    core, or the system cannot fork, all happens here.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if goals <= FEW or cores < 2 or not hasattr(os, "fork"):
        yield from work(slice(0, goals))
        return
    from multiprocessing import get_context

    global _work
    _work = work
    parts = [slice(start, start + PART) for start in range(0, goals, PART)]
    try:
        with get_context("fork").Pool(cores) as pool:
            for found in pool.imap(_part, parts):
                yield from found
    finally:
        _work = None


def _part(part: slice) -> list[Any]:
    assert _work is not None
    return _work(part)
