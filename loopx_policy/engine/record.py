"""The flat record that a condition is evaluated over, and the error for one that breaks its declaration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, TypeAlias

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import Value
from loopx_policy.errors import LoopxError

Record: TypeAlias = Mapping[str, Value]

PYTHON_TYPES: dict[str, type] = {"bool": bool, "count": int, "enum": str}


class RecordError(LoopxError):
    """A projection produced a record that its facts do not declare: a defect of the program, not of the project."""

    kind: ClassVar[str] = "record"


def check_record(record: Record, facts: Mapping[str, Fact]) -> None:
    """Raise :class:`RecordError` unless every declared fact is there with a value of its type and domain.

    ``True`` is no count and ``1`` is no bool. A count may exceed its maximum: saturation is the
    projection's business, and a figure above it decides as the maximum does or as the rule says.
    """
    for name, fact in facts.items():
        if name not in record:
            raise RecordError(f"The record lacks the fact {name}.", fix="Produce it, or take it out of the vocabulary.")
        value = record[name]
        if type(value) is not PYTHON_TYPES[fact.type]:
            raise RecordError(f"The fact {name} is declared as {fact.type} and was given {value!r}.")
        if fact.type == "enum" and value not in fact.values:
            raise RecordError(
                f"The fact {name} has no value {value!r}.", fix=f"Declared are: {', '.join(fact.values)}."
            )
