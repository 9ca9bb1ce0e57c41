"""The rulesets that a set of conditions becomes in the rule engine, within the limits that were measured there.

The limits, the engine's own numbers for them and what happens beyond each are in ``docs/engine.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import TypeAlias

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import Condition
from loopx_policy.engine.dnf import Conjunct, dnf
from loopx_policy.engine.domain import Runs, bounds, complement
from loopx_policy.engine.shard import SENTINEL, Shard
from loopx_policy.errors import CatalogError

MAX_FACTS = 251  # 254 properties a message; the session, the message id and the sentinel take one each
MAX_PENDING = 64  # alphas that wait at one time while a message descends the network
MAX_RULES = 200  # far from 256 rules behind one alpha (a crash) and 512 alphas below one (a hang)
MAX_SHARDS = 8
MAX_GAPS = 8  # values taken out of an interval one by one before it becomes several rules

Step: TypeAlias = tuple[str, str, int]
"""``(fact, operator, code)``; the operator as the engine spells it, ``""`` for equality."""


_Rule: TypeAlias = tuple[tuple[Step, ...], tuple[str, ...]]
"""The comparisons of one rule, and the keys that it stands for."""


def plan(name: str, items: Mapping[str, Condition], facts: Mapping[str, Fact]) -> tuple[Shard, ...]:
    """The rulesets for some named conditions of one decision point; at least one, since the sentinel must fire.

    :class:`CatalogError` if a condition does not fit the vocabulary or the whole does not fit the engine.
    """
    rules = _rules(items, facts)
    for steps, keys in rules:
        if len({fact for fact, _, _ in steps}) > MAX_FACTS:
            raise CatalogError(
                f"{', '.join(keys)}: the condition reads more than {MAX_FACTS} facts of the point {name}.",
                fix="Split the case.",
            )
    for count in range(1, MAX_SHARDS + 1):
        groups = _spread(rules, count)
        if all(_fits(group) for group in groups):
            return tuple(_shard(group) for group in groups)
    raise CatalogError(
        f"The decision point {name} needs more than the {MAX_SHARDS} rulesets that are allowed.",
        fix="Split the decision point, or let its conditions share facts.",
    )


def _rules(items: Mapping[str, Condition], facts: Mapping[str, Fact]) -> list[_Rule]:
    """One rule for each distinct conjunct, sorted so that rules with a common beginning are neighbours."""
    owners: dict[Conjunct, list[str]] = {}
    for key, condition in items.items():
        try:
            conjuncts = dnf(condition, facts)
        except CatalogError as error:
            raise CatalogError(f"{key}: {error.message}", at=error.at, fix=error.fix) from None
        for conjunct in conjuncts:
            owners.setdefault(conjunct, []).append(key)
    uses: dict[str, int] = {}
    for conjunct in owners:
        for fact, _ in conjunct:
            uses[fact] = uses.get(fact, 0) + 1
    by_steps: dict[tuple[Step, ...], set[str]] = {}
    for conjunct, keys in owners.items():
        # The most used fact first: a shared beginning is one path in the network, and few alphas wait at the root.
        ordered = sorted(conjunct, key=lambda part: (-uses[part[0]], part[0]))
        for steps in _alternatives(ordered, facts):
            by_steps.setdefault(steps, set()).update(keys)
    return [(steps, tuple(sorted(keys))) for steps, keys in sorted(by_steps.items())]


def _alternatives(conjunct: Iterable[tuple[str, Runs]], facts: Mapping[str, Fact]) -> list[tuple[Step, ...]]:
    paths: list[tuple[Step, ...]] = [()]
    for name, runs in conjunct:
        paths = [path + steps for path in paths for steps in _steps(facts[name], runs)]
    return paths


def _steps(fact: Fact, runs: Runs) -> list[tuple[Step, ...]]:
    """The runs of one fact as comparisons: one sequence with the gaps taken out, or one a run where they are wide."""
    low, high = bounds(fact)
    gaps = complement(runs, runs[0][0], runs[-1][1])
    if sum(end - start + 1 for start, end in gaps) > MAX_GAPS:
        return [steps for run in runs for steps in _steps(fact, (run,))]
    start, end = runs[0][0], runs[-1][1]
    if start == end:
        return [((fact.name, "", start),)]
    steps: list[Step] = []
    if start > low:
        steps.append((fact.name, "$gte", start))
    if end < high:
        steps.append((fact.name, "$lte", end))
    steps.extend((fact.name, "$neq", code) for first, last in gaps for code in range(first, last + 1))
    return [tuple(steps)]


def _spread(rules: list[_Rule], count: int) -> list[list[_Rule]]:
    size, more = divmod(len(rules), count)
    starts = [number * size + min(number, more) for number in range(count + 1)]
    return [rules[start:end] for start, end in pairwise(starts)]


def _fits(rules: list[_Rule]) -> bool:
    if len(rules) >= MAX_RULES or len(_facts(rules)) > MAX_FACTS:
        return False
    return pending(steps for steps, _ in rules) + 1 <= MAX_PENDING  # one for the sentinel


def _facts(rules: Iterable[_Rule]) -> tuple[str, ...]:
    return tuple(sorted({fact for steps, _ in rules for fact, _, _ in steps}))


def pending(paths: Iterable[tuple[Step, ...]]) -> int:
    """The most alphas that can wait at one time, over all records, when these paths are one network.

    A message takes an alpha off the stack and puts every alpha below it that holds there; so the worst is the
    alphas that can hold together at a node, less the one that is taken, and the worst below that one.
    """
    tree: dict[Step, list[tuple[Step, ...]]] = {}
    for path in paths:
        if path:
            tree.setdefault(path[0], []).append(path[1:])
    if not tree:
        return 0
    by_fact: dict[str, list[Step]] = {}
    for step in tree:
        by_fact.setdefault(step[0], []).append(step)
    here = sum(_together(steps) for steps in by_fact.values())
    return here - 1 + max(1, *(pending(rest) for rest in tree.values()))


def _together(steps: list[Step]) -> int:
    """How many comparisons of one fact can be true of one value."""
    if len(steps) == 1:
        return 1
    codes = {code + shift for _, _, code in steps for shift in (-1, 0, 1)}
    return max(sum(_true(op, code, found) for _, op, code in steps) for found in codes)


def _true(op: str, code: int, found: int) -> bool:
    if op == "$gte":
        return found >= code
    if op == "$lte":
        return found <= code
    return (found == code) is (op == "")


def _shard(rules: list[_Rule]) -> Shard:
    facts = _facts(rules)
    names = {fact: f"f{position}" for position, fact in enumerate(facts)}
    parts = [_rule_text(str(number), steps, number, names) for number, (steps, _) in enumerate(rules)]
    parts.append(_rule_text(SENTINEL, (), len(rules), names))
    properties = "".join(f',"{name}":%d' for name in names.values())
    return Shard(
        definition="{" + ",".join(parts) + "}",
        template='{"sid":"s","id":"r","z":1' + properties + "}",
        facts=facts,
        owners=tuple(keys for _, keys in rules),
    )


def _rule_text(label: str, steps: tuple[Step, ...], priority: int, names: Mapping[str, str]) -> str:
    tests = [
        f'{{"{names[fact]}":{code}}}' if not op else f'{{"{op}":{{"{names[fact]}":{code}}}}}'
        for fact, op, code in steps
    ]
    # A rule without a comparison is always true, like the sentinel; an empty "$and" would fire twice.
    test = '{"$and":[' + ",".join(tests) + "]}" if tests else '{"z":1}'
    return f'"{label}":{{"all":[{{"m":{test}}}],"pri":{priority}}}'
