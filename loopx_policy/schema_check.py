"""A strict check of plain data against a published JSON Schema, without importing ``jsonschema``.

Only the part of JSON Schema 2020-12 that our input documents use is understood: ``type``, ``properties``,
``required``, ``additionalProperties`` (``false`` or a schema), ``items``, ``enum``, ``const``, ``pattern``,
``minLength``, ``maxLength``, ``minItems``, ``maxItems``, ``minimum``, ``maximum`` and ``$ref`` into ``$defs``.
Any other keyword that could say no is an error of the schema, so that nothing is passed over in silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from loopx_policy.errors import CatalogError
from loopx_policy.records import record
from loopx_policy.text import cut, listed

_ANNOTATIONS = frozenset(("$schema", "$id", "$defs", "$comment", "title", "description", "examples", "default"))
_KEYWORDS = frozenset(
    (
        "type", "properties", "required", "additionalProperties", "items", "enum", "const", "pattern", "minLength",
        "maxLength", "minItems", "maxItems", "minimum", "maximum", "$ref",
    )
)  # fmt: skip
_TYPES = {
    "object": "a mapping", "array": "a list", "string": "a text", "boolean": "true or false",
    "integer": "a whole number", "number": "a number", "null": "empty",
}  # fmt: skip


@record(frozen=True)
class Misfit:
    """One place where a document is not what its schema describes."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path} {self.message}"


def misfits(document: Any, schema: Mapping[str, Any]) -> list[Misfit]:
    """Every way in which ``document`` differs from ``schema``, in document order; empty where it conforms."""
    return list(_check(document, schema, schema, "$"))


def _check(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], path: str) -> Iterator[Misfit]:
    unknown = schema.keys() - _KEYWORDS - _ANNOTATIONS
    if unknown:
        raise CatalogError(f"The schema of {path} uses {listed(sorted(unknown))}, which is not understood here.")
    if "$ref" in schema:
        yield from _check(value, _referred(schema["$ref"], root), root, path)
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        if not any(_is(value, name) for name in names):
            yield Misfit(path, f"is not {' or '.join(_TYPES[name] for name in names)}")
            return
    if "enum" in schema and not any(_equal(value, each) for each in schema["enum"]):
        yield Misfit(path, f"is {_shown(value)}, not one of {', '.join(map(str, schema['enum']))}")
    if "const" in schema and not _equal(value, schema["const"]):
        yield Misfit(path, f"is {_shown(value)}, not {_shown(schema['const'])}")
    if isinstance(value, str):
        yield from _text(value, schema, path)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if value < schema.get("minimum", value):
            yield Misfit(path, f"is less than {schema['minimum']}")
        if value > schema.get("maximum", value):
            yield Misfit(path, f"is more than {schema['maximum']}")
    elif isinstance(value, list):
        yield from _list(value, schema, root, path)
    elif isinstance(value, dict):
        yield from _mapping(value, schema, root, path)


def _text(value: str, schema: Mapping[str, Any], path: str) -> Iterator[Misfit]:
    if len(value) < schema.get("minLength", 0):
        yield Misfit(path, "is empty" if not value else f"is shorter than {schema['minLength']} characters")
    if "maxLength" in schema and len(value) > schema["maxLength"]:
        yield Misfit(path, f"is longer than {schema['maxLength']} characters")
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield Misfit(path, f"is {_shown(value)}, which is not of the form {schema['pattern']}")


def _list(value: list[Any], schema: Mapping[str, Any], root: Mapping[str, Any], path: str) -> Iterator[Misfit]:
    if len(value) < schema.get("minItems", 0):
        yield Misfit(path, f"has fewer than {schema['minItems']} entries")
    if "maxItems" in schema and len(value) > schema["maxItems"]:
        yield Misfit(path, f"has more than {schema['maxItems']} entries")
    if "items" in schema:
        for number, item in enumerate(value):
            yield from _check(item, schema["items"], root, f"{path}[{number}]")


def _mapping(value: dict[Any, Any], schema: Mapping[str, Any], root: Mapping[str, Any], path: str) -> Iterator[Misfit]:
    known: Mapping[str, Any] = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            yield Misfit(f"{path}.{name}", "is missing")
    for name, item in value.items():
        if not isinstance(name, str):
            yield Misfit(path, f"has the key {_shown(name)}, which is not a text")
        elif name in known:
            yield from _check(item, known[name], root, f"{path}.{name}")
        elif others is False:
            yield Misfit(f"{path}.{cut(name, 40)}", f"is not known here{_nearest(name, known)}")
        elif isinstance(others, Mapping):
            yield from _check(item, others, root, f"{path}.{cut(name, 40)}")


def _nearest(name: str, known: Mapping[str, Any]) -> str:
    from difflib import get_close_matches  # only where something is wrong

    near = get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


def _referred(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Any = root
    for step in reference.removeprefix("#/").split("/"):
        found = found[step]
    return dict(found)


def _is(value: Any, name: str) -> bool:
    if name == "object":
        return isinstance(value, dict)
    if name == "array":
        return isinstance(value, list)
    if name == "string":
        return isinstance(value, str)
    if name == "boolean":
        return isinstance(value, bool)
    if name == "null":
        return value is None
    whole = isinstance(value, int) and not isinstance(value, bool)
    if name == "integer":
        return whole or (isinstance(value, float) and value.is_integer())
    return whole or isinstance(value, float)


def _equal(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _shown(value: Any) -> str:
    return f"'{cut(value, 60)}'" if isinstance(value, str) else cut(str(value), 60)
