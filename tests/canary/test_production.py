"""The facts that a module is said to set are those that it sets when it runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any

import pytest

from loopx_policy.canary.imports import Graph
from loopx_policy.canary.production import produced
from loopx_policy.canary.tree import Tree
from loopx_policy.canary.use import Use
from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide_point import TURNS, projector
from loopx_policy.engine.catalog import Catalog
from loopx_policy.facts import frontier, gates, goal, history, lanes, turn, waits, watches
from loopx_policy.facts.frontier import Verdict
from loopx_policy.facts.record import Record
from loopx_policy.fixtures.load import Fixture, load_folder
from loopx_policy.project.document import from_document

from .conftest import ROOT

MODULES = (frontier, gates, goal, history, lanes, waits, watches)
SAMPLE = ("IP-001", "IP-003", "IP-021", "GR-waiting")


@lru_cache(maxsize=1)
def catalog() -> Catalog:
    return load_catalog()


@lru_cache(maxsize=1)
def fixtures() -> list[Fixture]:
    return load_folder(str(ROOT / "fixtures"))[0]


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph(str(ROOT), {"loopx_policy": "loopx_policy"})


def watched(module: ModuleType, seen: set[str]) -> Callable[..., None]:
    """The module's projection, with the names that it adds to the record put into ``seen``."""
    project = module.project

    def run(*arguments: Any) -> None:
        record = arguments[-1]
        assert isinstance(record, Record)
        before = set(record.values)
        project(*arguments)
        seen.update(set(record.values) - before)

    return run


def test_a_turn_module_sets_exactly_the_facts_that_it_spells(
    shipped: Tree, use: Use, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: dict[str, set[str]] = {module.__name__: set() for module in MODULES}
    candidate: set[str] = set()
    for module in MODULES:
        monkeypatch.setattr(module, "project", watched(module, seen[module.__name__]))

    def judge(values: dict[str, Any]) -> Verdict:
        candidate.update(values)
        return Verdict(True)

    for fixture in fixtures():
        if fixture.point in TURNS and fixture.file.startswith(SAMPLE):
            turn.project(from_document(fixture.given), catalog().parameters, judge)
    for name, facts in seen.items():
        wanted = {("turn", fact) for fact in facts}
        if name == frontier.__name__:
            wanted |= {("candidate", fact) for fact in candidate}
        assert produced(graph, name, shipped.data.layout, use) == wanted, name


@pytest.mark.parametrize("point", [point for point in catalog().points if point not in TURNS])
def test_a_point_module_sets_exactly_the_facts_that_it_spells(
    shipped: Tree, use: Use, graph: Graph, point: str
) -> None:
    documents = [fixture.given for fixture in fixtures() if fixture.point == point]
    assert documents
    found = produced(graph, f"loopx_policy.facts.points.{point}", shipped.data.layout, use)
    for document in documents:
        assert {(point, fact) for fact in projector(point)(document, catalog().parameters).values} == found


def test_every_declared_fact_is_set_by_some_module(shipped: Tree, use: Use, graph: Graph) -> None:
    found = {fact for module in graph.paths for fact in produced(graph, module, shipped.data.layout, use)}
    assert found == {(point, fact) for point, facts in use.declared.items() for fact in facts}


def test_a_module_outside_of_the_facts_sets_none(shipped: Tree, use: Use, graph: Graph) -> None:
    assert produced(graph, "loopx_policy.levers", shipped.data.layout, use) == frozenset()
