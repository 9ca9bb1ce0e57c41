"""What lint finds in a rule file and a program can mend: the first line, the order of the keys, the decides list."""

from __future__ import annotations

import re
from collections.abc import Callable

import yaml

from loopx_policy.catalog_source.lint_files import KEY_ORDER

MODELINE = "# yaml-language-server: $schema=../../catalog/schemas/rule.schema.json\n"
_KEY = re.compile(r"([a-z_]+):")
_DECIDES = re.compile(r"^decides:[ ]*(\[.*\])?[ ]*$", re.M)


def fixed(text: str, rules: set[str]) -> str:
    """The text of a rule file, mended as far as ``rules``, the findings in it, can be; it says the same otherwise."""
    if "modeline" in rules:
        text = MODELINE + re.sub(r"\A# yaml-language-server:.*\n", "", text)
    for rule, mend in _MENDS.items():
        if rule in rules:
            text = mend(text)
    return text


def _in_order(text: str) -> str:
    """Its top-level keys in the order of all other files, each with the comments above it."""
    blocks: list[tuple[str, str]] = [("", "")]
    above = ""
    lines = text.splitlines(keepends=True)
    if lines and lines[0].startswith("# yaml-language-server:"):
        blocks = [("", lines.pop(0))]
    for line in lines:
        match = _KEY.match(line)
        if match:
            blocks.append((match[1], above + line))
            above = ""
        elif line.startswith("#"):
            above += line
        else:
            name, body = blocks[-1]
            blocks[-1] = (name, body + above + line)
            above = ""
    name, body = blocks[-1]
    blocks[-1] = (name, body + above)
    place = {key: number for number, key in enumerate(KEY_ORDER)}
    head, rest = blocks[0], blocks[1:]
    return head[1] + "".join(body for _, body in sorted(rest, key=lambda block: place.get(block[0], len(place))))


def _decides(text: str) -> str:
    document = yaml.safe_load(text)
    if not isinstance(document, dict):
        return text
    points = [key for key in ("candidate", "turn") if key in document]
    if "turn" not in points and ("obligations" in document or "withholds" in document):
        points.append("turn")
    points += list(document.get("points", ()))
    return _DECIDES.sub(f"decides: [{', '.join(points)}]", text, count=1)


_MENDS: dict[str, Callable[[str], str]] = {"wrong-decides": _decides, "key-order": _in_order}
