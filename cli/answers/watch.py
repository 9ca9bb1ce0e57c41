"""``loopx watch``: the decision of ``quota should-run`` whenever it changes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from loopx_policy.budget import encode, fit
from loopx_policy.decide import Policy
from loopx_policy.project.looks import Mark, latest, mark
from loopx_policy.watch import YOUNG, Watch

from ..request import Globals, Result, ShouldRun
from .goals import snapshot_at
from .policy import load, overlays
from .should_run import UNDER, exit_code, for_people


def watch(asked: ShouldRun, interval: float, answers: int) -> Iterator[Result]:
    """The decision now, and again when it is another one, looking every ``interval`` seconds.

    It ends after ``answers`` of them; 0 never ends. Each has the exit code that ``should-run`` would have.
    """
    question, marks = _question(asked)
    said: dict[str, Any] = {}
    given = 0
    while True:
        if latest(marks) + YOUNG > time.time_ns() or rule_marks(asked.options) != marks:
            question, marks = _question(asked)
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


def _question(asked: ShouldRun) -> tuple[Watch, dict[str, Mark]]:
    """The question under the rules of now, and the marks of those that were added to the program's own."""
    marks = rule_marks(asked.options)
    catalog = load(asked.options)
    read = partial(snapshot_at, asked.options, catalog, asked.goal_id, asked.agent_id, asked.available_capability)
    return Watch(Policy(catalog), read), marks


def rule_marks(options: Globals) -> dict[str, Mark]:
    """The marks of the rules that are added to the program's own."""
    folders = [root for added in overlays(options) for root, _, _ in os.walk(added)]
    files = [os.path.join(folder, name) for folder in folders for name in os.listdir(folder)]
    return {path: mark(path) for path in (*folders, *files)}
