"""JSON or YAML from a file or standard input, as plain data; large, deep and multiplying documents are refused.

YAML is read by the rules of JSON: ``true`` and ``false`` are the only booleans, a date stays text, and there are
no anchors, aliases or tags.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from typing import Any, NoReturn

from loopx_policy.errors import StateError

from .inputs import read_bytes, shown

LARGEST_YAML = 4 * 1024 * 1024
DEEPEST = 60


def read(source: str, what: str) -> Any:
    """The one document in a file (``-``: standard input). :class:`StateError` at ``file:line`` where it is none."""
    name = shown(source)
    data = read_bytes(source, what)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise StateError(f"The {what} is not UTF-8 text.", at=f"{name}:{line}", fix="Save it as UTF-8.") from None
    start = text.lstrip()[:1]
    if not start:
        raise StateError(f"The {what} is empty.", at=name, fix="Write the document as JSON or YAML.")
    return _json(text, name, what) if start in "{[" else _yaml(text, name, what)


def _json(text: str, name: str, what: str) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_constant)
    except json.JSONDecodeError as error:
        message = f"The {what} is not JSON: {error.msg}."
        raise StateError(message, at=f"{name}:{error.lineno}:{error.colno}", fix="Mend the line.") from None
    except RecursionError:
        raise StateError(f"The {what} is nested too deep.", at=name, fix="Flatten it.") from None
    except ValueError as error:
        raise StateError(f"The {what} is not JSON: {error}.", at=name, fix="Mend it.") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} stands twice in one object")
    return found


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _yaml(text: str, name: str, what: str) -> Any:
    import yaml

    if len(text) > LARGEST_YAML:
        raise StateError(f"The {what} is larger than {LARGEST_YAML} bytes of YAML.", at=name, fix="Write it as JSON.")

    def refuse(mark: Any, message: str, fix: str) -> NoReturn:
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark is not None else name
        raise StateError(message, at=place, fix=fix) from None

    loader = _loader(yaml)
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            mark = event.start_mark
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
                refuse(mark, f"The {what} has an anchor or an alias.", "Write the value out.")
            if getattr(event, "tag", None) is not None:
                refuse(mark, f"The {what} has a tag.", "Write the plain value.")
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > DEEPEST:
                refuse(mark, f"The {what} is nested deeper than {DEEPEST} levels.", "Flatten it.")
        return yaml.load(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        message = f"The {what} is neither JSON nor YAML: {error.problem or error.context}."
        refuse(error.problem_mark or error.context_mark, message, "Mend the line.")
    except yaml.YAMLError:
        raise StateError(f"The {what} is neither JSON nor YAML.", at=name, fix="Mend it.") from None


def _loader(yaml: Any) -> Any:
    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
            seen = set()
            for key, _ in node.value:
                if key.value in seen:
                    message = f"the key {key.value!r} stands twice in one mapping"
                    raise yaml.constructor.ConstructorError(None, None, message, key.start_mark)
                seen.add(key.value)
            return super().construct_mapping(node, deep)  # type: ignore[no-any-return]

    for tag, pattern, first in (
        ("bool", r"true|false", "tf"),
        ("null", r"null|~|", ["n", "~", ""]),
        ("int", r"-?(?:0|[1-9][0-9]*)", "-0123456789"),
        ("float", r"-?(?:0|[1-9][0-9]*)\.[0-9]+", "-0123456789"),
    ):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first))
    return Loader
