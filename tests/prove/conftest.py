from __future__ import annotations

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.catalog_source.laws import Laws, load_laws
from loopx_policy.decide import Policy
from loopx_policy.engine.catalog import Catalog
from loopx_policy.prove.theories import Theories


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load_catalog()


@pytest.fixture(scope="session")
def policy(catalog: Catalog) -> Policy:
    return Policy(catalog)


@pytest.fixture(scope="session")
def laws(catalog: Catalog) -> Laws:
    return load_laws(catalog)


@pytest.fixture(scope="session")
def theories(catalog: Catalog, laws: Laws) -> Theories:
    return Theories(catalog, laws)
