"""A turn over rows of feedback, written as short documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from loopx_policy.decide import Evaluation
from loopx_policy.hints.derive import Hints, derive
from tests.decision.conftest import policy, turn

__all__ = ["policy", "turn"]

RUN_AT = "2026-11-30T09:00:00Z"
Turn = Callable[..., Evaluation]


def work(todo_id: str, kind: str = "", **more: Any) -> dict[str, Any]:
    """An open advancement todo of a kind of work."""
    return {"todo_id": todo_id, "text": f"[P1] {todo_id}", "action_kind": kind} | more


TYPED = ("classification", "agent_id", "progress_scope", "recommended_action", "delivery_outcome")


def run(at: str = RUN_AT, **more: Any) -> dict[str, Any]:
    """A row of the run index; keys that no snapshot types stand as they are."""
    row: dict[str, Any] = {"classification": "delivered", "delivery_outcome": "outcome_progress"} | more
    typed = {name: value for name, value in row.items() if name in TYPED and value}
    return {"generated_at": at, **typed, "raw": {name: row[name] for name in row if name not in TYPED}}


def judged(reward: str, *todo_ids: str, at: str = RUN_AT, said: str = "", **more: Any) -> dict[str, Any]:
    """A run that worked on those todos, as a person judged it (``said`` at another time than the run's)."""
    overlay = {"schema_version": "human_reward_v0", "reward": reward, "decision": "noted"}
    return run(at, todo_ids=list(todo_ids), human_reward=overlay | ({"recorded_at": said} if said else {}), **more)


@pytest.fixture(scope="session")
def hints(turn: Turn) -> Callable[..., Hints]:
    """The hints of a document."""

    def found(**document: Any) -> Hints:
        return derive(turn(**document).turn.view)

    return found
