"""What the rule file of an added folder may have in it: what withholds, and nothing that grants.

A project lays such files beside the shipped ones. Their cases only deny and block, so that
with them the strictest verdict can become stricter and never more lenient; none of them leads a turn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from loopx_policy.catalog_source.findings import Report
from loopx_policy.catalog_source.vocabulary import Vocabulary

if TYPE_CHECKING:
    from loopx_policy.catalog_source.rules import CaseDoc, RuleFile

REQUIRED = ("id", "name", "summary", "decides")
BLOCKS = ("leased", "lacks_unsupported")
"""What an added rule may call a block. Every other kind opens a way of its own: a repair, a question, a notice."""
ADDED_ID = re.compile(r"(?!IP-|GR-)[A-Z][A-Z0-9]{1,15}-\d{3}")


def added_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """The rule schema for an added rule: less has to be there, and ``check_added`` says what its id is like."""
    properties = {**schema["properties"], "id": {"type": "string"}}
    rest = {key: value for key, value in schema.items() if key not in ("if", "then", "else", "allOf")}
    return {**rest, "properties": properties, "required": list(REQUIRED)}


def check_added(rules: Iterable[RuleFile], vocabulary: Vocabulary, report: Report) -> None:
    """Report what an added rule may not do: an id without a namespace, and whatever could grant something."""
    for rule in rules:
        if not rule.file.added:
            continue
        if rule.id and not ADDED_ID.fullmatch(rule.id):
            report.error(
                rule.place("id"), "added-id",
                f"The id '{rule.id}' of an added rule has no namespace of its own; write one like ACME-001.",
            )  # fmt: skip
        for point, cases in rule.cases.items():
            for case in cases:
                _check_case(case, point, vocabulary, report)


def _check_case(case: CaseDoc, point: str, vocabulary: Vocabulary, report: Report) -> None:
    declared = vocabulary.points.get(point)
    if point == "turn":
        report.error(
            case.at, "added-grants",
            f"The case '{case.id}' would lead a turn, and an added rule only withholds; write it under 'withholds', "
            "'obligations' or 'candidate'.",
        )  # fmt: skip
    elif declared is not None and case.verdict.value in declared.verdicts:
        strict = declared.verdicts[: declared.verdicts.index(declared.default) + 1]
        if case.verdict.value not in strict:
            report.error(
                case.verdict.at, "added-grants",
                f"The verdict '{case.verdict.value}' would grant something, and an added rule only withholds; "
                f"write {' or '.join(strict)}.",
            )  # fmt: skip
        elif point == "candidate" and case.blocks.value in declared.blocks and case.blocks.value not in BLOCKS:
            report.error(
                case.blocks.at, "added-grants",
                f"A block of the kind '{case.blocks.value}' opens another way to work or to ask, and an added rule "
                f"only withholds; write {' or '.join(BLOCKS)}.",
            )  # fmt: skip
