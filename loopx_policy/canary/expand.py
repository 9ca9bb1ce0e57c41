"""The checks as they can be run: those made for each pattern and family written out, with what each covers."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from loopx_policy.canary.shapes import EACH, Check, Data, Family, Name, Names, Runs
from loopx_policy.canary.use import Use
from loopx_policy.records import record, replace


class Target(NamedTuple):
    """What has to be covered: a pattern, ``surface:<id>`` or ``file:<path of a test>``, by an archetype.

    A test has no archetype: it is covered where it is run.
    """

    subject: str
    archetype: str

    def __str__(self) -> str:
        return f"{self.subject} by {self.archetype}" if self.archetype else self.subject


def surface_target(surface: str, archetype: str) -> Target:
    return Target(f"surface:{surface}", archetype)


@record(frozen=True)
class Item:
    """One check that can be run, with all that it covers. ``id`` is ``pattern_fixtures:IP-004`` for one of many."""

    id: str
    check: Check
    runs: Runs
    milliseconds: int
    archetypes: tuple[str, ...]
    covers: frozenset[Target]

    def runs_test(self, path: str) -> bool:
        """Whether a test file is among those that it runs."""
        return any(path == own or path.startswith(own.rstrip("/") + "/") for own in self.runs.pytest)


def expand(data: Data, use: Use) -> list[Item]:
    """Every check, in file order."""
    return [item for check in data.checks.values() for item in _items(check, data, use)]


def _items(check: Check, data: Data, use: Use) -> Iterator[Item]:
    if check.each == "pattern":
        for family in data.families.values():
            for pattern in family.patterns:
                yield _one(check, pattern, (pattern,), family, use)
        for name, special in data.special.items():
            if special.family in data.families:
                yield _one(check, name, (special.pattern,), data.families[special.family], use)
    elif check.each == "family":
        for family in data.families.values():
            yield _one(check, family.id, family.patterns, family, use)
    else:
        yield Item(
            str(check.id), check, check.runs, check.milliseconds, check.archetypes, frozenset(_covers(check, data, use))
        )


def _one(check: Check, name: str, patterns: Names, family: Family, use: Use) -> Item:
    fixtures: list[Name] = []
    for entry in check.runs.fixtures:
        fixtures += patterns if entry == EACH else (entry,)
    own = check.archetypes or family.archetypes
    covers = frozenset(Target(str(pattern), each) for pattern in patterns for each in _by(check, own, pattern, use))
    return Item(
        f"{check.id}:{name}",
        check,
        replace(check.runs, fixtures=tuple(fixtures)),
        check.milliseconds * len(patterns),
        tuple(dict.fromkeys(str(target.archetype) for target in sorted(covers))),
        covers,
    )


def _by(check: Check, own: Names, pattern: Name, use: Use) -> list[str]:
    return [*map(str, own), *(map(str, check.at_turn) if use.decides_turn(pattern) else ())]


def _covers(check: Check, data: Data, use: Use) -> Iterator[Target]:
    families = [data.families[name].patterns for name in check.families if name in data.families]
    for pattern in (*check.patterns, *(pattern for patterns in families for pattern in patterns)):
        for archetype in _by(check, check.archetypes, pattern, use):
            yield Target(str(pattern), archetype)
    for surface in check.surfaces:
        for archetype in check.archetypes:
            yield surface_target(surface, archetype)


def runnable(items: Iterable[Item], exists: Callable[[str], bool]) -> list[Item]:
    """The checks whose files are there."""
    return [item for item in items if all(exists(path) for path in needed(item))]


def needed(item: Item) -> list[str]:
    """The paths, from the top of the tree, without which a check cannot be run."""
    return [*([item.check.where] if item.check.where else []), *map(str, item.runs.pytest)]


def beside(root: str) -> Callable[[str], bool]:
    """Whether a path is there, from the top of a tree."""
    return lambda path: os.path.exists(os.path.join(root, path))
