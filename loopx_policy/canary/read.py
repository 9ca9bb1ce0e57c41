"""Reading the canary data: every file below ``catalog/canary``, and a project's own ``.loopx/canary.yaml``."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cache
from typing import TypeVar

from jsonschema import Draft202012Validator

from loopx_policy.canary.shapes import (
    Also,
    Archetype,
    Check,
    Contract,
    Data,
    Deep,
    Elsewhere,
    Family,
    Layout,
    Name,
    Names,
    Profile,
    Rationale,
    Runs,
    Special,
    Surface,
    Tier,
)
from loopx_policy.catalog_files import SourceFile, default_folder
from loopx_policy.catalog_source import reading
from loopx_policy.catalog_source.findings import Report
from loopx_policy.catalog_source.schema_files import read_schema
from loopx_policy.catalog_source.yaml_nodes import MapNode
from loopx_policy.errors import CatalogError
from loopx_policy.project.files import list_folder, open_regular, reason

OWN = os.path.join(".loopx", "canary.yaml")
"""A project's own surfaces, checks and profiles, from its top."""

_Entry = TypeVar("_Entry")


def canary_files(root: str = "", catalog_dir: str | None = None) -> list[SourceFile]:
    """The data files of the program, and that of the project at ``root`` where it has one.

    Raises CatalogError where one cannot be read.
    """
    folder = os.path.join(catalog_dir or default_folder("catalog"), "canary")
    files: list[SourceFile] = []
    try:
        for name in (name for name in list_folder(folder) if name.endswith(".yaml")):
            files.append(_read(os.path.join(folder, name), f"canary/{name}", f"catalog/canary/{name}"))
        if root and os.path.exists(os.path.join(root, OWN)):
            files.append(_read(os.path.join(root, OWN), OWN, OWN))
    except OSError as error:
        where = os.path.basename(str(error.filename or folder))
        raise CatalogError(
            f"The canary data cannot be read ({reason(error)}).", at=where, fix="Install the program again."
        ) from None
    return files


def _read(path: str, name: str, label: str) -> SourceFile:
    with open_regular(path) as stream:
        return SourceFile(name, label, path, stream.read())


def read_data(files: Iterable[SourceFile], report: Report) -> Data:
    """The data in ``files``; what is wrong goes to ``report`` and reads as absent."""
    data = Data()
    for file in files:
        node = reading.read_document(file, _validator(), report)
        if node is not None:
            _gather(node, data, report)
    return data


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(read_schema("canary"))


def _gather(node: MapNode, data: Data, report: Report) -> None:
    for entry in reading.entries(node, "tiers"):
        tier = Tier(_name(entry, "id"), reading.number(entry, "milliseconds", 0), _text(entry, "meaning"))
        _put(data.tiers, tier.id, tier, report)
    for entry in reading.entries(node, "archetypes"):
        archetype = _archetype(entry)
        _put(data.archetypes, archetype.id, archetype, report)
    for entry in reading.entries(node, "families"):
        family = _family(entry)
        _put(data.families, family.id, family, report)
    for entry in reading.entries(node, "contracts"):
        contract = Contract(
            _name(entry, "id"), _text(entry, "command"), _text(entry, "shows"), _names(entry, "surfaces")
        )
        _put(data.contracts, contract.id, contract, report)
    for entry in reading.entries(node, "surfaces"):
        surface = _surface(entry)
        _put(data.surfaces, surface.id, surface, report)
    for entry in reading.entries(node, "checks"):
        check = _check(entry)
        _put(data.checks, check.id, check, report)
    for entry in reading.entries(node, "profiles"):
        profile = _profile(entry)
        _put(data.profiles, profile.id, profile, report)
    for entry in reading.entries(node, "rationales"):
        rationale = Rationale(_name(entry, "pattern"), _text(entry, "why"))
        _put(data.rationales, rationale.pattern, rationale, report)
    layout = reading.mapping(node, "layout")
    if layout is not None:
        packages = reading.mapping(layout, "packages") or MapNode(layout.mark)
        data.layout = Layout(
            {folder: reading.text(packages, folder) for folder in packages.entries},
            _text(layout, "facts"), _text(layout, "points"), _names(layout, "whole"),
        )  # fmt: skip


