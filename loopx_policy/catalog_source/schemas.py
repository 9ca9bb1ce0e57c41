"""The JSON Schemas of rule and vocabulary files, and the enriched rule schema that editors complete from.

``catalog/schemas/rule.schema.json`` is half written by hand and half generated: the definitions named in
``vocabulary_schema`` are made from the vocabulary. Regenerate them with
``python -m loopx_policy.catalog_source.schemas`` after a change of the vocabulary.
"""

from __future__ import annotations

import json
from typing import Any

from loopx_policy.catalog_files import read_sources
from loopx_policy.catalog_source.findings import Report
from loopx_policy.catalog_source.schema_files import Schema, handwritten, read_schema, schema_path
from loopx_policy.catalog_source.vocabulary import FactDoc, PointDoc, Vocabulary, read_vocabulary

_NAME: Schema = {"type": "string"}
_REFERENCE: Schema = {"type": "string", "pattern": r"^\$[a-z][a-z0-9_]*$"}


def vocabulary_schema(schema: Schema, vocabulary: Vocabulary) -> Schema:
    """The rule schema with the vocabulary's names and domains in it; applying it twice changes nothing."""
    definitions = handwritten(schema)
    definitions["family"] = _enum([*vocabulary.families, "ground"])
    definitions["point"] = _enum(vocabulary.points)
    definitions["stratum"] = {"oneOf": [_const(name, stratum.why) for name, stratum in vocabulary.strata.items()]}
    definitions["mode"] = {"oneOf": [_const(name, mode.meaning) for name, mode in vocabulary.modes.items()]}
    definitions["state"] = {"oneOf": [_const(name, state.meaning) for name, state in vocabulary.states.items()]}
    definitions["fact_turn"] = _enum(vocabulary.facts.get("turn", {}))
    definitions["condition"] = {"type": "object", "description": "A condition over the facts of one decision point."}
    others: Schema = {}
    for name, point in vocabulary.points.items():
        definitions[f"condition_{name}"] = _condition(name, vocabulary.facts.get(name, {}), definitions)
        if point.verdicts:
            definitions[f"verdict_{name}"] = _enum(point.verdicts)
        if point.blocks:
            definitions[f"blocks_{name}"] = _enum(point.blocks)
        if name not in ("turn", "candidate"):
            others[name] = _point_cases(name, point)
    definitions.setdefault("verdict_candidate", _NAME)
    definitions.setdefault("blocks_candidate", _NAME)
    for name in ("condition_turn", "condition_candidate"):
        definitions.setdefault(name, {"$ref": "#/$defs/condition"})
    definitions["points"] = {"type": "object", "minProperties": 1, "properties": others, "additionalProperties": False}
    return {**schema, "$defs": definitions}


def render(schema: Schema) -> str:
    """The bytes that are committed."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def current_rule_schema() -> str:
    """What ``rule.schema.json`` has to say for the vocabulary as it is. Raises ValueError where that is broken."""
    report = Report()
    vocabulary = read_vocabulary(read_sources().vocabulary, report)
    if report.findings:
        raise ValueError(str(report.sorted()[0]))
    return render(vocabulary_schema(read_schema("rule"), vocabulary))


def _enum(names: Any) -> Schema:
    return {"type": "string", "enum": list(names)}


def _const(name: str, description: str) -> Schema:
    return {"const": name, "description": description}


def _point_cases(name: str, point: PointDoc) -> Schema:
    parts: Schema = {"when": {"$ref": f"#/$defs/condition_{name}"}, "verdict": {"$ref": f"#/$defs/verdict_{name}"}}
    if point.blocks:
        parts["blocks"] = {"$ref": f"#/$defs/blocks_{name}"}
    case = {"allOf": [{"$ref": "#/$defs/pointCase"}, {"properties": parts}]}
    return {"type": "array", "description": point.meaning, "minItems": 1, "items": case}


def _condition(point: str, facts: dict[str, FactDoc], definitions: Schema) -> Schema:
    several = {"type": "array", "minItems": 1, "items": {"$ref": f"#/$defs/condition_{point}"}}
    properties: Schema = {
        "all": {**several, "description": "Every one of these conditions holds."},
        "any": {**several, "description": "At least one of these conditions holds."},
        "none": {**several, "description": "None of these conditions holds."},
    }
    for name, fact in facts.items():
        domain = _domain(fact)
        definitions.setdefault(domain, _comparison(fact))
        properties[name] = {"description": fact.meaning, "$ref": f"#/$defs/{domain}"}
    return {
        "type": "object",
        "description": f"A condition over the facts of the point {point}; {{}} always holds.",
        "properties": properties,
        "additionalProperties": False,
    }


def _domain(fact: FactDoc) -> str:
    """The definition that a fact shares with all others of its domain."""
    if fact.type == "enum":
        return f"value_{'_'.join(fact.values)}"
    return f"value_count_to_{fact.maximum}" if fact.type == "count" else "value_bool"


def _comparison(fact: FactDoc) -> Schema:
    if fact.type == "bool":
        return {"anyOf": [{"type": "boolean"}, _REFERENCE]}
    domain = (
        {"enum": list(fact.values)}
        if fact.type == "enum"
        else {"type": "integer", "minimum": 0, "maximum": fact.maximum}
    )
    literal: Schema = {"anyOf": [domain, _REFERENCE]}
    members: Schema = {"anyOf": [{"type": "array", "minItems": 1, "items": literal}, _REFERENCE]}
    excluded: Schema = {
        "type": "object",
        "properties": {"in": members},
        "required": ["in"],
        "additionalProperties": False,
    }
    operators: Schema = {"in": members, "not": {"anyOf": [literal, excluded]}}
    if fact.type == "count":
        operators.update(dict.fromkeys(("gt", "gte", "lt", "lte"), literal))
    mapping: Schema = {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 2,
        "properties": operators,
        "additionalProperties": False,
    }
    return {"anyOf": [literal, mapping]}


def main() -> None:
    text = current_rule_schema()
    with open(schema_path("rule"), "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
