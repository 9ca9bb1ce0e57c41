"""The solver, the interpreter and durable_rules read the catalog alike; a difference is found and shown."""

from __future__ import annotations

from operator import gt
from random import Random

import pytest

from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.evaluate import conditions
from loopx_policy.engine.match import engine_available
from loopx_policy.engine.plan import plan
from loopx_policy.prove import space
from loopx_policy.prove.defaults import default_record
from loopx_policy.prove.faithful import SPREAD, compare, random_records
from loopx_policy.records import replace

RECORDS = 20_000


@pytest.mark.slow
def test_the_three_readings_agree_over_twenty_thousand_records(catalog: Catalog) -> None:
    found = compare(catalog, RECORDS, seed=20261201)
    assert found.disagreements == []
    assert sum(found.records.values()) >= RECORDS
    assert found.records.keys() == catalog.points.keys()
    assert found.engine is engine_available()[0]


def test_every_second_record_is_near_the_default_one(catalog: Catalog) -> None:
    facts = catalog.points["turn"].facts
    default = default_record(catalog, "turn")
    records = list(random_records(catalog, "turn", 200, Random(1)))
    near = [record for record in records if sum(record[name] != default[name] for name in facts) <= SPREAD]
    assert 100 <= len(near) < 120
    assert all(record.keys() == facts.keys() for record in records)


def test_the_random_records_reach_every_value_that_some_condition_names(catalog: Catalog) -> None:
    records = list(random_records(catalog, "turn", 4000, Random(2)))
    for name, fact in catalog.points["turn"].facts.items():
        seen = {record[name] for record in records}
        assert seen >= (set(fact.values) if fact.type == "enum" else {False, True} if fact.type == "bool" else {0, 1})


def test_a_solver_that_reads_an_operator_wrongly_is_found_out(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(space._ORDER, "gte", gt)
    found = compare(catalog, 400, seed=1)
    assert {one.between for one in found.disagreements} == {"the solver and the interpreter"}
    assert found.disagreements[0].about


@pytest.mark.skipif(not engine_available()[0], reason="durable_rules is not installed")
def test_an_engine_that_runs_other_rules_is_found_out(catalog: Catalog) -> None:
    cases = tuple(case for case in catalog.cases["turn"] if case.pattern != "GR-paused")
    stale = replace(catalog, cases={**catalog.cases, "turn": cases}, withholdings=(), shards={})
    shards = {"turn": plan("turn", conditions(stale, "turn"), catalog.points["turn"].facts)}
    found = compare(replace(catalog, shards={**catalog.shards, **shards}), 400, seed=1)
    assert {one.between for one in found.disagreements} == {"durable_rules and the interpreter"}
    assert any("case:GR-paused.paused" in one.about for one in found.disagreements)


def test_a_disagreement_names_the_record_and_what_differs(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(space._ORDER, "gte", gt)
    (one,) = compare(catalog, 100, seed=1, most=1).disagreements
    assert one.record.keys() == catalog.points[one.point].facts.keys()
    assert all(name.split()[0] in ("matched", "flag", "value") for name in one.about)
