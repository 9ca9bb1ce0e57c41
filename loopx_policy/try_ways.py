"""Ways from one turn to another by trying: every single change, then those that can be made after it, and again.

Each is judged by the whole policy. The search stops at the first size that has an answer, or when its budget of trials
is spent, and then says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.engine.catalog import Case
from loopx_policy.levers import Lever, levers
from loopx_policy.model import Snapshot

MOST = 3
LEAST_TRIALS, MOST_TRIALS = 40, 4_000
MOST_TODOS = 400_000
"""Todos that a search may judge in all its trials: a large state allows fewer of them, within the limits above."""
SHOWN = 5
Wanted = Callable[[Case], bool]


@dataclass(slots=True)
class Way:
    """One set of changes, in words, and the case that leads with its mode once they are made."""

    case: str
    mode: str
    changes: list[str]


@dataclass(slots=True)
class Searched:
    """Ways of the smallest size that has any, and how the search ended."""

    ways: list[Way] = field(default_factory=list)
    note: str = ""


@dataclass(slots=True, frozen=True)
class _Reached:
    """A project after some changes, and what can be changed there: an answered question may uncover the next."""

    words: tuple[str, ...]
    snapshot: Snapshot
    choices: list[Lever]


def search(evaluation: Evaluation, wanted: Wanted) -> Searched:
    """The ways to a wanted case that few changes reach."""
    policy = Policy(evaluation.catalog)
    places = [_Reached((), evaluation.snapshot, levers(evaluation.turn))]
    trials, allowed = 0, MOST_TODOS // (1 + len(evaluation.snapshot.state.todos))
    allowed = max(LEAST_TRIALS, min(MOST_TRIALS, allowed))
    seen: set[frozenset[str]] = set()
    for size in range(1, MOST + 1):
        found: list[Way] = []
        reached: list[_Reached] = []
        for place in places:
            for lever in place.choices:
                words = (*place.words, lever.words)
                if lever.words in place.words or frozenset(words) in seen:
                    continue
                seen.add(frozenset(words))
                if trials >= allowed:
                    return Searched(found[:SHOWN], f"The search ended after {trials} trials; there may be other ways.")
                trials += 1
                after = policy.evaluate(lever.change(place.snapshot))
                case = after.combined.lead
                if case is not None and wanted(case):
                    found.append(Way(case.key, case.mode, list(words)))
                if size < MOST:
                    reached.append(_Reached(words, after.snapshot, levers(after.turn)))
        if found:
            more = f"There are {len(found) - SHOWN} more ways of this size." if len(found) > SHOWN else ""
            return Searched(found[:SHOWN], more)
        places = reached
    tried = f"{trials} sets of up to {MOST} changes" if trials > 1 else "1 change"
    return Searched(note=f"Nothing that can be changed here leads there ({tried} tried).")
