"""What makes an entry unmistakable: pattern ids, case ids, and a ``decides`` list that tells the truth."""

from __future__ import annotations

from collections.abc import Iterable

from loopx_policy.catalog_source.findings import Mark, Report
from loopx_policy.catalog_source.rules import RuleFile
from loopx_policy.catalog_source.vocabulary import Vocabulary


def check_identity(rules: Iterable[RuleFile], vocabulary: Vocabulary, report: Report) -> None:
    """Report ids that stand twice and ``decides`` lists that do not match what the file has."""
    files: dict[str, str] = {}
    for rule in rules:
        if rule.id in files:
            report.error(
                rule.place("id"),
                "duplicate-pattern",
                f"The id '{rule.id}' is taken by {files[rule.id]}; give one of the two another.",
            )
        elif rule.id:
            files[rule.id] = rule.file.label
        _check_entries(rule, report)
        _check_decides(rule, report)


def _check_entries(rule: RuleFile, report: Report) -> None:
    lists: list[list[tuple[str, Mark]]] = [[(case.id, case.at) for case in cases] for cases in rule.cases.values()]
    lists.append([(duty.id, duty.at) for duty in rule.obligations])
    lists.append([(withheld.id, withheld.at) for withheld in rule.withholdings])
    for entries in lists:
        seen: dict[str, int] = {}
        for name, at in entries:
            if name in seen:
                report.error(
                    at, "duplicate-case", f"The id '{name}' stands already in line {seen[name]}; rename one of the two."
                )
            elif name:
                seen[name] = at.line


def _check_decides(rule: RuleFile, report: Report) -> None:
    has = set(rule.cases)
    if rule.obligations or rule.withholdings:
        has.add("turn")
    if "decides" not in rule.keys:
        return
    for point in rule.decides:
        if point not in has:
            report.error(
                rule.place(f"decides.{point}"), "wrong-decides",
                f"The file has nothing for the point '{point}'; take it out of 'decides' or write its cases.",
                fatal=False,
            )  # fmt: skip
    missing = sorted(has.difference(rule.decides))
    if missing:
        message = f"The file decides {', '.join(missing)} too; add it to 'decides'."
        report.error(rule.place("decides"), "wrong-decides", message, fatal=False)
