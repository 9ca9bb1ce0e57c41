"""``loopx catalog coverage | mutate``: the fixtures held against the rules."""

from __future__ import annotations

import os
from typing import Any

from loopx_policy.engine.catalog import Catalog
from loopx_policy.fixtures.load import load_folder
from loopx_policy.workshop.bench import Situation, situations

from ..request import Globals, Result
from .policy import load

Data = dict[str, Any]


def _found(options: Globals, fixtures: str) -> tuple[Catalog, list[Situation]]:
    catalog = load(options)
    loaded, unread = load_folder(fixtures)
    if unread:
        raise unread[0]
    return catalog, situations(catalog, loaded)


def coverage(options: Globals, fixtures: str, patterns: tuple[str, ...], missing: bool, into: str) -> Result:
    """``{comparisons, covered, excused, missing: [{point, key, comparison, ...}], proposals, generated}``; exit code 1
    on gaps. ``into`` is a folder for fixtures that are made of witnesses; empty for none.
    """
    from loopx_policy.workshop.coverage import cover
    from loopx_policy.workshop.excuses import read_excuses

    catalog, found = _found(options, fixtures)
    result = cover(catalog, found, read_excuses(fixtures, "coverage"), patterns)
    data = result.to_dict() | {"by_pattern": result.by_pattern()}
    if missing:
        from loopx_policy.workshop.missing import propose

        proposals = [(leaf.id, propose(catalog, leaf, found)) for leaf in result.missing]
        data["proposals"] = {name: proposal.yaml() if proposal else "" for name, proposal in proposals}
    if into:
        data["generated"] = _generated(catalog, found, fixtures, into)
    return Result(data, "coverage", 1 if result.missing or result.unused else 0)


def _generated(catalog: Catalog, found: list[Situation], fixtures: str, into: str) -> Data:
    """``{pairs, shown, files: {path: judged}, kept: [path], without: {subject: reason}}``. Nothing is overwritten."""
    from loopx_policy.catalog_source.laws import load_laws
    from loopx_policy.fixtures.cover import missing
    from loopx_policy.prove.generate import generate
    from loopx_policy.prove.theories import Theories

    loaded, _ = load_folder(fixtures)
    result = generate(Theories(catalog, load_laws(catalog)), found, missing(catalog, loaded))
    files: dict[str, bool] = {}
    kept: list[str] = []
    for made in result.made:
        path = os.path.join(into, made.name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(path, "x", encoding="utf-8") as file:
                file.write(made.yaml())
        except FileExistsError:
            kept.append(path)
        else:
            files[path] = made.judged
    return {"pairs": result.pairs, "shown": result.shown, "files": files, "kept": kept, "without": result.without}


def mutate(options: Globals, fixtures: str, patterns: tuple[str, ...]) -> Result:
    """``{mutants, noticed, alive: [id], excused: {id: reason}, unused_excuses}``; exit code 1 where one lives."""
    from loopx_policy.workshop.excuses import read_excuses
    from loopx_policy.workshop.mutate import survey

    catalog, found = _found(options, fixtures)
    result = survey(catalog, found, read_excuses(fixtures, "mutants"), patterns)
    return Result(result.to_dict(), "mutants", 1 if result.alive or result.unused else 0)
