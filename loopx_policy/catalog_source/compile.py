"""Vocabulary and rules to the compiled catalog."""

from __future__ import annotations

from dataclasses import dataclass

from loopx_policy.catalog_files import Sources
from loopx_policy.catalog_source.added import check_added
from loopx_policy.catalog_source.bind import BoundRule, Use, bind_rules
from loopx_policy.catalog_source.findings import Report
from loopx_policy.catalog_source.identity import check_identity
from loopx_policy.catalog_source.order import in_order, ordered_cases
from loopx_policy.catalog_source.rules import RuleFile, read_rules
from loopx_policy.catalog_source.vocabulary import Vocabulary, read_vocabulary
from loopx_policy.engine.catalog import Case, Catalog, Point
from loopx_policy.engine.conditions import Value
from loopx_policy.engine.evaluate import conditions
from loopx_policy.engine.plan import plan
from loopx_policy.errors import CatalogError


@dataclass(slots=True)
class Loaded:
    """Everything that was read, bound as far as it goes, with all findings so far in ``report``.

    Where the vocabulary itself is broken, ``bound`` is empty: each of its names would be reported again
    in every rule.
    """

    vocabulary: Vocabulary
    rules: list[RuleFile]
    bound: list[BoundRule]
    cases: dict[str, tuple[Case, ...]]
    use: Use
    report: Report


def load_source(sources: Sources) -> Loaded:
    """Read and bind all files; never raises for what stands in them."""
    report = Report()
    vocabulary = read_vocabulary(sources.vocabulary, report)
    sound = not any(finding.fatal for finding in report.findings)
    rules = read_rules(sources.rules, report)
    check_identity(rules, vocabulary, report)
    check_added(rules, vocabulary, report)
    use = Use()
    bound = bind_rules(rules, vocabulary, use, report) if sound else []
    cases = ordered_cases(bound, vocabulary, report)
    return Loaded(vocabulary, rules, bound, cases, use, report)


def compile_catalog(sources: Sources) -> Catalog:
    """The compiled catalog. Raises CatalogError with the first finding that leaves no meaning to compile."""
    loaded = load_source(sources)
    fatal = [finding for finding in loaded.report.sorted() if finding.fatal]
    if fatal:
        first = fatal[0]
        more = f"There are {len(fatal) - 1} more; `loopx catalog lint` lists them." if len(fatal) > 1 else ""
        raise CatalogError(first.message, at=first.at, fix=more)
    return build(loaded, sources.digest)


def build(loaded: Loaded, digest: str) -> Catalog:
    """The catalog of what was loaded, which has no fatal findings."""
    vocabulary = loaded.vocabulary
    ranked = in_order(loaded.bound, vocabulary)
    points = {
        name: Point(
            name,
            {fact: doc.fact for fact, doc in vocabulary.facts.get(name, {}).items()},
            point.verdicts,
            point.default,
            point.blocks,
        )
        for name, point in vocabulary.points.items()
    }
    parameters: dict[str, Value | tuple[Value, ...]] = {name: doc.value for name, doc in vocabulary.parameters.items()}
    for bound in ranked:
        parameters.update({f"{bound.rule.id}.{name}": doc.value for name, doc in bound.rule.parameters.items()})
    catalog = Catalog(
        digest=digest,
        points=points,
        cases=loaded.cases,
        obligations=tuple(duty for bound in ranked for duty in bound.obligations),
        withholdings=tuple(withheld for bound in ranked for withheld in bound.withholdings),
        modes={name: doc.mode for name, doc in vocabulary.modes.items()},
        strata=tuple(vocabulary.strata),
        parameters=parameters,
        placeholders={name: doc.placeholder for name, doc in vocabulary.placeholders.items()},
    )
    catalog.shards = {name: plan(name, conditions(catalog, name), point.facts) for name, point in points.items()}
    return catalog
