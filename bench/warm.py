"""In one process: a decision from a parsed snapshot, and how it grows with todos."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import time_ns
from typing import Any

from bench.measure import MS, US, Figure, own_peak, sample
from bench.projects import NOW, lay, state_text
from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide import Policy
from loopx_policy.model import Goal, Invocation, Snapshot, State, Workspace
from loopx_policy.project.reader import read_project
from loopx_policy.project.state import state_of
from loopx_policy.watch import Watch


def snapshot(state: State) -> Snapshot:
    goal = Goal("goal-0", agents=("main", "side"), primary_agent="main", write_scope=("docs/**",))
    return Snapshot(now=NOW, goal=goal, state=state, invocation=Invocation("main"), workspace=Workspace("primary"))


def parsed(count: int) -> State:
    return state_of(state_text(count), file="STATE.md", agents=("main", "side"))


def decision(folder: Path, quick: bool) -> Iterator[Figure]:
    """Ten todos, both matchers compared and the answer built."""
    del folder
    policy = Policy(load_catalog())
    ten = snapshot(parsed(10))
    answer = policy.decide(ten)
    assert answer.should_run
    assert policy.evaluate(ten).matches.engine == "durable_rules"

    def fresh() -> None:
        policy.forget()
        policy.decide(ten)

    taken = sample(fresh, 500 if quick else 3000, 20)
    yield Figure("decision", "10 todos, median", taken.median * MS, "ms", taken.spread * MS, limit=0.5)
    yield Figure("decision", "10 todos, p99", taken.percentile(99) * MS, "ms", limit=1.5)


def todos(folder: Path, quick: bool) -> Iterator[Figure]:
    """From ten todos to a hundred thousand: what one more costs."""
    del folder
    policy = Policy(load_catalog())
    small = sample(lambda: policy.decide(snapshot(parsed(10))), 20).median
    for count in (100, 1000, 10_000) if quick else (100, 1000, 10_000, 100_000):
        times = 5 if count > 5000 else 20
        text = state_text(count)
        reading = sample(partial(state_of, text, file="S.md", agents=("main", "side")), times)
        given = snapshot(parsed(count))
        deciding = sample(partial(policy.decide, given), times)
        each = (deciding.median - small) / count
        name = f"{count:,} todos"
        yield Figure("todos", f"{name}, decide, each", each * US, "us", deciding.spread / count * US, limit=5)
        whole = (reading.median + deciding.median - small) / count
        yield Figure("todos", f"{name}, parse and decide, each", whole * US, "us", limit=12)
        yield Figure("todos", f"{name}, whole", (reading.median + deciding.median) * MS, "ms", limit=1500)
    yield Figure("todos", "peak memory", own_peak(), "MB", limit=400)


def watch(folder: Path, quick: bool) -> Iterator[Figure]:
    """The repeat of an answer, for a project in which nothing has changed."""
    root = lay(folder / "watch", todos=10, rows=20)
    policy = Policy(load_catalog())
    read = partial(
        read_goal, registry=None, runtime_root=None, cwd=str(root), env={}, agent_id="main", capabilities=(),
        neutral=frozenset(),
    )  # fmt: skip
    later = time_ns() + 3600 * 10**9
    question = Watch(policy, read)
    first = question.decide(NOW, later)
    taken = sample(lambda: question.decide(NOW, later), 500 if quick else 3000, 20)
    assert question.decide(NOW, later) is first
    yield Figure("watch", "an unchanged project, repeat", taken.median * MS, "ms", taken.spread * MS, limit=0.1)


def read_goal(now: int, **asked: Any) -> Snapshot:
    return read_project(goal_id=None, now=now, **asked)
