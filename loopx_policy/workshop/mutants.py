"""One-place changes of the catalog's rules: each is a mistake that somebody could make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from loopx_policy.engine.catalog import Case, Catalog, Obligation, Withholding
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf
from loopx_policy.records import replace
from loopx_policy.workshop.coverage import Path, walk
from loopx_policy.workshop.words import comparison, right

Kind = Literal["case", "obligation", "withhold"]
ALWAYS: Condition = AllOf(())
NEVER: Condition = AnyOf(())
_LOOSER = {"gt": "gte", "gte": "gt", "lt": "lte", "lte": "lt"}
_NEGATED = {"eq": "ne", "ne": "eq", "in": "not_in", "not_in": "in", "gt": "lte", "gte": "lt", "lt": "gte", "lte": "gt"}
_KINDS = ("user", "agent", "view")
_WITHHELD = ("delivery", "spending", "quiet")


@dataclass(slots=True, frozen=True)
class Mutant:
    """A changed entry of the catalog. ``entry`` replaces the one with its key; ``None`` takes it out.

    ``id`` is stable while the rule is: ``turn case:IP-021.ask_owner mode skip``. ``condition`` says that nothing but
    the condition differs, ``moved`` that the order of the turn's cases has to be made anew.
    """

    id: str
    point: str
    kind: Kind
    key: str
    entry: Any
    condition: bool = False
    moved: bool = False


def mutants(catalog: Catalog) -> Iterator[Mutant]:
    """Every mutant of the catalog, in the order of its entries."""
    for point, cases in catalog.cases.items():
        for case in cases:
            yield from _conditions(point, "case", case)
            yield from _turn_case(catalog, case) if point == "turn" else _verdict(catalog, point, case)
    for duty in catalog.obligations:
        yield from _conditions("turn", "obligation", duty)
        yield from _obligation(catalog, duty)
    for item in catalog.withholdings:
        yield from _conditions("turn", "withhold", item)
        for what in _WITHHELD:
            if what != item.what:
                yield _made("turn", "withhold", item, f"withholds {what}", replace(item, what=what))


def _made(point: str, kind: Kind, entry: Any, said: str, changed: Any, **how: bool) -> Mutant:
    return Mutant(f"{point} {kind}:{entry.key} {said}", point, kind, entry.key, changed, **how)


def _conditions(point: str, kind: Kind, entry: Case | Obligation | Withholding) -> Iterator[Mutant]:
    yield _made(point, kind, entry, "taken out", None, condition=True)
    seen = set()
    for said, condition in _mutated(entry.when):
        if said not in seen:
            seen.add(said)
            yield _made(point, kind, entry, said, replace(entry, when=condition), condition=True)


def _mutated(condition: Condition) -> Iterator[tuple[str, Condition]]:
    for path, leaf in walk(condition):
        name = comparison(leaf)
        yield f"{name} -> true", put(condition, path, ALWAYS)
        yield f"{name} -> false", put(condition, path, NEVER)
        yield f"{name} negated", put(condition, path, replace(leaf, op=_NEGATED[leaf.op]))
        for other in _neighbours(leaf):
            yield f"{name} -> {right(other)}", put(condition, path, other)
    for path, joint in _joints(condition):
        for said, other_joint in _rejoined(joint):
            yield f"{said} at {'.'.join(map(str, path)) or 'the top'}", put(condition, path, other_joint)


def _neighbours(leaf: Compare) -> Iterator[Compare]:
    """Figures one off, operators one off, word lists one short."""
    value = leaf.value
    if leaf.op in _LOOSER:
        yield replace(leaf, op=_LOOSER[leaf.op])
    if isinstance(value, tuple) and len(value) > 1:
        for number in range(len(value)):
            yield replace(leaf, value=value[:number] + value[number + 1 :])
    elif type(value) is int:
        for figure in (value - 1, value + 1):
            if figure >= 0:
                yield replace(leaf, value=figure)


def _joints(condition: Condition, path: Path = ()) -> Iterator[tuple[Path, AllOf | AnyOf | NoneOf]]:
    if isinstance(condition, Compare):
        return
    if len(condition.parts) > 1:
        yield path, condition
    for number, part in enumerate(condition.parts):
        yield from _joints(part, (*path, number))


def _rejoined(joint: AllOf | AnyOf | NoneOf) -> Iterator[tuple[str, Condition]]:
    if isinstance(joint, AllOf):
        yield "all -> any", AnyOf(joint.parts)
    elif isinstance(joint, AnyOf):
        yield "any -> all", AllOf(joint.parts)
    else:
        yield "none -> any", AnyOf(joint.parts)
        yield "none -> not all", NoneOf((AllOf(joint.parts),))


def put(condition: Condition, path: Path, part: Condition) -> Condition:
    """The condition with another part at a place."""
    if not path:
        return part
    assert not isinstance(condition, Compare)
    parts = list(condition.parts)
    parts[path[0]] = put(parts[path[0]], path[1:], part)
    return type(condition)(tuple(parts))


def _turn_case(catalog: Catalog, case: Case) -> Iterator[Mutant]:
    for mode in catalog.modes:
        if mode != case.mode:
            action = catalog.modes[mode].effective_actions[0]
            yield _made("turn", "case", case, f"mode {mode}", replace(case, mode=mode, effective_action=action))
    for action in catalog.modes[case.mode].effective_actions:
        if action != case.effective_action:
            yield _made("turn", "case", case, f"effective_action {action}", replace(case, effective_action=action))
    place = catalog.strata.index(case.stratum)
    for step in (-1, 1):
        if 0 <= place + step < len(catalog.strata):
            stratum = catalog.strata[place + step]
            yield _made("turn", "case", case, f"stratum {stratum}", replace(case, stratum=stratum), moved=True)
    if case.silent:
        yield _made("turn", "case", case, "not silent", replace(case, silent=False))
    if case.asks:
        yield _made("turn", "case", case, "asks nobody", replace(case, asks=""))
    for state in sorted({other.state for other in catalog.cases["turn"]} - {case.state}):
        yield _made("turn", "case", case, f"state {state}", replace(case, state=state))


def _verdict(catalog: Catalog, point: str, case: Case) -> Iterator[Mutant]:
    for verdict in catalog.points[point].verdicts:
        if verdict != case.verdict:
            yield _made(point, "case", case, f"verdict {verdict}", replace(case, verdict=verdict))
    if case.blocks:
        for blocks in catalog.points[point].blocks:
            if blocks != case.blocks:
                yield _made(point, "case", case, f"blocks {blocks}", replace(case, blocks=blocks))


def _obligation(catalog: Catalog, duty: Obligation) -> Iterator[Mutant]:
    for kind in _KINDS:
        if kind != duty.kind:
            yield _made("turn", "obligation", duty, f"kind {kind}", replace(duty, kind=kind))
    if duty.beside:
        yield _made("turn", "obligation", duty, "beside anything", replace(duty, beside=()))
        for name in duty.beside:
            rest = tuple(other for other in duty.beside if other != name)
            if rest:
                yield _made("turn", "obligation", duty, f"not beside {name}", replace(duty, beside=rest))
