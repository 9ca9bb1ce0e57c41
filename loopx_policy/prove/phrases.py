"""Facts, cases and regions in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loopx_policy.catalog_source.laws import Laws
from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import Compare, Value
from loopx_policy.explain import WORDS


def say_fact(laws: Laws, name: str, value: Value) -> str:
    """What a fact says with a value."""
    phrase = laws.phrases.get(name)
    if phrase is None:
        return f"{name} is {_literal(value)}"
    if type(value) is int:
        key = "none" if value == 0 else "many" if value > 1 and "many" in phrase.values else "some"
        return phrase.values[key].replace("{n}", str(value))
    return phrase.values[_literal(value)]


def say_leaf(laws: Laws, leaf: Compare, fact: Fact) -> str:
    """A comparison in words: as its value is said where there is one, else piece by piece."""
    phrase = laws.phrases.get(leaf.fact)
    plain = f"{leaf.fact} {WORDS[leaf.op]} {_members(leaf.value)}"
    if phrase is None:
        return plain
    value = leaf.value
    if fact.type == "count":
        return _count(phrase.values, leaf) or plain
    if isinstance(value, tuple):
        named = value if leaf.op == "in" else tuple(other for other in fact.values if other not in value)
    elif leaf.op == "eq":
        named = (value,)
    else:
        named = (not value,) if fact.type == "bool" else tuple(other for other in fact.values if other != value)
    return " or ".join(phrase.values[_literal(one)] for one in named) or plain


def _count(values: Mapping[str, str], leaf: Compare) -> str:
    """A comparison of a count; empty where no phrase fits."""
    if isinstance(leaf.value, (tuple, str)):
        return ""
    figure = int(leaf.value) + (leaf.op == "gt") - (leaf.op == "lt")
    if leaf.op in ("gt", "gte"):
        return values["some"] if figure == 1 else _many(values, f"{figure} or more")
    if leaf.op in ("lt", "lte"):
        return values["none"] if figure == 0 else _many(values, f"at most {figure}")
    if leaf.op == "eq":
        return values["none"] if figure == 0 else _many(values, str(figure))
    return values["some"] if figure == 0 else ""


def _many(values: Mapping[str, str], figure: str) -> str:
    return values["many"].replace("{n}", figure) if "many" in values else ""


def say_record(laws: Laws, differs: Mapping[str, Value]) -> list[str]:
    """What sets a record apart from that of a project in which nothing is the matter, one clause a fact.

    A figure that only adds up what others say already is left out.
    """
    return [say_fact(laws, name, value) for name, value in differs.items() if name not in SUMS or len(differs) == 1]


SUMS = ("todos.open", "frontier.open", "monitors.watching", "runs.meaningful", "runs.neutral")


def join(clauses: Iterable[str]) -> str:
    """Clauses as one sentence without its end."""
    parts = list(clauses)
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])}, and {parts[-1]}" if len(parts) > 2 else f"{parts[0]}, and {parts[1]}"


def _literal(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _members(value: Value | tuple[Value, ...]) -> str:
    return ", ".join(map(_literal, value)) if isinstance(value, tuple) else _literal(value)
