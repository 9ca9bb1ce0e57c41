"""``loopx canary``: which checks a change needs, and whether the data behind that still fits."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from loopx_policy.canary.changes import Change, from_git, named
from loopx_policy.canary.expand import beside
from loopx_policy.canary.git import top_of
from loopx_policy.canary.import_cache import ImportCache
from loopx_policy.canary.mapping import Mapper, Touched
from loopx_policy.canary.needs import Asked
from loopx_policy.canary.plan import Plan, make_plan
from loopx_policy.canary.tree import read_tree
from loopx_policy.canary.use import use_of
from loopx_policy.catalog_cache import cache_folder
from loopx_policy.engine.catalog import Catalog
from loopx_policy.errors import UsageError

from ..request import Globals, Result
from .policy import load

Data = dict[str, Any]


@dataclass(slots=True, frozen=True)
class Selection:
    """What a plan is asked for. ``base`` goes with ``git``, which is asked too where nothing else is said."""

    tree: str | None = None
    changed: tuple[str, ...] = ()
    git: bool = False
    base: str | None = None
    asked: Asked = field(default_factory=Asked)
    deep: bool = False


def root_of(tree: str | None) -> str:
    """The tree that is meant: the one named, else the git work tree around the working folder, else that folder."""
    if tree is None:
        return top_of(os.getcwd()) or os.getcwd()
    if not os.path.isdir(tree):
        raise UsageError(f"There is no folder {tree}.", fix="Name one with --tree, or leave it out.")
    return os.path.abspath(tree)


def planned(selection: Selection, root: str, catalog: Catalog) -> Plan:
    """The plan for a selection."""
    if selection.base is not None and not selection.git:
        raise UsageError("A BASE goes with --from-git-diff.", fix="Add it, or name files with --changed-file.")
    tree, use = read_tree(root), use_of(catalog)
    changes: list[Change] = named(root, os.getcwd(), selection.changed)
    if selection.git or not (selection.changed or selection.asked != Asked()):
        changes += from_git(root, selection.base or "")
    touched = Mapper(tree, use, ImportCache(cache_folder(os.environ))).map(changes)
    return make_plan(tree.data, use, touched, selection.asked, beside(root), selection.deep)


def plan(options: Globals, selection: Selection) -> Result:
    """``{checks, deep, gaps, touched, surfaces, patterns, left_out, profiles, milliseconds, exact}``."""
    del options
    return Result(told(planned(selection, root_of(selection.tree), load())), "canary_plan")


def told(found: Plan) -> Data:
    """A plan as plain data."""
    return {
        "schema_version": "loopx_canary_plan_v0",
        "checks": [each.to_dict() for each in found.checks],
        "milliseconds": found.milliseconds,
        "exact": found.exact,
        "gaps": [gap.to_dict() for gap in found.gaps],
        "touched": [_touched(each) for each in found.touched],
        "surfaces": [{"surface": str(each.id), "path": each.path} for each in found.surfaces],
        "patterns": found.patterns,
        "deep": [each.to_dict() for each in found.deep],
        "left_out": found.left_out,
        "profiles": {"chosen": found.chosen, "fitting": found.fitting},
    }


def _touched(found: Touched) -> Data:
    return found.change.to_dict() | {
        "path": found.path,
        "surfaces": [str(surface.id) for surface in found.surfaces],
        "patterns": sorted(found.patterns),
        "every_pattern": found.whole,
        "facts": [list(fact) for fact in found.facts],
        "not_followed": found.beside,
    }
