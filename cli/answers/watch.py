"""``loopx watch``: the decision of ``quota should-run`` whenever it changes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from loopx_policy.budget import encode, fit
from loopx_policy.decide import Policy
from loopx_policy.watch import Watch

from ..request import Result, ShouldRun
from .goals import snapshot_at
from .policy import load
from .should_run import UNDER, exit_code, for_people


def watch(asked: ShouldRun, interval: float, answers: int) -> Iterator[Result]:
    """The decision now, and again when it is another one, looking every ``interval`` seconds.

    It ends after ``answers`` of them; 0 never ends. Each has the exit code that ``should-run`` would have.
    """
    catalog = load()
    read = partial(snapshot_at, asked.options, catalog, asked.goal_id, asked.agent_id, asked.available_capability)
    question = Watch(Policy(catalog), read)
    said: dict[str, Any] = {}
    given = 0
    while True:
        decision = question.decide(int(time.time()), time.time_ns())
        document = decision.to_dict()
        found = document | {"decided_at": ""}
        if found != said:
            said = found
            given += 1
            if asked.options.format == "json":
                yield Result({}, "decision", exit_code(decision), encode(fit(document, UNDER)))
            else:
                yield Result(for_people(decision, question.evaluation, False), "decision", exit_code(decision))
        if given == answers != 0:
            return
        time.sleep(interval)
