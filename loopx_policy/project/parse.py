"""The bytes of a document, JSON or YAML, to plain JSON data.

YAML is read as JSON with fewer quotes: ``true``, ``false``, ``null``, decimal numbers and texts, so that
a time needs no quotes and ``no`` is a text. Anchors, aliases and tags are refused, which shuts out a
YAML bomb; so are duplicate keys, which are always a slip.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import StateError

if TYPE_CHECKING:
    import yaml

MAX_DEPTH = 100


def parse_document(data: bytes, name: str) -> Any:
    """The data of a document; ``name`` is the file for messages. Raises ``StateError`` at ``name:line``."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise StateError("The document is not UTF-8.", at=f"{name}:{line}", fix="Save it as UTF-8.") from None
    if not text.strip():
        raise StateError("The document is empty.", at=name, fix="Write one, or export one from a project.")
    try:
        return _json(text, name) if text.lstrip()[0] in "{[" else _yaml(text, name)
    except RecursionError:
        raise StateError("The document is nested too deeply.", at=name, fix="Flatten it.") from None


def _json(text: str, name: str) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise StateError(f"The key {twice[:60]!r} stands twice in one object.", at=name, fix="Keep one of the two.")
        return found

    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        said = f"The document is not JSON: {error.msg} at column {error.colno}."
        raise StateError(said, at=f"{name}:{error.lineno}", fix="Correct it.") from None
    except ValueError as error:
        raise StateError(f"The document is not JSON: {str(error)[:80]}.", at=name, fix="Correct it.") from None


def _no_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON number")


def _yaml(text: str, name: str) -> Any:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Events(name, list(yaml.parse(text, Loader=loader))).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        said = getattr(error, "problem", None) or "a character that YAML does not allow"
        at = f"{name}:{mark.line + 1}" if mark else name
        raise StateError(f"The document is not YAML: {said}.", at=at, fix="Correct it.") from None


class _Events:
    """The events of a YAML text, composed to plain data."""

    __slots__ = ("events", "name", "position")

    def __init__(self, name: str, events: list[yaml.Event]) -> None:
        self.name = name
        self.events = events
        self.position = 0

    def next(self) -> Any:
        self.position += 1
        return self.events[self.position - 1]

    def document(self) -> Any:
        import yaml

        starts = [event for event in self.events if isinstance(event, yaml.DocumentStartEvent)]
        if not starts:
            raise StateError("The document is empty.", at=self.name, fix="Write one, or export one from a project.")
        if len(starts) > 1:
            self.refuse(starts[1], "A second document begins here.", "Keep one document in a file.")
        while not isinstance(self.next(), yaml.DocumentStartEvent):
            pass
        return self.value(self.next(), 0)

    def value(self, event: Any, depth: int) -> Any:
        import yaml

        if depth > MAX_DEPTH:
            self.refuse(event, f"The nesting is deeper than {MAX_DEPTH} levels.", "Flatten it.")
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            self.refuse(event, "Anchors and aliases are not read.", "Write the value out.")
        if event.tag is not None and event.tag != "!":
            self.refuse(event, f"The tag {event.tag[:60]} is not read.", "Write the plain value.")
        if isinstance(event, yaml.ScalarEvent):
            return event.value if event.style else plain_scalar(event.value)
        if isinstance(event, yaml.SequenceStartEvent):
            items = []
            while not isinstance(item := self.next(), yaml.SequenceEndEvent):
                items.append(self.value(item, depth + 1))
            return items
        found: dict[str, Any] = {}
        while not isinstance(item := self.next(), yaml.MappingEndEvent):
            key = item.value if isinstance(item, yaml.ScalarEvent) else None
            if key is None or item.anchor is not None:
                self.refuse(item, "A key must be a plain text.", "Write a name.")
            if key in found:
                self.refuse(item, f"The key {key[:60]!r} stands twice in one object.", "Keep one of the two.")
            found[key] = self.value(self.next(), depth + 1)
        return found

    def refuse(self, event: Any, message: str, fix: str) -> NoReturn:
        raise StateError(message, at=f"{self.name}:{event.start_mark.line + 1}", fix=fix)


def plain_scalar(text: str) -> bool | int | float | str | None:
    """What a YAML scalar without quotes means: JSON's constants and numbers, or a text."""
    if text in ("", "~", "null"):
        return None
    if text in ("true", "false"):
        return text == "true"
    if text[0] in "-0123456789" and len(text) <= 40:
        # 12e5 is more likely the beginning of a digest: as in YAML 1.1, an exponent needs a full stop and a sign.
        digits, exponent, power = text.lower().partition("e")
        if exponent and not ("." in digits and power[:1] in ("+", "-")):
            return text
        try:
            number = json.loads(text)
        except ValueError:
            return text
        return number if isinstance(number, (int, float)) and abs(number) < 1e300 else text
    return text
