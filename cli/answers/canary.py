"""``loopx canary``: which checks a change needs, running them, and whether the data behind that still fits."""

from __future__ import annotations

import os
from typing import Any

from loopx_policy.canary.audit import Audited, audit
from loopx_policy.canary.git import files_of, top_of
from loopx_policy.canary.lint import checked_data
from loopx_policy.canary.tree import tree_of
from loopx_policy.canary.use import use_of
from loopx_policy.catalog_files import read_sources
from loopx_policy.catalog_source.compile import load_source
from loopx_policy.catalog_source.findings import Report
from loopx_policy.errors import UsageError

from ..request import Globals, Result
from .policy import load

Data = dict[str, Any]


def root_of(tree: str | None) -> str:
    """The tree that is meant: the one named, else the git work tree around the working folder, else that folder."""
    if tree is None:
        return top_of(os.getcwd()) or os.getcwd()
    if not os.path.isdir(tree):
        raise UsageError(f"There is no folder {tree}.", fix="Name one with --tree, or leave it out.")
    return os.path.abspath(tree)


def check(options: Globals, tree: str | None) -> Result:
    """``{ok, findings, patterns: [{pattern, profiles, checks, rationale}], surfaces: [{surface, files, why}]}``."""
    del options
    root, report = root_of(tree), Report()
    found = checked_data(report, root)
    audited = Audited([], [])
    if not any(finding.fatal for finding in report.findings):
        rules = load_source(read_sources()).rules
        audited = audit(tree_of(root, found), rules, use_of(load()), files_of(root), report)
    findings = [finding.to_dict() for finding in report.sorted()]
    ok = not any(finding["severity"] == "error" for finding in findings)
    data: Data = {
        "schema_version": "loopx_canary_audit_v0",
        "ok": ok,
        "findings": findings,
        "patterns": audited.patterns,
        "surfaces": audited.surfaces,
        "profiles": [
            {"profile": name, "name": profile.name, "owner": profile.owner, "situation": profile.situation}
            for name, profile in found.profiles.items()
        ],
    }
    return Result(data, "canary_audit", 0 if ok else 1)
