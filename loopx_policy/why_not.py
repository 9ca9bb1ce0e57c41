"""``explain --why-not MODE`` and ``--counterfactual``: the minimal sets of changes that make another turn of this one.

With the solver (``loopx-policy[prove]``) all of them are found, smallest first. Without it they are searched for by
trying: every single lever, then pairs, then triples, each judged by the whole policy, up to the first size that has an
answer or until a budget of trials is spent. The answer says which it was.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.engine.catalog import Case
from loopx_policy.levers import Lever, levers

MOST = 3
TRIALS = 4000
Wanted = Callable[[Case], bool]


@dataclass(slots=True)
class Way:
    """Changes in words, the case that would lead after them, and its mode."""

    case: str
    mode: str
    changes: list[str]


@dataclass(slots=True)
class WhyNot:
    """The ways to a mode (empty: to any other than the turn's own), smallest first.

    ``method`` is ``exact`` where they are all, ``search`` where they are those of the smallest size that was found;
    ``note`` tells how the search ended.
    """

    mode: str
    method: Literal["exact", "search"] = "search"
    ways: list[Way] = field(default_factory=list)
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """``{mode, method, note, ways: [{case, mode, changes: [words]}]}``."""
        ways = [{"case": way.case, "mode": way.mode, "changes": way.changes} for way in self.ways]
        return {"mode": self.mode, "method": self.method, "note": self.note, "ways": ways}


def why_not(evaluation: Evaluation, mode: str, *, exact: bool | None = None) -> dict[str, Any]:
    """The ways to ``mode`` from this turn, as plain data. ``exact`` says whether to use the solver, if it is there."""
    lead = evaluation.combined.lead
    if lead is not None and lead.mode == mode:
        return WhyNot(mode, "exact", note=f"the turn has this mode already, by {lead.key}").to_dict()
    return _find(evaluation, mode, lambda case: case.mode == mode, exact).to_dict()


def counterfactual(evaluation: Evaluation, *, exact: bool | None = None) -> dict[str, Any]:
    """The ways to any other mode than the turn has."""
    lead = evaluation.combined.lead
    mine = lead.mode if lead is not None else ""
    return _find(evaluation, "", lambda case: case.mode != mine, exact).to_dict()


def _find(evaluation: Evaluation, mode: str, wanted: Wanted, exact: bool | None) -> WhyNot:
    from loopx_policy.prove.space import installed

    if exact is False or not installed():
        found = _search(evaluation, mode, wanted)
        missing = "" if exact is False else "; loopx-policy[prove] finds every way"
        found.note = f"{found.note}{missing}"
        return found
    return _exact(evaluation, mode, wanted)


def _exact(evaluation: Evaluation, mode: str, wanted: Wanted) -> WhyNot:
    from loopx_policy.prove.ways import Ways

    ways = Ways(Policy(evaluation.catalog), evaluation, wanted)
    told = [Way(case.key, case.mode, [ways.levers[number].words for number in numbers]) for numbers, case in ways.found]
    if not ways.complete:
        note = f"{len(told)} minimal sets of changes, smallest first; there may be more"
    elif not told:
        note = "no changes that a person can make here lead there"
    else:
        note = "these are all minimal sets of changes that a person can make here"
    return WhyNot(mode, "exact" if ways.complete else "search", told, note)


def _search(evaluation: Evaluation, mode: str, wanted: Wanted) -> WhyNot:
    policy = Policy(evaluation.catalog)
    choices = levers(evaluation.turn)
    trials = 0
    for size in range(1, MOST + 1):
        found: list[Way] = []
        for chosen in combinations(choices, size):
            if trials >= TRIALS:
                note = f"stopped after {TRIALS} trials; there may be other ways"
                return WhyNot(mode, "search", found, note)
            trials += 1
            case = _leads(policy, evaluation, chosen)
            if case is not None and wanted(case):
                found.append(Way(case.key, case.mode, [lever.words for lever in chosen]))
        if found:
            return WhyNot(mode, "search", found, f"searched by trying; larger sets than {size} were not tried")
    return WhyNot(mode, note=f"no {MOST} changes that a person can make here lead there")


def _leads(policy: Policy, evaluation: Evaluation, chosen: Sequence[Lever]) -> Case | None:
    snapshot = evaluation.snapshot
    for lever in chosen:
        snapshot = lever.change(snapshot)
    return policy.evaluate(snapshot).combined.lead
