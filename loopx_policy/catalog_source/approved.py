"""The approved catalog: what the policy decided when somebody last agreed to it, as one JSON file by names.

``loopx catalog diff --semantic`` compares with it, and that is the merge gate: a change of the policy changes this file
in the same commit, so that a reviewer sees it was meant. After an agreed change, write it anew with
``python -m loopx_policy.catalog_source.approved``.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any, TypeVar

from loopx_policy.catalog_files import Sources, default_folder, read_sources
from loopx_policy.catalog_json import condition_from_json, condition_to_json
from loopx_policy.catalog_source.compile import build, load_source
from loopx_policy.engine.catalog import Case, Catalog, Fact, Mode, Obligation, Placeholder, Point, Withholding
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, NoneOf
from loopx_policy.errors import CatalogError
from loopx_policy.records import as_dict, names

Json = dict[str, Any]
_Entry = TypeVar("_Entry", Case, Fact, Mode, Obligation, Placeholder, Withholding)

NAME = "approved.json"
SCHEMA = "loopx_approved_catalog_v0"


@dataclass(slots=True)
class Version:
    """A catalog under a name, with the importance of its patterns."""

    label: str
    catalog: Catalog
    importance: dict[str, str]

    def is_p0(self, pattern: str) -> bool:
        """Whether a pattern is hot-path behaviour; one that is not known here is taken for that."""
        return self.importance.get(pattern, "P0") == "P0"


def version_of(sources: Sources, label: str) -> Version:
    """The version that rule and vocabulary files make. ``CatalogError`` for the first mistake in them."""
    loaded = load_source(sources)
    fatal = [finding for finding in loaded.report.sorted() if finding.fatal]
    if fatal:
        raise CatalogError(f"{label}: {fatal[0].message}", at=fatal[0].at)
    importance = {rule.id: rule.importance for rule in loaded.rules}
    return Version(label, build(loaded, sources.digest), importance)


def approved_path() -> str:
    """Where the approved catalog lies."""
    return os.path.join(default_folder("catalog"), NAME)


def read_approved(path: str, label: str) -> Version:
    """The version in a file that ``to_text`` wrote."""
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        if data["schema_version"] != SCHEMA:
            raise ValueError(data["schema_version"])
        return Version(label, _catalog(data), dict(data["importance"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        said = getattr(error, "strerror", None) or "it is none"
        fix = "Write it anew: python -m loopx_policy.catalog_source.approved"
        raise CatalogError(f"The approved catalog cannot be read ({said}).", at=label, fix=fix) from None


def to_text(version: Version) -> str:
    """The bytes of an approved catalog: one line an entry, so that a diff shows what changed."""
    catalog = version.catalog
    groups: Json = {
        "points": [
            {**_plain(as_dict(point)), "facts": [_plain(as_dict(fact)) for fact in point.facts.values()]}
            for point in catalog.points.values()
        ],
        "cases": [_plain(as_dict(case)) for cases in catalog.cases.values() for case in cases],
        "obligations": [_plain(as_dict(item)) for item in catalog.obligations],
        "withholdings": [_plain(as_dict(item)) for item in catalog.withholdings],
        "modes": [_plain(as_dict(mode)) for mode in catalog.modes.values()],
        "placeholders": [_plain(as_dict(item)) for item in catalog.placeholders.values()],
    }
    lines = [f'"schema_version": {json.dumps(SCHEMA)}', f'"importance": {_line(version.importance)}']
    lines.append(f'"strata": {_line(catalog.strata)}')
    lines.append(f'"parameters": {_line(catalog.parameters)}')
    for name, entries in groups.items():
        body = ",\n  ".join(_line(entry) for entry in entries)
        lines.append(f'"{name}": [\n  {body}\n]')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(values: Json) -> Json:
    """The fields of an entry that say something."""
    found: Json = {}
    for name, value in values.items():
        if isinstance(value, (Compare, AllOf, AnyOf, NoneOf)):
            found[name] = condition_to_json(value)
        elif value not in ("", (), False, None):
            found[name] = list(value) if isinstance(value, tuple) else value
    return found


def _catalog(data: Json) -> Catalog:
    cases: dict[str, list[Case]] = {entry["name"]: [] for entry in data["points"]}
    for row in data["cases"]:
        case = _entry(Case, row)
        cases[case.point].append(case)
    points = {}
    for entry in data["points"]:
        facts = [_entry(Fact, row) for row in entry["facts"]]
        points[entry["name"]] = Point(
            entry["name"],
            {fact.name: fact for fact in facts},
            tuple(entry.get("verdicts", ())),
            entry.get("default", ""),
            tuple(entry.get("blocks", ())),
        )
    return Catalog(
        digest="approved",
        points=points,
        cases={point: tuple(found) for point, found in cases.items()},
        obligations=tuple(_entry(Obligation, row) for row in data["obligations"]),
        withholdings=tuple(_entry(Withholding, row) for row in data["withholdings"]),
        modes={row["name"]: _entry(Mode, row) for row in data["modes"]},
        strata=tuple(data["strata"]),
        parameters={name: tuple(v) if isinstance(v, list) else v for name, v in data["parameters"].items()},
        placeholders={row["name"]: _entry(Placeholder, row) for row in data["placeholders"]},
    )


REQUIRED: Json = {
    "must_attempt": False, "delivery_allowed": False, "quiet_noop_allowed": False, "spend_after_validation": False,
}  # fmt: skip
"""Flags without a default, which are left out of a row where they are false."""


def _entry(cls: type[_Entry], row: Json) -> _Entry:
    """An entry from its row; fields that this version of the program does not know are left out."""
    known = names(cls)
    values = {name: condition_from_json(value) if name == "when" else value for name, value in row.items()}
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    missing = {name: value for name, value in REQUIRED.items() if name in known}
    return cls(**{**missing, **{name: value for name, value in values.items() if name in known}})


def main() -> None:
    version = version_of(read_sources(), "the program's own")
    with open(approved_path(), "w", encoding="utf-8") as file:
        file.write(to_text(version))


if __name__ == "__main__":
    main()
