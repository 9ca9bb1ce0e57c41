"""The vocabulary that the rules speak, typed, with its prose and places: what stands below ``catalog/``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Literal

from jsonschema import Draft202012Validator

from loopx_policy.catalog_files import VOCABULARY, SourceFile
from loopx_policy.catalog_source import reading
from loopx_policy.catalog_source.findings import Mark, Report
from loopx_policy.catalog_source.schema_files import read_schema
from loopx_policy.catalog_source.yaml_nodes import MapNode
from loopx_policy.engine.catalog import Fact, FactType, Mode, Placeholder
from loopx_policy.engine.conditions import Value

_SHOWS: dict[str, Literal["sources", "words", "number", "value"]] = {
    "sources": "sources",
    "words": "words",
    "number": "number",
    "value": "value",
}
_TYPES: dict[str, FactType] = {"bool": "bool", "count": "count", "enum": "enum"}
GROUND = "ground"
"""The family of ground states: always the last, and the one that families.yaml need not list."""


@dataclass(slots=True, frozen=True)
class FamilyDoc:
    id: str
    name: str
    purpose: str
    start_here_when: str
    at: Mark


@dataclass(slots=True, frozen=True)
class ModeDoc:
    mode: Mode
    meaning: str
    at: Mark
    cli_actions: tuple[tuple[str, Mark], ...] = ()


@dataclass(slots=True, frozen=True)
class StratumDoc:
    name: str
    why: str
    at: Mark


@dataclass(slots=True, frozen=True)
class StateDoc:
    name: str
    meaning: str
    at: Mark


@dataclass(slots=True, frozen=True)
class PointDoc:
    """``input`` is a schema path relative to the catalog folder, or empty."""

    name: str
    meaning: str
    verdicts: tuple[str, ...]
    default: str
    blocks: tuple[str, ...]
    input: str
    at: Mark
    input_at: Mark


@dataclass(slots=True, frozen=True)
class ParameterDoc:
    """A named figure; ``read_by`` is ``projection`` where no rule has to read it."""

    name: str
    value: Value | tuple[Value, ...]
    unit: str
    meaning: str
    read_by: str
    at: Mark


@dataclass(slots=True, frozen=True)
class PlaceholderDoc:
    placeholder: Placeholder
    facts: tuple[tuple[str, Mark], ...]
    meaning: str
    example: str
    read_by: str
    at: Mark


@dataclass(slots=True, frozen=True)
class FactDoc:
    """``derived`` is ``policy`` where the fact embeds a ranking or a threshold."""

    fact: Fact
    meaning: str
    unit: str
    derived: str
    read_by: str
    at: Mark

    @property
    def type(self) -> FactType:
        return self.fact.type

    @property
    def values(self) -> tuple[str, ...]:
        return self.fact.values

    @property
    def maximum(self) -> int:
        return self.fact.maximum


@dataclass(slots=True)
class Vocabulary:
    """Everything by name, in file order. ``facts`` is by point, then by fact name."""

    families: dict[str, FamilyDoc] = field(default_factory=dict)
    modes: dict[str, ModeDoc] = field(default_factory=dict)
    strata: dict[str, StratumDoc] = field(default_factory=dict)
    states: dict[str, StateDoc] = field(default_factory=dict)
    points: dict[str, PointDoc] = field(default_factory=dict)
    parameters: dict[str, ParameterDoc] = field(default_factory=dict)
    placeholders: dict[str, PlaceholderDoc] = field(default_factory=dict)
    facts: dict[str, dict[str, FactDoc]] = field(default_factory=dict)

    def family_rank(self, family: str) -> int:
        """The place of a family in the evaluation order; ground states come last."""
        order = [name for name in self.families if name != GROUND]
        return order.index(family) if family in order else len(order)


def read_vocabulary(files: Iterable[SourceFile], report: Report) -> Vocabulary:
    """The vocabulary in ``files``; what is wrong goes to ``report`` and reads as absent."""
    vocabulary = Vocabulary()
    seen: set[str] = set()
    folder = "catalog"
    for file in files:
        folder = file.label[: -len(file.name) - 1]
        kind = "facts" if file.name.startswith("facts/") else file.name.removesuffix(".yaml")
        seen.add(file.name)
        node = reading.read_document(file, _validator(kind), report)
        if node is None:
            continue
        if kind == "facts":
            _facts(file, node, vocabulary, report)
        else:
            _READERS[kind](node, vocabulary, report)
    for name in VOCABULARY:
        if name not in seen:
            report.error(Mark(f"{folder}/{name}"), "missing-file", f"The vocabulary file {name} is missing; add it.")
    _check_points(vocabulary, report)
    _check_placeholders(vocabulary, report)
    return vocabulary


@cache
def _validator(kind: str) -> Draft202012Validator:
    return Draft202012Validator(read_schema(kind))


def _families(node: MapNode, vocabulary: Vocabulary, report: Report) -> None:
    for entry in reading.entries(node, "families"):
        name = reading.text(entry, "id")
        if name in vocabulary.families:
            report.error(
                reading.place(entry, "id"), "duplicate-name", f"The family '{name}' is listed twice; keep one."
            )
        vocabulary.families[name] = FamilyDoc(
            name, reading.text(entry, "name"), reading.text(entry, "purpose"),
            reading.text(entry, "start_here_when"), entry.mark,
        )  # fmt: skip


def _modes(node: MapNode, vocabulary: Vocabulary, report: Report) -> None:
    for name, entry, at in reading.named(node, "modes"):
        mode = Mode(
            name=name,
            must_attempt=reading.flag(entry, "must_attempt"),
            delivery_allowed=reading.flag(entry, "delivery_allowed"),
            quiet_noop_allowed=reading.flag(entry, "quiet_noop_allowed"),
            spend_after_validation=reading.flag(entry, "spend_after_validation"),
            spend_policy=reading.text(entry, "spend_policy"),
            effective_actions=reading.texts(entry, "effective_actions"),
            waiting_on=reading.text(entry, "waiting_on") or "none",
            severity=reading.text(entry, "severity") or "quiet",
            notify=reading.flag(entry, "notify"),
            lists_candidates=reading.flag(entry, "lists_candidates"),
            cli_actions=reading.texts(entry, "cli_actions"),
            turn_kind=reading.text(entry, "turn_kind") or "wait",
        )
        actions = tuple(reading.placed_texts(entry, "cli_actions"))
        vocabulary.modes[name] = ModeDoc(mode, reading.text(entry, "meaning"), at, actions)


def _strata(node: MapNode, vocabulary: Vocabulary, report: Report) -> None:
    for entry in reading.entries(node, "strata"):
        name = reading.text(entry, "name")
        if name in vocabulary.strata:
            report.error(
                reading.place(entry, "name"), "duplicate-name", f"The stratum '{name}' is listed twice; keep one."
            )
        vocabulary.strata[name] = StratumDoc(name, reading.text(entry, "why"), entry.mark)


def _states(node: MapNode, vocabulary: Vocabulary, report: Report) -> None:
    states = reading.mapping(node, "states") or MapNode(node.mark)
    for name, at in states.keys.items():
        vocabulary.states[name] = StateDoc(name, reading.text(states, name), at)


def _points(node: MapNode, vocabulary: Vocabulary, report: Report) -> None:
    for name, entry, at in reading.named(node, "points"):
        point = PointDoc(
            name, reading.text(entry, "meaning"), reading.texts(entry, "verdicts"), reading.text(entry, "default"),
            reading.texts(entry, "blocks"), reading.text(entry, "input"), at, reading.place(entry, "input"),
        )  # fmt: skip
        vocabulary.points[name] = point
        if point.default and point.verdicts and point.default not in point.verdicts:
            report.unknown(
                reading.place(entry, "default"),
                "unknown-verdict",
                f"verdict of '{name}'",
                point.default,
                point.verdicts,
            )
        if name == "turn" and point.verdicts:
            report.error(reading.place(entry, "verdicts"), "unknown-key", "A turn has no verdicts; leave them out.")
        if name != "turn" and not point.verdicts:
            report.error(at, "missing-key", f"The point '{name}' has no verdicts; list them, strictest first.")


def _parameters(node: MapNode, vocabulary: Vocabulary, report: Report) -> None:
    vocabulary.parameters.update(read_parameters(node))
    for name, entry, at in reading.named(node, "placeholders"):
        facts = tuple(reading.placed_texts(entry, "from"))
        show = _SHOWS.get(reading.text(entry, "show"), "sources")
        vocabulary.placeholders[name] = PlaceholderDoc(
            Placeholder(name, tuple(fact for fact, _ in facts), show), facts,
            reading.text(entry, "meaning"), reading.text(entry, "example"), reading.text(entry, "read_by"), at,
        )  # fmt: skip


def read_parameters(node: MapNode) -> dict[str, ParameterDoc]:
    """The ``parameters`` of a vocabulary or rule file."""
    return {
        name: ParameterDoc(
            name, reading.figure(entry, "value"), reading.text(entry, "unit"), reading.text(entry, "meaning"),
            reading.text(entry, "read_by"), at,
        )
        for name, entry, at in reading.named(node, "parameters")
    }  # fmt: skip


def _facts(file: SourceFile, node: MapNode, vocabulary: Vocabulary, report: Report) -> None:
    point = file.name.removeprefix("facts/").removesuffix(".yaml")
    declared = reading.text(node, "point")
    if declared and declared != point:
        report.error(
            reading.place(node, "point"), "wrong-file-name",
            f"The file of the point '{declared}' is called {point}.yaml; rename the file or write point: {point}.",
        )  # fmt: skip
    facts = vocabulary.facts.setdefault(declared or point, {})
    for name, entry, at in reading.named(node, "facts"):
        kind = _TYPES.get(reading.text(entry, "type"), "bool")
        fact = Fact(name, kind, reading.texts(entry, "values"), reading.number(entry, "max", 99))
        facts[name] = FactDoc(
            fact, reading.text(entry, "meaning"), reading.text(entry, "unit"), reading.text(entry, "derived"),
            reading.text(entry, "read_by"), at,
        )  # fmt: skip


_READERS = {
    "families": _families,
    "modes": _modes,
    "strata": _strata,
    "states": _states,
    "points": _points,
    "parameters": _parameters,
}


def _check_points(vocabulary: Vocabulary, report: Report) -> None:
    if not vocabulary.points:
        return
    for point, facts in vocabulary.facts.items():
        if point not in vocabulary.points:
            at = next((fact.at for fact in facts.values()), None)
            if at is not None:
                report.unknown(Mark(at.file), "unknown-point", "decision point", point, vocabulary.points)
    for name, doc in vocabulary.points.items():
        if name not in vocabulary.facts:
            report.error(
                doc.at,
                "missing-file",
                f"The point '{name}' has no facts; write them in facts/{name}.yaml.",
                fatal=False,
            )


def _check_placeholders(vocabulary: Vocabulary, report: Report) -> None:
    known = {name for facts in vocabulary.facts.values() for name in facts}
    for doc in vocabulary.placeholders.values():
        for fact, at in doc.facts:
            if fact not in known:
                report.unknown(at, "unknown-fact", "fact", fact, known)
