"""All minimal sets of changes that people can make after which a turn comes out otherwise, smallest first.

With few changes to choose from every set is tried. With more, the solver proposes sets by the model of
``lever_facts``: each one is checked on the whole policy, and no set that contains a way is proposed again, so what
is found are ways, and minimal ones. That none is missed rests on the model; tests compare it with trying everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.engine.catalog import Case
from loopx_policy.levers import Change, Lever, levers
from loopx_policy.prove.lever_facts import LeverFacts
from loopx_policy.prove.space import Term
from loopx_policy.prove.translate import Translation
from loopx_policy.try_ways import Wanted, Way

FEW = 8
"""So many changes have few enough sets to try each."""
PROPOSALS = 400
"""Sets that the solver may propose before the search says that there may be more."""
EACH = 24
"""Of how many todos or scopes each kind of change is weighed."""
APART = ("name --agent-id", "clear Next Action", "mend the state", "resume the goal")
"""Changes that change what every other one does, or which there are: after each the turn is looked at anew."""
COMING = ("provide the capability", "add ", "release the lease")
"""Changes that a todo may need that another change brings in; they do the same before it."""
FINISHING = "finish "
"""Work that a change has brought in is work for a turn: to finish it too is not offered."""


@dataclass(slots=True)
class Found:
    """The minimal ways; ``complete`` unless something was cut short."""

    ways: list[Way] = field(default_factory=list)
    complete: bool = True

    def keep(self, way: Way) -> None:
        """Take a way in, unless a part of it is one already."""
        changes = set(way.changes)
        if not any(set(known.changes) <= changes for known in self.ways):
            self.ways = [known for known in self.ways if not changes <= set(known.changes)]
            self.ways.append(way)


def find(policy: Policy, turn: Evaluation, wanted: Wanted, *, few: int = FEW) -> Found:
    """The minimal sets of changes after which a wanted case leads; up to ``few`` changes are tried set by set."""
    found = Found()
    for start in starts(policy, turn):
        search = start.try_all if len(start.choices) <= few else start.ask
        for way in search(wanted):
            found.keep(way)
        found.complete = found.complete and start.complete
    found.ways.sort(key=lambda way: len(way.changes))
    return found


def starts(policy: Policy, turn: Evaluation) -> Iterator[Start]:
    """The turn as it is, and after each set of changes that stand apart."""
    waiting = [Start(policy, turn, ())]
    seen: set[frozenset[str]] = set()
    while waiting:
        start = waiting.pop(0)
        yield start
        for lever in start.apart:
            made = (*start.made, lever.words)
            if frozenset(made) not in seen:
                seen.add(frozenset(made))
                waiting.append(Start(policy, policy.evaluate(lever.change(start.turn.snapshot)), made))


class Start:
    """A turn after some changes were ``made``, and what else can be changed there."""

    __slots__ = ("apart", "choices", "complete", "made", "parts", "policy", "turn")

    def __init__(self, policy: Policy, turn: Evaluation, made: tuple[str, ...]) -> None:
        self.policy = policy
        self.turn = turn
        self.made = made
        offered = list({lever.words: lever for lever in levers(turn.turn, EACH)}.values())
        self.complete = len(levers(turn.turn, EACH + 1)) == len(levers(turn.turn, EACH))
        self.apart = [lever for lever in offered if lever.words.startswith(APART)]
        self.choices = [lever for lever in offered if not lever.words.startswith(APART)]
        self.parts: dict[str, tuple[str, ...]] = {}
        self._uncovered({lever.words for lever in offered})

    def _uncovered(self, known: set[str]) -> None:
        """Offer what only a change brings up: alone where it does the same before that change, else both as one."""
        offered = len(self.choices)
        for number, lever in enumerate(self.choices):  # which grows: two changes may bring up a third
            for more in levers(self.policy.evaluate(lever.change(self.turn.snapshot)).turn, EACH):
                if more.words in known or more.words.startswith((*APART, FINISHING)):
                    continue
                if more.words.startswith(COMING):
                    known.add(more.words)
                    self.choices.append(more)
                elif number < offered:
                    both = Lever(f"{lever.words} and {more.words}", _both(lever, more))
                    self.parts[both.words] = (lever.words, more.words)
                    self.choices.append(both)

    def words(self, chosen: Sequence[Lever]) -> list[str]:
        """The changes in words."""
        parts = [part for lever in chosen for part in self.parts.get(lever.words, (lever.words,))]
        return list(dict.fromkeys(parts))

    def after(self, chosen: Sequence[Lever]) -> Case | None:
        """The case that leads once these changes are made too, in their order."""
        snapshot = self.turn.snapshot
        for lever in chosen:
            snapshot = lever.change(snapshot)
        return self.policy.evaluate(snapshot).combined.lead

    def _way(self, chosen: Sequence[Lever], case: Case) -> Way:
        return Way(case.key, case.mode, [*self.made, *self.words(chosen)])

    def try_all(self, wanted: Wanted) -> Iterator[Way]:
        """The minimal ways from here, by trying every set of changes."""
        ways: list[set[int]] = []
        for size in range(0 if self.made else 1, len(self.choices) + 1):
            for numbers in combinations(range(len(self.choices)), size):
                if any(way <= set(numbers) for way in ways):
                    continue
                chosen = [self.choices[number] for number in numbers]
                case = self.after(chosen)
                if case is not None and wanted(case):
                    ways.append(set(numbers))
                    yield self._way(chosen, case)

    def ask(self, wanted: Wanted) -> Iterator[Way]:
        """The minimal ways from here, as the solver proposes them."""
        facts = LeverFacts(self.policy, self.turn, self.choices)
        z3 = facts.space.z3
        solver = z3.Solver()
        solver.add(*facts.equations(), self._target(facts, wanted))
        if not self.made:
            solver.add(z3.Or(facts.chosen))
        asked = 0
        weights = [len(self.words([lever])) for lever in self.choices]
        for size in range(sum(weights) + 1):
            within = z3.PbLe(list(zip(facts.chosen, weights, strict=True)), size)
            solver.push()
            solver.add(within)
            while str(solver.check()) == "sat":
                asked += 1
                if asked > PROPOSALS:
                    self.complete = False
                    return
                model = solver.model()
                numbers = [number for number, term in enumerate(facts.chosen) if z3.is_true(model.eval(term, True))]
                chosen = [self.choices[number] for number in numbers]
                case = self.after(chosen)
                barred = [facts.chosen[number] for number in numbers]
                if case is not None and wanted(case):
                    yield self._way(chosen, case)
                else:
                    barred += [z3.Not(term) for number, term in enumerate(facts.chosen) if number not in numbers]
                solver.pop()
                solver.add(z3.Not(z3.And(barred)))
                solver.push()
                solver.add(within)
            solver.pop()
            if str(solver.check()) != "sat":
                return

    def _target(self, facts: LeverFacts, wanted: Wanted) -> Term:
        """That a case leads which is wanted."""
        translation = Translation(self.policy.catalog, "turn", facts.space)
        cases = self.policy.catalog.cases["turn"]
        return facts.space.z3.Or([translation.leads(case.key) for case in cases if wanted(case)])


def _both(first: Lever, second: Lever) -> Change:
    return lambda snapshot: second.change(first.change(snapshot))
