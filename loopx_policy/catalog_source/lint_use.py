"""Checks across the catalog: what nobody reads, and what can never match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loopx_policy.catalog_source.bind import BoundRule
from loopx_policy.catalog_source.compile import Loaded
from loopx_policy.catalog_source.findings import Mark, Report
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf


def check_use(loaded: Loaded, report: Report) -> None:
    """Facts, parameters, placeholders, modes, strata and points that no rule uses."""
    vocabulary, use = loaded.vocabulary, loaded.use
    for point_name, facts in vocabulary.facts.items():
        for name, fact in facts.items():
            if not fact.read_by and name not in use.facts.get(point_name, ()):
                _unread(fact.at, "fact", name, report)
    for name, parameter in vocabulary.parameters.items():
        if not parameter.read_by and name not in use.parameters:
            _unread(parameter.at, "parameter", name, report)
    for rule in loaded.rules:
        for name, parameter in rule.parameters.items():
            if not parameter.read_by and f"{rule.id}.{name}" not in use.parameters:
                _unread(parameter.at, "parameter", name, report)
    for name, placeholder in vocabulary.placeholders.items():
        if not placeholder.read_by and name not in use.placeholders:
            _unread(placeholder.at, "placeholder", name, report)
    turn = loaded.cases.get("turn", ())
    modes, strata = {case.mode for case in turn}, {case.stratum for case in turn}
    for mode in vocabulary.modes.values():
        if mode.mode.name not in modes:
            report.warn(mode.at, "unread-mode", f"No case picks the mode '{mode.mode.name}'; use it or take it out.")
    for stratum in vocabulary.strata.values():
        if stratum.name not in strata:
            message = f"No case leads in the stratum '{stratum.name}'; use it or take it out."
            report.warn(stratum.at, "unread-stratum", message)
    for point in vocabulary.points.values():
        if not loaded.cases.get(point.name):
            message = f"No rule decides the point '{point.name}'; write a case or take it out."
            report.error(point.at, "unhandled-point", message, fatal=False)


def _unread(at: Mark, kind: str, name: str, report: Report) -> None:
    message = f"No rule reads the {kind} '{name}'; use it, take it out, or write read_by: projection."
    report.error(at, f"unread-{kind}", message, fatal=False)


def check_cases(rules: Iterable[BoundRule], report: Report) -> None:
    """A case whose condition is that of an earlier one of the same rule, point and stratum never counts."""
    for bound in rules:
        seen: dict[tuple[str, str, str], str] = {}
        for case, doc in bound.cases:
            key = (case.point, case.stratum, canonical(case.when))
            if key in seen:
                report.error(
                    doc.at, "shadowed-case",
                    f"'{case.id}' has the condition of '{seen[key]}' above it, so it never counts; change one of them.",
                    fatal=False,
                )  # fmt: skip
            else:
                seen[key] = case.id


def canonical(condition: Condition) -> str:
    """A text that is the same for conditions that differ only in the order or the nesting of their parts."""
    if isinstance(condition, Compare):
        value = condition.value
        members = sorted(map(repr, value)) if isinstance(value, tuple) else repr(value)
        return f"{condition.fact} {condition.op} {members}"
    name = {AllOf: "all", AnyOf: "any", NoneOf: "none"}[type(condition)]
    parts = sorted({canonical(part) for part in _flat(condition, condition.parts)})
    if len(parts) == 1 and not isinstance(condition, NoneOf):
        return parts[0]
    return f"{name}({'; '.join(parts)})"


def _flat(parent: AllOf | AnyOf | NoneOf, parts: tuple[Condition, ...]) -> Iterator[Condition]:
    same = AllOf if isinstance(parent, AllOf) else AnyOf
    for part in parts:
        if isinstance(part, same):
            yield from _flat(part, part.parts)
        else:
            yield part
