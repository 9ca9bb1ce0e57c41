"""The files that a catalog is made of: where they are, their bytes, and the digest over both.

Part of the hot path: every run reads all of them to know whether the cached catalog still holds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from loopx_policy.digests import hex16
from loopx_policy.errors import CatalogError
from loopx_policy.project.files import open_descriptor
from loopx_policy.records import record

FORMAT = 1
"""Part of every digest: raise it when the compiled form or the meaning of a rule file changes."""

VOCABULARY = (
    "families.yaml",
    "modes.yaml",
    "parameters.yaml",
    "points.yaml",
    "states.yaml",
    "strata.yaml",
)
MAX_FILE = 256 * 1024


@record
class SourceFile:
    """One file. ``name`` is relative to its own folder, ``label`` is what messages call it, ``path`` opens it.

    ``added`` marks the file of an added folder, which may only withhold and oblige.
    """

    name: str
    label: str
    path: str
    data: bytes
    added: bool = False


@record
class Sources:
    """All rule files (sorted by folder, then name) and vocabulary files (sorted by name), read once.

    What is compiled is what was hashed, even when an editor saves a file in between.
    """

    rules: tuple[SourceFile, ...]
    vocabulary: tuple[SourceFile, ...]
    digest: str


def read_sources(
    rules_dirs: Sequence[str] | None = None, catalog_dir: str | None = None, overlays: Sequence[str] = ()
) -> Sources:
    """Read the rule folders, the vocabulary folder and the added folders; the defaults are the program's own.

    Raises CatalogError where a folder is missing or a file cannot be read.
    """
    folders = [default_folder("rules")] if rules_dirs is None else list(rules_dirs)
    vocabulary_folder = default_folder("catalog") if catalog_dir is None else catalog_dir
    vocabulary = tuple(_read_vocabulary(vocabulary_folder))
    rules: list[SourceFile] = []
    parts = [b"%d" % FORMAT]
    for file in vocabulary:
        parts += (file.name.encode("utf-8", "surrogateescape"), file.data)
    for number, folder in enumerate([*folders, *overlays]):
        label = _label(folder)
        added = number >= len(folders)
        for name in sorted(_rule_names(folder, "")):
            file = _read(folder, name, label, added=added)
            rules.append(file)
            place = b"%s%d/%s" % (b"+" if added else b"", number, name.encode("utf-8", "surrogateescape"))
            parts += (place, file.data)
    return Sources(tuple(rules), vocabulary, hex16(parts))


def read_beside(names: Sequence[str], catalog_dir: str | None = None) -> dict[str, SourceFile]:
    """Files beside the vocabulary that are no part of the catalog, by name; those that are not there are left out."""
    folder = default_folder("catalog") if catalog_dir is None else catalog_dir
    present = [name for name in names if os.path.exists(os.path.join(folder, name))]
    return {name: _read(folder, name, _label(folder)) for name in present}


def default_folder(name: str) -> str:
    """The program's own ``rules`` or ``catalog``: inside the package once installed, beside it in a source tree."""
    package = os.path.dirname(os.path.abspath(__file__))
    inside = os.path.join(package, name)
    if os.path.isdir(inside):
        return inside
    beside = os.path.join(os.path.dirname(package), name)
    if os.path.isdir(beside) and os.path.isdir(os.path.join(os.path.dirname(package), "catalog", "schemas")):
        return beside
    return _imported_folder(name)


def _imported_folder(name: str) -> str:
    from importlib import import_module

    try:
        return os.path.abspath(next(iter(import_module(f"loopx_policy.{name}").__path__)))
    except (ImportError, StopIteration):
        raise CatalogError(
            f"The installation has no folder '{name}'.", fix="Install the program again, or name the folder."
        ) from None


def _label(folder: str) -> str:
    """A relative folder as it was given; of an absolute one the last part, so no message shows a local path."""
    return os.path.basename(os.path.normpath(folder)) if os.path.isabs(folder) else os.path.normpath(folder)


def _rule_names(folder: str, inside: str) -> Iterator[str]:
    """Rule files below a folder, ``/``-separated; ``.yml`` too, so that lint can say what is wrong with the name."""
    for entry in _scan(os.path.join(folder, inside), _label(folder)):
        if entry.name.startswith((".", "_")):
            continue
        if entry.is_dir():
            yield from _rule_names(folder, f"{inside}{entry.name}/")
        elif entry.name.endswith((".yaml", ".yml")):
            yield f"{inside}{entry.name}"


def _read_vocabulary(folder: str) -> Iterator[SourceFile]:
    label = _label(folder)
    present = {entry.name for entry in _scan(folder, label)}
    names = [name for name in VOCABULARY if name in present]
    if "facts" in present:
        facts = (entry.name for entry in _scan(os.path.join(folder, "facts"), f"{label}/facts"))
        names += [f"facts/{name}" for name in facts if name.endswith(".yaml") and not name.startswith(".")]
    for name in sorted(names):
        yield _read(folder, name, label)


def _scan(folder: str, label: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError as error:
        raise CatalogError(
            f"The folder cannot be read ({error.strerror}).", at=label, fix="Name a folder that exists and is readable."
        ) from None


def _read(folder: str, name: str, label: str, *, added: bool = False) -> SourceFile:
    path = os.path.join(folder, name)
    try:
        # os.read on a plain descriptor: a third of the cost of open() for a file this small.
        descriptor = open_descriptor(path)
        try:
            data = os.read(descriptor, min(os.fstat(descriptor).st_size, MAX_FILE) + 1)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise CatalogError(
            f"The file cannot be read ({error.strerror}).", at=f"{label}/{name}", fix="Make it readable or remove it."
        ) from None
    return SourceFile(name, f"{label}/{name}", path, data, added)
