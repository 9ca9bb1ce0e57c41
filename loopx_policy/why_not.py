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
    """The ways to a mode, all of the smallest size that has any; ``note`` tells how the search ended."""

    mode: str
    ways: list[Way] = field(default_factory=list)
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """``{mode, note, ways: [{case, changes: [words]}]}``."""
        ways = [{"case": way.case, "changes": way.changes} for way in self.ways]
        return {"mode": self.mode, "note": self.note, "ways": ways}


def why_not(evaluation: Evaluation, mode: str) -> dict[str, Any]:
    """The ways to ``mode`` from this turn, as plain data."""
    lead = evaluation.combined.lead
    if lead is not None and lead.mode == mode:
        return WhyNot(mode, note=f"the turn has this mode already, by {lead.key}").to_dict()
    policy = Policy(evaluation.catalog)
    choices = levers(evaluation.turn)
    trials = 0
    for size in range(1, MOST + 1):
        found: list[Way] = []
        for chosen in combinations(choices, size):
            if trials >= TRIALS:
                return WhyNot(mode, found[:SHOWN], f"stopped after {TRIALS} trials; there may be other ways").to_dict()
            trials += 1
            case = _leads(policy, evaluation, chosen)
            if case is not None and case.mode == mode:
                found.append(Way(case.key, [lever.words for lever in chosen]))
        if found:
            more = f"{len(found) - SHOWN} more of this size" if len(found) > SHOWN else ""
            return WhyNot(mode, found[:SHOWN], more).to_dict()
    return WhyNot(mode, note=f"no {MOST} changes that a person can make here lead there").to_dict()


def _leads(policy: Policy, evaluation: Evaluation, chosen: Sequence[Lever]) -> Case | None:
    snapshot = evaluation.snapshot
    for lever in chosen:
        snapshot = lever.change(snapshot)
    return policy.evaluate(snapshot).combined.lead
