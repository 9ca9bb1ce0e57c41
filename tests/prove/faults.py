"""The shipped catalog with one fault in it: a text of a rule or vocabulary file replaced."""

from __future__ import annotations

from loopx_policy.catalog_cache import compile_sources
from loopx_policy.catalog_files import SourceFile, read_sources
from loopx_policy.engine.catalog import Catalog
from loopx_policy.records import replace


def changed(file: str, *edits: tuple[str, str]) -> Catalog:
    """The catalog with edits in the one file whose name has ``file`` in it; each old text stands there just once."""
    sources = read_sources()
    files = [one for one in (*sources.rules, *sources.vocabulary) if file in one.name]
    assert len(files) == 1, [one.name for one in files]
    text = files[0].data.decode()
    for old, new in edits:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {files[0].name}"
        text = text.replace(old, new)
    return with_files({files[0].name: text})


def with_files(texts: dict[str, str]) -> Catalog:
    """The catalog with the content of some files replaced, by their names."""
    sources = read_sources()

    def edited(files: tuple[SourceFile, ...]) -> tuple[SourceFile, ...]:
        return tuple(replace(one, data=texts[one.name].encode()) if one.name in texts else one for one in files)

    return compile_sources(
        replace(sources, rules=edited(sources.rules), vocabulary=edited(sources.vocabulary), digest="f" * 16)
    )


def swapped(first: str, second: str) -> Catalog:
    """The catalog with two strata in each other's place."""
    sources = read_sources()
    (file,) = [one for one in sources.vocabulary if one.name == "strata.yaml"]
    head, *blocks = file.data.decode().split("  - name: ")
    names = [block.split("\n", 1)[0] for block in blocks]
    one, other = names.index(first), names.index(second)
    blocks[one], blocks[other] = blocks[other], blocks[one]
    return with_files({"strata.yaml": "  - name: ".join([head, *blocks])})
