"""Findings as SARIF 2.1.0, for code hosts and editors. Source: OASIS SARIF 2.1.0."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from loopx_policy import __version__
from loopx_policy.check.findings import RULES, Finding

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"


def to_sarif(findings: Sequence[Finding]) -> dict[str, Any]:
    """One run with its rules and one result a finding."""
    names = list(RULES)
    driver = {
        "name": "loopx check",
        "semanticVersion": __version__,
        "rules": [
            {
                "id": rule.name,
                "shortDescription": {"text": rule.meaning},
                "defaultConfiguration": {"level": rule.level},
            }
            for rule in RULES.values()
        ],
    }
    results = [
        {
            "ruleId": each.rule,
            "ruleIndex": names.index(each.rule),
            "level": each.level,
            "message": {"text": " ".join(part for part in (each.message, each.fix) if part)},
            "locations": [_location(each)] if each.file else [],
        }
        for each in findings
    ]
    return {"$schema": SCHEMA, "version": VERSION, "runs": [{"tool": {"driver": driver}, "results": results}]}


def _location(finding: Finding) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(finding.file.replace("\\", "/"))}}
    if finding.line:
        place["region"] = {"startLine": finding.line}
    return {"physicalLocation": place}
