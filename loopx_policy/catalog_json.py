"""The compiled catalog as plain JSON values, and back.

Each entry is a row of its fields in the order of its class, not an object: the file is read on every run, and
half of an object would be its keys. ``SHAPE`` tells which fields those are, so that a program never reads the rows
of another version.
"""

from __future__ import annotations

from typing import Any, Final, TypeVar

from loopx_policy.digests import hex16
from loopx_policy.engine.catalog import Case, Catalog, Fact, Mode, Obligation, Placeholder, Point, Withholding
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf
from loopx_policy.engine.shard import Shard
from loopx_policy.records import names

_Entry = TypeVar("_Entry", Case, Fact, Mode, Obligation, Placeholder, Withholding)
_GROUPS: Final[dict[str, type[AllOf] | type[AnyOf] | type[NoneOf]]] = {"all": AllOf, "any": AnyOf, "none": NoneOf}
_CLASSES: Final = (Case, Catalog, Fact, Mode, Obligation, Placeholder, Point, Shard, Withholding)
SHAPE: Final = hex16([" ".join((cls.__name__, *names(cls))).encode() for cls in _CLASSES])


def condition_to_json(condition: Condition) -> list[Any]:
    """``[op, fact, value]`` or ``[group, [parts]]``."""
    if isinstance(condition, Compare):
        return [condition.op, condition.fact, _plain(condition.value)]
    group = "all" if isinstance(condition, AllOf) else "any" if isinstance(condition, AnyOf) else "none"
    return [group, [condition_to_json(part) for part in condition.parts]]


def condition_from_json(row: list[Any]) -> Condition:
    """The condition that ``condition_to_json`` wrote."""
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
                [_row(fact) for fact in point.facts.values()],
                list(point.verdicts),
                point.default,
                list(point.blocks),
            ]
            for point in catalog.points.values()
        ],
        "cases": {point: [_row(case) for case in cases] for point, cases in catalog.cases.items()},
        "obligations": [_row(duty) for duty in catalog.obligations],
        "withholdings": [_row(item) for item in catalog.withholdings],
        "modes": [_row(mode) for mode in catalog.modes.values()],
        "strata": list(catalog.strata),
        "parameters": {name: _plain(value) for name, value in catalog.parameters.items()},
        "placeholders": [_row(item) for item in catalog.placeholders.values()],
        "shards": {point: [shard.to_data() for shard in shards] for point, shards in catalog.shards.items()},
    }


def from_json(data: dict[str, Any], digest: str) -> Catalog:
    """The catalog that ``to_json`` wrote; takes the rows over, so ``data`` is spent."""
    points = {}
    for name, facts, verdicts, default, blocks in data["points"]:
        declared = {row[0]: _entry(Fact, row) for row in facts}
        points[name] = Point(name, declared, tuple(verdicts), default, tuple(blocks))
    return Catalog(
        digest=digest,
        points=points,
        cases={point: tuple([_entry(Case, row) for row in rows]) for point, rows in data["cases"].items()},
        obligations=tuple([_entry(Obligation, row) for row in data["obligations"]]),
        withholdings=tuple([_entry(Withholding, row) for row in data["withholdings"]]),
        modes={row[0]: _entry(Mode, row) for row in data["modes"]},
        strata=tuple(data["strata"]),
        parameters={name: _value(value) for name, value in data["parameters"].items()},
        placeholders={row[0]: _entry(Placeholder, row) for row in data["placeholders"]},
        shards={point: tuple([Shard.from_data(row) for row in rows]) for point, rows in data["shards"].items()},
    )


def _row(entry: Case | Fact | Mode | Obligation | Placeholder | Withholding) -> list[Any]:
    return [_plain(getattr(entry, name)) for name in names(type(entry))]


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, (Compare, AllOf, AnyOf, NoneOf)):
        return {"when": condition_to_json(value)}
    return value


def _entry(cls: type[_Entry], row: list[Any]) -> _Entry:
    return cls(*[_value(value) if type(value) in (list, dict) else value for value in row])


def _value(value: Any) -> Any:
    if type(value) is dict:
        return condition_from_json(value["when"])
    return tuple(value) if type(value) is list else value
