"""``loopx catalog watch``: lint and fixtures again after each save."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from loopx_policy.catalog_files import default_folder
from loopx_policy.errors import LoopxError, UsageError

from ..request import Globals, Result
from . import catalog
from .policy import overlays

PATIENCE = 200
"""Milliseconds after which the watch looks whether it is interrupted."""


def watch(options: Globals, fixtures: str, patterns: tuple[str, ...]) -> Iterator[Result]:
    """What each round says, until it is interrupted."""
    try:
        from watchfiles import watch as changes
    except ImportError:
        raise UsageError(
            "Watching needs the package watchfiles.", fix="Install the extra: pip install 'loopx-policy[watch]'."
        ) from None
    folders = [default_folder("rules"), default_folder("catalog"), fixtures, *overlays(options)]
    there = filter(os.path.isdir, folders)
    saves = changes(*there, yield_on_timeout=True, rust_timeout=PATIENCE)
    next(saves)  # it looks from now on: a save while the first round runs is seen
    yield from rounds(options, fixtures, patterns, saves)


def rounds(options: Globals, fixtures: str, patterns: tuple[str, ...], changes: Iterable[object]) -> Iterator[Result]:
    """A round at once and one after each change; what is wrong ends the round and not the watch."""
    yield once(options, fixtures, patterns)
    for saved in changes:
        if saved:
            yield once(options, fixtures, patterns)


def once(options: Globals, fixtures: str, patterns: tuple[str, ...]) -> Result:
    """The findings of lint where there are errors, else what the fixtures say."""
    try:
        found = catalog.lint(options)
        return found if found.exit_code else catalog.test(options, fixtures, patterns, bool(patterns))
    except LoopxError as error:
        finding = {"at": error.at, "rule": error.kind, "severity": "error", "message": f"{error.message} {error.fix}"}
        data = {"schema_version": "loopx_catalog_lint_v0", "ok": False, "files": 0, "findings": [finding]}
        return Result(data, "catalog_lint", error.exit_code)
