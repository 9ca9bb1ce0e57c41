"""Conditions as they are written, checked against the vocabulary, and back again.

A condition is a mapping whose keys are facts (or ``all``, ``any``, ``none`` with lists of conditions);
several keys mean that all must hold. See docs/rule-files.md for the operators.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from loopx_policy.catalog_source.findings import Mark, Report
from loopx_policy.catalog_source.yaml_nodes import Json, ListNode, MapNode, Node, ScalarNode
from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf, Operator, Value

Order = Literal["gt", "gte", "lt", "lte"]
_ORDERS: Final[dict[str, Order]] = {"gt": "gt", "gte": "gte", "lt": "lt", "lte": "lte"}
_OPERATORS: Final = ("in", "not", *_ORDERS)
_GROUPS: Final = ("all", "any", "none")
NEVER: Final = AnyOf(())
"""Stands for a condition that was reported as wrong."""


@dataclass(slots=True)
class Scope:
    """What a condition of one rule at one point may name, and what it did name (for the unread lint)."""

    point: str
    facts: Mapping[str, Fact]
    own_parameters: Mapping[str, Value | tuple[Value, ...]]
    parameters: Mapping[str, Value | tuple[Value, ...]]
    facts_read: set[str]
    parameters_read: set[str]
    pattern: str


def read_condition(node: Node, scope: Scope, report: Report) -> Condition:
    """The condition in ``node``. What is wrong goes to ``report``; the part it concerns becomes NEVER."""
    if not isinstance(node, MapNode):
        report.error(
            node.mark, "odd-condition", "A condition is a mapping of facts; write {fact: value}, or {} for always."
        )
        return NEVER
    parts: list[Condition] = []
    for key, value in node.entries.items():
        if key in _GROUPS:
            parts.append(_group(key, value, scope, report))
        else:
            parts += _comparison(key, node.keys[key], value, scope, report)
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _group(key: str, node: Node, scope: Scope, report: Report) -> Condition:
    if not isinstance(node, ListNode) or not node.items:
        report.error(node.mark, "odd-condition", f"'{key}' holds a list of conditions; write {key}: [{{fact: value}}].")
        return NEVER
    parts = tuple(read_condition(item, scope, report) for item in node.items)
    if key == "all":
        return AllOf(parts)
    return AnyOf(parts) if key == "any" else NoneOf(parts)


def _comparison(name: str, at: Mark, node: Node, scope: Scope, report: Report) -> list[Condition]:
    fact = scope.facts.get(name)
    if fact is None:
        report.unknown(at, "unknown-fact", f"fact of the point '{scope.point}'", name, scope.facts)
        return [NEVER]
    scope.facts_read.add(name)
    reader = _Values(fact, scope, report)
    if isinstance(node, ScalarNode):
        return [reader.compare("eq", node)]
    if isinstance(node, MapNode) and node.entries:
        return _operators(node, reader)
    report.error(
        node.mark, "odd-condition", f"'{name}' needs a value or an operator; write {name}: {reader.example()}."
    )
    return [NEVER]


def _operators(node: MapNode, reader: _Values) -> list[Condition]:
    report, name = reader.report, reader.fact.name
    for key in node.entries:
        if key not in _OPERATORS:
            report.unknown(node.keys[key], "unknown-operator", "operator", key, _OPERATORS)
            return [NEVER]
    orders = [(_ORDERS[key], value) for key, value in node.entries.items() if key in _ORDERS]
    if len(node.entries) > 1 and not (len(orders) == 2 == len(node.entries) and orders[0][0][0] != orders[1][0][0]):
        report.error(
            node.mark, "mixed-operators",
            f"'{name}' has operators that do not go together; write one, or one of gt/gte with one of lt/lte.",
        )  # fmt: skip
        return [NEVER]
    if orders:
        return _range(node, orders, reader)
    key, value = next(iter(node.entries.items()))
    if reader.fact.type == "bool":
        return [reader.misfit(node.keys[key], key, "write true or false")]
    if key == "in":
        return [reader.members("in", value)]
    if isinstance(value, MapNode):
        inner = value.entries.get("in")
        if inner is not None and len(value.entries) == 1:
            return [reader.members("not_in", inner)]
        report.error(value.mark, "odd-condition", "'not' takes a value or {in: [..]}; use 'none' for anything else.")
        return [NEVER]
    return [reader.compare("ne", value)]


def _range(node: MapNode, orders: list[tuple[Order, Node]], reader: _Values) -> list[Condition]:
    if reader.fact.type != "count":
        wanted = "write true or false" if reader.fact.type == "bool" else "write a value or {in: [..]}"
        return [reader.misfit(node.keys[orders[0][0]], orders[0][0], wanted)]
    parts = [reader.compare(op, value) for op, value in orders]
    low, high = 0, reader.fact.maximum
    for part in parts:
        if not isinstance(part, Compare) or not isinstance(part.value, int):
            return [NEVER]
        if part.op in ("gt", "gte"):
            low = max(low, part.value + (part.op == "gt"))
        else:
            high = min(high, part.value - (part.op == "lt"))
    name, top = reader.fact.name, reader.fact.maximum
    if low > high:
        reader.report.error(
            node.mark,
            "empty-range",
            f"No value of '{name}' (0 to {top}) is in this range; write one that some value meets.",
        )
    elif (low, high) == (0, top):
        reader.report.warn(
            node.mark, "idle-range", f"Every value of '{name}' (0 to {top}) is in this range; leave the comparison out."
        )
    return list(parts)


class _Values:
    """Reads the literals that one fact is compared with."""

    __slots__ = ("fact", "report", "scope")

    def __init__(self, fact: Fact, scope: Scope, report: Report) -> None:
        self.fact = fact
        self.scope = scope
        self.report = report

    def compare(self, op: Operator, node: Node) -> Condition:
        value = self.literal(node)
        if isinstance(value, tuple):
            self.report.error(
                node.mark,
                "parameter-kind",
                f"The parameter is a list; write {self.fact.name}: {{in: $name}} to compare with one.",
            )
            return NEVER
        return NEVER if value is None else Compare(self.fact.name, op, value)

    def members(self, op: Operator, node: Node) -> Condition:
        if isinstance(node, ScalarNode):
            value = self.literal(node) if _is_reference(node) else None
            if isinstance(value, tuple):
                return Compare(self.fact.name, op, value)
            if value is not None or not _is_reference(node):
                self.report.error(
                    node.mark, "odd-condition", "'in' takes a list; write in: [..], or a parameter that is a list."
                )
            return NEVER
        if not isinstance(node, ListNode) or not node.items:
            self.report.error(node.mark, "odd-condition", "'in' takes a list of values; write in: [..].")
            return NEVER
        members: list[Value] = []
        for item in node.items:
            value = self.literal(item)
            if value is None:
                return NEVER
            for member in value if isinstance(value, tuple) else (value,):
                if member in members:
                    self.report.error(item.mark, "repeated-value", f"The value {_show(member)} stands twice; keep one.")
                members.append(member)
        return Compare(self.fact.name, op, tuple(members))

    def literal(self, node: Node) -> Value | tuple[Value, ...] | None:
        """A value of the fact's domain; a parameter reference gives the parameter's value. None where reported."""
        if not isinstance(node, ScalarNode):
            self.report.error(node.mark, "odd-condition", f"A value is needed here; write {self.example()}.")
            return None
        if not isinstance(node.value, str) or not _is_reference(node):
            if node.value is None:
                self.report.error(
                    node.mark, "odd-condition", f"'{self.fact.name}' has no value; write {self.example()}."
                )
                return None
            return node.value if self.fits(node.value, node.mark, "") else None
        name = node.value[1:]
        scope = self.scope
        if name in scope.own_parameters:
            value, key = scope.own_parameters[name], f"{scope.pattern}.{name}"
        elif name in scope.parameters:
            value, key = scope.parameters[name], name
        else:
            known = {*scope.own_parameters, *scope.parameters}
            self.report.unknown(node.mark, "unknown-parameter", "parameter", name, known)
            return None
        scope.parameters_read.add(key)
        members = value if isinstance(value, tuple) else (value,)
        return value if all(self.fits(member, node.mark, f" (parameter {name})") for member in members) else None

    def fits(self, value: Value, at: Mark, origin: str) -> bool:
        fact = self.fact
        if fact.type == "bool":
            if isinstance(value, bool):
                return True
            message = f"'{fact.name}' is true or false, not {_show(value)}{origin}; write {self.example()}."
        elif fact.type == "count":
            if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= fact.maximum:
                return True
            message = (
                f"'{fact.name}' counts from 0 to {fact.maximum}, not {_show(value)}{origin}; write a number in between."
            )
        else:
            if isinstance(value, str) and value in fact.values:
                return True
            shown = value if isinstance(value, str) else _show(value)
            self.report.unknown(at, "outside-domain", f"value of '{fact.name}'{origin}", shown, fact.values)
            return False
        self.report.error(at, "outside-domain", message)
        return False

    def misfit(self, at: Mark, operator: str, advice: str) -> Condition:
        fact = self.fact
        kind = {"bool": "true or false", "count": "a count", "enum": "one of a few names"}[fact.type]
        self.report.error(at, "operator-type", f"'{operator}' does not fit '{fact.name}', which is {kind}; {advice}.")
        return NEVER

    def example(self) -> str:
        return {"bool": "true", "count": "0", "enum": self.fact.values[0] if self.fact.values else "name"}[
            self.fact.type
        ]


def _is_reference(node: ScalarNode) -> bool:
    return isinstance(node.value, str) and node.value.startswith("$")


def _show(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def write_condition(condition: Condition) -> dict[str, Json]:
    """The condition as it would stand in a rule file; reading it again gives the same condition."""
    if isinstance(condition, Compare):
        return {condition.fact: _write_value(condition)}
    if isinstance(condition, AnyOf):
        return {"any": [write_condition(part) for part in condition.parts]}
    if isinstance(condition, NoneOf):
        return {"none": [write_condition(part) for part in condition.parts]}
    joined = _join(condition.parts)
    return joined if joined is not None else {"all": [write_condition(part) for part in condition.parts]}


def _join(parts: tuple[Condition, ...]) -> dict[str, Json] | None:
    """The parts as keys of one mapping, or None where two would share a key or a lone one would lose its ``all``."""
    if len(parts) == 1:
        return None
    joined: dict[str, Json] = {}
    for position, part in enumerate(parts):
        if isinstance(part, AllOf):
            if not part.parts:
                return None
            written: dict[str, Json] = {"all": [write_condition(inner) for inner in part.parts]}
        else:
            written = write_condition(part)
        ((key, value),) = written.items()
        if key not in joined:
            joined[key] = value
            continue
        before = parts[position - 1]
        if not (isinstance(part, Compare) and isinstance(before, Compare) and _makes_range(before, part)):
            return None
        if len(_as_dict(joined[key])) > 1:
            return None
        joined[key] = {**_as_dict(joined[key]), **_as_dict(value)}
    return joined


def _as_dict(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _makes_range(one: Compare, other: Compare) -> bool:
    if one.fact != other.fact or one.op not in _ORDERS or other.op not in _ORDERS or one.op[0] == other.op[0]:
        return False
    low, high = (one, other) if one.op[0] == "g" else (other, one)
    if not isinstance(low.value, int) or not isinstance(high.value, int):
        return False
    # Two comparisons that exclude each other are read apart, but as a range they would be a finding.
    return low.value + (low.op == "gt") <= high.value - (high.op == "lt")


def _write_value(compare: Compare) -> Json:
    if isinstance(compare.value, tuple):
        members: dict[str, Json] = {"in": list(compare.value)}
        return members if compare.op == "in" else {"not": members}
    if compare.op == "eq":
        return compare.value
    return {"not" if compare.op == "ne" else compare.op: compare.value}
