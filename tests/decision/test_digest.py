"""``facts_digest`` stands for the caller, the facts and what is quoted of them, and for nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.decision import digest
from loopx_policy.records import replace

Turn = Callable[..., Evaluation]
TODOS = [{"todo_id": "todo_a01", "text": "[P1] Dredge"}]
WATCH = {
    "todo_id": "todo_m01",
    "text": "Watch the tide",
    "task_class": "continuous_monitor",
    "target_key": "tide",
    "next_due_at": "2026-12-01T13:00:00Z",
}


def later(policy: Policy, evaluation: Evaluation, seconds: int) -> Evaluation:
    return policy.evaluate(replace(evaluation.snapshot, now=evaluation.snapshot.now + seconds))


def test_time_that_changes_no_fact_changes_no_digest(policy: Policy, turn: Turn) -> None:
    evaluation = turn(todos=[*TODOS, WATCH])
    assert digest(later(policy, evaluation, 1)) == digest(evaluation)
    assert digest(later(policy, evaluation, 3599)) == digest(evaluation)


def test_time_that_changes_a_fact_changes_the_digest(policy: Policy, turn: Turn) -> None:
    evaluation = turn(todos=[*TODOS, WATCH])
    assert digest(later(policy, evaluation, 3600)) != digest(evaluation)


def test_who_asks_and_what_is_quoted_are_part_of_it(turn: Turn) -> None:
    goal: dict[str, Any] = {"agents": ["ann", "bo"]}
    made = [
        digest(turn(goal, agent="ann", todos=TODOS)),
        digest(turn(goal, agent="bo", todos=TODOS)),
        digest(turn(goal, agent="ann", todos=[{**TODOS[0], "todo_id": "todo_a02"}])),
        digest(turn({**goal, "id": "quay"}, agent="ann", todos=TODOS)),
        digest(turn({**goal, "waiting_on": "ebb"}, agent="ann", todos=TODOS)),
        digest(turn({**goal, "waiting_on": "flood"}, agent="ann", todos=TODOS)),
    ]
    assert len(set(made)) == len(made)


def test_prose_is_no_part_of_it(turn: Turn) -> None:
    assert digest(turn(todos=[{**TODOS[0], "text": "[P1] Dredge deeper"}])) == digest(turn(todos=TODOS))
