"""What came of a run for other programs: JUnit for build servers, SARIF for code hosts and editors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree import ElementTree

from loopx_policy.canary.outcome import Outcome, Ran
from loopx_policy.sarif import Found, Rule, document

WRITTEN = "nothing_is_written"
GAP = "gap"
_UNFIT = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot carry."""


def junit(ran: Ran) -> str:
    """JUnit XML: a test case for each check, and one for the tree being as it was."""
    cases = [_case(outcome) for outcome in ran.outcomes]
    written = ElementTree.Element("testcase", classname="loopx.canary", name=WRITTEN, time="0.000")
    if ran.changed:
        _add(written, "failure", "The run changed files.", "\n".join(ran.changed))
    cases.append(written)
    suite = ElementTree.Element(
        "testsuite",
        name="loopx canary",
        tests=str(len(cases)),
        failures=str(ran.count("failed") + bool(ran.changed)),
        errors=str(ran.count("error")),
        skipped=str(ran.count("not_run")),
        time=_seconds(ran.milliseconds),
    )
    suite.extend(cases)
    root = ElementTree.Element("testsuites")
    root.append(suite)
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _case(outcome: Outcome) -> ElementTree.Element:
    planned = outcome.planned
    case = ElementTree.Element(
        "testcase",
        classname=f"loopx.canary.{planned.profile}",
        name=planned.item.id,
        time=_seconds(outcome.milliseconds),
    )
    body = "\n".join(f"{problem.at}: {problem.text}" if problem.at else problem.text for problem in outcome.problems)
    if outcome.status == "failed":
        _add(case, "failure", planned.item.check.failure, body)
    elif outcome.status == "error":
        _add(case, "error", "The check could not be judged.", body)
    elif outcome.status == "not_run":
        _add(case, "skipped", "There was no time left for it.", "")
    if outcome.output and outcome.status != "passed":
        ElementTree.SubElement(case, "system-out").text = _fit(outcome.output)
    return case


def _add(case: ElementTree.Element, kind: str, message: str, body: str) -> None:
    ElementTree.SubElement(case, kind, message=_fit(message)).text = _fit(body)


def _fit(text: str) -> str:
    return _UNFIT.sub("\ufffd", text)


def _seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.3f}"


def sarif(ran: Ran, fallback: str = "") -> dict[str, Any]:
    """SARIF 2.1.0: a rule for each check and a result for each problem, gaps as notes.

    ``fallback`` is a file of the change, for problems without a place: code hosts show none without one.
    """
    rules = {
        outcome.planned.item.id: Rule(outcome.planned.item.id, outcome.planned.item.check.failure, "error")
        for outcome in ran.outcomes
    }
    rules[WRITTEN] = Rule(WRITTEN, "The run changed files.", "error")
    rules[GAP] = Rule(GAP, "Nothing checks what has changed here.", "note")
    return document("loopx canary", list(rules.values()), _found(ran, fallback))


def _found(ran: Ran, fallback: str) -> Iterator[Found]:
    for outcome in ran.outcomes:
        name = outcome.planned.item.id
        for problem in outcome.problems:
            text = problem.text if problem.file else f"{problem.text} {_end(outcome.output)}".strip()
            yield Found(name, "error", text, problem.file or fallback, problem.line)
        if outcome.status == "not_run":
            yield Found(name, "warning", "There was no time left for this check.", fallback)
    yield from (Found(WRITTEN, "error", f"The run changed {path}.", path) for path in ran.changed)
    yield from _gaps(ran, fallback)


def _end(output: str) -> str:
    """The end of what a check printed, on one line."""
    return " ".join(output.split())[-300:]


def _gaps(ran: Ran, fallback: str) -> Iterable[Found]:
    for gap in ran.gaps:
        file = gap.what if gap.tried else fallback
        yield Found(GAP, "note", f"{gap.what}: {gap.why}.", file)
