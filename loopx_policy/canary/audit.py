"""Whether the canary data still fits the rule files, the checks and the tree.

Seed: catalog maintenance; every P0 and P1 pattern is covered by a profile or says why not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from loopx_policy.canary.expand import Item, Target, expand, surface_target
from loopx_policy.canary.shapes import Data, Family
from loopx_policy.canary.tree import Tree, matches
from loopx_policy.canary.use import Use
from loopx_policy.catalog_source.findings import Mark, Report
from loopx_policy.catalog_source.rules import RuleFile
from loopx_policy.records import record

DEFAULT = ("P0", "P1")
"""Importances that the family table lists; others come in by a profile."""

RULES: dict[str, str] = {
    "canary-family": "a family row that is not what the rule files say",
    "canary-special": "a P2 pattern that no profile takes in, or one in a profile that is none",
    "canary-profile": "a pattern that no profile covers, without a reason, or with one that is not needed",
    "canary-cover": "a pattern or a surface that no check covers",
    "canary-glob": "a path that matches no file of the tree, or one elsewhere that does",
    "canary-test": "a test that is not there",
    "canary-tier": "a check whose cost does not fit its tier or its archetypes",
    "canary-file": "a file that belongs to no surface",
}
"""The kinds of findings; ``docs/canary.md`` explains each under an anchor of the same name."""


@record
class Audited:
    """Each P0 and P1 pattern with the profiles and the checks that cover it, and each surface with its files."""

    patterns: list[dict[str, Any]]
    surfaces: list[dict[str, Any]]


def audit(tree: Tree, rules: Sequence[RuleFile], use: Use, files: Sequence[str], report: Report) -> Audited:
    """Report each way in which the data has drifted from ``rules`` and ``files``."""
    items = expand(tree.data, use)
    _families(tree.data, rules, use, report)
    _special(tree.data, rules, report)
    _profiles(tree.data, report)
    _covered(tree, items, use, report)
    _costs(tree.data, report)
    counts = _files(tree, files, report)
    return Audited(list(_patterns(tree.data, rules, items)), _surfaces(tree, counts))


def _families(data: Data, rules: Iterable[RuleFile], use: Use, report: Report) -> None:
    known = {rule.id: rule for rule in rules}
    for family in data.families.values():
        for point in (point for also in family.also for point in also.points):
            if point not in use.declared:
                report.unknown(point.at, "canary-name", "decision point", point, use.declared, fatal=False)
        for name in family.patterns:
            rule = known.get(name)
            if rule is None:
                report.unknown(name.at, "canary-family", "rule file of", name, known, fatal=False)
            elif rule.family != family.id:
                message = f"'{name}' is of the family {rule.family}; move it to that row."
                report.error(name.at, "canary-family", message, fatal=False)
            elif rule.importance not in DEFAULT:
                message = f"'{name}' is {rule.importance}; take it out, and let a profile take it in."
                report.error(name.at, "canary-family", message, fatal=False)
    listed = {name for family in data.families.values() for name in family.patterns}
    for rule in known.values():
        if rule.importance in DEFAULT and rule.id not in listed:
            row = data.families.get(rule.family)
            at = row.id.at if row is not None else rule.place("id")
            where = f"its row {rule.family}" if row is not None else f"a new row {rule.family}"
            message = f"'{rule.id}' is {rule.importance} and in no row of the family table; add it to {where}."
            report.error(at, "canary-family", message, fatal=False)


def _special(data: Data, rules: Iterable[RuleFile], report: Report) -> None:
    known = {rule.id: rule for rule in rules}
    for name, item in data.special.items():
        rule = known.get(name)
        if rule is None:
            report.unknown(item.pattern.at, "canary-special", "rule file of", name, known, fatal=False)
        elif rule.importance in DEFAULT:
            message = f"'{name}' is {rule.importance}, which the family table covers; take it out here."
            report.error(item.pattern.at, "canary-special", message, fatal=False)
        elif rule.family != item.family:
            message = f"'{name}' is of the family {rule.family}; mend it here."
            report.error(item.family.at, "canary-special", message, fatal=False)
    for rule in known.values():
        if rule.importance not in DEFAULT and rule.id not in data.special:
            message = f"No profile takes '{rule.id}' in, so no plan will ever check it; name it under p2 of one."
            report.warn(rule.place("id"), "canary-special", message)


def _profiles(data: Data, report: Report) -> None:
    for family in data.families.values():
        covered = any(family.id in profile.families for profile in data.profiles.values())
        for name in family.patterns:
            rationale = data.rationales.get(name)
            if not covered and rationale is None:
                message = (
                    f"No profile covers '{name}'; let one name its family {family.id}, or say why under rationales."
                )
                report.error(name.at, "canary-profile", message, fatal=False)
            elif covered and rationale is not None:
                message = f"'{name}' is covered by a profile and needs no reason; take it out."
                report.error(rationale.pattern.at, "canary-profile", message, fatal=False)


def targets_of(family: Family, use: Use) -> Iterator[tuple[Mark, Target]]:
    """Everything that a plan may ever ask of a family, and where it is asked."""
    for pattern in family.patterns:
        for archetype in family.archetypes:
            yield pattern.at, Target(str(pattern), str(archetype))
        for also in family.also:
            if (not also.patterns or pattern in also.patterns) and (
                not also.points or not use.points.get(pattern, frozenset()).isdisjoint(also.points)
            ):
                yield also.archetype.at, Target(str(pattern), str(also.archetype))


def _covered(tree: Tree, items: Iterable[Item], use: Use, report: Report) -> None:
    covered = {target for item in items if not item.check.deep for target in item.covers}
    wanted = [pair for family in tree.data.families.values() for pair in targets_of(family, use)]
    for surface in tree.data.surfaces.values():
        wanted += [(need.at, surface_target(surface.id, need)) for need in surface.needs]
        wanted += [
            (archetype.at, Target(str(pattern), str(archetype)))
            for name in surface.families
            for pattern in tree.data.families[name].patterns
            for archetype in surface.by
        ]
    for at, target in wanted:
        if target not in covered:
            subject = target.subject.replace("surface:", "the surface ")
            message = f"No check that is not deep covers {subject} by {target.archetype}; write one or widen one."
            report.error(at, "canary-cover", message, fatal=False)


def _costs(data: Data, report: Report) -> None:
    for check in data.checks.values():
        tier = data.tiers[check.tier]
        if check.milliseconds > tier.milliseconds:
            message = f"'{check.id}' takes longer than a {tier.id} check may; mend the tier or the check."
            report.error(check.tier.at, "canary-tier", message, fatal=False)
        if check.deep != (check.tier == "deep"):
            message = f"'{check.id}' has to be of the tier deep and marked deep, or neither."
            report.error(check.tier.at, "canary-tier", message, fatal=False)
        for name in check.archetypes:
            if not check.deep and check.tier not in data.archetypes[name].tiers:
                message = f"A check by {name} is not {check.tier}; mend the tier, or let the archetype allow it."
                report.error(check.tier.at, "canary-tier", message, fatal=False)


def _files(tree: Tree, files: Sequence[str], report: Report) -> dict[str, int]:
    counts = {name: sum(tree.belongs(surface, path) for path in files) for name, surface in tree.data.surfaces.items()}
    for surface in filter(tree.speaks_here, tree.data.surfaces.values()):
        for path in surface.paths:
            if not any(matches(path, file) for file in files):
                message = f"'{path}' matches no file; mend it, or put it under elsewhere and say why."
                report.error(path.at, "canary-glob", message, fatal=False)
        for path in (path for other in surface.elsewhere for path in other.paths):
            if any(matches(path, file) for file in files):
                report.warn(path.at, "canary-glob", f"'{path}' matches files by now; put it under paths.")
    for check in filter(tree.speaks_here, tree.data.checks.values()):
        for path in check.runs.pytest:
            if not any(file == path or file.startswith(path.rstrip("/") + "/") for file in files):
                report.error(path.at, "canary-test", f"There is no test '{path}'; mend the path.", fatal=False)
    if tree.own:
        for file in files:
            if not tree.surfaces_of(file):
                report.warn(Mark(file), "canary-file", "The file belongs to no surface; give one its path.")
    return counts


def _patterns(data: Data, rules: Iterable[RuleFile], items: Sequence[Item]) -> Iterator[dict[str, Any]]:
    known = {rule.id: rule for rule in rules}
    for family in data.families.values():
        for pattern in family.patterns:
            rule, rationale = known.get(pattern), data.rationales.get(pattern)
            yield {
                "pattern": str(pattern),
                "name": rule.name if rule is not None else "",
                "importance": rule.importance if rule is not None else "",
                "family": str(family.id),
                "profiles": [name for name, profile in data.profiles.items() if family.id in profile.families],
                "checks": [item.id for item in items if any(target.subject == pattern for target in item.covers)],
                "rationale": rationale.why if rationale is not None else "",
            }


def _surfaces(tree: Tree, counts: dict[str, int]) -> list[dict[str, Any]]:
    return [
        {
            "surface": name,
            "path": surface.path,
            "meaning": surface.meaning,
            "files": counts[name],
            "families": list(map(str, surface.families)),
            "why": surface.why or "; ".join(other.why for other in surface.elsewhere if not counts[name]),
        }
        for name, surface in tree.data.surfaces.items()
    ]
