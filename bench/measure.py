"""Timing that a loaded machine cannot fool: medians with their spread, and ratios of things run alternately."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median, quantiles
from typing import Any

MS = 1e3
US = 1e6


@dataclass(slots=True)
class Figure:
    """One line of the table. ``spread`` is half the distance between the quartiles, in ``unit``.

    ``limit`` is the target, with ``0`` for a figure that has none; ``ratio`` says that the figure compares two
    things measured side by side, so that it means the same on every machine.
    """

    group: str
    name: str
    value: float
    unit: str
    spread: float = 0.0
    limit: float = 0.0
    ratio: bool = False
    note: str = ""

    @property
    def met(self) -> bool:
        return not self.limit or self.value <= self.limit

    def to_dict(self) -> dict[str, Any]:
        return {
            "group": self.group,
            "name": self.name,
            "value": round(self.value, 4),
            "spread": round(self.spread, 4),
            "unit": self.unit,
            "limit": self.limit,
            "met": self.met,
            "ratio": self.ratio,
            "note": self.note,
        }


@dataclass(slots=True)
class Sample:
    """Seconds of one thing, in the order in which they were taken."""

    seconds: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def spread(self) -> float:
        if len(self.seconds) < 4:
            return (max(self.seconds) - min(self.seconds)) / 2
        low, _, high = quantiles(self.seconds, n=4)
        return (high - low) / 2

    def percentile(self, share: int) -> float:
        return quantiles(self.seconds, n=100)[share - 1]


def timed(work: Callable[[], object]) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def sample(work: Callable[[], object], times: int, warm: int = 1) -> Sample:
    """A thing done ``times`` times, after ``warm`` that do not count."""
    for _ in range(warm):
        work()
    return Sample([timed(work) for _ in range(times)])


def side_by_side(works: Sequence[Callable[[], object]], times: int, warm: int = 1) -> list[Sample]:
    """Several things done in turn, so that what slows the machine slows them alike."""
    samples = [Sample() for _ in works]
    for number in range(times + warm):
        for work, taken in zip(works, samples, strict=True):
            seconds = timed(work)
            if number >= warm:
                taken.seconds.append(seconds)
    return samples


def ratio(one: Sample, other: Sample) -> float:
    """How many times ``other`` fits into ``one``: the median of the pairs taken next to each other."""
    return median(a / b for a, b in zip(one.seconds, other.seconds, strict=True))


def run(argv: Sequence[str], cwd: str | None = None) -> None:
    """A process to its end, its output dropped; an exit code other than 0 is an error."""
    subprocess.run(argv, stdout=subprocess.DEVNULL, cwd=cwd, check=True)


PEAK = (
    "import os,resource,subprocess,sys\n"
    "subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,check=True)\n"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


def peak_memory(argv: Sequence[str], cwd: str | None = None) -> float:
    """The largest resident size of a process, in MB."""
    done = subprocess.run([sys.executable, "-c", PEAK, *argv], stdout=subprocess.PIPE, cwd=cwd, check=True, text=True)
    return int(done.stdout) / 1024


def own_peak() -> float:
    """The largest resident size of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
