"""The record of a project in which nothing is the matter: what witnesses stay close to."""

from __future__ import annotations

from loopx_policy.decide import Policy
from loopx_policy.engine.catalog import Catalog, Fact
from loopx_policy.engine.conditions import Value
from loopx_policy.project.document import from_document

NOW = "2026-12-01T12:00:00Z"
GOAL = "harbor"
PLAIN = {"now": NOW, "goal": {"id": GOAL}, "todos": [{"todo_id": "todo_a01", "text": "Count the bollards"}]}


def plain_value(fact: Fact) -> Value:
    """False, none, the first of its values."""
    return False if fact.type == "bool" else 0 if fact.type == "count" else fact.values[0]


def default_record(catalog: Catalog, point: str) -> dict[str, Value]:
    """The default record of a decision point.

    A turn's is that of an empty goal, a candidate's that of a todo without needs; elsewhere every fact says least.
    """
    facts = catalog.points[point].facts
    plain = {name: plain_value(fact) for name, fact in facts.items()}
    if point not in ("turn", "candidate"):
        return plain
    document = PLAIN if point == "candidate" else {**PLAIN, "todos": []}
    turn = Policy(catalog).evaluate(from_document(document)).turn
    found = turn.frontier.candidates[0].values if point == "candidate" else turn.record.values
    return {name: found.get(name, plain[name]) for name in facts}
