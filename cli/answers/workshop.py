"""``loopx catalog coverage | mutate``: the fixtures held against the rules."""

from __future__ import annotations

from typing import Any

from loopx_policy.engine.catalog import Catalog
from loopx_policy.fixtures.load import load_folder
from loopx_policy.workshop.bench import Situation, situations

from ..request import Result
from .policy import load

Data = dict[str, Any]


def _found(fixtures: str) -> tuple[Catalog, list[Situation]]:
    catalog = load()
    loaded, unread = load_folder(fixtures)
    if unread:
        raise unread[0]
    return catalog, situations(catalog, loaded)


def coverage(fixtures: str, patterns: tuple[str, ...], missing: bool) -> Result:
    """``{comparisons, covered, excused, missing: [{point, key, comparison, ...}], proposals}``; exit code 1 on gaps."""
    from loopx_policy.workshop.coverage import cover
    from loopx_policy.workshop.excuses import read_excuses

    catalog, found = _found(fixtures)
    result = cover(catalog, found, read_excuses(fixtures, "coverage"), patterns)
    data = result.to_dict() | {"by_pattern": result.by_pattern()}
    if missing:
        from loopx_policy.workshop.missing import propose

        proposals = [(leaf.id, propose(catalog, leaf, found)) for leaf in result.missing]
        data["proposals"] = {name: proposal.yaml() if proposal else "" for name, proposal in proposals}
    return Result(data, "coverage", 1 if result.missing or result.unused else 0)


def mutate(fixtures: str, patterns: tuple[str, ...]) -> Result:
    """``{mutants, noticed, alive: [id], excused: {id: reason}, unused_excuses}``; exit code 1 where one lives."""
    from loopx_policy.workshop.excuses import read_excuses
    from loopx_policy.workshop.mutate import survey

    catalog, found = _found(fixtures)
    result = survey(catalog, found, read_excuses(fixtures, "mutants"), patterns)
    return Result(result.to_dict(), "mutants", 1 if result.alive or result.unused else 0)
