"""Whatever stands in a file, lint answers with findings and never raises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.catalog_files import Sources, read_sources
from loopx_policy.catalog_source.compile import compile_catalog
from loopx_policy.catalog_source.lint import lint
from loopx_policy.errors import CatalogError

GOOD = Path(__file__).parent / "data" / "good"
SOURCES = read_sources([str(GOOD / "rules")], str(GOOD / "catalog"))
FILES = [*SOURCES.rules, *SOURCES.vocabulary]
STRANGE: list[Any] = [
    None,
    True,
    7,
    "",
    "x",
    "$x",
    "{x}",
    [],
    [None],
    ["x", "x"],
    {},
    {"x": 1},
    {"in": []},
    {"all": {}},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    here = [path] if path else []
    if isinstance(value, dict):
        return here + [found for key, item in value.items() for found in places(item, (*path, key))]
    if isinstance(value, list):
        return here + [found for number, item in enumerate(value) for found in places(item, (*path, number))]
    return here


def with_file(name: str, data: bytes) -> Sources:
    def swapped(files: tuple[Any, ...]) -> tuple[Any, ...]:
        kind = type(files[0])
        return tuple(kind(f.name, f.label, f.path, data if f.name == name else f.data) for f in files)

    return Sources(swapped(SOURCES.rules), swapped(SOURCES.vocabulary), "0" * 16)


@settings(max_examples=80, deadline=None)
@given(data=st.data())
def test_a_value_of_any_kind_in_any_place_is_a_finding_or_fine(data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(FILES), label="file")
    document = yaml.safe_load(file.data)
    *way, last = data.draw(st.sampled_from(places(document)), label="place")
    target = document
    for step in way:
        target = target[step]
    if data.draw(st.booleans(), label="remove"):
        del target[last]
    else:
        target[last] = data.draw(st.sampled_from(STRANGE), label="value")
    sources = with_file(file.name, yaml.safe_dump(document, sort_keys=False).encode())
    fatal = [finding for finding in lint(sources) if finding.fatal]
    if fatal:
        with pytest.raises(CatalogError):
            compile_catalog(sources)
    else:
        compile_catalog(sources)


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_line_less_or_a_byte_more_is_a_finding_or_fine(data: st.DataObject) -> None:
    file = data.draw(st.sampled_from(FILES), label="file")
    at = data.draw(st.integers(0, len(file.data)), label="at")
    cut = data.draw(st.integers(0, 30), label="cut")
    added = data.draw(
        st.sampled_from([b"", b"\t", b"{", b"]", b": ", b"- ", b"\n", b"\xff", b"&a ", b"\x00"]), label="added"
    )
    for finding in lint(with_file(file.name, file.data[:at] + added + file.data[at + cut :])):
        line, column = map(int, finding.at.rsplit(":", 2)[1:])
        assert line >= 1
        assert column >= 1
