"""The tree that a plan is made for: this program's own, or that of a project which LoopX runs in."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from loopx_policy import globs
from loopx_policy.canary.names import check_names
from loopx_policy.canary.read import OWN, canary_files, read_data
from loopx_policy.canary.shapes import Check, Data, Layout, Surface
from loopx_policy.catalog_source.findings import Report
from loopx_policy.errors import CatalogError
from loopx_policy.records import record, replace

_WILD = re.compile(r"[*?\[]")
MARK = os.path.join("catalog", "canary", "repository.yaml")


@record
class Tree:
    """``own``: the program's own source tree, to which the paths of the shipped surfaces belong.

    Elsewhere only their globs for other trees count, and what the project's ``.loopx/canary.yaml`` adds.
    """

    root: str
    own: bool
    data: Data
    state_files: tuple[str, ...] = ()

    def surfaces_of(self, path: str) -> list[Surface]:
        """The surfaces that a file belongs to, in file order."""
        return [surface for surface in self.data.surfaces.values() if self.belongs(surface, path)]

    def belongs(self, surface: Surface, path: str) -> bool:
        """Whether a file belongs to a surface."""
        if surface.registry and path in self.state_files:
            return True
        return any(matches(pattern, path) for pattern in surface.globs)

    def speaks_here(self, entry: Surface | Check) -> bool:
        """Whether the paths of an entry are meant for this tree."""
        return self.own or entry.id.at.file == OWN


def matches(pattern: str, path: str) -> bool:
    """Whether a file belongs to a glob; most files are told by their first letters."""
    return path.startswith(_literal(pattern)) and globs.matches(pattern, path)


@lru_cache(maxsize=1024)
def _literal(pattern: str) -> str:
    return _WILD.split(pattern, maxsplit=1)[0]


def read_tree(root: str) -> Tree:
    """The data for the tree at ``root``. ``CatalogError`` at the first thing in it that is wrong."""
    report = Report()
    data = read_data(canary_files(root), report)
    check_names(data, report)
    for finding in report.sorted():
        if finding.fatal:
            raise CatalogError(finding.message, at=finding.at, fix="`loopx canary audit` lists all that is wrong.")
    return tree_of(root, data)


def tree_of(root: str, data: Data) -> Tree:
    """The tree with data that was read already."""
    tree = Tree(root, os.path.isfile(os.path.join(root, MARK)), data, tuple(_state_files(root)))
    if not tree.own:
        data.surfaces = {
            name: surface if tree.speaks_here(surface) else replace(surface, paths=())
            for name, surface in data.surfaces.items()
        }
        data.layout = Layout()
    return tree


def _state_files(root: str) -> Iterator[str]:
    """The state files inside the tree that its registry names; a broken one names none, and its check will tell."""
    try:
        with open(os.path.join(root, ".loopx", "registry.json"), encoding="utf-8") as file:
            goals = json.load(file)["goals"]
        named = [(str(goal["repo"]), str(goal["state_file"])) for goal in goals]
    except (OSError, ValueError, TypeError, KeyError):
        return
    yield from _inside(root, (os.path.join(root, repo, name) for repo, name in named))


def _inside(root: str, paths: Iterable[str]) -> Iterator[str]:
    top = os.path.realpath(root)
    for path in paths:
        real = os.path.realpath(path)
        if real.startswith(top + os.sep):
            yield os.path.relpath(real, top).replace(os.sep, "/")
