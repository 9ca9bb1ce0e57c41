"""From a changed file to what it touches: patterns through facts, rules, fixtures and vocabulary, and surfaces.

Python goes up the import graph to the modules that set facts, and from each of their facts to the patterns that read
it. There it stops: what another module makes of the same code shows in the facts of that one, and is named beside. A
module through which everything is decided touches every pattern. Where nothing of this tells which patterns, the
families of the file's surfaces do.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from loopx_policy.canary.changes import Change
from loopx_policy.canary.import_cache import ImportCache
from loopx_policy.canary.imports import Graph, module_name
from loopx_policy.canary.production import is_final, produced
from loopx_policy.canary.shapes import Surface
from loopx_policy.canary.tree import Tree
from loopx_policy.canary.use import Fact, Use
from loopx_policy.records import field, record

_RULE = re.compile(r"rules/[a-z0-9_]+/(IP-\d{3}|GR-[a-z0-9]+)(?:-[a-z0-9-]+)?\.ya?ml")
_FIXTURE = re.compile(r"fixtures/(IP-\d{3}|GR-[a-z0-9-]+)/.+\.(?:ya?ml|json)")
_COVERS = re.compile(rb"^covers:\s*[\"']?(?:[a-z_]+:)?(IP-\d{3}|GR-[a-z0-9-]+)\.", re.MULTILINE)
_POINT = re.compile(r"catalog/(?:facts/([a-z_]+)\.yaml|schemas/points/([a-z_]+)\.schema\.json)")


@record
class Touched:
    """What one changed file touches.

    ``patterns`` have the reason for each. ``exact``: the patterns were told by more than the file's place. ``whole``:
    every pattern is touched. ``facts`` are those set by it or by what uses it; ``beside`` the modules that use it too
    and whose own facts were not followed. ``tests``: the file is a test.
    """

    change: Change
    path: str
    surfaces: list[Surface] = field(default_factory=list)
    patterns: dict[str, str] = field(default_factory=dict)
    exact: bool = False
    whole: str = ""
    facts: list[Fact] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)

    @property
    def is_test(self) -> bool:
        """Whether it is, by its name, a file that tests are run from."""
        name = self.path.rpartition("/")[2]
        return self.path.startswith("tests/") and name.startswith("test_") and name.endswith(".py")


class Mapper:
    """Maps changed files of one tree."""

    def __init__(self, tree: Tree, use: Use, cache: ImportCache | None = None) -> None:
        self._tree = tree
        self._use = use
        self._graph = Graph(tree.root, tree.data.layout.packages, cache)

    def map(self, changes: Iterable[Change]) -> list[Touched]:
        """What each change touches; a renamed file is touched where it is and where it was."""
        return [self.touched(change, path) for change in changes for path in change.paths]

    def touched(self, change: Change, path: str) -> Touched:
        """What a change touches at one of its paths."""
        found = Touched(change, path, self._tree.surfaces_of(path))
        if self._tree.own:
            self._rule(found)
            self._fixture(found)
            self._vocabulary(found)
            self._python(found)
        return found

    def _rule(self, found: Touched) -> None:
        match = _RULE.fullmatch(found.path)
        if match:
            name = self._longest(match[1], found.path)
            self._exactly(found, {name: f"{found.path} is its rule file"})

    def _longest(self, name: str, path: str) -> str:
        """The pattern that a rule file is named after: a ground state's slug may have hyphens."""
        stem = path.rpartition("/")[2].rpartition(".")[0]
        known = [pattern for pattern in self._use.points if stem == pattern or stem.startswith(pattern + "-")]
        return max(known, key=len, default=name)

    def _fixture(self, found: Touched) -> None:
        match = _FIXTURE.fullmatch(found.path)
        if match:
            covered = _COVERS.search(self._content(found.path))
            names = dict.fromkeys([match[1], *([covered[1].decode()] if covered else [])])
            self._exactly(found, dict.fromkeys(names, f"{found.path} is one of its fixtures"))

    def _vocabulary(self, found: Touched) -> None:
        match = _POINT.fullmatch(found.path)
        if match:
            point = match[1] or match[2]
            reason = f"{found.path} declares what {point} is decided on"
            self._exactly(found, dict.fromkeys(sorted(self._use.deciding(point)), reason))

    def _python(self, found: Touched) -> None:
        module = self._module(found.path)
        if module is None:
            return
        climb = _Climb(self._importers, self._is_whole, self._final)
        climb.start(module)
        if climb.whole:
            found.whole = (
                f"through {found.path} every pattern is decided"
                if climb.whole == module
                else f"{found.path} is used by {self._graph.paths[climb.whole]}, through which every pattern is decided"
            )
            found.exact = True
            return
        reasons: dict[str, list[str]] = {}
        for setter in climb.setters:
            facts = produced(self._graph, setter, self._tree.data.layout, self._use)
            found.facts += sorted(facts - set(found.facts))
            path = self._graph.paths[setter]
            start = found.path if path == found.path else f"{found.path} is used by {path}, which"
            for pattern, read in self._use.reading(facts).items():
                names = ", ".join(name for _, name in read[:3])
                more = f" and {len(read) - 3} more" if len(read) > 3 else ""
                reasons.setdefault(pattern, []).append(f"{start} sets {names}{more}, which {pattern} reads")
        if climb.setters:
            self._exactly(found, {pattern: "; ".join(why[:2]) for pattern, why in sorted(reasons.items())})
        found.beside = [self._graph.paths[other] for other in climb.beside]

    @cached_property
    def _importers(self) -> dict[str, list[str]]:
        """What the facts and the deciding modules are built on, with who imports it."""
        layout = self._tree.data.layout
        return self._graph.below(
            module
            for module in self._graph.paths
            if module.startswith((layout.facts + ".", layout.points + ".")) or self._is_whole(module)
        )

    def _is_whole(self, module: str) -> bool:
        whole = self._tree.data.layout.whole
        return any(module == one or (one.endswith(".*") and module.startswith(one[:-1])) for one in whole)

    def _final(self, module: str) -> bool | None:
        """True for a module whose facts are its own, False for one that sets facts for others, None for any other."""
        layout = self._tree.data.layout
        if module not in self._graph.paths or not produced(self._graph, module, layout, self._use):
            return None
        return is_final(module, layout, self._use)

    def _module(self, path: str) -> str | None:
        for folder, package in self._tree.data.layout.packages.items():
            if path.startswith(folder + "/") and path.endswith(".py"):
                return module_name(path, folder, package)
        return None

    def _content(self, path: str) -> bytes:
        try:
            with open(os.path.join(self._tree.root, path), "rb") as file:
                return file.read()
        except OSError:
            return b""

    def _exactly(self, found: Touched, patterns: dict[str, str]) -> None:
        found.patterns.update(patterns)
        found.exact = True


class _Climb:
    """One way up the import graph: to the modules that set facts, or to one through which everything is decided."""

    __slots__ = ("_final", "_importers", "_is_whole", "beside", "setters", "whole")

    def __init__(
        self,
        importers: Mapping[str, list[str]],
        is_whole: Callable[[str], bool],
        final: Callable[[str], bool | None],
    ) -> None:
        self._importers = importers
        self._is_whole = is_whole
        self._final = final
        self.setters: list[str] = []
        self.beside: list[str] = []
        self.whole = ""

    def start(self, module: str) -> None:
        seen, level = {module}, [module]
        while level and not self.whole:
            above: list[str] = []
            for each in level:
                if self._is_whole(each):
                    self.whole = each
                    return
                final = self._final(each)
                if final is not None:
                    self.setters.append(each)
                if final:
                    continue
                above += [other for other in self._importers.get(each, ()) if other not in seen]
                seen.update(above)
            level = sorted(set(above))
        if self.setters == [module] and self._final(module):
            self.beside = [other for other in self._importers.get(module, ()) if self._final(other)]
