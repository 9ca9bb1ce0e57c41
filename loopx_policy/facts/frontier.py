"""The caller's frontier: candidate records, their verdicts, their order, and the counts of a turn.

Seed: IP-001, IP-002, IP-006, IP-016, IP-021, IP-022. Each candidate is judged by the rules of the
``candidate`` point on a record of its own; the turn sees how many were judged how.
"""

from __future__ import annotations

from collections.abc import Callable

from loopx_policy import globs
from loopx_policy.engine.conditions import Value
from loopx_policy.facts.boundary import Boundary, read_boundary
from loopx_policy.facts.gates import Gates
from loopx_policy.facts.leases import in_force
from loopx_policy.facts.record import Record
from loopx_policy.facts.view import View
from loopx_policy.facts.waits import resume_met
from loopx_policy.model import Lease, Todo
from loopx_policy.records import field, record


@record(frozen=True)
class Verdict:
    """What the rules say of one candidate record: ``blocks`` has the kind of each block, ``cases`` their keys."""

    runnable: bool
    blocks: frozenset[str] = frozenset()
    cases: tuple[str, ...] = ()


Judge = Callable[[dict[str, Value]], Verdict]

NOBODY_KNOWN = "somebody unknown"
"""Who holds a lease that names no owner."""


FACTS = (
    "candidate.claim",
    "candidate.safety",
    "candidate.requires_decision",
    "gate.blanket",
    "gate.unclear",
    "gate.scoped",
    "gate.covers",
    "capability.lacks_bridge",
    "capability.lacks_owner",
    "capability.lacks_unsupported",
    "boundary.projected",
    "lease.state",
)
"""The facts of a candidate record, in order."""


@record
class Candidate:
    """One frontier todo with what was found out about it. ``values`` is one for all that have equal facts."""

    todo: Todo
    values: dict[str, Value]
    verdict: Verdict
    named: bool = False
    missing: dict[str, list[str]] = field(default_factory=dict)
    outside: list[str] = field(default_factory=list)
    lease: Lease | None = None
    repairs: bool = False


@record
class Frontier:
    """The candidates in the order in which they would be taken."""

    candidates: list[Candidate]
    boundary: Boundary

    @property
    def runnable(self) -> list[Candidate]:
        return [candidate for candidate in self.candidates if candidate.verdict.runnable]

    def blocked_as(self, kind: str) -> list[Candidate]:
        """Candidates that carry a block of that kind."""
        return [candidate for candidate in self.candidates if kind in candidate.verdict.blocks]


class _Examiner:
    """Builds candidate records; everything that repeats between todos is looked up once."""

    def __init__(self, view: View, gates: Gates, judge: Judge) -> None:
        self.view = view
        self.judge = judge
        self.judged: dict[tuple[Value, ...], tuple[dict[str, Value], Verdict]] = {}
        self.gates = gates
        self.boundary = read_boundary(view.snapshot.goal, view.snapshot.now)
        self.here = {
            *view.words("builtin_capabilities"),
            *view.snapshot.goal.capabilities,
            *view.snapshot.invocation.capabilities,
        }
        self.bridges = frozenset(view.words("bridge_capabilities"))
        self.owned = frozenset(view.words("owner_capabilities"))
        self.leases = [lease for lease in view.snapshot.leases if self._in_force(lease)]
        self.blanket = bool(gates.blanket)
        self.unclear = bool(gates.unclear)
        self.scoped = bool(gates.scoped)

    def _in_force(self, lease: Lease) -> bool:
        return in_force(lease.expires_at, self.view.snapshot.now, done=self.view.is_done(lease.todo_id))

    def _is_mine(self, lease: Lease) -> bool:
        """A lease that names no owner is somebody else's, whoever asks."""
        return bool(lease.owner) and lease.owner == self.view.me

    def missing(self, todo: Todo) -> dict[str, list[str]]:
        """Absent capabilities by class; what the todo itself targets is not missing to it."""
        found: dict[str, list[str]] = {}
        for name in todo.required_capabilities:
            if name in self.here or name in todo.target_capabilities:
                continue
            kind = "bridge" if name in self.bridges else "owner" if name in self.owned else "unsupported"
            found.setdefault(kind, []).append(name)
        return found

    def lease(self, todo: Todo) -> tuple[str, Lease | None]:
        """The value of ``lease.state`` and the lease behind it."""
        mine: Lease | None = None
        for lease in self.leases:
            if lease.todo_id == todo.todo_id:
                if not self._is_mine(lease):
                    return "taken", lease
                mine = lease
        for lease in self.leases:
            if not self._is_mine(lease) and lease.todo_id != todo.todo_id:
                for scope in todo.required_write_scopes:
                    if any(globs.overlap(scope, other) for other in lease.write_scopes):
                        return "overlapping", lease
        return ("mine", mine) if mine else ("free", None)

    def examine(self, todo: Todo, named: bool) -> Candidate:
        missing = self.missing(todo) if todo.required_capabilities else {}
        outside = self.boundary.outside(todo.required_write_scopes) if todo.required_write_scopes else []
        lease_state, lease = self.lease(todo) if self.leases else ("free", None)
        facts = (
            "mine" if todo.claimed_by else "unclaimed",
            todo.safety_class or "unstated",
            bool(todo.required_decision_scopes),
            self.blanket,
            self.unclear,
            self.scoped,
            self.scoped and bool(self.gates.covering(todo)),
            "bridge" in missing,
            "owner" in missing,
            "unsupported" in missing,
            not outside,
            lease_state,
        )
        known = self.judged.get(facts)
        if known is None:
            values: dict[str, Value] = dict(zip(FACTS, facts, strict=True))
            known = self.judged[facts] = values, self.judge(values)
        repairs = any(name not in self.here for name in todo.target_capabilities)
        return Candidate(todo, *known, named, missing, outside, lease, repairs)


