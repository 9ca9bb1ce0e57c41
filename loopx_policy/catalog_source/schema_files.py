"""The JSON Schema files below ``catalog/schemas``, and the rule schema without its vocabulary."""

from __future__ import annotations

import json
import os
from typing import Any, TypeAlias

from loopx_policy.catalog_files import default_folder

Schema: TypeAlias = dict[str, Any]

_NAME: Schema = {"type": "string"}
_FIXED = ("condition", "fact_turn", "family", "mode", "point", "points", "state", "stratum")
_PREFIXES = ("condition_", "verdict_", "blocks_", "value_")


def schema_path(kind: str) -> str:
    """Where the schema ``kind`` (rule, modes, ...) lies."""
    return os.path.join(default_folder("catalog"), "schemas", f"{kind}.schema.json")


def read_schema(kind: str) -> Schema:
    with open(schema_path(kind), encoding="utf-8") as file:
        schema: Schema = json.load(file)
    return schema


def loose_rule_schema(schema: Schema) -> Schema:
    """The rule schema without its vocabulary: shape only, since lint words unknown names better than a schema can."""
    definitions = handwritten(schema)
    for name in ("family", "mode", "point", "state", "stratum", "verdict_candidate", "blocks_candidate", "fact_turn"):
        definitions[name] = _NAME
    for name in ("condition", "condition_turn", "condition_candidate"):
        definitions[name] = {}  # read_condition says better what a condition is
    definitions["points"] = {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/pointCase"}},
    }
    return {**schema, "$defs": definitions}


def handwritten(schema: Schema) -> Schema:
    """The definitions that are not made from the vocabulary."""
    definitions: Schema = schema["$defs"]
    return {name: value for name, value in definitions.items() if name not in _FIXED and not name.startswith(_PREFIXES)}
