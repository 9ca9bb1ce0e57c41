"""What has to be covered, and why: from what was touched and what was asked for by name."""

from __future__ import annotations

from collections.abc import Iterable

from loopx_policy.canary.expand import Target, surface_target
from loopx_policy.canary.mapping import Touched
from loopx_policy.canary.shapes import Data, Family, Names, Profile, Surface
from loopx_policy.canary.use import Use
from loopx_policy.catalog_source.findings import nearest
from loopx_policy.errors import UsageError
from loopx_policy.records import field, record


@record(frozen=True)
class Asked:
    """What somebody asked for by name, beside the files that changed."""

    surfaces: tuple[str, ...] = ()
    families: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()


@record
class Need:
    """One thing to cover. ``hot`` where some reason comes from a hot surface."""

    hot: bool = False
    reasons: list[str] = field(default_factory=list)


@record
class Needs:
    """Everything to cover.

    ``left_out`` are P2 patterns that no chosen profile takes in, ``unlisted`` those that nothing here names, each with
    the reason; ``unrepresented`` are the files that touch nothing.
    """

    targets: dict[Target, Need] = field(default_factory=dict)
    patterns: list[str] = field(default_factory=list)
    surfaces: list[Surface] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    unlisted: dict[str, str] = field(default_factory=dict)
    unrepresented: list[Touched] = field(default_factory=list)


def check_asked(data: Data, use: Use, asked: Asked) -> None:
    """``UsageError`` for a name that nothing has."""
    for flag, names, known in (
        ("surface", asked.surfaces, list(data.surfaces)),
        ("family", asked.families, list(data.families)),
        ("pattern", asked.patterns, [*use.points, *(name for row in data.families.values() for name in row.patterns)]),
        ("profile", asked.profiles, list(data.profiles)),
    ):
        for name in names:
            if name not in known:
                near = nearest(name, known)
                fix = f"Did you mean {near}?" if near else "`loopx canary audit` lists them."
                raise UsageError(f"There is no {flag} {name[:60]}.", fix=fix)


def needs_of(data: Data, use: Use, touched: Iterable[Touched], asked: Asked) -> Needs:
    """What the touched files and the names ask for."""
    return _Gathering(data, use, list(touched), asked).needs


class _Gathering:
    def __init__(self, data: Data, use: Use, touched: list[Touched], asked: Asked) -> None:
        self.data = data
        self.use = use
        self.needs = Needs()
        profiles = [data.profiles[name] for name in asked.profiles]
        self.admitted = {item.pattern for profile in profiles for item in profile.p2}
        named = [data.surfaces[name] for name in asked.surfaces]
        for surface in (
            *(surface for each in touched for surface in each.surfaces),
            *named,
            *(data.surfaces[name] for profile in profiles for name in profile.surfaces),
        ):
            if surface not in self.needs.surfaces:
                self.needs.surfaces.append(surface)
        self.touched = {str(surface.id): surface for surface in self.needs.surfaces}
        for each in touched:
            self._file(each)
        for surface in named:
            self._surface(surface, f"the surface {surface.id} was named")
        for name in asked.families:
            self._family(data.families[name], f"the family {name} was named")
        for pattern in asked.patterns:
            self._pattern(pattern, f"{pattern} was named", self.use.decides_turn(pattern))
        for profile in profiles:
            self._profile(profile)

    def _file(self, found: Touched) -> None:
        path, hot = found.path, any(surface.path == "hot" for surface in found.surfaces)
        for surface in found.surfaces:
            for archetype in surface.needs:
                self._need(surface_target(surface.id, archetype), f"{path} belongs to {surface.id}", _hot(surface))
        if found.is_test:
            self._need(Target(f"file:{path}", ""), f"{path} is a test", False)
        if found.whole:
            for family in self.data.families.values():
                for pattern in family.patterns:
                    self._pattern(pattern, found.whole, True)
        for name, reason in found.patterns.items():
            self._pattern(name, reason, hot or (not found.surfaces and self.use.decides_turn(name)))
        if not found.exact:
            for surface in found.surfaces:
                self._families(surface, f"{path} belongs to {surface.id}")
            if not found.surfaces:
                self.needs.unrepresented.append(found)

    def _surface(self, surface: Surface, reason: str) -> None:
        for archetype in surface.needs:
            self._need(surface_target(surface.id, archetype), reason, _hot(surface))
        self._families(surface, reason)

    def _families(self, surface: Surface, reason: str) -> None:
        for name in surface.families:
            for pattern in self.data.families[name].patterns:
                self._pattern(pattern, f"{reason}, where {name} shows", _hot(surface), surface.by)

    def _family(self, family: Family, reason: str) -> None:
        hot = any(self.data.archetypes[name].path == "hot" for name in family.archetypes)
        for pattern in family.patterns:
            self._pattern(pattern, reason, hot)

    def _profile(self, profile: Profile) -> None:
        reason = f"the profile {profile.id} looks at it"
        for surface in (self.data.surfaces[name] for name in profile.surfaces):
            for archetype in surface.needs:
                self._need(surface_target(surface.id, archetype), reason, _hot(surface))
        for name in profile.families:
            self._family(self.data.families[name], reason)
        for item in profile.p2:
            self._pattern(item.pattern, f"{reason}; {item.owner} answers for it", False)

    def _pattern(self, name: str, reason: str, hot: bool, by: Names = ()) -> None:
        pattern = str(name)
        family = self.data.family_of(pattern)
        if family is None:
            self.needs.unlisted.setdefault(pattern, reason)
            return
        if pattern in self.data.special and pattern not in self.admitted:
            self.needs.left_out.setdefault(pattern, reason)
            return
        if pattern not in self.needs.patterns:
            self.needs.patterns.append(pattern)
        for archetype in by or family.archetypes:
            self._need(Target(pattern, str(archetype)), reason, hot)
        for also in () if by else family.also:
            wanted = not also.patterns or pattern in also.patterns
            decides = not also.points or not self.use.points.get(pattern, frozenset()).isdisjoint(also.points)
            calling = [self.touched[name] for name in also.surfaces if name in self.touched]
            if wanted and decides and calling:
                self._need(Target(pattern, str(also.archetype)), reason, hot and any(map(_hot, calling)))

    def _need(self, target: Target, reason: str, hot: bool) -> None:
        need = self.needs.targets.setdefault(target, Need())
        need.hot = need.hot or hot
        if reason not in need.reasons:
            need.reasons.append(reason)


def _hot(surface: Surface) -> bool:
    return surface.path == "hot"
