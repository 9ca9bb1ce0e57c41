"""The shape of a file against its JSON Schema, each difference as a finding with its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from loopx_policy.catalog_source.findings import Mark, Report, nearest
from loopx_policy.catalog_source.yaml_nodes import ListNode, MapNode, Node, plain

_KINDS = {
    "string": "a text",
    "object": "a mapping",
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
}
_TEXT_RULES = {"reason": "case-without-reason", "text": "obligation-without-text"}


def check_shape(node: Node, validator: Draft202012Validator, report: Report) -> None:
    """Report each way in which ``node`` is not what the schema describes."""
    for error in validator.iter_errors(plain(node)):
        _report(error, node, report)


def _report(error: ValidationError, root: Node, report: Report) -> None:
    path = list(error.absolute_path)
    node, at = _find(root, path)
    what = f"'{path[-1]}'" if path and isinstance(path[-1], str) else "This entry"
    if error.validator == "required" and isinstance(node, MapNode):
        # One error a key: jsonschema yields each missing key by itself.
        key = next(name for name in error.validator_value if f"'{name}' is a required" in error.message)
        report.error(
            node.mark, _TEXT_RULES.get(key, "missing-key"), f"The key '{key}' is missing; {_describe(error, key)}."
        )
    elif error.validator == "additionalProperties" and isinstance(node, MapNode):
        known = set(error.schema.get("properties", ())) if isinstance(error.schema, dict) else set()
        for key in node.entries:
            if key not in known:
                _unknown_key(node.keys[key], key, known - set(node.entries), report)
    elif error.validator == "propertyNames" or "propertyNames" in error.absolute_schema_path:
        key = str(error.instance)
        mark = node.keys.get(key, node.mark) if isinstance(node, MapNode) else node.mark
        report.error(mark, "bad-name", f"The name '{key}' is not lower case with digits and underscores; rename it.")
    elif error.validator == "type":
        wanted = _types(error.validator_value)
        report.error(at, "wrong-type", f"{what} is not {wanted}; {_example(error.validator_value)}.")
    elif error.validator == "enum":
        allowed = [str(value) for value in error.validator_value]
        near = nearest(str(error.instance), allowed)
        report.error(at, "bad-value", f"{what} is '{error.instance}'; write {_one_of(allowed)}.", near)
    elif error.validator == "const":
        report.error(
            at, "bad-value", f"{what} can only be {_literal(error.validator_value)}; write that or leave it out."
        )
    elif error.validator in ("pattern", "minItems", "minProperties"):
        _empty_or_misspelt(error, at, what, path, report)
    elif error.validator == "uniqueItems":
        report.error(at, "repeated-value", f"{what} names something twice; keep one.")
    elif error.validator == "dependentRequired" and isinstance(node, MapNode):
        report.error(node.mark, "missing-key", f"{_sentence(error.message)}; write both or neither.")
    elif error.validator is None:
        report.error(at, "unknown-key", f"{what} does not fit the type of this entry; leave it out.")
    elif error.validator == "anyOf":
        report.error(at, "wrong-type", f"{what} is not a number, a text, true or false, or a list of those; write one.")
    else:
        report.error(at, "bad-value", f"{what} is wrong: {error.message}; see the schema.")


def _unknown_key(at: Mark, key: str, known: set[str], report: Report) -> None:
    near = nearest(key, known)
    advice = f"write '{near}'" if near else "leave it out"
    report.error(at, "unknown-key", f"There is no key '{key}' here; {advice}.", near)


def _empty_or_misspelt(error: ValidationError, at: Mark, what: str, path: list[str | int], report: Report) -> None:
    empty = not error.instance or (isinstance(error.instance, str) and not error.instance.strip())
    if empty:
        key = path[-1] if path else ""
        rule = _TEXT_RULES.get(str(key), "empty-value")
        if key == "visual":
            rule = "bad-visual"
        report.error(at, rule, f"{what} is empty; write it, or leave the key out where it is optional.")
    elif path and path[-1] == "id" and len(path) == 1:
        report.error(
            at, "bad-id", f"The id '{error.instance}' is not IP- with three digits or GR- with a slug; write one."
        )
    else:
        report.error(
            at,
            "bad-name",
            f"{what} is '{error.instance}', which does not have the form {error.validator_value}; rename it.",
        )


def _find(root: Node, path: list[str | int]) -> tuple[Node, Mark]:
    node = root
    for step in path:
        if isinstance(node, MapNode) and isinstance(step, str) and step in node.entries:
            node = node.entries[step]
        elif isinstance(node, ListNode) and isinstance(step, int):
            node = node.items[step]
    return node, node.mark


def _describe(error: ValidationError, key: str) -> str:
    schema: Any = error.schema
    described = schema.get("properties", {}).get(key, {}).get("description", "") if isinstance(schema, dict) else ""
    return f"add it ({_sentence(described)})" if described else "add it"


def _sentence(text: str) -> str:
    first = text.split(". ")[0].rstrip(".")
    return first[:1].lower() + first[1:] if first[:2].istitle() else first


def _types(value: object) -> str:
    return " or ".join(_names(value))


def _names(value: object) -> Iterator[str]:
    for name in [value] if isinstance(value, str) else list(value) if isinstance(value, list) else []:
        yield _KINDS.get(name, name)


def _example(value: object) -> str:
    return {"object": "indent its keys below it", "array": "start each entry with '- '", "string": "write words"}.get(
        str(value), f"write {_types(value)}"
    )


def _one_of(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"one of {', '.join(names)}"


def _literal(value: object) -> str:
    return "true" if value is True else str(value)
