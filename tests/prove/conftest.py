from __future__ import annotations

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.engine.catalog import Catalog


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog()
