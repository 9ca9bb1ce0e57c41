"""``loopx catalog new``: the files of a new pattern."""

from __future__ import annotations

import os

from loopx_policy.catalog_files import default_folder, read_sources
from loopx_policy.catalog_source.added import ADDED_ID
from loopx_policy.catalog_source.compile import load_source
from loopx_policy.catalog_source.findings import nearest
from loopx_policy.errors import UsageError
from loopx_policy.workshop.pages import write_pages
from loopx_policy.workshop.skeleton import PATTERN_ID, skeleton

from ..request import Globals, Result
from .catalog_docs import made
from .policy import overlays


def new(options: Globals, pattern: str, title: str, family: str) -> Result:
    """``{files, next}``; nothing is overwritten. ``UsageError`` for an id that is taken or has no place."""
    own = PATTERN_ID.fullmatch(pattern) is not None
    found = load_source(read_sources(overlays=overlays(options)))
    if pattern in {rule.id for rule in found.rules}:
        raise UsageError(f"The id {pattern} is taken.", fix="loopx catalog list shows all ids.")
    if own:
        known = list(found.vocabulary.families)
        if family not in known:
            near = nearest(family, known) if family else ""
            fix = f"Did you mean {near}?" if near else f"Name one of {', '.join(known)} with --family."
            raise UsageError(f"There is no family {family}." if family else "A pattern has a family.", fix=fix)
        top = os.path.dirname(os.path.abspath(default_folder("rules")))
        if not os.path.isdir(os.path.join(top, "fixtures")):
            raise UsageError(
                "An installed program has no rule files to add to.",
                fix="Take an id of your project, as ACME-001, or work in a copy of the repository.",
            )
    elif not ADDED_ID.fullmatch(pattern):
        raise UsageError(f"{pattern} is no id.", fix="Write IP-030 for a pattern, or ACME-001 for a rule of a project.")
    else:
        top = os.path.abspath(".loopx")
    files = skeleton(pattern, title, family)
    paths = {os.path.join(top, path): text for path, text in files.items()}
    for path in paths:
        if os.path.lexists(path):
            raise UsageError(f"{os.path.relpath(path)} is there already.", fix="Remove it, or take another id.")
    for path, text in paths.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    written = [os.path.relpath(path) for path in paths]
    fixtures = os.path.relpath(os.path.join(top, "fixtures"))
    if own:
        folder = os.path.join(top, "docs", "catalog")
        pages, _ = made(options, folder)
        written += [os.path.relpath(os.path.join(folder, path)) for path in write_pages(folder, pages)]
    steps = ["loopx catalog lint", f"loopx catalog test --fixtures {fixtures} --pattern {pattern}"]
    if own:  # CONTRIBUTING, step 5: a family's canary names its patterns
        steps += ["loopx canary audit"]
    data = {"schema_version": "loopx_catalog_new_v0", "what": "written", "files": written, "broken": [], "next": steps}
    return Result(data, "catalog_files")
