"""One more entry in a list of a YAML file that people keep: the lines are added, and no other byte changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from ..errors import StateError


def append_item(text: str, key: str, item: Mapping[str, str], *, at: str) -> str:
    """Add a mapping at the end of the list under a top-level key, which is made where it is missing.

    ``StateError`` where the file is laid out so that a line cannot be added; ``at`` is its name for people.
    """
    try:
        before = yaml.safe_load(text)
        edited = _appended(text, key, item)
        wanted = dict(before or {})
        wanted[key] = [*(wanted.get(key) or []), dict(item)]
        sound = edited is not None and yaml.safe_load(edited) == wanted
    except (yaml.YAMLError, TypeError, ValueError):
        sound, edited = False, None
    if not sound or edited is None:
        shown = "".join(f"  {line}\n" for line in _lines(item, "")).strip()
        raise StateError(
            f"No entry can be added to {key} by itself here.",
            at=at,
            fix=f"Write {key} as a list in block style at the top level, or add the entry by hand: {shown}",
        )
    return edited


def read_items(text: str, key: str) -> Any:
    """What stands under a top-level key; ``None`` where the file has none, or is no YAML."""
    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return None
    return data.get(key) if isinstance(data, dict) else None


def _appended(text: str, key: str, item: Mapping[str, str]) -> str | None:
    end = "\r\n" if "\r\n" in text else "\n"
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if root is None:
        return _with_lines(text, len(text.splitlines()), [f"{key}:", *_lines(item, "  ")], end)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return None
    found = [value for name, value in root.value if name.value == key]
    if not found:
        return _with_lines(text, _last_line(root) + 1, [f"{key}:", *_lines(item, "  ")], end)
    value = found[-1]
    if isinstance(value, yaml.SequenceNode) and not value.flow_style and value.value:
        return _with_lines(text, _last_line(value) + 1, _lines(item, " " * value.start_mark.column), end)
    null = isinstance(value, yaml.ScalarNode) and value.tag.endswith(":null") and value.value != ""
    if null or (isinstance(value, yaml.SequenceNode) and not value.value):
        head = text[: value.start_mark.index].rstrip(" ")
        rest = text[value.end_mark.index :]
        return head + end + end.join(_lines(item, "  ")) + (rest if rest.strip(" \r\n") or rest else end)
    if isinstance(value, yaml.ScalarNode) and value.value == "":
        return _with_lines(text, value.start_mark.line + 1, _lines(item, "  "), end)
    return None


def _lines(item: Mapping[str, str], indent: str) -> list[str]:
    """The entry in block style; every value in quotes, since a date or a yes would be read as something else."""
    made = [f"{name}: {json.dumps(value, ensure_ascii=not value.isprintable())}" for name, value in item.items()]
    return [f"{indent}{'- ' if number == 0 else '  '}{line}" for number, line in enumerate(made)]


def _last_line(node: yaml.Node) -> int:
    """The last line, from 0, on which something of a node stands."""
    if isinstance(node, yaml.MappingNode) and node.value and not node.flow_style:
        return _last_line(node.value[-1][1])
    if isinstance(node, yaml.SequenceNode) and node.value and not node.flow_style:
        return _last_line(node.value[-1])
    mark = node.end_mark
    block = isinstance(node, yaml.ScalarNode) and node.style in ("|", ">")
    return int(mark.line) - 1 if block and mark.column == 0 and mark.line > node.start_mark.line else int(mark.line)


def _with_lines(text: str, at: int, lines: list[str], end: str) -> str:
    """The text with lines put in before line ``at``, counted from 0."""
    kept = text.split("\n")
    head = "\n".join(kept[:at])
    rest = "\n".join(kept[at:])
    if head and at < len(kept):
        head += "\n"
    if head and not head.endswith("\n"):
        return head + end + end.join(lines)
    return head + "".join(line + end for line in lines) + rest
