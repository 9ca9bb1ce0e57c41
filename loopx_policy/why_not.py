"""``explain --why-not MODE``: the smallest sets of changes after which the turn would have that mode.

Searched by trying: every single lever, then those that can be pulled after it, and again, each judged by the whole
policy. The search stops at the first size that has an answer, or when its budget of trials is spent, and then says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.explain import PatternNote, explain
from loopx_policy.levers import Lever, levers
from loopx_policy.model import Snapshot

MOST = 3
LEAST_TRIALS, MOST_TRIALS = 40, 4_000
MOST_TODOS = 400_000
"""Todos that a search may judge in all its trials: a large state allows fewer of them, within the limits above."""
SHOWN = 5


@dataclass(slots=True)
class Way:
    """Changes in words, and the case that would lead after them."""

    case: str
    changes: list[str]


@dataclass(slots=True)
class WhyNot:
    """The ways to a mode, all of the smallest size that has any; ``note`` tells how the search ended.

    Where there is no way, ``barred`` has the mode's own cases, each with what stands in its way.
    """

    mode: str
    ways: list[Way] = field(default_factory=list)
    note: str = ""
    barred: list[PatternNote] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """``{mode, note, ways: [{case, changes: [words]}], barred: [{key, status, text, ...}]}``."""
        ways = [{"case": way.case, "changes": way.changes} for way in self.ways]
        return {"mode": self.mode, "note": self.note, "ways": ways, "barred": [note.to_dict() for note in self.barred]}


def why_not(evaluation: Evaluation, mode: str) -> dict[str, Any]:
    """The ways to ``mode`` from this turn, as plain data."""
    lead = evaluation.combined.lead
    if lead is not None and lead.mode == mode:
        return WhyNot(mode, note=f"The turn has this mode already, by {lead.key}.").to_dict()
    answer = _search(evaluation, mode)
    if not answer.ways:
        cases = {case.key for case in evaluation.catalog.cases["turn"] if case.mode == mode}
        # Only a case has a stratum; an obligation of the same pattern may have the same key.
        answer.barred = [note for note in explain(evaluation).notes if note.stratum and note.key in cases]
    return answer.to_dict()


@dataclass(slots=True, frozen=True)
class _Reached:
    """A project after some changes, and what can be changed there: an answered question may uncover the next."""

    words: tuple[str, ...]
    snapshot: Snapshot
    choices: list[Lever]


def _search(evaluation: Evaluation, mode: str) -> WhyNot:
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
                    return WhyNot(
                        mode, found[:SHOWN], f"The search ended after {trials} trials; there may be other ways."
                    )
                trials += 1
                after = policy.evaluate(lever.change(place.snapshot))
                case = after.combined.lead
                if case is not None and case.mode == mode:
                    found.append(Way(case.key, list(words)))
                if size < MOST:
                    reached.append(_Reached(words, after.snapshot, levers(after.turn)))
        if found:
            more = f"There are {len(found) - SHOWN} more ways of this size." if len(found) > SHOWN else ""
            return WhyNot(mode, found[:SHOWN], more)
        places = reached
    tried = f"{trials} sets of up to {MOST} changes" if trials > 1 else "1 change"
    return WhyNot(mode, note=f"Nothing that can be changed here leads to this mode ({tried} tried).")
