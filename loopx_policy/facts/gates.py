"""Open user gates and actions: whom they concern, and what a gate covers.

Seed: Decision Scope Model; IP-003; IP-004. A gate that names the caller without a narrower scope, or
that is global, is blanket. A gate that names a scope or an unblock target is scoped. One that names
nothing, points at a closed or unknown todo, or whose link and scope disagree, is unclear.
"""

from __future__ import annotations

from loopx_policy.facts.record import Record
from loopx_policy.facts.view import View
from loopx_policy.model import DecisionScope, Todo
from loopx_policy.project.scopes import GRANULARITIES
from loopx_policy.records import field, record

SEPARATORS = ("/", ".", ":")


def covers(gate: DecisionScope, required: DecisionScope) -> bool:
    """Whether a decision under ``gate`` is what ``required`` waits for.

    Kinds must agree, and the keys be equal, or the gate's key be ``*``, or the gate be of a broader
    granularity over a boundary that contains the required key.
    """
    if gate.kind != required.kind:
        return False
    if gate.key in ("*", required.key):
        return True
    broader = GRANULARITIES.index(gate.granularity) > GRANULARITIES.index(required.granularity)
    return broader and any(required.key.startswith(gate.key + mark) for mark in SEPARATORS)


@record
class Gates:
    """The open gates and actions of one caller, sorted by reach."""

    blanket: list[Todo] = field(default_factory=list)
    unclear: list[Todo] = field(default_factory=list)
    scoped: list[Todo] = field(default_factory=list)
    elsewhere: list[Todo] = field(default_factory=list)
    actions_elsewhere: list[Todo] = field(default_factory=list)
    actions: list[Todo] = field(default_factory=list)

    @property
    def mine(self) -> list[Todo]:
        """All open gates that concern the caller, in file order."""
        return sorted([*self.blanket, *self.unclear, *self.scoped], key=lambda gate: gate.order)

    def covering(self, todo: Todo) -> list[Todo]:
        """The scoped gates that cover a todo."""
        return [
            gate
            for gate in self.scoped
            if gate.unblocks_todo_id == todo.todo_id
            or (
                gate.decision_scope is not None
                and any(covers(gate.decision_scope, scope) for scope in todo.required_decision_scopes)
            )
        ]


def _is_unclear(gate: Todo, view: View) -> bool:
    if gate.unblocks_todo_id:
        target = view.by_id.get(gate.unblocks_todo_id)
        if target is None or target.status == "done" or target.superseded_by:
            return True
        required = target.required_decision_scopes
        scope = gate.decision_scope
        return scope is not None and bool(required) and not any(covers(scope, need) for need in required)
    return gate.decision_scope is None and not gate.global_gate and not gate.blocks_agent


def sort_gates(view: View) -> Gates:
    """Sort the open gates and actions by whom they concern and what they cover."""
    gates = Gates()
    for gate in view.gates:
        if gate.blocks_agent and gate.blocks_agent != view.me:
            gates.elsewhere.append(gate)
        elif gate.global_gate:
            gates.blanket.append(gate)
        elif _is_unclear(gate, view):
            gates.unclear.append(gate)
        elif gate.decision_scope is None and not gate.unblocks_todo_id:
            gates.blanket.append(gate)
        else:
            gates.scoped.append(gate)
    for action in view.actions:
        mine = not action.blocks_agent or action.blocks_agent == view.me
        (gates.actions if mine else gates.actions_elsewhere).append(action)
    return gates


def project(gates: Gates, record: Record) -> None:
    """Facts ``gates.*`` and ``actions.open``."""
    record.count("gates.open", gates.mine)
    record.count("gates.blanket", gates.blanket)
    record.count("gates.unclear", gates.unclear)
    record.count("gates.elsewhere", gates.elsewhere)
    record.count("actions.open", gates.actions)
    record.count("actions.elsewhere", gates.actions_elsewhere)
