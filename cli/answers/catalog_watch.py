"""``loopx catalog watch``: lint and fixtures again after each save."""

from __future__ import annotations

import os
from collections.abc import Iterable

from loopx_policy.catalog_files import default_folder
from loopx_policy.errors import LoopxError, UsageError

from .. import screen
from ..edge import encode, write
from ..request import Globals, Result
from . import catalog
from .policy import overlays


def watch(options: Globals, fixtures: str, patterns: tuple[str, ...]) -> Result:
    """Until it is interrupted; then the answer of the last round."""
    try:
        from watchfiles import watch as changes
    except ImportError:
        raise UsageError(
            "Watching needs the package watchfiles.", fix="Install the extra: pip install 'loopx-policy[watch]'."
        ) from None
    folders = [default_folder("rules"), default_folder("catalog"), fixtures, *overlays(options)]
    return rounds(options, fixtures, patterns, changes(*filter(os.path.isdir, folders), raise_interrupt=False))


def rounds(options: Globals, fixtures: str, patterns: tuple[str, ...], changes: Iterable[object]) -> Result:
    """A round at once and one after each change; what is wrong ends the round and not the watch."""
    result = once(options, fixtures, patterns)
    for _ in changes:
        show(options, result)
        result = once(options, fixtures, patterns)
    return result


def once(options: Globals, fixtures: str, patterns: tuple[str, ...]) -> Result:
    """The findings of lint where there are errors, else what the fixtures say."""
    try:
        found = catalog.lint(options)
        return found if found.exit_code else catalog.test(options, fixtures, patterns, bool(patterns))
    except LoopxError as error:
        finding = {"at": error.at, "rule": error.kind, "severity": "error", "message": f"{error.message} {error.fix}"}
        data = {"schema_version": "loopx_catalog_lint_v0", "ok": False, "files": 0, "findings": [finding]}
        return Result(data, "catalog_lint", error.exit_code)


def show(options: Globals, result: Result) -> None:
    """Print a round."""
    write(encode(result.data) if options.format == "json" else screen.draw(result, options.format))
