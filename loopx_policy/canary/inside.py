"""Checks that are run in the program itself: the lint, and fixtures, each of which is judged once a run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

from loopx_policy.canary.expand import Item
from loopx_policy.canary.lint import lint_canary
from loopx_policy.canary.outcome import Problem
from loopx_policy.catalog_source.lint import lint_folders
from loopx_policy.engine.catalog import Catalog
from loopx_policy.errors import LoopxError
from loopx_policy.fixtures import Runner, load_folder, missing
from loopx_policy.fixtures.load import Fixture
from loopx_policy.fixtures.outcome import Outcome

FOLDER = "fixtures"


class OutOfTime(Exception):
    """The budget is spent."""


class Inside:
    """Runs such checks for one tree. ``hurry`` raises ``OutOfTime`` once there is no time left."""

    __slots__ = ("_catalog", "_fixtures", "_hurry", "_judged", "_root", "_runner", "_unread")

    def __init__(self, root: str, catalog: Catalog, hurry: Callable[[], None]) -> None:
        self._root = root
        self._catalog = catalog
        self._hurry = hurry
        self._runner: Runner | None = None
        self._fixtures: list[Fixture] = []
        self._unread: list[LoopxError] = []
        self._judged: dict[str, list[Outcome]] = {}

    def run(self, item: Item) -> list[Problem]:
        """What is wrong. ``LoopxError`` where it cannot be judged at all."""
        self._hurry()
        return lint() if item.runs.lint else self._patterns(tuple(map(str, item.runs.fixtures)))

    def _patterns(self, patterns: tuple[str, ...]) -> list[Problem]:
        if self._runner is None:
            self._fixtures, self._unread = load_folder(os.path.join(self._root, FOLDER))
            self._runner = Runner(self._catalog)
        found = [problem_at(error.message, error.at) for error in self._unread if error.at.split(os.sep)[0] in patterns]
        chosen = [fixture for fixture in self._fixtures if not set(patterns).isdisjoint(fixture.patterns)]
        for fixture in chosen:
            if fixture.file not in self._judged:
                self._hurry()
                self._judged[fixture.file] = self._runner.run(fixture)
            found += problems_of(self._judged[fixture.file])
        lacking = missing(self._catalog, chosen, patterns)
        return found + [Problem(f"No fixture covers {key}.", f"{FOLDER}/{patterns[0]}") for key in lacking]


def lint() -> list[Problem]:
    """The errors of the lint."""
    return [
        problem(f"{finding.message} [{finding.rule}]", finding.at)
        for finding in (*lint_folders(), *lint_canary())
        if finding.severity == "error"
    ]


def problems_of(outcomes: Iterable[Outcome]) -> list[Problem]:
    """Each difference and each error of some fixtures."""
    found: list[Problem] = []
    for outcome in outcomes:
        name = f"{outcome.fixture}: {outcome.name}"
        if outcome.error is not None:
            found.append(problem_at(f"{name}: {outcome.error.message}", outcome.error.at or outcome.fixture))
        for item in outcome.differences:
            text = f"{name}: {item.field}: wanted {item.wanted}, found {item.found}"
            found.append(problem_at(text, item.at or outcome.fixture))
    return found


def problem_at(text: str, at: str) -> Problem:
    """A problem at a place below the folder of fixtures."""
    return problem(text, f"{FOLDER}/{at}".replace(os.sep, "/"))


def problem(text: str, at: str) -> Problem:
    """A problem at ``file``, ``file:line`` or ``file:line:column``."""
    file, _, rest = at.partition(":")
    line = rest.partition(":")[0]
    return Problem(text, file, int(line) if line.isdigit() else 0)
