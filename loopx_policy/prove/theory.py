"""A catalog, its axioms and a solver that answers for every record that they allow.

A turn and its candidates share one theory, since laws of a candidate speak of its turn; every other decision point has
one of its own, without axioms: its facts are taken as free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from loopx_policy.catalog_source.laws import AtMost, Axiom, Invariant, Laws
from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.conditions import Value, facts_read
from loopx_policy.errors import LoopxError
from loopx_policy.prove.axioms import Reader
from loopx_policy.prove.space import Space, Term
from loopx_policy.prove.translate import Translation, facts_of, language

TURN, CANDIDATE = "turn", "candidate"
LIMIT_MS = 60_000
"""Time for one question; no question of the shipped catalog takes a hundredth of it."""


class UnansweredError(LoopxError):
    """The solver gave up on a question."""

    exit_code = 1
    kind = "unanswered"


@dataclass(slots=True)
class Answer:
    """A record that shows that something is possible, or what rules it out.

    ``core`` names the assumptions and axioms that together make it impossible, as small as the solver left it.
    """

    record: dict[str, Value] | None
    core: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.record is not None


@dataclass(slots=True)
class Assumption:
    """A named term that a question assumes."""

    name: str
    term: Term


class Theory:
    """One decision point of one catalog. ``translation`` is of the point, ``turn`` of the turn where it has one.

    ``without`` are axioms that are not assumed. ``relied`` collects the axioms that ruled something out.
    """

    __slots__ = ("_guards", "_solver", "axioms", "catalog", "point", "relied", "space", "translation", "turn")

    def __init__(
        self,
        catalog: Catalog,
        laws: Laws,
        point: str = TURN,
        *,
        space: Space | None = None,
        without: Iterable[str] = (),
    ) -> None:
        self.catalog = catalog
        self.point = point
        self.space = space if space is not None else Space(facts_of(catalog, point))
        self.translation = Translation(catalog, point, self.space)
        self.turn: Translation | None = None
        if point == TURN:
            self.turn = self.translation
        elif point == CANDIDATE:
            self.turn = Translation(catalog, TURN, self.space)
            _join(self.translation, self.turn)
        reader = Reader(self.space, language(self.space, self.translation.flags, self.translation.values))
        points = (TURN, CANDIDATE) if point == CANDIDATE else (point,)
        dropped = set(without)
        self.axioms = {
            axiom.id: reader.term(axiom)
            for axiom in laws.axioms
            if axiom.point in points and axiom.id not in dropped and _known(axiom, self.space, self.translation)
        }
        z3 = self.space.z3
        self._solver = z3.Solver()
        self._solver.set("timeout", LIMIT_MS)
        self._solver.add(*self.space.bounds)
        self._guards: dict[str, Term] = {}
        for name, term in self.axioms.items():
            guard = self._guards[name] = z3.Bool(f"axiom {name}")
            self._solver.add(z3.Implies(guard, term))
        self.relied: set[str] = set()

    def ask(self, *assumptions: Assumption | Term, without: Iterable[str] = ()) -> Answer:
        """Whether some record that keeps the axioms, except ``without``, meets the assumptions."""
        z3, solver = self.space.z3, self._solver
        left_out = set(without)
        assumed = {f"axiom {name}": guard for name, guard in self._guards.items() if name not in left_out}
        named = {f"axiom {name}": name for name in self._guards}
        solver.push()
        try:
            for number, item in enumerate(assumptions):
                if isinstance(item, Assumption):
                    name = f"assumption {number}"
                    assumed[name], named[name] = z3.Bool(name), item.name
                    solver.add(z3.Implies(assumed[name], item.term))
                else:
                    solver.add(item)
            verdict = str(solver.check(*assumed.values()))
            if verdict == "sat":
                return Answer(self.space.record(solver.model()))
            if verdict != "unsat":
                raise UnansweredError(f"The solver gave no answer ({solver.reason_unknown()}).", fix="Try it again.")
            core = tuple(named[str(guard)] for guard in solver.unsat_core())
        finally:
            solver.pop()
        self.relied.update(name for name in core if name in self._guards)
        return Answer(None, core)

    def grant(
        self, wishes: Sequence[Assumption], drop: Callable[[tuple[str, ...]], str], firm: Sequence[Term] = ()
    ) -> dict[str, Value]:
        """A record that keeps the axioms, what is firm, and as many of the wishes as go together.

        Of wishes that exclude each other ``drop`` says which one is given up. ``ValueError`` where not even the axioms
        can be kept.
        """
        z3, solver = self.space.z3, self._solver
        solver.push()
        try:
            solver.add(*firm)
            held = {wish.name: z3.Bool(f"wish {wish.name}") for wish in wishes}
            solver.add(*(z3.Implies(held[wish.name], wish.term) for wish in wishes))
            while str(solver.check(*self._guards.values(), *held.values())) != "sat":
                core = {str(guard) for guard in solver.unsat_core()}
                del held[drop(tuple(name for name in held if f"wish {name}" in core))]
            return self.space.record(solver.model())
        finally:
            solver.pop()

    def violated(self, invariant: Invariant) -> Term:
        """That an invariant does not hold."""
        z3, read = self.space.z3, self.translation.term
        return z3.And(read(invariant.when), z3.Not(read(invariant.then)))

    def possible(self, *terms: Term) -> bool:
        """Whether some record that keeps the axioms meets the terms."""
        return bool(self.ask(*terms))


def _join(candidate: Translation, turn: Translation) -> None:
    """Give a candidate the outcomes of its turn: it is deliverable where the turn lists what may run and it may."""
    candidate.flags |= turn.flags
    candidate.values |= turn.values
    z3 = candidate.space.z3
    listed = turn.flags["decision.lists_candidates"]
    candidate.flags["candidate.deliverable"] = z3.And(listed, candidate.flags["verdict.runnable"])


def names_in(axiom: Axiom) -> set[str]:
    """Every word of an axiom."""
    names = set(facts_read(axiom.when))
    for laws in axiom.alternatives:
        for law in laws:
            names |= set((*law.sum, *law.of) if isinstance(law, AtMost) else facts_read(law))
    return names


def _known(axiom: Axiom, space: Space, translation: Translation) -> bool:
    """Whether the space has every word of an axiom; an older catalog may lack some."""
    words = (*space.facts, *translation.flags, *translation.values)
    return names_in(axiom).issubset(words)
