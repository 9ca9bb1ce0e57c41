"""A policy over the shipped catalog, and snapshots made from short documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide import Evaluation, Policy
from loopx_policy.project.document import from_document

NOW = "2026-12-01T12:00:00Z"


@pytest.fixture(scope="session")
def policy() -> Policy:
    return Policy(load_catalog())


@pytest.fixture(scope="session")
def turn(policy: Policy) -> Callable[..., Evaluation]:
    """Evaluate a document given by its keys; ``goal`` is completed with an id and a wide write scope."""

    def evaluate(goal: dict[str, Any] | None = None, **document: Any) -> Evaluation:
        full = {"id": "harbor", "write_scope": ["**"], **(goal or {})}
        return policy.evaluate(from_document({"now": NOW, "goal": full, **document}))

    return evaluate
