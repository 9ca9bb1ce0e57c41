"""Surgery on a JSON text: a change touches the value that it names, and no other byte.

Key order, indentation, spacing, the spelling of numbers and of letters, keys that nobody knows, the line ends and
the end of the file stay as they are; what is new is laid out as what stands around it. Each function takes a text
that ``json.loads`` reads and gives the changed one. Where a key stands twice in an object, the last one counts, as
for ``json.loads``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..project.positions import Container, Member, container, descend

Path = Sequence[str | int]


def put(text: str, path: Path, value: Any) -> str:
    """Set the value at ``path``. Objects on the way that are missing, or null, are made.

    ``LookupError`` where the way leads through something that is no object, or to a list item that is not there.
    """
    found = descend(text, path)
    here, rest = found[-1], list(path[len(found) - 1 :])
    if not rest:
        return _replaced(text, found, value)
    if any(isinstance(key, int) for key in rest):
        raise LookupError(f"there is no item {rest[0]}")
    for key in reversed(rest[1:]):
        value = {key: value}
    if text[here.value : here.end] == "null":
        return _replaced(text, found, {rest[0]: value})
    if text[here.value] != "{":
        raise LookupError(f"{path[len(found) - 2] if len(found) > 1 else 'the text'} is no object")
    return _inserted(text, found, rest[0], value)


def append(text: str, path: Path, value: Any) -> str:
    """Add an item at the end of the list at ``path``, which is made where it is missing, or null."""
    found = descend(text, path)
    here = found[-1]
    if len(found) <= len(path) or text[here.value : here.end] == "null":
        return put(text, path, [value])
    if text[here.value] != "[":
        raise LookupError(f"{path[-1] if path else 'the text'} is no list")
    return _inserted(text, found, None, value)


def remove(text: str, path: Path) -> str:
    """Take the value at ``path`` out of its object or list; where it is not there, nothing changes."""
    if not path:
        raise LookupError("the text itself cannot be removed")
    while True:
        found = descend(text, path)
        if len(found) <= len(path):
            return text
        inside = container(text, found[-2].value)
        assert inside is not None
        text = _removed(text, inside, inside.members.index(found[-1]))
        if isinstance(path[-1], int):
            return text


def _replaced(text: str, found: list[Member], value: Any) -> str:
    here = found[-1]
    old = container(text, here.value)
    flat = _on_one_line(text, old) if old is not None and old.members else _flat(text, _above(text, found))
    return text[: here.value] + _written(text, value, flat, _indent_at(text, here.start)) + text[here.end :]


def _inserted(text: str, found: list[Member], key: str | int | None, value: Any) -> str:
    """A new last member of an object (with its key) or of a list."""
    inside = container(text, found[-1].value)
    assert inside is not None
    start, members, close = inside
    indent = _indent_at(text, start)
    if members:
        gap, tail = _gap(text, inside), ""
        at = rest = members[-1].end
        flat = "\n" not in gap or _flat(text, inside)
    else:
        flat = _flat(text, _above(text, found))
        gap, tail = ("", "") if flat else (_line_end(text) + indent + _unit(text), _line_end(text) + indent)
        at, rest = start + 1, close
    if "\n" in gap:
        indent = gap.rpartition("\n")[2].replace(",", " ")
    new = _written(text, value, flat, indent)
    if key is not None:
        new = _dumped(text, key) + _colon(text, members) + new
    return text[:at] + gap + new + tail + text[rest:]


def _removed(text: str, inside: Container, number: int) -> str:
    members = inside.members
    if len(members) == 1:
        return text[: inside.start + 1] + text[inside.close :]
    if number == 0:
        return text[: members[0].start] + text[members[1].start :]
    return text[: members[number - 1].end] + text[members[number].end :]


def _gap(text: str, inside: Container) -> str:
    """What stands before one more member: a comma, and what separates the members that are there."""
    members = inside.members
    if len(members) > 1:
        return text[members[-2].end : members[-1].start]
    lead = text[inside.start + 1 : members[0].start]
    if "\n" in lead:
        return "," + _line_end(text) + lead.rpartition("\n")[2]
    return "," if _tight(text) else ", "


def _flat(text: str, inside: Container | None) -> bool:
    """Whether a new list or object among these members is to stand on one line."""
    for member in reversed(inside.members if inside is not None else ()):
        below = container(text, member.value)
        if below is not None and below.members:
            return _on_one_line(text, below)
    return not _multiline(text)


def _above(text: str, found: list[Member]) -> Container | None:
    """What the last of these values is in."""
    return container(text, found[-2].value) if len(found) > 1 else None


def _on_one_line(text: str, inside: Container) -> bool:
    return "\n" not in text[inside.start : inside.close]


def _colon(text: str, members: Sequence[Member]) -> str:
    """What stands between a key and its value."""
    if members:
        last = members[-1]
        return text[last.start + len(_key_text(text, last)) : last.value]
    return ":" if _tight(text) else ": "


def _key_text(text: str, member: Member) -> str:
    _, end = json.JSONDecoder().raw_decode(text, member.start)
    return text[member.start : end]


def _written(text: str, value: Any, flat: bool, indent: str) -> str:
    """A value as this text would have it, its further lines indented by ``indent``."""
    if not isinstance(value, (dict, list)) or not value or flat:
        comma, colon = (",", ":") if _tight(text) else (", ", ": ")
        return _dumped(text, value, separators=(comma, colon))
    made = _dumped(text, value, indent=_unit(text), separators=(",", ": "))
    return made.replace("\n", _line_end(text) + indent)


def _dumped(text: str, value: Any, **layout: Any) -> str:
    made = json.dumps(value, ensure_ascii=False, allow_nan=False, **layout)
    escaped = text.isascii() and "\\u" in text
    if escaped or any("\ud800" <= mark <= "\udfff" for mark in made):
        return json.dumps(value, allow_nan=False, **layout)
    return made


def _multiline(text: str) -> bool:
    """Whether the members of the whole text stand on lines of their own."""
    found = descend(text, ())
    whole = container(text, found[0].value) if found else None
    return whole is not None and not _on_one_line(text, whole)


def _tight(text: str) -> bool:
    """Whether the text puts no blank after its first colon, as compact JSON does."""
    found = descend(text, ())
    whole = container(text, found[0].value) if found else None
    for member in whole.members if whole is not None and text[whole.start] == "{" else ():
        return not text[: member.value].endswith((" ", "\t", "\n"))
    return False


def _unit(text: str) -> str:
    """One step of indentation."""
    found = descend(text, ())
    whole = container(text, found[0].value) if found else None
    if whole is not None and whole.members and not _on_one_line(text, whole):
        lead = text[whole.start + 1 : whole.members[0].start]
        if "\n" in lead and lead.rpartition("\n")[2]:
            return lead.rpartition("\n")[2]
    return "  "


def _indent_at(text: str, at: int) -> str:
    """The indentation of the line in which a place lies."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _line_end(text: str) -> str:
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"
