"""From what matched to who leads: first-applicable over the strata, deny-overrides for the rest.

The lead is the first matched case in the catalog's order. Every obligation that matched is carried
whoever leads, unless it names the strata that it accompanies. What a pattern withholds is taken away
whoever leads; nothing grants.
"""

from __future__ import annotations

from collections.abc import Collection

from loopx_policy.engine.catalog import Case, Catalog, Obligation, Withholding
from loopx_policy.records import record


@record(frozen=True)
class Combined:
    """``matched`` has every matched case in order, the lead first; ``None`` leads only where nothing matched."""

    lead: Case | None
    matched: tuple[Case, ...]
    obligations: tuple[Obligation, ...]
    withheld: tuple[Withholding, ...]

    def withholds(self, what: str) -> bool:
        return any(item.what == what for item in self.withheld)


@record(frozen=True)
class Entries:
    """What may match in a turn, in catalog order, by the key under which it matches: made once, asked each turn."""

    cases: dict[str, Case]
    obligations: dict[str, Obligation]
    withholdings: dict[str, Withholding]


def entries(catalog: Catalog) -> Entries:
    """The entries of a catalog's turn."""
    return Entries(
        {f"case:{case.key}": case for case in catalog.cases["turn"]},
        {f"obligation:{item.key}": item for item in catalog.obligations},
        {f"withhold:{item.key}": item for item in catalog.withholdings},
    )


def combine(catalog: Catalog, keys: Collection[str]) -> Combined:
    """Combine the matched keys (``case:...``, ``obligation:...``, ``withhold:...``) of a turn."""
    return merge(entries(catalog), keys)


def merge(known: Entries, keys: Collection[str]) -> Combined:
    """``combine`` for a catalog whose entries are at hand."""
    cases = tuple([case for key, case in known.cases.items() if key in keys])
    lead = cases[0] if cases else None
    stratum = lead.stratum if lead else ""
    duties = [item for key, item in known.obligations.items() if key in keys]
    return Combined(
        lead,
        cases,
        tuple([item for item in duties if not item.beside or stratum in item.beside]),
        tuple([item for key, item in known.withholdings.items() if key in keys]),
    )


def stricter(catalog: Catalog, one: Combined, other: Combined) -> Combined:
    """Of two combinations that should have been equal, the one whose lead stands higher, with both sets of duties."""
    order = {case.key: place for place, case in enumerate(catalog.cases["turn"])}

    def place(combined: Combined) -> int:
        return order[combined.lead.key] if combined.lead else -1

    first, second = sorted((one, other), key=place)
    return Combined(
        first.lead,
        first.matched,
        tuple(dict.fromkeys((*first.obligations, *second.obligations))),
        tuple(dict.fromkeys((*first.withheld, *second.withheld))),
    )