def _put(place: dict[str, _Entry], name: Name, entry: _Entry, report: Report) -> None:
    if name in place:
        report.error(name.at, "duplicate-name", f"'{name}' is listed twice; keep one, or rename one.")
    place[str(name)] = entry


def _name(node: MapNode, key: str) -> Name:
    return Name.placed(reading.text(node, key), reading.place(node, key))


def _names(node: MapNode, key: str) -> Names:
    return tuple(Name.placed(text, at) for text, at in reading.placed_texts(node, key))


def _text(node: MapNode, key: str) -> str:
    return reading.text(node, key).strip()


def _archetype(node: MapNode) -> Archetype:
    return Archetype(
        _name(node, "id"), _text(node, "name"), _text(node, "question"), _names(node, "triggers"),
        _text(node, "depth"), _names(node, "tiers"), _text(node, "failure"), _text(node, "path"),
    )  # fmt: skip


def _family(node: MapNode) -> Family:
    also = tuple(
        Also(
            _name(entry, "archetype"), _text(entry, "when"), _names(entry, "surfaces"), _names(entry, "patterns"),
            _names(entry, "points"),
        )
        for entry in reading.entries(node, "also")
    )  # fmt: skip
    return Family(
        _name(node, "id"), _names(node, "patterns"), _names(node, "archetypes"), also, _names(node, "triggers"),
        _names(node, "surfaces"), _names(node, "fixtures"), _text(node, "failure"),
    )  # fmt: skip


def _surface(node: MapNode) -> Surface:
    elsewhere = tuple(
        Elsewhere(_names(entry, "paths"), _text(entry, "why")) for entry in reading.entries(node, "elsewhere")
    )
    return Surface(
        _name(node, "id"), _text(node, "meaning"), _text(node, "path"), _names(node, "families"), _names(node, "by"),
        _names(node, "needs"), _names(node, "paths"), elsewhere, reading.flag(node, "registry"), _text(node, "why"),
    )  # fmt: skip


def _check(node: MapNode) -> Check:
    runs = reading.mapping(node, "runs") or MapNode(node.mark)
    return Check(
        id=_name(node, "id"),
        runs=Runs(
            _names(runs, "fixtures"), reading.flag(runs, "lint"), _names(runs, "pytest"), _names(runs, "command"),
            reading.number(runs, "exit", 0),
        ),
        tier=_name(node, "tier"),
        milliseconds=reading.number(node, "milliseconds", 0),
        failure=_text(node, "failure"),
        each=_text(node, "each"),
        archetypes=_names(node, "archetypes"),
        at_turn=_names(node, "at_turn"),
        patterns=_names(node, "patterns"),
        families=_names(node, "families"),
        surfaces=_names(node, "surfaces"),
        deep=reading.flag(node, "deep"),
        alone=reading.flag(node, "alone"),
        where=_text(node, "where"),
    )  # fmt: skip


def _profile(node: MapNode) -> Profile:
    return Profile(
        _name(node, "id"), _text(node, "name"), _text(node, "owner"), _text(node, "situation"),
        _names(node, "surfaces"), _names(node, "families"), _text(node, "adds"),
        tuple(Deep(_name(entry, "check"), _text(entry, "when")) for entry in reading.entries(node, "deep")),
        tuple(
            Special(
                _name(entry, "pattern"), _name(entry, "family"), _text(entry, "owner"), _text(entry, "not_applicable")
            )
            for entry in reading.entries(node, "p2")
        ),
        _text(node, "not_for"),
    )  # fmt: skip
