"""Facts, cases and regions in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loopx_policy.catalog_source.laws import Laws
from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition, NoneOf, Value
from loopx_policy.engine.domain import Runs, decode
from loopx_policy.engine.trace import OPPOSITE
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


def say_range(laws: Laws, fact: Fact, runs: Runs) -> str:
    """That a fact lies in some runs of its codes."""
    low, high = runs[0][0], runs[-1][1]
    phrase = laws.phrases.get(fact.name)
    if fact.type != "count" or len(runs) > 1:
        codes = [code for start, end in runs for code in range(start, min(end, start + 20) + 1)]
        if phrase is not None:
            return " or ".join(say_fact(laws, fact.name, decode(fact, code)) for code in codes)
        others = [value for code, value in enumerate(fact.values) if code not in codes]
        if fact.type == "enum" and len(others) < len(codes):
            return f"{fact.name} is not {', '.join(others)}"
        return f"{fact.name} is {', '.join(_literal(decode(fact, code)) for code in codes)}"
    if low == high:
        return say_fact(laws, fact.name, low)
    if phrase is None:
        return f"{fact.name} is {low} or more" if high >= fact.maximum else f"{fact.name} is {low} to {high}"
    if high >= fact.maximum:
        return phrase.values["some"] if low == 1 else _many(phrase.values, f"{low} or more")
    return _many(phrase.values, f"at most {high}" if low <= 0 else f"{low} to {high}")


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


def say_condition(laws: Laws, condition: Condition, facts: Mapping[str, Fact]) -> str:
    """A condition as a clause; a part that is a choice stands in brackets where it is not alone."""
    if isinstance(condition, Compare):
        return say_leaf(laws, condition, facts[condition.fact])
    if isinstance(condition, NoneOf):
        return join(say_opposite(laws, part, facts) for part in condition.parts)
    parts = [say_condition(laws, part, facts) for part in condition.parts]
    if isinstance(condition, AllOf):
        mixed = [
            f"({said})" if isinstance(part, AnyOf) and len(part.parts) > 1 and len(parts) > 1 else said
            for said, part in zip(parts, condition.parts, strict=True)
        ]
        return join(mixed) or "always"
    return " or ".join(dict.fromkeys(parts)) or "never"


def say_opposite(laws: Laws, condition: Condition, facts: Mapping[str, Fact]) -> str:
    """What holds where a condition does not."""
    if isinstance(condition, Compare):
        turned = Compare(condition.fact, OPPOSITE[condition.op], condition.value)
        return say_leaf(laws, turned, facts[condition.fact])
    if isinstance(condition, AllOf):
        return " or ".join(say_opposite(laws, part, facts) for part in condition.parts) or "never"
    if isinstance(condition, NoneOf):
        return " or ".join(say_condition(laws, part, facts) for part in condition.parts)
    return join(say_opposite(laws, part, facts) for part in condition.parts)


def say_record(laws: Laws, differs: Mapping[str, Value]) -> list[str]:
    """What sets a record apart from that of a project in which nothing is the matter, one clause a fact.

    What only adds up or follows from what others say already is left out.
    """
    told = {name: value for name, value in differs.items() if name not in SUMS and not _follows(name, differs)}
    return [say_fact(laws, name, value) for name, value in (told or differs).items()]


SUMS = ("todos.open", "frontier.open", "monitors.watching", "runs.meaningful", "runs.neutral")


def _follows(name: str, differs: Mapping[str, Value]) -> bool:
    """Whether a fact says no more than others beside it."""
    value = differs[name]
    if name == "frontier.first":
        return (value == "runnable") is ("frontier.unprojected" not in differs)
    if name == "frontier.selected_claim":
        return value == "unclaimed"
    kinds = [int(differs.get(kind, 0)) for kind in ("gates.blanket", "gates.unclear")]
    return name == "gates.open" and sum(kinds) == value


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
