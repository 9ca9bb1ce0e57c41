"""The laws of the catalog: ``axioms.yaml``, ``invariants.yaml`` and ``phrases.yaml``, read against a compiled catalog.

An axiom says what the projection can produce, an invariant what the policy guarantees; both speak the rule language.
None of them has a part in a decision, so they are no part of the catalog's digest, and only lint and proof read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TypeAlias

from jsonschema import Draft202012Validator

from loopx_policy.catalog_files import SourceFile, read_beside
from loopx_policy.catalog_source import reading
from loopx_policy.catalog_source.conditions import NEVER, Scope, read_condition
from loopx_policy.catalog_source.findings import Mark, Report
from loopx_policy.catalog_source.outcomes import outcomes
from loopx_policy.catalog_source.schema_files import read_schema
from loopx_policy.catalog_source.yaml_nodes import ListNode, MapNode, ScalarNode
from loopx_policy.engine.catalog import Catalog, Fact
from loopx_policy.engine.conditions import AllOf, Condition, Value, facts_read
from loopx_policy.errors import CatalogError

FILES = ("axioms.yaml", "invariants.yaml", "phrases.yaml")
ALWAYS: Condition = AllOf(())


@dataclass(slots=True, frozen=True)
class AtMost:
    """``plus`` and the counts of ``sum`` are together at most ``of_plus`` and those of ``of``; a flag counts as one.

    A count on the right that stands at its maximum may stand for more, so the law then holds.
    """

    sum: tuple[str, ...]
    plus: int
    of: tuple[str, ...]
    of_plus: int


Law: TypeAlias = Condition | AtMost


@dataclass(slots=True, frozen=True)
class Axiom:
    """Where ``when`` holds, so does every law of one of the ``alternatives``. It rests on invariants of the catalog."""

    id: str
    point: str
    says: str
    when: Condition
    alternatives: tuple[tuple[Law, ...], ...]
    rests_on: tuple[str, ...]
    at: Mark


@dataclass(slots=True, frozen=True)
class Invariant:
    """Where ``when`` holds, so does ``then``. ``relative`` ones compare with the catalog without added rules."""

    id: str
    point: str
    says: str
    seed: str
    when: Condition
    then: Condition
    relative: bool
    at: Mark


@dataclass(slots=True, frozen=True)
class Pair:
    """Two cases of one stratum that overlap and are ordered by default, accepted with a reason."""

    first: str
    second: str
    why: str
    at: Mark


@dataclass(slots=True, frozen=True)
class Phrase:
    """How people say the values of a fact: by value for a bool or an enum; ``none``, ``some`` and ``many`` for a
    count, ``{n}`` standing for the figure.
    """

    values: Mapping[str, str]
    at: Mark


@dataclass(slots=True)
class Laws:
    """Everything in file order; ``phrases`` by fact."""

    axioms: list[Axiom] = field(default_factory=list)
    invariants: list[Invariant] = field(default_factory=list)
    default_order: list[Pair] = field(default_factory=list)
    phrases: dict[str, Phrase] = field(default_factory=dict)


def load_laws(catalog: Catalog, catalog_dir: str | None = None) -> Laws:
    """The laws beside the vocabulary of the program, or in ``catalog_dir``. ``CatalogError`` for the first mistake."""
    report = Report()
    laws = read_laws(read_beside(FILES, catalog_dir), catalog, report)
    errors = [finding for finding in report.sorted() if finding.severity == "error"]
    if errors:
        raise CatalogError(errors[0].message, at=errors[0].at, fix="`loopx catalog lint` lists them all.")
    return laws


def read_laws(files: Mapping[str, SourceFile], catalog: Catalog, report: Report) -> Laws:
    """The laws in these files; what is wrong goes to ``report``, and an absent file has none."""
    reader = _Reader(catalog, report)
    for name, file in files.items():
        node = reading.read_document(file, _validator(name.removesuffix(".yaml")), report)
        if node is not None:
            reader.read(name, node)
    reader.check()
    return reader.laws


@cache
def _validator(kind: str) -> Draft202012Validator:
    return Draft202012Validator(read_schema(kind))


def words_of(catalog: Catalog, point: str) -> dict[str, Fact]:
    """Every fact and outcome that a law of a decision point may name; a candidate's laws also speak of its turn."""
    facts = dict(catalog.points[point].facts) if point in catalog.points else {}
    if point == "candidate":
        facts = {**catalog.points["turn"].facts, **facts}
    return {**facts, **(outcomes(catalog, point) if point in catalog.points else {})}


