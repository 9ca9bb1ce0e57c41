"""The decision points beside the turn: an input document in, a verdict with its reason out.

Deny by default, and deny-overrides: where no case matches, the point's default holds; where several do, the
strictest verdict stands, and the first case of it in catalog order gives the reason.
"""

from __future__ import annotations

import json
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from shlex import quote
from types import MappingProxyType
from typing import Any

from loopx_policy.catalog_files import default_folder
from loopx_policy.decide import saturate
from loopx_policy.engine.catalog import Case, Catalog, Point
from loopx_policy.engine.conditions import Value
from loopx_policy.engine.evaluate import Evaluator, Matches
from loopx_policy.errors import StateError, UsageError
from loopx_policy.facts.points.projection import Document, Parameters, Projection
from loopx_policy.messages import fill
from loopx_policy.records import field, record
from loopx_policy.schema_check import misfits
from loopx_policy.text import cut

SCHEMA = "loopx_point_decision_v0"
TURNS = ("turn", "candidate")
NO_WORDS: Mapping[str, str] = MappingProxyType({})


@record
class PointDecision:
    """``case`` is ``IP-014.append_allowed``, empty where the default holds; ``requires`` is what would mend a denial,
    and ``command`` one that would be accepted.

    ``kind`` is the kind of denial where the point tells several (``forbidden``, ``stale``, ...); ``matched`` has
    every case that matched, in catalog order.
    """

    point: str
    verdict: str
    reason: str
    pattern: str = ""
    case: str = ""
    kind: str = ""
    requires: tuple[str, ...] = ()
    command: str = ""
    matched: tuple[str, ...] = ()
    facts: dict[str, Value] = field(default_factory=dict)
    engine: str = ""
    catalog_digest: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The published shape (``catalog/schemas/point_decision.schema.json``)."""
        return {
            "schema_version": SCHEMA,
            "point": self.point,
            "verdict": self.verdict,
            "reason": self.reason,
            "pattern": self.pattern,
            "case": self.case.rpartition(".")[2],
            "kind": self.kind,
            "requires": list(self.requires),
            "command": self.command,
            "matched": list(self.matched),
            "facts": self.facts,
            "engine": self.engine,
            "catalog_digest": self.catalog_digest,
        }


def decide_point(catalog: Catalog, point: str, document: Any, words: Mapping[str, str] = NO_WORDS) -> PointDecision:
    """Decide a document. ``UsageError`` for a point that takes none, ``StateError`` at ``$.path`` where it is wrong.

    ``words`` fill the placeholders of commands that the document cannot: ``flags``, as the caller typed them, and
    ``place_flags``, those of them that do not say who asks.
    """
    declared = the_point(catalog, point)
    check(point, document)
    made = projector(point)(document, catalog.parameters)
    saturate(made.values, declared)
    matches = _evaluator(catalog, point).evaluate(made.values)
    decision = settle(catalog, point, standing(catalog, declared, matches), made, words)
    decision.engine = "engine_disagreement" if matches.disagreement else matches.engine
    return decision


def settle(
    catalog: Catalog, point: str, cases: Sequence[Case], made: Projection, words: Mapping[str, str] = NO_WORDS
) -> PointDecision:
    """What the matched cases of a point, in catalog order, come to."""
    declared = catalog.points[point]
    decision = PointDecision(
        point, declared.default, "No rule permits it.", facts=made.values, catalog_digest=catalog.digest
    )
    if cases:
        lead = strictest(cases, declared)
        same = [case for case in cases if case.verdict == lead.verdict]
        decision.verdict, decision.kind = lead.verdict, lead.blocks
        decision.pattern, decision.case = lead.pattern, lead.key
        decision.reason, decision.requires = _say(lead.reason, made), _requires(same, made)
        decision.matched = tuple(case.key for case in cases)
        decision.command = _command(lead.command, made, words)
    return decision


def the_point(catalog: Catalog, point: str) -> Point:
    """The declaration of a point that takes a document; ``UsageError`` for any other name."""
    declared = catalog.points.get(point)
    if declared is None or point in TURNS:
        raise _unknown(catalog, point)
    return declared


def standing(catalog: Catalog, declared: Point, matches: Matches) -> list[Case]:
    """The matched cases in catalog order; where the two matchers differ, those of the stricter one."""
    every = catalog.cases.get(declared.name, ())
    if not matches.disagreement:
        return [case for case in every if f"case:{case.key}" in matches.keys]
    readings = [
        [case for case in every if f"case:{case.key}" in keys] for keys in (matches.by_engine, matches.by_interpreter)
    ]

    def rank(cases: list[Case]) -> int:
        verdict = strictest(cases, declared).verdict if cases else declared.default
        return declared.verdicts.index(verdict)

    return min(readings, key=rank)


def strictest(cases: Sequence[Case], declared: Point) -> Case:
    """The first case of the strictest verdict."""
    return min(cases, key=lambda case: declared.verdicts.index(case.verdict))


_EVALUATORS: OrderedDict[tuple[int, str], tuple[Catalog, Evaluator]] = OrderedDict()
"""Evaluators made so far: to plan the rules of a point costs more than to ask them."""


def _evaluator(catalog: Catalog, point: str) -> Evaluator:
    key = (id(catalog), point)
    known = _EVALUATORS.get(key)
    if known is None:
        known = (catalog, Evaluator(catalog, point, catalog.shards.get(point)))  # the catalog keeps its id taken
        _EVALUATORS[key] = known
        if len(_EVALUATORS) > 32:
            _EVALUATORS.popitem(last=False)
    return known[1]


def _say(template: str, made: Projection) -> str:
    return cut(fill(template, made.words), 300)


def _command(template: str, made: Projection, words: Mapping[str, str]) -> str:
    """A command as it can be typed: every word quoted, options that nobody gave left out."""
    quoted = {name: quote(word) for name, word in made.words.items()} | made.typed
    quoted |= {"flags": "", "place_flags": ""} | dict(words)
    return fill(template, quoted)


def _requires(cases: list[Case], made: Projection) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_say(text, made) for case in cases for text in case.requires))


def check(point: str, document: Any) -> None:
    """Raise ``StateError`` at the first place where a document is not what the point's schema describes."""
    found = misfits(document, read_schema(point))
    if found:
        path, message = found[0].path, found[0].message
        what = "The input" if path == "$" else f"The field {path.removeprefix('$.')}"
        end = "" if message.endswith("?") else "."
        more = f" There are {len(found) - 1} more." if len(found) > 1 else ""
        fix = f"See catalog/schemas/points/{point}.schema.json, or loopx decide {point} --schema."
        raise StateError(f"{what} {message}{end}{more}", at=path, fix=fix)


