"""All minimal sets of changes that people can make after which a turn comes out otherwise, smallest first.

With few changes to choose from every set is tried. With more, the solver proposes sets by the model of
``lever_facts``: each one is checked on the whole policy, and no set that contains a way is proposed again, so what
is found are ways, and minimal ones. That none is missed rests on the model; tests compare it with trying everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.engine.catalog import Case
from loopx_policy.levers import Lever, levers
from loopx_policy.prove.lever_facts import LeverFacts, entering
from loopx_policy.prove.space import Term
from loopx_policy.prove.translate import Translation

FEW = 8
"""So many changes have few enough sets to try each."""
PROPOSALS = 400
"""Sets that the solver may propose before the search says that there may be more."""
CLEAR = "clear Next Action"
Wanted = Callable[[Case], bool]


class Ways:
    """The minimal sets found, as numbers of ``levers``; ``complete`` unless the search was cut short."""

    __slots__ = ("complete", "found", "levers", "policy", "turn")

    def __init__(self, policy: Policy, turn: Evaluation, wanted: Wanted, *, few: int = FEW) -> None:
        self.policy = policy
        self.turn = turn
        self.levers = choices(policy, turn)
        self.found: list[tuple[tuple[int, ...], Case]] = []
        self.complete = True
        names = [number for number, lever in enumerate(self.levers) if lever.words.startswith("name --agent-id")]
        apart = [*names, *(number for number, lever in enumerate(self.levers) if lever.words == CLEAR)]
        others = [number for number in range(len(self.levers)) if number not in apart]
        # Who asks, and what Next Action names, change what every other change does: each is a turn of its own.
        starts = [(*who, *order) for who in ((), *((name,) for name in names)) for order in _subsets(apart, names)]
        for start in starts:
            search = self._try_all if len(others) <= few else self._ask
            for numbers, case in search(start, others, wanted):
                self._keep(numbers, case)
        self.found.sort(key=lambda way: (len(way[0]), way[0]))

    def case_after(self, numbers: Sequence[int]) -> Case | None:
        """The case that leads once these changes are made, in their order."""
        snapshot = self.turn.snapshot
        for number in sorted(numbers):
            snapshot = self.levers[number].change(snapshot)
        return self.policy.evaluate(snapshot).combined.lead

    def _keep(self, numbers: tuple[int, ...], case: Case) -> None:
        if any(set(known) <= set(numbers) for known, _ in self.found):
            return
        self.found = [way for way in self.found if not set(numbers) <= set(way[0])]
        self.found.append((numbers, case))

    def _try_all(
        self, start: tuple[int, ...], others: list[int], wanted: Wanted
    ) -> Iterator[tuple[tuple[int, ...], Case]]:
        ways: list[set[int]] = []
        for size in range(len(others) + 1):
            for chosen in combinations(others, size):
                numbers = tuple(sorted((*start, *chosen)))
                if not numbers or any(way <= set(numbers) for way in ways):
                    continue
                case = self.case_after(numbers)
                if case is not None and wanted(case):
                    ways.append(set(numbers))
                    yield numbers, case

    def _ask(self, start: tuple[int, ...], others: list[int], wanted: Wanted) -> Iterator[tuple[tuple[int, ...], Case]]:
        snapshot = self.turn.snapshot
        for number in start:
            snapshot = self.levers[number].change(snapshot)
        turn = self.policy.evaluate(snapshot)
        free = [self.levers[number] for number in others]
        everything = turn.snapshot
        for lever in entering(turn, [self.policy.evaluate(lever.change(turn.snapshot)) for lever in free], free):
            everything = lever.change(everything)
        facts = LeverFacts(self.policy, turn, free, self.policy.evaluate(everything))
        z3 = facts.space.z3
        solver = z3.Solver()
        solver.add(*facts.equations(), self._target(facts, wanted))
        if not start:
            solver.add(z3.Or(facts.chosen))
        asked = 0
        for size in range(len(free) + 1):
            solver.push()
            solver.add(z3.PbLe([(term, 1) for term in facts.chosen], size))
            while str(solver.check()) == "sat":
                asked += 1
                if asked > PROPOSALS:
                    self.complete = False
                    return
                model = solver.model()
                picked = [place for place, term in enumerate(facts.chosen) if z3.is_true(model.eval(term, True))]
                numbers = tuple(sorted((*start, *(others[place] for place in picked))))
                case = self.case_after(numbers)
                held = z3.And([facts.chosen[place] for place in picked])
                if case is not None and wanted(case):
                    yield numbers, case
                    barred = z3.Not(held)
                else:
                    barred = z3.Not(z3.And(held, *(z3.Not(t) for n, t in enumerate(facts.chosen) if n not in picked)))
                solver.pop()
                solver.add(barred)
                solver.push()
                solver.add(z3.PbLe([(term, 1) for term in facts.chosen], size))
            solver.pop()
            if str(solver.check()) != "sat":
                return

    def _target(self, facts: LeverFacts, wanted: Wanted) -> Term:
        """That a case leads which is wanted."""
        translation = Translation(self.policy.catalog, "turn", facts.space)
        cases = self.policy.catalog.cases["turn"]
        return facts.space.z3.Or([translation.leads(case.key) for case in cases if wanted(case)])


def _subsets(apart: Sequence[int], names: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Nothing, and each change of the order of todos."""
    yield ()
    yield from ((number,) for number in apart if number not in names)


def choices(policy: Policy, turn: Evaluation) -> list[Lever]:
    """What can be changed here, and what can be changed about todos that another change would bring in."""
    first = list({lever.words: lever for lever in levers(turn.turn)}.values())
    known = {lever.words: lever for lever in first}
    tried = [policy.evaluate(lever.change(turn.snapshot)) for lever in first]
    coming = {lever.words for lever in entering(turn, tried, first)}
    for lever, evaluation in zip(first, tried, strict=True):
        for more in levers(evaluation.turn) if lever.words in coming else ():
            if more.words.startswith(("provide the capability", "add ", "release the lease")):
                known.setdefault(more.words, more)
    return list(known.values())
