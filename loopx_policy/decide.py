"""The one door: a snapshot in, one decision out.

``evaluate`` gives everything that explanation needs; ``decide`` gives the answer. Nothing here reads a file,
a clock or the environment: equal snapshots and catalogs give equal decisions, byte for byte.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from loopx_policy.collector import MANY, Paused
from loopx_policy.decision import Decision, build
from loopx_policy.engine.catalog import Case, Catalog, Point
from loopx_policy.engine.combine import Combined, entries, merge, stricter
from loopx_policy.engine.conditions import Value
from loopx_policy.engine.evaluate import Evaluator, Matches
from loopx_policy.facts import turn as turn_facts
from loopx_policy.facts.frontier import Verdict
from loopx_policy.facts.history import may_steer
from loopx_policy.facts.turn import Turn
from loopx_policy.model import Snapshot
from loopx_policy.records import record

if TYPE_CHECKING:
    from loopx_policy.hints.order import Effect

RUNNABLE = "runnable"


@record
class Evaluation:
    """A turn with what matched: facts and evidence in ``turn``, the combination in ``combined``.

    ``hinted`` says what hints did to the order of ``turn.frontier``; none where they did nothing.
    """

    snapshot: Snapshot
    catalog: Catalog
    turn: Turn
    matches: Matches
    combined: Combined
    candidate_disagreement: bool = False
    hinted: Effect | None = None

    @property
    def disagreement(self) -> bool:
        """Whether the two engines differed anywhere; the stricter answer stands."""
        return self.matches.disagreement or self.candidate_disagreement


class Policy:
    """A catalog made ready to evaluate. Build once, use for any number of snapshots."""

    __slots__ = ("_candidate", "_entries", "_turn", "catalog")

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._entries = entries(catalog)
        self._candidate = Evaluator(catalog, "candidate", catalog.shards.get("candidate"))
        self._turn = Evaluator(catalog, "turn", catalog.shards.get("turn"))

    def __repr__(self) -> str:
        return f"Policy({self.catalog.digest})"

    def forget(self) -> None:
        """Drop the answers that were remembered by record: what is then asked is judged anew."""
        self._candidate.forget()
        self._turn.forget()

    def evaluate(self, snapshot: Snapshot) -> Evaluation:
        """Project, judge each candidate, match and combine."""
        judge = _Judge(self.catalog, self._candidate)
        with Paused(len(snapshot.state.todos) > MANY):
            turn = turn_facts.project(snapshot, self.catalog.parameters, judge)
        saturate(turn.record.values, self.catalog.points["turn"])
        matches = self._turn.evaluate(turn.record.values)
        if matches.disagreement:
            both = (merge(self._entries, matches.by_engine), merge(self._entries, matches.by_interpreter))
            combined = stricter(self.catalog, *both)
        else:
            combined = merge(self._entries, frozenset(matches.keys))
        return Evaluation(snapshot, self.catalog, turn, matches, combined, judge.disagreement, _hinted(turn))

    def decide(self, snapshot: Snapshot) -> Decision:
        """The decision for the caller of a snapshot."""
        return build(self.evaluate(snapshot))


def _hinted(turn: Turn) -> Effect | None:
    """The last step: hints put runnable equals in order. What leads has been decided."""
    if len(turn.frontier.candidates) < 2 or not may_steer(turn.view):
        return None
    from loopx_policy.hints.order import apply

    return apply(turn)


class _Judge:
    """Judges candidate records by the catalog; deny-overrides, and deny where nothing permits."""

    def __init__(self, catalog: Catalog, evaluator: Evaluator) -> None:
        self._cases = {f"case:{case.key}": case for case in catalog.cases.get("candidate", ())}
        self._evaluator = evaluator
        self.disagreement = False

    def __call__(self, values: dict[str, Value]) -> Verdict:
        matches = self._evaluator.evaluate(values)
        self.disagreement |= matches.disagreement
        return judged([self._cases[key] for key in matches.keys if key in self._cases], not matches.disagreement)


def judged(cases: list[Case], agreed: bool = True) -> Verdict:
    """The verdict on a candidate from the cases that matched: every denial counts, and a permission is needed."""
    denied = [case for case in cases if case.verdict != RUNNABLE]
    return Verdict(
        runnable=bool(cases) and not denied and agreed,
        blocks=frozenset(case.blocks for case in denied),
        cases=tuple(case.key for case in denied or cases),
    )


def saturate(values: dict[str, Value], point: Point) -> None:
    """Cap every count at the maximum of its declaration."""
    for name, fact in point.facts.items():
        if fact.type == "count":
            value = values[name]
            if isinstance(value, int) and value > fact.maximum:
                values[name] = fact.maximum


def decide(snapshot: Snapshot, catalog: Catalog) -> Decision:
    """One decision; for many, keep a :class:`Policy`."""
    return Policy(catalog).decide(snapshot)
