"""``explain --why-not MODE`` and ``--counterfactual``: the minimal sets of changes that make another turn of this one.

With the solver (``loopx-policy[prove]``) all of them are found, smallest first. Without it, and in very large states,
they are searched for by trying. The answer says which it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.explain import PatternNote, explain
from loopx_policy.try_ways import Searched, Wanted, Way, search

MOST_TODOS = 500
"""So many todos are not put before the solver, each would be a handful of its terms."""


@dataclass(slots=True)
class WhyNot:
    """The ways to a mode (empty: to any other than the turn's own), smallest first.

    ``method`` is ``exact`` where they are all, ``search`` where there may be more; ``note`` tells how the search ended.
    Where there is no way, ``barred`` has the mode's own cases, each with what stands in its way.
    """

    mode: str
    method: Literal["exact", "search"] = "search"
    ways: list[Way] = field(default_factory=list)
    note: str = ""
    barred: list[PatternNote] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """``{mode, method, note, ways: [{case, mode, changes: [words]}], barred: [{key, status, text, ...}]}``."""
        ways = [{"case": way.case, "mode": way.mode, "changes": way.changes} for way in self.ways]
        barred = [note.to_dict() for note in self.barred]
        return {"mode": self.mode, "method": self.method, "note": self.note, "ways": ways, "barred": barred}


def why_not(evaluation: Evaluation, mode: str, *, exact: bool | None = None) -> dict[str, Any]:
    """The ways to ``mode`` from this turn, as plain data. ``exact`` says whether to use the solver, if it is there."""
    lead = evaluation.combined.lead
    if lead is not None and lead.mode == mode:
        return WhyNot(mode, "exact", note=f"The turn has this mode already, by {lead.key}.").to_dict()
    answer = _find(evaluation, mode, lambda case: case.mode == mode, exact)
    if not answer.ways:
        cases = {case.key for case in evaluation.catalog.cases["turn"] if case.mode == mode}
        # Only a case has a stratum; an obligation of the same pattern may have the same key.
        answer.barred = [note for note in explain(evaluation).notes if note.stratum and note.key in cases]
    return answer.to_dict()


def counterfactual(evaluation: Evaluation, *, exact: bool | None = None) -> dict[str, Any]:
    """The ways to any other mode than the turn has."""
    lead = evaluation.combined.lead
    mine = lead.mode if lead is not None else ""
    return _find(evaluation, "", lambda case: case.mode != mine, exact).to_dict()


def _find(evaluation: Evaluation, mode: str, wanted: Wanted, exact: bool | None) -> WhyNot:
    from loopx_policy.prove.space import installed

    if exact is False:
        return _told(mode, search(evaluation, wanted))
    if not installed():
        return _told(mode, search(evaluation, wanted), "With loopx-policy[prove] every way is found.")
    if len(evaluation.snapshot.state.todos) > MOST_TODOS:
        return _told(mode, search(evaluation, wanted), "A state of this size is searched by trying.")
    return _exact(evaluation, mode, wanted)


def _told(mode: str, found: Searched, more: str = "") -> WhyNot:
    return WhyNot(mode, "search", found.ways, " ".join(part for part in (found.note, more) if part))


def _exact(evaluation: Evaluation, mode: str, wanted: Wanted) -> WhyNot:
    from loopx_policy.prove.ways import find

    found = find(Policy(evaluation.catalog), evaluation, wanted)
    if not found.complete:
        note = "There may be more ways than these." if found.ways else "There may be ways that were not tried."
    elif found.ways:
        note = "These are all minimal sets of changes that can be made here."
    else:
        note = "Nothing that can be changed here leads there."
    return WhyNot(mode, "exact" if found.complete else "search", found.ways, note)
