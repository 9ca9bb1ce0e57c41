"""A catalog grown to any number of patterns, with copies that match as their originals do and stand behind them."""

from __future__ import annotations

from loopx_policy.engine.catalog import Case, Catalog
from loopx_policy.records import replace


def grown(catalog: Catalog, patterns: int) -> Catalog:
    """The catalog with copies of its patterns, each behind its original, until it has ``patterns`` of them."""
    ids = sorted({case.pattern for cases in catalog.cases.values() for case in cases})
    turn = list(catalog.cases["turn"])
    duties = list(catalog.obligations)
    made = len(ids)
    number = 0
    while made < patterns:
        number += 1
        for source in ids:
            if made >= patterns:
                break
            made += 1
            name = f"{source}x{number}"
            turn += [_copied(case, name) for case in catalog.cases["turn"] if case.pattern == source]
            duties += [replace(duty, pattern=name) for duty in catalog.obligations if duty.pattern == source]
    order = {stratum: place for place, stratum in enumerate(catalog.strata)}
    turn.sort(key=lambda case: (order[case.stratum], "x" in case.pattern))
    return replace(catalog, cases=catalog.cases | {"turn": tuple(turn)}, obligations=tuple(duties), shards={})


def _copied(case: Case, pattern: str) -> Case:
    return replace(case, pattern=pattern)
