"""The facts of a turn as terms over the changes that people can make to its project.

Every change is tried alone, once, on the real projection. What it takes out of the evidence of a count, or puts into
it, is known from that, so a count is the number of its todos that are still there; a flag is what the change made of
it. Only the frontier needs more, since several changes may be needed before one todo runs: each candidate is judged by
the candidate rules themselves over a record whose facts are terms (a capability is lacking while one of the missing
names is not provided, and so on).

This is a model of the projection and may differ from it where changes act on each other in further ways; whoever uses
it checks each answer on the whole policy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.engine.conditions import Value
from loopx_policy.facts.boundary import Boundary
from loopx_policy.facts.frontier import KINDS_THAT_BLOCK, Candidate, rank
from loopx_policy.facts.record import NO_EVIDENCE
from loopx_policy.levers import Lever
from loopx_policy.model import Todo
from loopx_policy.prove.space import Space, Term, code_of, top
from loopx_policy.prove.translate import Translation, facts_of

ELSEWHERE = ("gated", "lacks_bridge", "lacks_owner", "lacks_unsupported", "leased")
MISSING = {"bridge": "lacks_bridge", "owner": "lacks_owner", "unsupported": "lacks_unsupported"}
COUNTED = {
    "frontier.gated": "gated",
    "frontier.need_bridge": "lacks_bridge",
    "frontier.need_owner": "lacks_owner",
    "frontier.need_unsupported": "lacks_unsupported",
    "frontier.unprojected": "unprojected",
    "frontier.leased": "leased",
}


@dataclass(slots=True)
class Member:
    """One todo of a count: whether it is there now, and the changes that put it in or take it out."""

    there: bool
    enters: list[int] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Todo:
    """One todo that is or may come into the frontier, with what is known of it."""

    candidate: Candidate
    covering: list[str]
    present: Term = None
    runs: Term = None
    blocks: dict[str, Term] = field(default_factory=dict)


class LeverFacts:
    """``terms`` has the facts of the turn over ``chosen``, one Boolean a lever."""

    __slots__ = ("_base", "_levers", "_policy", "_tried", "_z3", "chosen", "space", "terms")

    def __init__(self, policy: Policy, base: Evaluation, levers: Sequence[Lever]) -> None:
        self._policy = policy
        self._base = base
        self._levers = levers
        self.space = Space(facts_of(policy.catalog, "turn"))
        self._z3 = self.space.z3
        self.chosen = [self._z3.Bool(f"lever {number}") for number in range(len(levers))]
        self._tried = [policy.evaluate(lever.change(base.snapshot)) for lever in levers]
        self.terms: dict[str, Term] = {}
        for name, fact in self.space.facts.items():
            counted = fact.type == "count" and self._of_todos(name)
            self.terms[name] = self._count(name) if counted else self._value(name)
        self._frontier()

    def equations(self) -> list[Term]:
        """That the facts of the space are these terms."""
        return [self.space.variables[name] == term for name, term in self.terms.items()]

    # Counts and flags.

    def _of_todos(self, name: str) -> bool:
        """Whether a count is that of its todos wherever it was seen."""
        for evaluation in (self._base, *self._tried):
            record = evaluation.turn.record
            sources = record.evidence.get(name, NO_EVIDENCE).sources
            if record.values[name] != len(sources) or not all(isinstance(source, Todo) for source in sources):
                return False
        return True

    def _members(self, name: str) -> dict[str, Member]:
        """The todos of a count, by id."""
        now = _ids(self._base, name)
        found = {todo_id: Member(True) for todo_id in now}
        for number, evaluation in enumerate(self._tried):
            then = _ids(evaluation, name)
            for todo_id in now - then:
                found[todo_id].leaves.append(number)
            for todo_id in then - now:
                found.setdefault(todo_id, Member(False)).enters.append(number)
        return found

    def _there(self, member: Member) -> Term:
        changed = self._any(member.leaves if member.there else member.enters)
        return self._z3.Not(changed) if member.there else changed

    def _any(self, numbers: Sequence[int]) -> Term:
        return self._z3.Or([self.chosen[number] for number in numbers])

    def _sum(self, name: str, terms: Sequence[Term]) -> Term:
        """How many of the terms hold, as far as the fact counts."""
        z3, highest = self._z3, top(self.space.facts[name])
        total = z3.Sum([z3.If(term, 1, 0) for term in terms]) if terms else z3.IntVal(0)
        return z3.If(total > highest, highest, total)

    def _count(self, name: str) -> Term:
        return self._sum(name, [self._there(member) for member in self._members(name).values()])

    def _value(self, name: str) -> Term:
        """What the chosen changes made of a fact; the last of them in their order, where several touch it."""
        z3, now = self._z3, self._base.turn.record.values[name]
        term = self._literal(name, now)
        for number, evaluation in enumerate(self._tried):
            then = evaluation.turn.record.values[name]
            if then != now:
                term = z3.If(self.chosen[number], self._literal(name, then), term)
        return term

    def _literal(self, name: str, value: Value) -> Term:
        fact = self.space.facts[name]
        if fact.type == "count":
            return self._z3.IntVal(min(int(value), fact.maximum))
        return self._z3.BoolVal(bool(value)) if fact.type == "bool" else self._z3.IntVal(code_of(fact, value))

    # The frontier.

    def _frontier(self) -> None:
        z3 = self._z3
        todos = self._universe()
        self._judge(todos)
        self.terms["frontier.open"] = self._sum("frontier.open", [todo.present for todo in todos])
        runs = [z3.And(todo.present, todo.runs) for todo in todos]
        self.terms["frontier.runnable"] = self._sum("frontier.runnable", runs)
        for name, kind in COUNTED.items():
            self.terms[name] = self._sum(name, [z3.And(todo.present, todo.blocks[kind]) for todo in todos])
        building = [run for run, todo in zip(runs, todos, strict=True) if todo.candidate.repairs]
        self.terms["frontier.repairs"] = self._sum("frontier.repairs", building)
        first, claim = self._literal("frontier.first", "none"), self._literal("frontier.selected_claim", "none")
        outranked = z3.BoolVal(False)
        for todo, run in reversed(list(zip(todos, runs, strict=True))):
            capable = z3.And(todo.present, *(z3.Not(todo.blocks[kind]) for kind in ELSEWHERE))
            outside = self._literal("frontier.first", "unprojected")
            first = z3.If(capable, z3.If(todo.runs, self._literal("frontier.first", "runnable"), outside), first)
            held = "mine" if todo.candidate.todo.claimed_by else "unclaimed"
            claim = z3.If(run, self._literal("frontier.selected_claim", held), claim)
            outranked = z3.If(run, self._above(todo, todos), outranked)
        self.terms["frontier.first"] = first
        self.terms["frontier.selected_claim"] = claim
        self.terms["frontier.outranked"] = outranked

    def _universe(self) -> list[_Todo]:
        """Every todo that is or may come into the frontier, in the order in which they would be taken."""
        known: dict[str, _Todo] = {}
        for evaluation in (self._base, *self._tried):
            for candidate in evaluation.turn.frontier.candidates:
                covering = [gate.todo_id for gate in evaluation.turn.gates.covering(candidate.todo)]
                known.setdefault(candidate.todo.todo_id, _Todo(candidate, covering))
        members = self._members("frontier.open")
        for todo_id, todo in known.items():
            todo.present = self._there(members[todo_id])
        primary = self._base.turn.view.identity == "primary"
        return sorted(known.values(), key=lambda todo: rank(todo.candidate, primary))

    def _judge(self, todos: Sequence[_Todo]) -> None:
        """Let the candidate rules judge every todo over its own terms."""
        z3, catalog = self._z3, self._policy.catalog
        space = Space(catalog.points["candidate"].facts)
        rules = Translation(catalog, "candidate", space)
        for todo in todos:
            facts = self._candidate(todo, space)
            inside = [(space.variables[name], term) for name, term in facts.items()]
            todo.runs = z3.substitute(rules.flags["verdict.runnable"], *inside)
            for kind in catalog.points["candidate"].blocks:
                todo.blocks[kind] = z3.substitute(rules.flags[f"blocked.{kind}"], *inside)

    def _candidate(self, todo: _Todo, space: Space) -> dict[str, Term]:
        """The record of one candidate as terms."""
        z3, candidate, turn = self._z3, todo.candidate, self.terms
        found: dict[str, Term] = {}
        for name, value in candidate.values.items():
            fact = space.facts[name]
            found[name] = z3.BoolVal(bool(value)) if fact.type == "bool" else z3.IntVal(code_of(fact, value))
        found["gate.blanket"] = turn["gates.blanket"] > 0
        found["gate.unclear"] = turn["gates.unclear"] > 0
        found["gate.scoped"] = turn["gates.open"] > turn["gates.blanket"] + turn["gates.unclear"]
        gates = self._members("gates.open")
        open_ones = [self._there(gates[gate]) for gate in todo.covering if gate in gates]
        found["gate.covers"] = z3.And(found["gate.scoped"], z3.Or(open_ones))
        for kind, name in MISSING.items():
            lacking = [z3.Not(self._by(f"provide the capability {word}")) for word in candidate.missing.get(kind, ())]
            found[f"capability.{name}"] = z3.Or(lacking)
        found["boundary.projected"] = z3.And([self._any(self._covering(scope)) for scope in candidate.outside])
        lease, fact = found["lease.state"], space.facts["lease.state"]
        if candidate.lease is not None:
            released = self._by(f"release the lease on {candidate.lease.todo_id}")
            lease = z3.If(released, z3.IntVal(code_of(fact, "free")), lease)
        for number, evaluation in enumerate(self._tried):
            then = _values(evaluation, candidate.todo.todo_id).get("lease.state")
            if then is not None and then != candidate.values["lease.state"]:
                lease = z3.If(self.chosen[number], z3.IntVal(code_of(fact, then)), lease)
        found["lease.state"] = lease
        return found

    def _covering(self, scope: str) -> list[int]:
        """The changes after which a scope may be written: its own glob, or one that holds it, is added."""
        allowed = [(number, evaluation.snapshot.goal.write_scope) for number, evaluation in enumerate(self._tried)]
        return [number for number, globs in allowed if not Boundary(globs).outside((scope,))]

    def _by(self, words: str) -> Term:
        """That the change of these words is made; false where nobody can make it."""
        return self._any([number for number, lever in enumerate(self._levers) if lever.words == words])

    def _above(self, selected: _Todo, todos: Sequence[_Todo]) -> Term:
        """Whether something that is blocked has a higher priority than the selected todo."""
        z3, rank = self._z3, selected.candidate.todo.priority
        found = [
            z3.And(todo.present, z3.Or([todo.blocks[kind] for kind in KINDS_THAT_BLOCK]))
            for todo in todos
            if todo.candidate.todo.priority < rank
        ]
        members = self._members("todos.blocked")
        ranks = {todo.todo_id: todo.priority for one in (self._base, *self._tried) for todo in one.turn.view.blocked}
        found += [self._there(members[todo_id]) for todo_id, priority in ranks.items() if priority < rank]
        return z3.Or(found)


def _ids(evaluation: Evaluation, name: str) -> set[str]:
    sources = evaluation.turn.record.evidence.get(name, NO_EVIDENCE).sources
    return {source.todo_id for source in sources if isinstance(source, Todo)}


def _values(evaluation: Evaluation, todo_id: str) -> dict[str, Value]:
    """The candidate record of a todo in a turn; empty where it is no candidate."""
    found = (one.values for one in evaluation.turn.frontier.candidates if one.todo.todo_id == todo_id)
    return next(found, {})
