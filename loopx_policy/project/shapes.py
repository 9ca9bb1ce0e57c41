"""Shapes of plain JSON data: each checks and types a value, writes it back, and states its JSON Schema.

One table of shapes gives the reader of a document, its writer and its published schema, so that the
three cannot drift apart. A mistake is a ``StateError`` located like ``$.todos[2].status``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn, Protocol

from ..errors import StateError
from .times import RELATIVE, TIME, is_moment, iso, parse_relative, parse_time

Schema = dict[str, Any]


class Shape(Protocol):
    """What every shape can do. ``now`` (seconds) is what relative times are relative to."""

    def read(self, value: Any, at: str, now: int | None) -> Any: ...
    def write(self, value: Any) -> Any: ...
    def schema(self) -> Schema: ...


def fail(at: str, wanted: str, value: Any, fix: str = "") -> NoReturn:
    """Raise the located error: the value must be ``wanted``."""
    raise StateError(f"{_subject(at)} must be {wanted}, not {_told(value)}.", at=at, fix=fix)


def _subject(at: str) -> str:
    return "The document" if at[-1:] == "$" else at.rpartition(".")[2]


def _told(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."


@dataclass(slots=True, frozen=True)
class Text:
    """A text; ``pattern`` is for the schema and ``test`` does the same check here (a false value fails)."""

    wanted: str = "a text"
    pattern: str = ""
    test: Callable[[str], Any] | None = None
    convert: Callable[[str], Any] | None = None
    least: int = 0

    def read(self, value: Any, at: str, now: int | None) -> Any:
        if not isinstance(value, str) or len(value) < self.least or (self.test and not self.test(value)):
            fail(at, self.wanted, value)
        return self.convert(value) if self.convert else value

    def write(self, value: Any) -> Any:
        return str(value)

    def schema(self) -> Schema:
        schema: Schema = {"type": "string"}
        if self.least:
            schema["minLength"] = self.least
        if self.pattern:
            schema["pattern"] = self.pattern
        return schema


@dataclass(slots=True, frozen=True)
class Enum:
    values: tuple[str, ...]

    def read(self, value: Any, at: str, now: int | None) -> Any:
        if not isinstance(value, str) or value not in self.values:
            fail(at, "one of " + ", ".join(self.values), value, _nearest(value, self.values))
        return value

    def write(self, value: Any) -> Any:
        return value

    def schema(self) -> Schema:
        return {"enum": list(self.values)} if len(self.values) > 1 else {"const": self.values[0]}


@dataclass(slots=True, frozen=True)
class Flag:
    def read(self, value: Any, at: str, now: int | None) -> Any:
        if not isinstance(value, bool):
            fail(at, "true or false", value)
        return value

    def write(self, value: Any) -> Any:
        return value

    def schema(self) -> Schema:
        return {"type": "boolean"}


@dataclass(slots=True, frozen=True)
class Number:
    """A number; ``whole`` allows only whole ones. ``above`` is a bound that itself is not allowed."""

    whole: bool = True
    least: float | None = None
    above: float | None = None
    most: float | None = None

    def read(self, value: Any, at: str, now: int | None) -> Any:
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not self._fits(value):
            fail(at, self._wanted(), value)
        return int(value) if self.whole else float(value)

    def _fits(self, value: float) -> bool:
        return (
            (isinstance(value, int) or math.isfinite(value))
            and (not self.whole or value == value // 1)
            and (self.least is None or value >= self.least)
            and (self.above is None or value > self.above)
            and (self.most is None or value <= self.most)
        )

    def _wanted(self) -> str:
        bounds = [f"at least {self.least:g}"] if self.least is not None else []
        bounds += [f"above {self.above:g}"] if self.above is not None else []
        bounds += [f"at most {self.most:g}"] if self.most is not None else []
        return ", ".join(["a whole number" if self.whole else "a number", *bounds])

    def write(self, value: Any) -> Any:
        return int(value) if value == value // 1 else value

    def schema(self) -> Schema:
        bounds = {"minimum": self.least, "exclusiveMinimum": self.above, "maximum": self.most}
        kept = {key: self.write(bound) for key, bound in bounds.items() if bound is not None}
        return {"type": "integer" if self.whole else "number", **kept}


@dataclass(slots=True, frozen=True)
class Time:
    """A time: ISO 8601 (UTC where it has no zone) or, unless ``absolute``, ``-30m`` relative to ``now``."""

    absolute: bool = False

    def read(self, value: Any, at: str, now: int | None) -> Any:
        if isinstance(value, str):
            time = parse_time(value)
            if time:
                return time[0]
            seconds = None if self.absolute else parse_relative(value)
            if seconds is not None and is_moment((now or 0) + seconds):
                return (now or 0) + seconds
        wanted = "an ISO 8601 time such as 2026-12-01T08:30:00Z"
        fix = "" if isinstance(value, str) else "Write it as a text, in quotes."
        fail(at, wanted if self.absolute else wanted + " or one relative to now such as -30m", value, fix)

    def write(self, value: Any) -> Any:
        return iso(value)

    def schema(self) -> Schema:
        return {"type": "string", "pattern": TIME if self.absolute else f"{TIME}|{RELATIVE}"}


@dataclass(slots=True, frozen=True)
class ListOf:
    item: Shape

    def read(self, value: Any, at: str, now: int | None) -> Any:
        if not isinstance(value, list):
            fail(at, "a list", value)
        return tuple(self.item.read(item, f"{at}[{number}]", now) for number, item in enumerate(value))

    def write(self, value: Any) -> Any:
        return [self.item.write(item) for item in value]

    def schema(self) -> Schema:
        return {"type": "array", "items": self.item.schema()}


@dataclass(slots=True, frozen=True)
class MapOf:
    """An object with any keys, all of its values of one shape."""

    item: Shape

    def read(self, value: Any, at: str, now: int | None) -> Any:
        if not isinstance(value, dict):
            fail(at, "an object", value)
        return {str(key): self.item.read(item, f"{at}.{key}", now) for key, item in value.items()}

    def write(self, value: Any) -> Any:
        return {key: self.item.write(item) for key, item in value.items()}

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.item.schema()}


@dataclass(slots=True, frozen=True)
class Raw:
    """An object that is carried along as it is."""

    def read(self, value: Any, at: str, now: int | None) -> Any:
        if not isinstance(value, dict):
            fail(at, "an object", value)
        return value

    def write(self, value: Any) -> Any:
        return value

    def schema(self) -> Schema:
        return {"type": "object"}


@dataclass(slots=True, frozen=True)
class Nullable:
    item: Shape

    def read(self, value: Any, at: str, now: int | None) -> Any:
        return None if value is None else self.item.read(value, at, now)

    def write(self, value: Any) -> Any:
        return None if value is None else self.item.write(value)

    def schema(self) -> Schema:
        return {"anyOf": [self.item.schema(), {"type": "null"}]}


ABSENT: Final = object()
"""The default of a key whose absence means something that depends on other keys."""


@dataclass(slots=True, frozen=True)
class Field:
    """One key of an object: its shape, what it means, and the value meant where it is absent."""

    shape: Shape
    meaning: str
    default: Any = ABSENT
    required: bool = False


@dataclass(slots=True, frozen=True)
class Object:
    """An object with just these keys. Reads to a dict of the keys that are given."""

    fields: Mapping[str, Field]

    def read(self, value: Any, at: str, now: int | None) -> Any:
        if not isinstance(value, dict):
            fail(at, "an object", value)
        for key in value:
            if key not in self.fields:
                fix = _nearest(key, tuple(self.fields)) or f"Known here: {', '.join(self.fields)}."
                raise StateError(f"{str(key)[:60]} is no known key.", at=f"{at}.{str(key)[:60]}", fix=fix)
        for key, field in self.fields.items():
            if field.required and key not in value:
                raise StateError(f"{_subject(at)} lacks {key}.", at=at, fix=f"Add {key}: {field.meaning}")
        return {
            key: field.shape.read(value[key], f"{at}.{key}", now) for key, field in self.fields.items() if key in value
        }

    def write(self, value: Any) -> Any:
        """A mapping of typed values as plain data, in the order of the fields, without defaults."""
        written = {}
        for key, field in self.fields.items():
            if key in value and (field.required or value[key] != field.default):
                plain = field.shape.write(value[key])
                # An object or a list of which every part is a default says nothing either.
                if plain not in ({}, []) or field.default is ABSENT or field.default is None:
                    written[key] = plain
        return written

    def schema(self) -> Schema:
        properties = {key: {"description": field.meaning, **field.shape.schema()} for key, field in self.fields.items()}
        required = [key for key, field in self.fields.items() if field.required]
        schema: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
        return {**schema, "required": required} if required else schema


@dataclass(slots=True, frozen=True)
class TextOr:
    """A text, or an object for which the text is the short form of one of its keys."""

    key: str
    item: Object

    def read(self, value: Any, at: str, now: int | None) -> Any:
        if isinstance(value, str):
            return {self.key: value}
        if not isinstance(value, dict):
            fail(at, "a text or an object", value)
        return self.item.read(value, at, now)

    def write(self, value: Any) -> Any:
        written = self.item.write(value)
        return written[self.key] if list(written) == [self.key] else written

    def schema(self) -> Schema:
        return {"anyOf": [{"type": "string"}, self.item.schema()]}


def _nearest(name: Any, names: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(str(name), names, n=1)
    return f"Did you mean {near[0]}?" if near else ""
