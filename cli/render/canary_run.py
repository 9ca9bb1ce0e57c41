"""What came of a run: each check, what failed and what that means, and whether anything was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from .canary_plan import alike, seconds, some
from .look import Look, banner, bullet_list, cell, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
MARKS = {"passed": "yes", "failed": "no", "error": "no", "not_run": "warn"}
SHOWN = 8
"""Problems of a check, and changed files, that are written out."""
PRINTED = 15
"""Lines of what a check printed."""


def summary(data: Data) -> str:
    """The closing line."""
    if not data["outcomes"]:
        told = "Nothing to run"
    else:
        told = f"{data['passed']} passed, {data['failed']} failed"
        told += f", {data['errors']} could not be judged" if data["errors"] else ""
        told += f", {data['not_run']} not run for lack of time" if data["not_run"] else ""
    gaps = len(data["gaps"])
    told += f"; {gaps} gap{'s' if gaps > 1 else ''}" if gaps else ""
    return f"{told}, in {seconds(data['milliseconds'])}" if data["outcomes"] else f"{told}."


def written(data: Data) -> str:
    """Whether the run left everything as it was."""
    if not data["changed"]:
        return "Tree and state are as they were."
    return f"Not as they were, {len(data['changed'])} in all: " + ", ".join(some(data["changed"], SHOWN))


def problem(item: Data) -> str:
    """One problem at its place."""
    at = f"{item['file']}:{item['line']}" if item["line"] else item["file"]
    return f"{at}  {item['text']}" if at and not item["text"].startswith(at) else item["text"]


def gaps(data: Data) -> list[str]:
    """What nothing covers, a line each."""
    found = []
    for group in alike(data["gaps"]):
        names = ", ".join(some([gap["what"] for gap in group], SHOWN))
        found.append(f"{names}: {group[0]['why']}")
    return found


def rich(data: Data, look: Look) -> RenderableType:
    word, colour = ("PASSED", "green") if data["ok"] else ("FAILED", "red")
    parts: list[RenderableType] = [
        banner(word, colour, [words(summary(data), "bold"), words(written(data), "" if data["ok"] else "bold")], look)
    ]
    if data["outcomes"]:
        parts.append(rows([1, None, 7], [line for each in data["outcomes"] for line in _outcome(each, look)]))
    if data["gaps"]:
        parts += [heading("gaps", "loopx canary plan says what was tried"), _list(gaps(data), look)]
    if data["left_out"]:
        left = [f"{name}: {why}" for name, why in data["left_out"].items()]
        parts += [heading("left out"), _list(left, look)]
    return stack(*parts)


def _list(lines: list[str], look: Look) -> RenderableType:
    return rows([1, None], [(look.mark("item"), words(line)) for line in lines])


def _outcome(each: Data, look: Look) -> Iterator[tuple[RenderableType, ...]]:
    took = seconds(each["milliseconds"]) if each["status"] != "not_run" else "not run"
    yield look.mark(MARKS[each["status"]]), words(each["id"], "bold"), words(took, "dim")
    if each["status"] in ("failed", "error"):
        yield "", Text.assemble("this means: ", words(each["failure"])), ""
        yield from (("", words(f"- {line}"), "") for line in some(list(map(problem, each["problems"])), SHOWN))
        yield from (("", words(f"  | {line}", "dim"), "") for line in printed(each))


def printed(each: Data) -> list[str]:
    """The end of what a check printed, where it names no place itself."""
    if any(item["file"] for item in each["problems"]):
        return []
    return [line.rstrip() for line in each["output"].splitlines() if line.strip()][-PRINTED:]


def markdown(data: Data) -> str:
    parts = [f"# {'Passed' if data['ok'] else 'Failed'}: {cell(summary(data))}", cell(written(data))]
    if data["outcomes"]:
        table = [
            (each["id"], each["status"].replace("_", " "), seconds(each["milliseconds"])) for each in data["outcomes"]
        ]
        parts.append(markdown_table(["check", "outcome", "time"], table))
    for each in data["outcomes"]:
        if each["problems"]:
            lines = some(list(map(problem, each["problems"])), SHOWN)
            parts += [f"## {cell(each['id'])}", cell(each["failure"]), bullet_list(map(cell, lines))]
            parts += [bullet_list(map(cell, printed(each)))] if printed(each) else []
    if data["gaps"]:
        parts += ["## Gaps", bullet_list(map(cell, gaps(data)))]
    return "\n\n".join(parts)
