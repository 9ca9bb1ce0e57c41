"""What differs between two compiled catalogs, entry by entry. What it means for states is in ``prove.diff``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from loopx_policy.catalog_source.approved import Version
from loopx_policy.engine.catalog import Catalog
from loopx_policy.records import as_dict

TEXTS = ("reason", "user_reason", "primary_action", "text", "requires", "command")


@dataclass(slots=True, frozen=True)
class Edit:
    """One entry: ``what`` is added, removed, or the names of the fields that differ; ``texts`` where only words do."""

    kind: str
    key: str
    what: str
    texts: bool = False

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "key": self.key, "what": self.what, "texts": self.texts}


def edits(old: Version, new: Version) -> list[Edit]:
    """Every entry that differs, in the order of the new catalog, and a changed order of cases."""
    found = []
    before, after = _entries(old.catalog), _entries(new.catalog)
    for kind in before:
        found += list(_edits(kind, before[kind], after[kind]))
    for point in new.catalog.cases:
        one, other = ([case.key for case in version.catalog.cases.get(point, ())] for version in (old, new))
        shared = [key for key in other if key in one]
        if shared != [key for key in one if key in other]:
            found.append(Edit("order", point, "cases stand in another order"))
    return found


def _edits(kind: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Edit]:
    for key in dict.fromkeys((*after, *before)):
        if key not in before or key not in after:
            yield Edit(kind, key, "added" if key in after else "removed")
        elif before[key] != after[key]:
            fields = [name for name in after[key] if before[key].get(name) != after[key][name]]
            yield Edit(kind, key, ", ".join(fields), all(name in TEXTS for name in fields))


def _entries(catalog: Catalog) -> dict[str, dict[str, Any]]:
    return {
        "fact": {
            f"{point.name} {name}": as_dict(f) for point in catalog.points.values() for name, f in point.facts.items()
        },
        "case": {f"{case.point} {case.key}": as_dict(case) for cases in catalog.cases.values() for case in cases},
        "obligation": {item.key: as_dict(item) for item in catalog.obligations},
        "withholding": {item.key: as_dict(item) for item in catalog.withholdings},
        "mode": {name: as_dict(mode) for name, mode in catalog.modes.items()},
        "figure": {name: {"value": value} for name, value in catalog.parameters.items()},
    }
