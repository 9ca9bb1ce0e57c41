"""One pattern as an operator reads it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from loopx_policy.text import literal

from .look import Look, bullet_list, cell, clean, heading, markdown_table, rows, stack, words

Data = dict[str, Any]
PROSE = (("summary", ""), ("user_channel", "user"), ("agent_channel", "agent"))
LISTS = (
    ("state_contract", "state contract"),
    ("bad_smells", "bad smells"),
    ("validation", "validated by"),
)
GROUPS = {"all": "all of", "any": "any of", "none": "none of"}
ORDERS = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def condition_lines(condition: Any, depth: int = 0) -> list[str]:
    """A condition as indented lines, one comparison on each."""
    pad = "  " * depth
    if condition is None:
        return []
    if condition == {}:
        return [f"{pad}always"]
    if not isinstance(condition, dict):
        return [f"{pad}{literal(condition)}"]
    lines: list[str] = []
    for name, value in condition.items():
        if name in GROUPS and isinstance(value, list):
            lines.append(f"{pad}{GROUPS[name]}")
            for part in value:
                lines += condition_lines(part, depth + 1)
        else:
            lines.append(f"{pad}{name} {comparison(value)}")
    return lines


def comparison(value: Any) -> str:
    """The right side of a comparison in words."""
    if not isinstance(value, dict):
        return f"is {literal(value)}"
    parts = []
    for name, operand in value.items():
        if name == "in":
            parts.append(f"is one of {', '.join(map(literal, operand))}")
        elif name == "not":
            inner = operand.get("in") if isinstance(operand, dict) else None
            parts.append(f"is none of {', '.join(map(literal, inner))}" if inner else f"is not {literal(operand)}")
        else:
            parts.append(f"{ORDERS.get(name, name)} {literal(operand)}")
    return " and ".join(parts)


def outcome(case: Data) -> str:
    """What a case decides, on one line."""
    if case.get("mode"):
        parts = [f"mode {case['mode']}", f"state {case.get('state', '')}", f"stratum {case.get('stratum', '')}"]
        if case.get("effective_action"):
            parts.append(f"action {case['effective_action']}")
        if case.get("after"):
            parts.append(f"after {', '.join(case['after'])}")
        return "; ".join(parts)
    parts = [str(case.get("verdict", ""))]
    if case.get("blocks"):
        parts.append(f"as {case['blocks']}")
    if case.get("requires"):
        parts.append(f"requires {', '.join(case['requires'])}")
    return "; ".join(parts)


def entries(data: Data) -> Iterable[tuple[str, str, list[str], str]]:
    """Cases, obligations and withholdings alike: title, outcome, condition lines, text."""
    for point, cases in data["cases"].items():
        for case in cases:
            yield f"{point}: {case['id']}", outcome(case), condition_lines(case["when"]), case.get("reason", "")
    for item in data["obligations"]:
        yield f"obligation: {item['id']}", f"for the {item['kind']}", condition_lines(item["when"]), item["text"]
    for item in data["withholds"]:
        yield f"withholds: {item['id']}", str(item["what"]), condition_lines(item["when"]), ""


def has_picture(data: Data) -> bool:
    return bool(data["visual"]) and data["visual"] != "future"


def rich(data: Data, look: Look) -> RenderableType:
    title = Text.assemble(
        words(data["id"], "bold reverse" if look.fancy else "bold"), "  ", words(data["name"], "bold")
    )
    about = look.join([data["importance"], data["family_name"], data["owner"], data["file"]])
    parts: list[RenderableType] = [title, Text(about, style="dim")]
    for key, label in PROSE:
        if data[key]:
            parts += [heading(label) if label else Text(""), rows([None], [[words(data[key])]])]
    if data["trigger"]:
        trigger = [
            [Text(clean(line) if not line.startswith(" ") else line)] for line in condition_lines(data["trigger"])
        ]
        parts += [heading("every turn case needs"), rows([None], trigger)]
    for label, decided, lines, text in entries(data):
        parts += [heading(label, name=True), rows([None], [[words(decided, "dim")]])]
        parts.append(rows([None], [[Text(line)] for line in lines], indent=4))
        if text:
            parts.append(rows([None], [[words(f'"{text}"', "italic")]]))
    if data["parameters"]:
        figures = [
            (words(name, "bold"), words(f"{literal(p['value'])} {p['unit']}"), words(p["meaning"]))
            for name, p in data["parameters"].items()
        ]
        parts += [heading("parameters"), rows([12, 12, None], figures)]
    if data["facts"]:
        facts = [(words(name, "bold"), words(meaning)) for name, meaning in data["facts"].items()]
        parts += [heading("facts it reads"), rows([24, None], facts)]
    if has_picture(data):
        parts.append(heading("diagram", "Mermaid; --format markdown has it"))
    for key, label in LISTS:
        if data[key]:
            parts += [heading(label), rows([1, None], [(look.mark("item"), words(line)) for line in data[key]])]
    return stack(*parts)


def markdown(data: Data) -> str:
    about = ", ".join(cell(data[key]) for key in ("importance", "family_name", "owner", "file") if data[key])
    parts = [f"# {cell(data['id'])} {cell(data['name'])}", about]
    for key, label in PROSE:
        if data[key]:
            parts += ([f"## {label.capitalize()}"] if label else []) + [cell(data[key])]
    if data["trigger"]:
        parts += ["## Every turn case needs", fenced(condition_lines(data["trigger"]))]
    for label, decided, lines, text in entries(data):
        parts += [f"## {cell(label)}", cell(decided), fenced(lines)] + ([f"> {cell(text)}"] if text else [])
    if data["parameters"]:
        table = [(name, p["value"], p["unit"], p["meaning"]) for name, p in data["parameters"].items()]
        parts += ["## Parameters", markdown_table(["name", "value", "unit", "meaning"], table)]
    if data["facts"]:
        parts += ["## Facts it reads", markdown_table(["fact", "meaning"], data["facts"].items())]
    for key, label in LISTS:
        if data[key]:
            parts += [f"## {label.capitalize()}", bullet_list(cell(line) for line in data[key])]
    if has_picture(data):
        parts.append(f"```mermaid\n{data['visual'].strip()}\n```")
    return "\n\n".join(parts)


def fenced(lines: list[str]) -> str:
    body = "\n".join(lines)
    return f"```text\n{body}\n```"
