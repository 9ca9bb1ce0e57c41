"""Whether the names in the canary data name something there."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from loopx_policy.canary.shapes import EACH, Check, Data, Name
from loopx_policy.catalog_source.findings import Report

RULES: dict[str, str] = {
    "canary-name": "a name that the canary data does not declare",
    "canary-runs": "a check that runs nothing, or several things",
    "canary-covers": "a check that covers nothing, or does not say by what",
    "canary-idle": "a surface without files, or without anything to check and a reason for it",
}
"""The kinds of findings; ``docs/canary.md`` explains each under an anchor of the same name."""


def check_names(data: Data, report: Report) -> None:
    """Report each name that leads nowhere, and each check or surface that says nothing."""
    _Names(data, report).check()


class _Names:
    __slots__ = ("data", "report")

    def __init__(self, data: Data, report: Report) -> None:
        self.data = data
        self.report = report

    def check(self) -> None:
        data = self.data
        patterns = {*(name for family in data.families.values() for name in family.patterns), *data.special}
        for archetype in data.archetypes.values():
            self._known("tier", archetype.tiers, data.tiers)
        for family in data.families.values():
            self._known("archetype", family.archetypes, data.archetypes)
            self._known("surface", family.surfaces, data.surfaces)
            for also in family.also:
                self._known("archetype", [also.archetype], data.archetypes)
                self._known("surface", also.surfaces, data.surfaces)
                self._known("pattern of the family", also.patterns, family.patterns)
        for surface in data.surfaces.values():
            self._known("family", surface.families, data.families)
            self._known("archetype", (*surface.by, *surface.needs), data.archetypes)
            if not surface.globs and not surface.registry:
                self._say(surface.id, "canary-idle", f"No file belongs to '{surface.id}'; give it paths.")
            if not (surface.families or surface.needs or surface.why):
                self._say(surface.id, "canary-idle", f"Nothing is checked for '{surface.id}'; say why.")
        for check in data.checks.values():
            self._check(check, patterns)
        for contract in data.contracts.values():
            self._known("surface", contract.surfaces, data.surfaces)
        for profile in data.profiles.values():
            self._known("surface", profile.surfaces, data.surfaces)
            self._known("family", profile.families, data.families)
            self._known("family", (item.family for item in profile.p2), data.families)
            deep = [check.id for check in data.checks.values() if check.deep]
            self._known("deep check", (item.check for item in profile.deep), deep)
        for rationale in data.rationales.values():
            self._known("pattern", [rationale.pattern], patterns)

    def _check(self, check: Check, patterns: Collection[str]) -> None:
        self._known("tier", [check.tier], self.data.tiers)
        self._known("archetype", (*check.archetypes, *check.at_turn), self.data.archetypes)
        self._known("pattern", (*check.patterns, *(name for name in check.runs.fixtures if name != EACH)), patterns)
        self._known("family", check.families, self.data.families)
        self._known("surface", check.surfaces, self.data.surfaces)
        runs = check.runs
        if sum(map(bool, (runs.fixtures, runs.lint, runs.pytest, runs.command))) != 1:
            self._say(check.id, "canary-runs", f"'{check.id}' has to run one thing; write one of the four keys.")
        if bool(check.each) != (EACH in runs.fixtures):
            self._say(check.id, "canary-runs", f"'{check.id}' needs each: pattern and fixtures: [each] together.")
        if not (check.each or check.patterns or check.families or check.surfaces):
            self._say(check.id, "canary-covers", f"'{check.id}' covers nothing; name surfaces, families or patterns.")
        if not check.each and not check.archetypes:
            self._say(check.id, "canary-covers", f"'{check.id}' answers no question; name its archetypes.")

    def _known(self, what: str, names: Iterable[Name], known: Iterable[str]) -> None:
        for name in names:
            if name and name not in known:
                self.report.unknown(name.at, "canary-name", what, name, known)

    def _say(self, name: Name, rule: str, message: str) -> None:
        self.report.error(name.at, rule, message)