def rank(candidate: Candidate, primary: bool) -> tuple[bool, bool, int, bool, bool, int]:
    """The order in which todos are taken: the least first.

    Named by id in Next Action; mine before unclaimed; priority; for a primary agent what unblocks another agent; what
    repairs a missing capability; position in the file.
    """
    todo = candidate.todo
    unblocks = primary and bool(todo.blocks_agent) and bool(todo.unblocks_todo_id)
    return not candidate.named, not todo.claimed_by, todo.priority, not unblocks, not candidate.repairs, todo.order


def build(view: View, gates: Gates, judge: Judge) -> Frontier:
    """Judge every todo of the frontier and put them in order."""
    examiner = _Examiner(view, gates, judge)
    named = {todo_id for action in view.snapshot.state.next_actions for todo_id in action.todo_ids}
    candidates = [
        examiner.examine(todo, todo.todo_id in named)
        for todo in view.advancement
        if not (todo.blocks_agent and todo.blocks_agent == view.me) and (not todo.resume_when or resume_met(todo, view))
    ]
    primary = view.identity == "primary"
    candidates.sort(key=lambda candidate: rank(candidate, primary))
    return Frontier(candidates, examiner.boundary)


KINDS_THAT_BLOCK = frozenset({"gated", "lacks_bridge", "lacks_owner", "lacks_unsupported", "unprojected"})


def outranking(view: View, frontier: Frontier, gates: Gates, selected: Todo) -> dict[str, tuple[Todo, list[str]]]:
    """Todos of a higher priority than the selected one that their status, a gate, a capability or a scope blocks.

    By id, the most important first, each with the words for what blocks it.
    """
    found = {todo.todo_id: (todo, ["its status"]) for todo in view.blocked}
    for candidate in frontier.candidates:
        if candidate.verdict.blocks & KINDS_THAT_BLOCK:
            missing = [name for names in candidate.missing.values() for name in names]
            covering = [gate.todo_id for gate in gates.covering(candidate.todo)]
            found[candidate.todo.todo_id] = (candidate.todo, [*missing, *covering, *candidate.outside])
    above = [entry for entry in found.values() if entry[0].priority < selected.priority]
    above.sort(key=lambda entry: (entry[0].priority, entry[0].order))
    return {todo.todo_id: (todo, words) for todo, words in above}


def project(view: View, frontier: Frontier, gates: Gates, record: Record) -> None:
    """Facts ``frontier.*``."""
    record.count("frontier.open", [candidate.todo for candidate in frontier.candidates])
    runnable = frontier.runnable
    record.count("frontier.runnable", [candidate.todo for candidate in runnable])
    record.count("frontier.gated", [candidate.todo for candidate in frontier.blocked_as("gated")])
    for fact, kind, missing in (
        ("frontier.need_bridge", "lacks_bridge", "bridge"),
        ("frontier.need_owner", "lacks_owner", "owner"),
        ("frontier.need_unsupported", "lacks_unsupported", "unsupported"),
    ):
        found = frontier.blocked_as(kind)
        names = [name for candidate in found for name in candidate.missing.get(missing, ())]
        record.count(fact, [candidate.todo for candidate in found], list(dict.fromkeys(names)))
    unprojected = frontier.blocked_as("unprojected")
    scopes = [scope for candidate in unprojected for scope in candidate.outside]
    record.count("frontier.unprojected", [c.todo for c in unprojected], list(dict.fromkeys(scopes)))
    leased = frontier.blocked_as("leased")
    owners = [candidate.lease.owner or NOBODY_KNOWN for candidate in leased if candidate.lease]
    record.count("frontier.leased", [candidate.todo for candidate in leased], list(dict.fromkeys(owners)), free=True)

    elsewhere = {"gated", "lacks_bridge", "lacks_owner", "lacks_unsupported", "leased"}
    first = next((c for c in frontier.candidates if not c.verdict.blocks & elsewhere), None)
    if first is None:
        record.word("frontier.first", "none")
    else:
        verdict = "runnable" if first.verdict.runnable else "unprojected"
        record.word("frontier.first", verdict, [first.todo], first.outside)

    selected = runnable[0].todo if runnable else None
    claim = "none" if selected is None else "mine" if selected.claimed_by else "unclaimed"
    record.word("frontier.selected_claim", claim, [selected] if selected else ())
    above = list(outranking(view, frontier, gates, selected).values()) if selected else []
    blockers = dict.fromkeys(word for _, words in above for word in words)
    record.flag("frontier.outranked", bool(above), [todo for todo, _ in above], list(blockers))
    record.count("frontier.repairs", [candidate.todo for candidate in runnable if candidate.repairs])