@lru_cache(maxsize=32)
def read_schema(point: str) -> dict[str, Any]:
    """The published input schema of a point."""
    path = os.path.join(default_folder("catalog"), "schemas", "points", f"{point}.schema.json")
    with open(path, encoding="utf-8") as stream:
        schema: dict[str, Any] = json.load(stream)
    return schema


def projector(point: str) -> Callable[[Document, Parameters], Projection]:
    """The projection of a point: ``project`` of the module that has its name."""
    project: Callable[[Document, Parameters], Projection] = import_module(f"loopx_policy.facts.points.{point}").project
    return project


def declared_points() -> list[str]:
    """The points that have an input schema, by name: every one beside the turn, without reading the catalog."""
    folder = os.path.join(default_folder("catalog"), "schemas", "points")
    end = ".schema.json"
    return sorted(name.removesuffix(end) for name in os.listdir(folder) if name.endswith(end))


def _unknown(catalog: Catalog, point: str) -> UsageError:
    from difflib import get_close_matches

    points = [name for name in catalog.points if name not in TURNS]
    if point in TURNS:
        return UsageError(f"{point} is decided from a project.", fix="Use loopx quota should-run, or --snapshot.")
    near = get_close_matches(point, points, n=1)
    fix = f"Did you mean {near[0]}?" if near else f"Points: {', '.join(points)}."
    return UsageError(f"There is no decision point {cut(point, 60)}.", fix=fix)
