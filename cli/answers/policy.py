"""The compiled policy, from its cache where the files have not changed."""

from __future__ import annotations

import os

from loopx_policy.catalog_cache import cache_folder, load_catalog
from loopx_policy.engine.catalog import Catalog


def load() -> Catalog:
    """The program's own catalog."""
    return load_catalog(cache_dir=cache_folder(os.environ))
