"""``explain --why-not MODE``: the smallest sets of changes after which the turn would have that mode.

Searched by trying: every single lever, then pairs, then triples, each judged by the whole policy. The search
stops at the first size that has an answer, or when its budget of trials is spent, and then says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.engine.catalog import Case
from loopx_policy.explain import PatternNote, explain
from loopx_policy.levers import Lever, levers

MOST = 3
TRIALS = 4000
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


def _search(evaluation: Evaluation, mode: str) -> WhyNot:
    policy = Policy(evaluation.catalog)
    choices = levers(evaluation.turn)
    trials = 0
    for size in range(1, MOST + 1):
        found: list[Way] = []
        for chosen in combinations(choices, size):
            if trials >= TRIALS:
                return WhyNot(
                    mode, found[:SHOWN], f"The search stopped after {TRIALS} trials; there may be other ways."
                )
            trials += 1
            case = _leads(policy, evaluation, chosen)
            if case is not None and case.mode == mode:
                found.append(Way(case.key, [lever.words for lever in chosen]))
        if found:
            more = f"There are {len(found) - SHOWN} more ways of this size." if len(found) > SHOWN else ""
            return WhyNot(mode, found[:SHOWN], more)
    tried = f"{len(choices)} changes, tried alone and up to {MOST} together" if len(choices) > 1 else "1 change tried"
    return WhyNot(mode, note=f"Nothing that can be changed here leads to this mode ({tried}).")


def _leads(policy: Policy, evaluation: Evaluation, chosen: Sequence[Lever]) -> Case | None:
    snapshot = evaluation.snapshot
    for lever in chosen:
        snapshot = lever.change(snapshot)
    return policy.evaluate(snapshot).combined.lead
