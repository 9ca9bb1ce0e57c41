"""The evaluation order: stratum (a turn), family, importance, id, position in the file; ``after`` moves a case back."""

from __future__ import annotations

from collections.abc import Iterable

from loopx_policy.catalog_source.bind import BoundRule
from loopx_policy.catalog_source.findings import Report
from loopx_policy.catalog_source.rules import CaseDoc
from loopx_policy.catalog_source.vocabulary import Vocabulary
from loopx_policy.engine.catalog import Case


def in_order(rules: Iterable[BoundRule], vocabulary: Vocabulary) -> list[BoundRule]:
    """Rules by family (ground last), importance, id."""
    return sorted(
        rules, key=lambda bound: (vocabulary.family_rank(bound.rule.family), bound.rule.importance, bound.rule.id)
    )


def ordered_cases(rules: Iterable[BoundRule], vocabulary: Vocabulary, report: Report) -> dict[str, tuple[Case, ...]]:
    """The cases of every declared point in evaluation order; an ``after`` that cannot be met goes to ``report``."""
    ranked = in_order(rules, vocabulary)
    pairs = {
        name: [pair for bound in ranked for pair in bound.cases if pair[0].point == name] for name in vocabulary.points
    }
    result: dict[str, tuple[Case, ...]] = {}
    for point, cases in pairs.items():
        if point == "turn":
            result[point] = tuple(_turn(cases, vocabulary, report))
        else:
            result[point] = tuple(case for case, _ in cases)
    return result


def _turn(pairs: list[tuple[Case, CaseDoc]], vocabulary: Vocabulary, report: Report) -> list[Case]:
    by_key = {case.key: case for case, _ in pairs}
    for case, doc in pairs:
        for target in doc.after:
            found = by_key.get(target.value)
            if found is None:
                report.unknown(target.at, "after-nothing", "turn case", target.value, by_key, fatal=False)
            elif found.stratum != case.stratum:
                report.error(
                    target.at, "after-other-stratum",
                    f"'{target.value}' leads in the stratum '{found.stratum}', which settles it; leave it out.",
                )  # fmt: skip
    result: list[Case] = []
    for stratum in vocabulary.strata:
        result += _stratum([pair for pair in pairs if pair[0].stratum == stratum], report)
    return result


def _stratum(pairs: list[tuple[Case, CaseDoc]], report: Report) -> list[Case]:
    """Default order, each case as soon as all that go before it are out."""
    waiting = list(pairs)
    result: list[Case] = []
    while waiting:
        held = {case.key for case, _ in waiting}
        ready = next((pair for pair in waiting if not held.intersection(pair[0].after)), None)
        if ready is None:
            case, doc = waiting[0]
            at = doc.after[0].at if doc.after else doc.at
            report.error(
                at, "after-cycle", f"'{case.key}' waits for itself through 'after'; take one entry out of the circle."
            )
            return result + [case for case, _ in waiting]
        waiting.remove(ready)
        result.append(ready[0])
    return result
