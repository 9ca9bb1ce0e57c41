"""How much of the rules the fixtures show, a line for each pattern, and which comparisons they do not."""

from __future__ import annotations

from typing import Any

from rich.console import RenderableType
from rich.syntax import Syntax
from rich.text import Text

from .look import Look, banner, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
HEAD = ["condition", "comparison", "never decides as"]


def summary(data: Data) -> str:
    excused = f", {data['excused']} excused with a reason" if data["excused"] else ""
    return f"{data['covered']} of {data['comparisons']} comparisons are shown deciding alone{excused}"


def gaps(data: Data) -> list[tuple[str, str, str]]:
    """Condition, comparison, and the values with which it is never seen to decide."""
    return [
        (
            f"{gap['point']} {gap['key'].partition(':')[2]}",
            gap["comparison"],
            " and ".join(
                name for name, shown in (("true", gap["shown_true"]), ("false", gap["shown_false"])) if not shown
            ),
        )
        for gap in data["missing"]
    ]


def proposed(data: Data) -> list[tuple[str, str]]:
    return list(data.get("proposals", {}).items())


def generated(data: Data) -> list[tuple[bool, str, str]]:
    """Of each fixture that was asked for: whether it was written, its path or subject, and what is left to do."""
    made = data.get("generated", {"files": {}, "kept": [], "without": {}})
    left = {True: "the order says what it expects", False: "to be judged: write what its seed demands"}
    lines = [(True, path, left[judged]) for path, judged in made["files"].items()]
    lines += [(False, path, "is there already; nothing was written") for path in made["kept"]]
    return lines + [(False, subject, why) for subject, why in made["without"].items()]


def pairs(data: Data) -> str:
    return f"{data['generated']['shown']} of {data['generated']['pairs']} pairs of neighbours in the order were shown"


def rich(data: Data, look: Look) -> RenderableType:
    ok = not data["missing"] and not data["unused_excuses"]
    parts: list[RenderableType] = [
        banner("COVERED" if ok else "GAPS", "green" if ok else "red", [words(summary(data), "bold")], look)
    ]
    lines = [
        (
            look.mark("yes" if each["covered"] == each["all"] else "no"),
            words(name),
            words(f"{each['covered']} of {each['all']}"),
        )
        for name, each in data["by_pattern"].items()
    ]
    parts.append(rows([1, 10, None], lines))
    if data["missing"]:
        parts += [heading("not shown", "the condition, its comparison, and as what it never decides")]
        parts.append(rows([30, None, 8], [tuple(map(words, gap)) for gap in gaps(data)]))
    for name, text in proposed(data):
        parts.append(heading(name, name=True))
        parts.append(
            Syntax(text, "yaml", theme="ansi_light", background_color="default") if text else Text("  none found")
        )
    if "generated" in data:
        parts.append(heading("fixtures from witnesses", pairs(data)))
        lines = [(look.mark("yes" if ok else "no"), words(name), words(left)) for ok, name, left in generated(data)]
        parts.append(rows([1, 44, None], lines) if lines else Text("  none is missing"))
    if data["unused_excuses"]:
        parts += [
            heading("excuses that nothing needs"),
            rows([None], [[words(each)] for each in data["unused_excuses"]]),
        ]
    return stack(*parts)


def markdown(data: Data) -> str:
    parts = [f"# {summary(data)}"]
    if data["missing"]:
        parts.append(markdown_table(HEAD, gaps(data)))
    for name, text in proposed(data):
        parts.append(f"## {name}\n\n" + (f"```yaml\n{text}```" if text else "None found."))
    if "generated" in data:
        told = "\n".join(f"- {name}: {left}" for _, name, left in generated(data)) or "None is missing."
        parts.append(f"## Fixtures from witnesses\n\n{pairs(data)}.\n\n{told}")
    if data["unused_excuses"]:
        parts.append("## Excuses that nothing needs\n\n" + "\n".join(f"- {each}" for each in data["unused_excuses"]))
    return "\n\n".join(parts)
