"""A small catalog of its own, so that these tests say nothing about the real rules."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loopx_policy.catalog_files import Sources, read_sources

DATA = Path(__file__).parent / "data"
SCHEMAS = Path(__file__).parents[2] / "catalog" / "schemas"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A writable copy of the good catalog: ``rules/``, ``catalog/`` and ``fixtures/``."""
    root = tmp_path / "tree"
    shutil.copytree(DATA / "good", root)
    (root / "catalog" / "schemas").mkdir()
    for schema in SCHEMAS.glob("*.schema.json"):
        shutil.copy(schema, root / "catalog" / "schemas")
    return root


@pytest.fixture
def read(tree: Path) -> Callable[[], Sources]:
    """Reads the copy as it stands."""
    return lambda: read_sources([str(tree / "rules")], str(tree / "catalog"))
