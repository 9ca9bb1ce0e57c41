"""One runner of the real catalog for all tests here."""

from __future__ import annotations

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.fixtures import Runner


@pytest.fixture(scope="session")
def runner() -> Runner:
    return Runner(load_catalog())
