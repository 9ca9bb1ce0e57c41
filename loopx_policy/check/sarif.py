"""Findings as SARIF, for code hosts and editors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from loopx_policy.check.findings import RULES, Finding
from loopx_policy.sarif import Found, Rule, document


def to_sarif(findings: Sequence[Finding]) -> dict[str, Any]:
    """One run with its rules and one result a finding."""
    rules = [Rule(rule.name, rule.meaning, rule.level) for rule in RULES.values()]
    found = [
        Found(each.rule, each.level, " ".join(part for part in (each.message, each.fix) if part), each.file, each.line)
        for each in findings
    ]
    return document("loopx check", rules, found)
