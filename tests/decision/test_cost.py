"""The price of a decision in calls, which no other load on the machine changes: the gate against slow creep.

A call is a function, Python's or a built-in one, that begins, as ``sys.setprofile`` counts. Seconds are measured by
``python -m bench``; docs/performance.md says what they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench.projects import NOW, lay
from bench.warm import parsed, snapshot

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide import Policy
from loopx_policy.project.runs import read_runs


def calls(work: Callable[[], Any]) -> int:
    """Calls that a piece of work makes, the second time that it is done."""
    work()
    count = 0

    def step(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(step)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


@pytest.fixture(scope="module")
def policy() -> Policy:
    return Policy(load_catalog())


def decision(policy: Policy, todos: int) -> int:
    given = snapshot(parsed(todos))

    def work() -> None:
        policy.forget()
        policy.decide(given)

    return calls(work)


def test_a_decision_of_ten_todos_takes_few_calls(policy: Policy) -> None:
    assert decision(policy, 10) < 1500


def test_a_further_todo_costs_the_same_few_calls_however_many_there_are(policy: Policy) -> None:
    small, middle, large = (decision(policy, number) for number in (100, 1000, 10_000))
    assert (middle - small) / 900 < 14
    assert (large - middle) / 9000 < 14


def test_what_is_remembered_is_not_judged_again(policy: Policy) -> None:
    given = snapshot(parsed(10))
    assert calls(lambda: policy.decide(given)) < 0.75 * decision(policy, 10)


def test_a_long_history_takes_no_more_calls_than_a_short_one(tmp_path: Path) -> None:
    found = []
    for rows in (1000, 20_000):
        root = lay(tmp_path / str(rows), rows=rows)
        folder = str(next(root.rglob("index.jsonl")).parent)
        goal = Path(folder).parent.name

        def read(folder: str = folder, goal: str = goal) -> None:
            read_runs(folder, goal_id=goal, window_start=NOW - 86_400, neutral=frozenset(), enough=64)

        found.append(calls(read))
    assert found[1] <= 1.1 * found[0]