class _Reader:
    __slots__ = ("catalog", "laws", "report", "scopes")

    def __init__(self, catalog: Catalog, report: Report) -> None:
        self.catalog = catalog
        self.report = report
        self.laws = Laws()
        self.scopes: dict[str, Scope] = {}

    def read(self, name: str, node: MapNode) -> None:
        if name == "phrases.yaml":
            self.laws.phrases = dict(self.phrase(fact, entry, at) for fact, entry, at in reading.named(node, "phrases"))
        elif name == "axioms.yaml":
            self.laws.axioms = [self.axiom(entry) for entry in reading.entries(node, "axioms")]
        else:
            self.laws.invariants = [self.invariant(entry) for entry in reading.entries(node, "invariants")]
            self.laws.default_order = [
                Pair(reading.text(it, "first"), reading.text(it, "second"), reading.text(it, "why"), it.mark)
                for it in reading.entries(node, "default_order")
            ]

    def axiom(self, node: MapNode) -> Axiom:
        point = self.point(node)
        either = list(reading.entries(node, "either"))
        return Axiom(
            id=reading.text(node, "id"),
            point=point,
            says=reading.text(node, "says"),
            when=self.condition(node, "when", point, ALWAYS),
            alternatives=tuple(self.part(entry, point) for entry in either or [node]),
            rests_on=reading.texts(node, "rests_on"),
            at=node.mark,
        )

    def part(self, node: MapNode, point: str) -> tuple[Law, ...]:
        laws: list[Law] = []
        if "then" in node.entries:
            laws.append(self.condition(node, "then", point, NEVER))
        if "at_most" in node.entries:
            sums, plus = self.figures(node, "sum", point)
            of, of_plus = self.figures(node, "at_most", point)
            each, _ = self.figures(node, "each", point)
            laws += [AtMost((*sums, name), plus, of, of_plus) for name in each] or [AtMost(sums, plus, of, of_plus)]
        return tuple(laws)

    def figures(self, node: MapNode, key: str, point: str) -> tuple[tuple[str, ...], int]:
        """The counts of a sum, and what its plain figures and parameters come to."""
        names: list[str] = []
        total = 0
        facts = self.scope(point).facts
        value = node.entries.get(key)
        for item in value.items if isinstance(value, ListNode) else ():
            word = item.value if isinstance(item, ScalarNode) else None
            if isinstance(word, int) and not isinstance(word, bool):
                total += word
            elif isinstance(word, str) and word.startswith("$"):
                total += self.parameter(word[1:], item.mark)
            elif isinstance(word, str) and word in facts and facts[word].type != "enum":
                names.append(word)
            else:
                counts = [name for name, fact in facts.items() if fact.type != "enum"]
                self.report.unknown(item.mark, "unknown-fact", "count", str(word), counts)
        return tuple(names), total

    def parameter(self, name: str, at: Mark) -> int:
        value = self.catalog.parameters.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        self.report.unknown(at, "unknown-parameter", "figure", name, self.catalog.parameters)
        return 0

    def invariant(self, node: MapNode) -> Invariant:
        point = self.point(node)
        when, then = self.condition(node, "when", point, ALWAYS), self.condition(node, "then", point, NEVER)
        return Invariant(
            id=reading.text(node, "id"),
            point=point,
            says=reading.text(node, "says"),
            seed=reading.text(node, "seed"),
            when=when,
            then=then,
            relative=any(name.startswith("base.") for name in (*facts_read(when), *facts_read(then))),
            at=node.mark,
        )

    def phrase(self, name: str, node: MapNode, at: Mark) -> tuple[str, Phrase]:
        return name, Phrase({key: reading.text(node, key) for key in node.entries}, at)

    def point(self, node: MapNode) -> str:
        point = reading.text(node, "point") or "turn"
        if point not in self.catalog.points:
            self.report.unknown(
                reading.place(node, "point"), "unknown-point", "decision point", point, self.catalog.points
            )
        return point

    def condition(self, node: MapNode, key: str, point: str, absent: Condition) -> Condition:
        value = node.entries.get(key)
        return absent if value is None else read_condition(value, self.scope(point), self.report)

    def scope(self, point: str) -> Scope:
        if point not in self.scopes:
            parameters: dict[str, Value | tuple[Value, ...]] = dict(self.catalog.parameters)
            self.scopes[point] = Scope(point, words_of(self.catalog, point), {}, parameters, set(), set(), "")
        return self.scopes[point]

    def check(self) -> None:
        """Names that stand twice, and names that nothing has."""
        laws, report = self.laws, self.report
        for kind, entries in (("axiom", laws.axioms), ("invariant", laws.invariants)):
            seen: set[str] = set()
            for entry in entries:
                if entry.id in seen:
                    report.error(entry.at, "duplicate-name", f"The {kind} '{entry.id}' is listed twice; rename one.")
                seen.add(entry.id)
        known = [invariant.id for invariant in laws.invariants]
        for axiom in laws.axioms:
            for name in axiom.rests_on:
                if name not in known:
                    report.unknown(axiom.at, "unknown-invariant", "invariant", name, known)
        cases = [case.key for case in self.catalog.cases.get("turn", ())]
        for pair in laws.default_order:
            for key in (pair.first, pair.second):
                if key not in cases:
                    report.unknown(pair.at, "unknown-case", "turn case", key, cases)
        self.check_phrases()

    def check_phrases(self) -> None:
        told = [name for point in ("turn", "candidate") for name in self.catalog.points[point].facts]
        if self.laws.phrases:
            for name in told:
                if name not in self.laws.phrases:
                    at = next(iter(self.laws.phrases.values())).at
                    message = f"There is no phrase for the fact '{name}'; say it for people."
                    self.report.error(Mark(at.file), "missing-key", message)
        facts = {name: fact for point in self.catalog.points.values() for name, fact in point.facts.items()}
        for name, phrase in self.laws.phrases.items():
            if name not in facts:
                self.report.unknown(phrase.at, "unknown-fact", "fact", name, facts)
                continue
            fact = facts[name]
            wanted = {"bool": ("true", "false"), "count": ("none", "some"), "enum": fact.values}[fact.type]
            optional = ("many",) if fact.type == "count" else ()
            for key in phrase.values:
                if key not in (*wanted, *optional):
                    self.report.unknown(phrase.at, "outside-domain", f"value of '{name}'", key, (*wanted, *optional))
            for key in wanted:
                if phrase.values.get(key, "") == "":
                    message = f"The phrases of '{name}' say nothing for '{key}'; add it."
                    self.report.error(phrase.at, "missing-key", message)
