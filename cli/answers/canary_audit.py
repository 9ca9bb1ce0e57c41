"""``loopx canary audit``: whether the canary data still fits rules, tests and files."""

from __future__ import annotations

from typing import Any

from loopx_policy.canary.audit import Audited, audit
from loopx_policy.canary.git import files_of
from loopx_policy.canary.lint import checked_data
from loopx_policy.canary.tree import tree_of
from loopx_policy.canary.use import use_of
from loopx_policy.catalog_files import read_sources
from loopx_policy.catalog_source.compile import load_source
from loopx_policy.catalog_source.findings import Report

from ..request import Globals, Result
from .canary import root_of
from .policy import load

Data = dict[str, Any]


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
