"""The smallest plan: the cheapest checks that cover everything a change touches, each with its reason.

Seed: the selection order for ordinary reviews. Where hot and cold surfaces are both touched there are two small
profiles, the hot one first; deep checks come in only when asked for; what nothing covers is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from loopx_policy.canary.cover import cheapest
from loopx_policy.canary.expand import Item, Target, expand, needed, runnable
from loopx_policy.canary.mapping import Touched
from loopx_policy.canary.needs import Asked, Needs, check_asked, needs_of
from loopx_policy.canary.shapes import Data, Surface
from loopx_policy.canary.use import Use
from loopx_policy.records import field, record

NEXT = (
    "Give a surface the path. If none of these can show it, write down for the owner what is missing at least, which of"
    " these were turned down and why, what a new contract would break or move, and the few checks that it needs; build"
    " nothing before that."
)


@record
class Planned:
    """A check of a plan: why it is there, and what of the plan it covers that no check before it does."""

    item: Item
    profile: str
    why: list[str]
    covers: list[Target]
    when: str = ""

    def to_dict(self) -> dict[str, Any]:
        """``{id, profile, runs, tier, milliseconds, archetypes, covers, why, when, failure}``."""
        return {
            "id": self.item.id,
            "profile": self.profile,
            "runs": spoken(self.item),
            "tier": str(self.item.check.tier),
            "milliseconds": self.item.milliseconds,
            "archetypes": list(map(str, self.item.archetypes)),
            "covers": [list(target) for target in self.covers],
            "why": self.why,
            "when": self.when,
            "failure": self.item.check.failure,
        }


@record(frozen=True)
class Gap:
    """What nothing covers; ``tried`` are the contracts and routes that do not represent it, ``then`` what to do."""

    what: str
    why: str
    tried: tuple[str, ...] = ()
    then: str = ""

    def to_dict(self) -> dict[str, Any]:
        """``{what, why, tried, then}``."""
        return {"what": self.what, "why": self.why, "tried": list(self.tried), "then": self.then}


@record
class Plan:
    """``checks`` in the order in which they are run; ``deep`` are deep checks that were left out.

    ``fitting`` are profiles whose surfaces were touched and that nobody chose. ``exact``: no choice is cheaper.
    """

    touched: list[Touched]
    surfaces: list[Surface]
    patterns: list[str]
    checks: list[Planned]
    deep: list[Planned]
    left_out: dict[str, str]
    gaps: list[Gap]
    chosen: list[str]
    fitting: list[str]
    targets: list[Target] = field(default_factory=list)
    exact: bool = True

    @property
    def milliseconds(self) -> int:
        """What the checks take about, one after the other."""
        return sum(planned.item.milliseconds for planned in self.checks)


def spoken(item: Item) -> str:
    """What a check runs, as somebody would type it."""
    runs = item.runs
    if runs.fixtures:
        return "loopx catalog test " + " ".join(f"--pattern {name}" for name in runs.fixtures)
    if runs.lint:
        return "loopx catalog lint"
    return "pytest " + " ".join(runs.pytest) if runs.pytest else "loopx " + " ".join(runs.command)


def make_plan(
    data: Data, use: Use, touched: Sequence[Touched], asked: Asked, exists: Callable[[str], bool], deep: bool = False
) -> Plan:
    """The plan for some touched files and some names. ``exists`` tells whether a path of the tree is there."""
    check_asked(data, use, asked)
    needs = needs_of(data, use, touched, asked)
    every = [_with_tests(item, needs) for item in expand(data, use)]
    here = runnable(every, exists)
    checks, exact = _chosen([item for item in here if not item.check.deep], needs)
    further = list(_deep(here, needs, data, asked))
    included = further if deep else []
    covered = {target for planned in (*checks, *included) for target in planned.item.covers}
    return Plan(
        touched=list(touched),
        surfaces=needs.surfaces,
        patterns=sorted(needs.patterns),
        checks=[*checks, *included],
        deep=[] if deep else further,
        left_out={name: _left_out(data, name, why) for name, why in needs.left_out.items()},
        gaps=list(_gaps(data, needs, every, exists, covered)),
        chosen=list(asked.profiles),
        fitting=_fitting(data, touched, asked),
        targets=sorted(needs.targets),
        exact=exact,
    )


def _with_tests(item: Item, needs: Needs) -> Item:
    """The check with those changed tests that it runs among what it covers."""
    if not item.runs.pytest:
        return item
    tests = {target for target in needs.targets if not target.archetype and item.runs_test(target.subject[5:])}
    return Item(item.id, item.check, item.runs, item.milliseconds, item.archetypes, item.covers | tests)


def _chosen(items: Sequence[Item], needs: Needs) -> tuple[list[Planned], bool]:
    """The cheapest checks of the hot profile, and then those of the cold one for what is left."""
    offers = [(item.milliseconds, item.covers) for item in items]
    found: list[Planned] = []
    covered: set[Target] = set()
    exact = True
    for profile, hot in (("hot", True), ("cold", False)):
        wanted = {target for target, need in needs.targets.items() if need.hot is hot} - covered
        choice = cheapest(wanted, offers)
        exact = exact and choice.exact
        for item in sorted((items[number] for number in choice.chosen), key=lambda item: (item.milliseconds, item.id)):
            fresh = sorted((item.covers & needs.targets.keys()) - covered)
            covered |= item.covers
            found.append(Planned(item, profile, _why(needs, fresh), fresh))
    return found, exact


def _why(needs: Needs, targets: Iterable[Target]) -> list[str]:
    return list(dict.fromkeys(reason for target in targets for reason in needs.targets[target].reasons))


def _deep(items: Iterable[Item], needs: Needs, data: Data, asked: Asked) -> Iterator[Planned]:
    """The deep checks of the chosen profiles and of what was touched, cheapest first."""
    touched = {surface.id for surface in needs.surfaces}
    chosen = [data.profiles[name] for name in asked.profiles]
    fitting = [profile for profile in data.profiles.values() if not touched.isdisjoint(profile.surfaces)]
    for item in sorted(items, key=lambda item: (item.milliseconds, item.id)):
        naming = [profile.id for profile in chosen if any(deep.check == item.id for deep in profile.deep)]
        common = [name for name in item.check.surfaces if name in touched]
        if item.check.deep and (naming or common):
            why = [f"the profile {name} names it" for name in naming] + [f"{name} is touched" for name in common]
            whens = [deep.when for profile in (*chosen, *fitting) for deep in profile.deep if deep.check == item.id]
            covers = sorted(item.covers & needs.targets.keys())
            yield Planned(item, "deep", why, covers, whens[0] if whens else "")


def _left_out(data: Data, pattern: str, why: str) -> str:
    names = " or ".join(f"--profile {profile.id}" for profile in data.profiles_with(pattern))
    return f"{why}; it is P2 and comes in with {names}"


def _gaps(
    data: Data, needs: Needs, items: Sequence[Item], exists: Callable[[str], bool], covered: set[Target]
) -> Iterator[Gap]:
    for found in needs.unrepresented:
        yield Gap(found.path, "no surface represents this file", tuple(_tried(data)), NEXT)
    for pattern, why in needs.unlisted.items():
        yield Gap(pattern, f"{why}, and no row of the family table or profile lists it")
    for target in needs.targets:
        if target not in covered:
            yield Gap(
                str(target).replace("surface:", "the surface ").removeprefix("file:"), _lack(target, items, exists)
            )


def _lack(target: Target, items: Iterable[Item], exists: Callable[[str], bool]) -> str:
    able = [item for item in items if target in item.covers]
    if not able:
        return "no check runs this test" if not target.archetype else "no check covers it"
    for item in able:
        missing = next((path for path in needed(item) if not exists(path)), None)
        if missing is not None:
            return f"{item.id} would cover it, and there is no {missing} here"
    return f"only the deep check {able[0].id} covers it"


def _tried(data: Data) -> Iterator[str]:
    """The ways to represent a file, and the contracts that have a surface in this tree."""
    yield "rules, fixtures and vocabulary: it is none of them"
    yield "import graph: nothing that sets facts or decides is built on it"
    for contract in data.contracts.values():
        surfaces = [data.surfaces[name] for name in contract.surfaces]
        names = [str(surface.id) for surface in surfaces if surface.globs or surface.registry]
        if names:
            none = f"none of its {len(names)} surfaces has the path" if len(names) > 1 else f"{names[0]} lacks the path"
            yield f"{contract.command}, which shows {contract.shows}: {none}"


def _fitting(data: Data, touched: Iterable[Touched], asked: Asked) -> list[str]:
    """Profiles that nobody chose and whose surfaces were touched by a file, the best fitting first."""
    surfaces = {surface.id for found in touched for surface in found.surfaces}
    common = {
        name: len(surfaces.intersection(profile.surfaces)) / len(profile.surfaces)
        for name, profile in data.profiles.items()
        if name not in asked.profiles
    }
    return sorted((name for name, share in common.items() if share), key=lambda name: -common[name])[:3]
