"""The shape of a file against its JSON Schema, each difference as a finding with its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from loopx_policy.catalog_source.findings import Mark, Report, nearest
from loopx_policy.catalog_source.yaml_nodes import ListNode, MapNode, Node, plain

_KINDS = {
    "string": ("a text", "write words"),
    "object": ("a mapping", "indent its keys below it"),
    "array": ("a list", "start each entry with '- '"),
    "boolean": ("true or false", "write one of the two"),
    "integer": ("a whole number", "write digits"),
}
_RULE_OF_KEY = {"reason": "case-without-reason", "text": "obligation-without-text", "visual": "bad-visual"}
"""Keys whose absence has a name of its own in the documentation."""


@dataclass(slots=True)
class _Difference:
    """One schema error: the node it is about, its key if it has one, and what a message calls it."""

    node: Node
    at: Mark
    key: str
    top: bool
    what: str
    value: Any
    wanted: Any
    schema: dict[str, Any]
    message: str


def check_shape(node: Node, validator: Draft202012Validator, report: Report) -> None:
    """Report each way in which ``node`` is not what the schema describes."""
    for error in validator.iter_errors(plain(node)):
        difference = _difference(error, node)
        if "propertyNames" in error.absolute_schema_path:
            _bad_name(difference, report)
        else:
            _HANDLERS.get(str(error.validator), _other)(difference, report)


def _difference(error: ValidationError, root: Node) -> _Difference:
    path = list(error.absolute_path)
    node = root
    for step in path:
        if isinstance(node, MapNode):
            node = node.entries[str(step)]
        elif isinstance(node, ListNode):
            node = node.items[int(step)]
    key = path[-1] if path and isinstance(path[-1], str) else ""
    return _Difference(
        node=node,
        at=node.mark,
        key=key,
        top=len(path) == 1,
        what=f"'{key}'" if key else "This entry",
        value=error.instance,
        wanted=error.validator_value,
        schema=error.schema if isinstance(error.schema, dict) else {},
        message=error.message,
    )


def _required(it: _Difference, report: Report) -> None:
    # jsonschema yields each missing key as an error of its own, and names it only in the message.
    key = next(name for name in it.wanted if it.message.startswith(f"'{name}' "))
    described = it.schema.get("properties", {}).get(key, {}).get("description", "")
    advice = f"add it ({_clause(described)})" if described else "add it"
    report.error(it.at, _RULE_OF_KEY.get(key, "missing-key"), f"The key '{key}' is missing; {advice}.")


def _unknown_keys(it: _Difference, report: Report) -> None:
    if not isinstance(it.node, MapNode):
        return
    known = set(it.schema.get("properties", ()))
    for key in it.node.entries:
        if key not in known:
            near = nearest(key, known - set(it.node.entries))
            advice = f"write '{near}'" if near else "leave it out"
            report.error(it.node.keys[key], "unknown-key", f"There is no key '{key}' here; {advice}.", near)


def _misfit_key(it: _Difference, report: Report) -> None:
    report.error(it.at, "unknown-key", f"{it.what} does not fit the type of this entry; leave it out.")


def _bad_name(it: _Difference, report: Report) -> None:
    name = str(it.value)
    at = it.node.keys.get(name, it.at) if isinstance(it.node, MapNode) else it.at
    report.error(at, "bad-name", f"The name '{name}' is not lower case with digits and underscores; rename it.")


def _type(it: _Difference, report: Report) -> None:
    if it.value is None:
        _empty(it, report)
        return
    names = [it.wanted] if isinstance(it.wanted, str) else list(it.wanted)
    advice = _KINDS[names[0]][1] if len(names) == 1 else "write one of these"
    kinds = " or ".join(_KINDS[name][0] for name in names)
    report.error(it.at, "wrong-type", f"{it.what} is not {kinds}; {advice}.")


def _figure(it: _Difference, report: Report) -> None:
    report.error(
        it.at, "wrong-type", f"{it.what} is not a number, a text, true or false, or a list; write one of these."
    )


def _enum(it: _Difference, report: Report) -> None:
    allowed = [str(value) for value in it.wanted]
    report.error(
        it.at,
        "bad-value",
        f"{it.what} is '{it.value}'; write one of {', '.join(allowed)}.",
        nearest(str(it.value), allowed),
    )


def _const(it: _Difference, report: Report) -> None:
    only = "true" if it.wanted is True else it.wanted
    report.error(it.at, "bad-value", f"{it.what} can only be {only}; write that or leave the key out.")


def _form(it: _Difference, report: Report) -> None:
    if not str(it.value).strip():
        _empty(it, report)
    elif it.key == "id" and it.top:
        report.error(
            it.at, "bad-id", f"The id '{it.value}' is not IP- with three digits or GR- with a slug; write one."
        )
    else:
        report.error(it.at, "bad-name", f"{it.what} is '{it.value}', which is not of the form {it.wanted}; rename it.")


def _empty(it: _Difference, report: Report) -> None:
    rule = _RULE_OF_KEY.get(it.key, "empty-value")
    report.error(it.at, rule, f"{it.what} is empty; write it, or leave the key out where it is optional.")


def _twice(it: _Difference, report: Report) -> None:
    report.error(it.at, "repeated-value", f"{it.what} names something twice; keep one.")


def _partner(it: _Difference, report: Report) -> None:
    pairs = ((key, other) for key, others in it.wanted.items() for other in others)
    for key, other in pairs:
        if key in it.value and other not in it.value:
            report.error(it.at, "missing-key", f"The key '{key}' needs '{other}' beside it; add it.")


def _range(it: _Difference, report: Report) -> None:
    report.error(
        it.at, "bad-value", f"{it.what} is {it.value}, beyond the limit of {it.wanted}; write a figure within it."
    )


def _other(it: _Difference, report: Report) -> None:
    report.error(it.at, "bad-value", f"{it.what} is not what the schema describes: {it.message}.")


_HANDLERS: dict[str, Callable[[_Difference, Report], None]] = {
    "required": _required,
    "additionalProperties": _unknown_keys,
    "not": _misfit_key,
    "type": _type,
    "anyOf": _figure,
    "enum": _enum,
    "const": _const,
    "pattern": _form,
    "minItems": _empty,
    "minProperties": _empty,
    "uniqueItems": _twice,
    "dependentRequired": _partner,
    "minimum": _range,
    "maximum": _range,
}


def _clause(text: str) -> str:
    """The first sentence of a description, to stand inside another sentence."""
    first = text.split(". ")[0].rstrip(".")
    return first[:1].lower() + first[1:] if first[1:2].islower() else first
