"""The canary data, typed: archetypes, families, surfaces, checks and profiles.

Seed: Pattern-To-Canary Design Matrix; catalog maintenance. Every name is a :class:`Name`, so that what does not
exist can be told at its place.
"""

from __future__ import annotations

from typing import Literal

from loopx_policy.catalog_source.findings import Mark
from loopx_policy.records import field, record

Path = Literal["hot", "cold"]
EACH = "each"


class Name(str):
    """A text of a data file that knows where it stands."""

    __slots__ = ("at",)
    at: Mark

    @classmethod
    def placed(cls, text: str, at: Mark) -> Name:
        made = cls(text)
        made.at = at
        return made


Names = tuple[Name, ...]


@record(frozen=True)
class Tier:
    """A cost tier; a check of it takes at most ``milliseconds``."""

    id: Name
    milliseconds: int
    meaning: str


@record(frozen=True)
class Archetype:
    """A kind of canary: one question. ``tiers`` are what its checks may cost."""

    id: Name
    name: str
    question: str
    triggers: Names
    depth: str
    tiers: Names
    failure: str
    path: str


@record(frozen=True)
class Also:
    """A further archetype of a family where one of ``surfaces`` is touched; empty ``patterns``, ``points`` mean any."""

    archetype: Name
    when: str
    surfaces: Names
    patterns: Names = ()
    points: Names = ()


@record(frozen=True)
class Family:
    """One row of the family table."""

    id: Name
    patterns: Names
    archetypes: Names
    also: tuple[Also, ...]
    triggers: Names
    surfaces: Names
    fixtures: Names
    failure: str


@record(frozen=True)
class Contract:
    """A command that shows what happens on some surfaces; what it can show needs no contract of its own."""

    id: Name
    command: str
    shows: str
    surfaces: Names


@record(frozen=True)
class Elsewhere:
    """Globs that match nothing in the program's own tree, and why."""

    paths: Names
    why: str


@record(frozen=True)
class Surface:
    """What a change can touch.

    ``families`` are checked by the archetypes ``by`` (their default ones where empty), the surface itself by ``needs``.
    ``registry``: the state files that the registry of a tree names belong to it.
    """

    id: Name
    meaning: str
    path: str
    families: Names
    by: Names
    needs: Names
    paths: Names
    elsewhere: tuple[Elsewhere, ...]
    registry: bool
    why: str

    @property
    def globs(self) -> Names:
        """Every glob of it, of this tree and of others."""
        return (*self.paths, *(path for other in self.elsewhere for path in other.paths))


@record(frozen=True)
class Runs:
    """What a check runs: exactly one of fixtures of patterns, the lint, tests, or a command with its exit code."""

    fixtures: Names = ()
    lint: bool = False
    pytest: Names = ()
    command: Names = ()
    exit: int = 0


@record(frozen=True)
class Check:
    """What can be run. ``each`` makes one for each pattern or family, with ``milliseconds`` for each pattern in it.

    ``archetypes`` are those whose question it answers, and ``at_turn`` those that it answers for patterns which
    decide a turn. ``where`` is a path without which it cannot be run.
    """

    id: Name
    runs: Runs
    tier: Name
    milliseconds: int
    failure: str
    each: str = ""
    archetypes: Names = ()
    at_turn: Names = ()
    patterns: Names = ()
    families: Names = ()
    surfaces: Names = ()
    deep: bool = False
    alone: bool = False
    where: str = ""


@record(frozen=True)
class Deep:
    """A deep check of a profile, and the kind of change that calls for it."""

    check: Name
    when: str


@record(frozen=True)
class Special:
    """A P2 pattern that a profile takes in."""

    pattern: Name
    family: Name
    owner: str
    not_applicable: str


@record(frozen=True)
class Profile:
    """A domain profile, chosen by name."""

    id: Name
    name: str
    owner: str
    situation: str
    surfaces: Names
    families: Names
    adds: str
    deep: tuple[Deep, ...]
    p2: tuple[Special, ...]
    not_for: str


@record(frozen=True)
class Rationale:
    """Why no profile covers a pattern."""

    pattern: Name
    why: str


@record(frozen=True)
class Layout:
    """Where the Python code of a tree stands: ``packages`` maps folders to the packages that they are imported as.

    A module of ``facts`` that spells a declared fact sets it; one of ``points`` sets facts of the decision point that
    it is named after. Through a module of ``whole`` every pattern is decided.
    """

    packages: dict[str, str] = field(default_factory=dict)
    facts: str = ""
    points: str = ""
    whole: Names = ()


@record
class Data:
    """Everything by id, in file order."""

    tiers: dict[str, Tier] = field(default_factory=dict)
    archetypes: dict[str, Archetype] = field(default_factory=dict)
    families: dict[str, Family] = field(default_factory=dict)
    contracts: dict[str, Contract] = field(default_factory=dict)
    surfaces: dict[str, Surface] = field(default_factory=dict)
    checks: dict[str, Check] = field(default_factory=dict)
    profiles: dict[str, Profile] = field(default_factory=dict)
    rationales: dict[str, Rationale] = field(default_factory=dict)
    layout: Layout = field(default_factory=Layout)

    @property
    def special(self) -> dict[str, Special]:
        """The P2 patterns that some profile takes in."""
        return {str(item.pattern): item for profile in self.profiles.values() for item in profile.p2}

    def family_of(self, pattern: str) -> Family | None:
        """The row that lists a pattern, or to which a profile counts it; None for one that nothing here names."""
        item = self.special.get(pattern)
        if item is not None:
            return self.families.get(item.family)
        return next((family for family in self.families.values() if pattern in family.patterns), None)

    def profiles_with(self, pattern: str) -> list[Profile]:
        """The profiles that take in a P2 pattern."""
        return [each for each in self.profiles.values() if any(item.pattern == pattern for item in each.p2)]
