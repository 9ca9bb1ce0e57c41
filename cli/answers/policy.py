"""The compiled policy, from its cache where the files have not changed."""

from __future__ import annotations

import os

from loopx_policy.catalog_cache import cache_folder, load_catalog
from loopx_policy.engine.catalog import Catalog
from loopx_policy.errors import LoopxError
from loopx_policy.project.locate import find_registry

from ..request import Globals


def load(options: Globals | None = None, *, project: bool = True) -> Catalog:
    """The program's own catalog; with ``options`` also the rules of ``--rules`` and, of a ``project``, its own.

    ``CatalogError`` where an added rule is wrong: none is ever left out in silence.
    """
    added = overlays(options, project=project) if options is not None else ()
    return load_catalog(cache_dir=cache_folder(os.environ), overlays=added)


def overlays(options: Globals, *, project: bool = True) -> tuple[str, ...]:
    """The folders of added rules: ``rules`` in the project's ``.loopx``, then those of ``--rules``."""
    found = _of_project(options) if project else ""
    return (found, *options.rules) if found else options.rules


def _of_project(options: Globals) -> str:
    """The rules beside the registry in ``.loopx``; where it lies elsewhere, in the nearest ``.loopx`` from here up."""
    try:
        registry = find_registry(
            registry=options.registry or None,
            runtime_root=options.runtime_root or None,
            cwd=os.getcwd(),
            env=os.environ,
        )
    except (LoopxError, OSError):
        return ""  # whoever reads the project says what is wrong with it
    folder = os.path.dirname(registry)
    if os.path.basename(folder) != ".loopx":
        return _nearest()
    rules = os.path.join(folder, "rules")
    return os.path.relpath(rules) if os.path.lexists(rules) else ""


def _nearest() -> str:
    folder = os.getcwd()
    while True:
        rules = os.path.join(folder, ".loopx", "rules")
        if os.path.lexists(rules):
            return os.path.relpath(rules)
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
