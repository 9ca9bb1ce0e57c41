"""SARIF 2.1.0, for code hosts and editors. Source: OASIS SARIF 2.1.0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal
from urllib.parse import quote

from loopx_policy import __version__
from loopx_policy.records import record

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
VERSION = "2.1.0"
Level = Literal["error", "warning", "note"]


@record(frozen=True)
class Rule:
    """A kind of result."""

    id: str
    text: str
    level: Level


@record(frozen=True)
class Found:
    """One result. ``file`` is relative to the tree and empty where there is none; ``line`` is 1-based, 0 for none."""

    rule: str
    level: Level
    text: str
    file: str = ""
    line: int = 0


def document(tool: str, rules: Sequence[Rule], found: Iterable[Found]) -> dict[str, Any]:
    """One run of ``tool`` with its rules and results."""
    names = [rule.id for rule in rules]
    driver = {
        "name": tool,
        "semanticVersion": __version__,
        "rules": [
            {"id": rule.id, "shortDescription": {"text": rule.text}, "defaultConfiguration": {"level": rule.level}}
            for rule in rules
        ],
    }
    results = [
        {
            "ruleId": each.rule,
            "ruleIndex": names.index(each.rule),
            "level": each.level,
            "message": {"text": each.text},
            "locations": [_location(each)] if each.file else [],
        }
        for each in found
    ]
    return {"$schema": SCHEMA, "version": VERSION, "runs": [{"tool": {"driver": driver}, "results": results}]}


def _location(found: Found) -> dict[str, Any]:
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(found.file.replace("\\", "/"))}}
    if found.line:
        place["region"] = {"startLine": found.line}
    return {"physicalLocation": place}
