"""The compiled catalog as plain JSON values, and back.

Positional rows rather than objects: the file is read on every run, and half of an object would be its keys.
``FORMAT`` in ``catalog_files`` is raised with every change here or in ``engine/catalog.py``.
"""

from __future__ import annotations

from typing import Any

from loopx_policy.engine.catalog import Case, Catalog, Fact, Mode, Obligation, Placeholder, Point, Withholding
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf

_GROUPS: dict[str, type[AllOf] | type[AnyOf] | type[NoneOf]] = {"all": AllOf, "any": AnyOf, "none": NoneOf}


def condition_to_json(condition: Condition) -> list[Any]:
    """``[op, fact, value]`` or ``[group, [parts]]``."""
    if isinstance(condition, Compare):
        value = condition.value
        return [condition.op, condition.fact, list(value) if isinstance(value, tuple) else value]
    group = "all" if isinstance(condition, AllOf) else "any" if isinstance(condition, AnyOf) else "none"
    return [group, [condition_to_json(part) for part in condition.parts]]


def condition_from_json(row: list[Any]) -> Condition:
    group = _GROUPS.get(row[0])
    if group is not None:
        return group(tuple([condition_from_json(part) for part in row[1]]))
    value = row[2]
    return Compare(row[1], row[0], tuple(value) if type(value) is list else value)


def to_json(catalog: Catalog) -> dict[str, Any]:
    """Everything but the digest, which stands in the header of the file."""
    return {
        "points": [
            [
                point.name,
                [[fact.name, fact.type, list(fact.values), fact.maximum] for fact in point.facts.values()],
                list(point.verdicts),
                point.default,
                list(point.blocks),
            ]
            for point in catalog.points.values()
        ],
        "cases": {point: [_case(case) for case in cases] for point, cases in catalog.cases.items()},
        "obligations": [
            [duty.pattern, duty.id, duty.kind, condition_to_json(duty.when), duty.text] for duty in catalog.obligations
        ],
        "withholdings": [
            [item.pattern, item.id, item.what, condition_to_json(item.when)] for item in catalog.withholdings
        ],
        "modes": [_mode(mode) for mode in catalog.modes.values()],
        "strata": list(catalog.strata),
        "parameters": {
            name: list(value) if isinstance(value, tuple) else value for name, value in catalog.parameters.items()
        },
        "placeholders": [[item.name, list(item.facts), item.show] for item in catalog.placeholders.values()],
    }


def _case(case: Case) -> list[Any]:
    return [
        case.pattern,
        case.id,
        condition_to_json(case.when),
        case.stratum,
        list(case.after),
        case.mode,
        case.effective_action,
        case.state,
        case.reason,
        case.user_reason,
        case.primary_action,
        case.asks,
        case.silent,
        case.verdict,
        case.blocks,
        list(case.requires),
    ]


def _mode(mode: Mode) -> list[Any]:
    return [
        mode.name,
        mode.must_attempt,
        mode.delivery_allowed,
        mode.quiet_noop_allowed,
        mode.spend_after_validation,
        mode.spend_policy,
        list(mode.effective_actions),
        mode.notify,
        mode.lists_candidates,
        list(mode.cli_actions),
    ]


def _mode_from(row: list[Any]) -> Mode:
    return Mode(
        name=row[0],
        must_attempt=row[1],
        delivery_allowed=row[2],
        quiet_noop_allowed=row[3],
        spend_after_validation=row[4],
        spend_policy=row[5],
        effective_actions=tuple(row[6]),
        notify=row[7],
        lists_candidates=row[8],
        cli_actions=tuple(row[9]),
    )


def from_json(data: dict[str, Any], digest: str) -> Catalog:
    """The catalog that ``to_json`` wrote."""
    points = {}
    for name, facts, verdicts, default, blocks in data["points"]:
        declared = {fact[0]: Fact(fact[0], fact[1], tuple(fact[2]), fact[3]) for fact in facts}
        points[name] = Point(name, declared, tuple(verdicts), default, tuple(blocks))
    return Catalog(
        digest=digest,
        points=points,
        cases={point: tuple([_case_from(point, row) for row in rows]) for point, rows in data["cases"].items()},
        obligations=tuple(
            [Obligation(row[0], row[1], row[2], condition_from_json(row[3]), row[4]) for row in data["obligations"]]
        ),
        withholdings=tuple(
            [Withholding(row[0], row[1], row[2], condition_from_json(row[3])) for row in data["withholdings"]]
        ),
        modes={row[0]: _mode_from(row) for row in data["modes"]},
        strata=tuple(data["strata"]),
        parameters={name: tuple(value) if type(value) is list else value for name, value in data["parameters"].items()},
        placeholders={row[0]: Placeholder(row[0], tuple(row[1]), row[2]) for row in data["placeholders"]},
    )


def _case_from(point: str, row: list[Any]) -> Case:
    return Case(
        pattern=row[0],
        id=row[1],
        point=point,
        when=condition_from_json(row[2]),
        stratum=row[3],
        after=tuple(row[4]),
        mode=row[5],
        effective_action=row[6],
        state=row[7],
        reason=row[8],
        user_reason=row[9],
        primary_action=row[10],
        asks=row[11],
        silent=row[12],
        verdict=row[13],
        blocks=row[14],
        requires=tuple(row[15]),
    )
