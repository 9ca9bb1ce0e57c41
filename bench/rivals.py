"""The turn's conditions in other engines: the same records in, the same matches out, asserted; then timed in turn.

Each engine gets the conditions in its own language once, and then records one at a time, as a decision would give
them. Where an engine answers for one condition at a time, all are asked.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.measure import US, Figure, ratio, side_by_side
from loopx_policy.catalog_cache import load_catalog
from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, Value
from loopx_policy.engine.evaluate import conditions
from loopx_policy.engine.interpret import Interpreter
from loopx_policy.engine.match import Matcher

Record = dict[str, Value]
Asked = Callable[[Record], frozenset[str]]
RECORDS = 64


def name(fact: str) -> str:
    return fact.replace(".", "_")


def literal(value: Value) -> str:
    return json.dumps(value)


def infix(condition: Condition, prefix: str, empty: tuple[str, str] = ("true", "false")) -> str:
    """The condition with ``&&``, ``||`` and ``!``: CEL, Cedar and, with words for them, zen."""
    if isinstance(condition, Compare):
        return leaf(condition, prefix)
    parts = [f"({infix(part, prefix, empty)})" for part in condition.parts]
    if isinstance(condition, AllOf):
        return " && ".join(parts) or empty[0]
    some = " || ".join(parts) or empty[1]
    return some if isinstance(condition, AnyOf) else f"!({some})"


_SIGNS = {"eq": "==", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def leaf(compare: Compare, prefix: str) -> str:
    fact = prefix + name(compare.fact)
    if isinstance(compare.value, tuple):
        some = " || ".join(f"{fact} == {literal(value)}" for value in compare.value)
        return f"({some})" if compare.op == "in" else f"!({some})"
    return f"{fact} {_SIGNS[compare.op]} {literal(compare.value)}"


def plain(record: Record) -> dict[str, Value]:
    return {name(fact): value for fact, value in record.items()}


def durable_rules(catalog: Catalog, items: dict[str, Condition]) -> Asked:
    return Matcher("turn", items, catalog.points["turn"].facts, catalog.shards.get("turn")).matched


def interpreter(catalog: Catalog, items: dict[str, Condition]) -> Asked:
    del catalog
    return Interpreter(items).matched


def rust_cel(catalog: Catalog, items: dict[str, Condition]) -> Asked:
    del catalog
    import cel

    programs = [(key, cel.compile(infix(condition, ""))) for key, condition in items.items()]

    def asked(record: Record) -> frozenset[str]:
        facts = plain(record)
        return frozenset(key for key, program in programs if program.execute(facts))

    return asked


def zen_engine(catalog: Catalog, items: dict[str, Condition]) -> Asked:
    del catalog
    import zen

    words = {"&&": "and", "||": "or", "!(": "not("}
    programs = []
    for key, condition in items.items():
        text = infix(condition, "")
        for sign, word in words.items():
            text = text.replace(sign, word)
        programs.append((key, zen.compile_expression(text)))

    def asked(record: Record) -> frozenset[str]:
        facts = plain(record)
        return frozenset(key for key, program in programs if program.evaluate(facts))

    return asked


def cedar(catalog: Catalog, items: dict[str, Condition]) -> Asked:
    del catalog
    import cedarpy

    text = "\n".join(
        f'@id("{key}") permit(principal, action, resource) when {{ {infix(condition, "context.")} }};'
        for key, condition in items.items()
    )
    policies = cedarpy.PolicySet.from_str(text) if hasattr(cedarpy.PolicySet, "from_str") else text
    ids = [f"policy{number}" for number in range(len(items))]
    names = dict(zip(ids, items, strict=True))

    def asked(record: Record) -> frozenset[str]:
        request = {"principal": 'A::"a"', "action": 'Action::"a"', "resource": 'R::"r"', "context": plain(record)}
        answer = cedarpy.is_authorized(request, policies, [])
        return frozenset(names.get(reason, reason) for reason in answer.diagnostics.reasons)

    return asked


def rego(catalog: Catalog, items: dict[str, Condition]) -> Asked:
    del catalog
    from opa_eval import OpaEval

    lines = ["package turn", "import rego.v1", ""]
    for key, condition in items.items():
        lines += _rego(condition, f"matched contains {json.dumps(key)}", lines)
    folder = Path(tempfile.mkdtemp())
    (folder / "turn.rego").write_text("\n".join(lines) + "\n")
    policy = OpaEval(str(folder / "turn.rego"), query="data.turn.matched")

    def asked(record: Record) -> frozenset[str]:
        return frozenset(policy.evaluate_parsed(json.dumps(plain(record))))

    return asked


def _rego(condition: Condition, head: str, lines: list[str]) -> list[str]:
    """A rule whose body is the condition; disjunctions become helper rules."""
    body = _rego_body(condition, lines)
    return [f"{head} if {{", *(f"  {line}" for line in body or ["true"]), "}", ""]


def _rego_body(condition: Condition, lines: list[str]) -> list[str]:
    if isinstance(condition, Compare):
        fact = f"input.{name(condition.fact)}"
        if isinstance(condition.value, tuple):
            inside = f"{fact} in {{{', '.join(map(literal, condition.value))}}}"
            return [inside] if condition.op == "in" else [f"not {inside}"]
        return [f"{fact} {_SIGNS[condition.op]} {literal(condition.value)}"]
    if isinstance(condition, AllOf):
        return [line for part in condition.parts for line in _rego_body(part, lines)]
    helper = f"some{len(lines)}"
    made = [line for part in condition.parts for line in _rego(part, helper, lines)]
    lines += made or [f"{helper} if false", ""]
    return [helper] if isinstance(condition, AnyOf) else [f"not {helper}"]


ENGINES: dict[str, Callable[[Catalog, dict[str, Condition]], Asked]] = {
    "durable_rules": durable_rules,
    "our interpreter": interpreter,
    "Rust CEL": rust_cel,
    "zen-engine": zen_engine,
    "cedarpy": cedar,
    "opa-eval (regorus)": rego,
}


def records(catalog: Catalog, count: int, seed: int = 29) -> list[Record]:
    """Fact records of a turn: half of them near a quiet goal, so that not everything matches everywhere."""
    chance = random.Random(seed)
    facts = catalog.points["turn"].facts
    found = []
    for number in range(count):
        wild = 0.9 if number % 2 else 0.1
        found.append({fact: _value(spec, chance, wild) for fact, spec in facts.items()})
    return found


def _value(spec: Any, chance: random.Random, wild: float) -> Value:
    if spec.type == "bool":
        return chance.random() < wild / 2
    if spec.type == "count":
        return chance.choice((0, 1, 2, min(6, spec.maximum))) if chance.random() < wild else 0
    return chance.choice(spec.values) if chance.random() < wild else spec.values[0]


def rivals(folder: Path, quick: bool) -> Iterator[Figure]:
    """All conditions of a turn over the same records in each engine, as multiples of our interpreter."""
    del folder
    catalog = load_catalog()
    items = conditions(catalog, "turn")
    given = records(catalog, RECORDS)
    asked = {label: build(catalog, items) for label, build in ENGINES.items()}
    wanted = [asked["our interpreter"](record) for record in given]
    for label, ask in asked.items():
        for record, want in zip(given, wanted, strict=True):
            found = ask(record)
            assert found == want, (label, sorted(found ^ want))

    def over(ask: Asked) -> Callable[[], None]:
        def work() -> None:
            for record in given:
                ask(record)

        return work

    taken = side_by_side([over(ask) for ask in asked.values()], 5 if quick else 20, 1)
    base = taken[list(asked).index("our interpreter")]
    for label, each in zip(asked, taken, strict=True):
        yield Figure(
            "engines", f"{label}, {len(items)} conditions", each.median / RECORDS * US, "us", each.spread / RECORDS * US
        )
    for label, each in zip(asked, taken, strict=True):
        yield Figure("engines", f"{label} / our interpreter", ratio(each, base), "x", ratio=True)
