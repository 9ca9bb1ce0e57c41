"""What comes out of the small catalog: order, triggers, parameters, and errors that name their place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from loopx_policy.catalog_files import Sources
from loopx_policy.catalog_source.compile import compile_catalog, load_source
from loopx_policy.catalog_source.lint import lint
from loopx_policy.catalog_source.yaml_nodes import plain
from loopx_policy.engine.conditions import AllOf, Compare
from loopx_policy.errors import CatalogError

R1 = "rules/routing/IP-101-bounded-work.yaml"
R2 = "rules/asking/IP-102-open-gate.yaml"

Read = Callable[[], Sources]


def edit(tree: Path, name: str, old: str, new: str) -> None:
    path = tree / name
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_cases_stand_in_evaluation_order(read: Read) -> None:
    cases = compile_catalog(read()).cases
    # Strata first; then routing before asking though IP-102 waits for IP-101; the ground state last.
    assert [case.key for case in cases["turn"]] == [
        "IP-102.nothing_else",
        "IP-101.few_ready",
        "IP-101.any_ready",
        "IP-102.lone_agent",
        "GR-rest.nothing_left",
    ]
    assert [case.key for case in cases["candidate"]] == ["IP-101.leased", "IP-102.gated"]
    assert [case.key for case in cases["parcel"]] == ["IP-102.far", "IP-102.near"]


def test_after_puts_a_case_behind_one_that_would_follow_it(tree: Path, read: Read) -> None:
    edit(tree, R2, "      after: [IP-101.any_ready]\n", "")
    line = "      effective_action: careful_run\n"
    edit(tree, R1, line, f"{line}      after: [IP-102.lone_agent]\n")
    assert [case.key for case in compile_catalog(read()).cases["turn"] if case.stratum == "delivery"] == [
        "IP-101.any_ready",
        "IP-102.lone_agent",
        "IP-101.few_ready",
    ]


def test_importance_goes_before_the_id_within_a_family(tree: Path, read: Read) -> None:
    text = (tree / R1).read_text().replace("IP-101", "IP-100").replace("importance: P0", "importance: P1")
    (tree / "rules/routing/IP-100-later.yaml").write_text(text)
    patterns = [case.pattern for case in compile_catalog(read()).cases["turn"] if case.mode == "deliver"]
    assert patterns == ["IP-101", "IP-101", "IP-100", "IP-100"]


def test_the_trigger_is_part_of_every_case_of_the_turn(read: Read) -> None:
    few, every = (case for case in compile_catalog(read()).cases["turn"] if case.pattern == "IP-101")
    trigger = (Compare("todos.ready", "gte", 1), Compare("goal.paused", "eq", False))
    assert few.when == AllOf((*trigger, Compare("todos.ready", "lte", 2)))
    assert every.when == AllOf(trigger)


def test_the_trigger_is_no_part_of_an_obligation(read: Read) -> None:
    (duty,) = compile_catalog(read()).obligations
    assert (duty.key, duty.kind, duty.when) == ("IP-101.name_crowd", "view", Compare("todos.ready", "gt", 4))


def test_a_case_has_what_its_rule_says(read: Read) -> None:
    catalog = compile_catalog(read())
    gate, few, *_ = catalog.cases["turn"]
    assert (gate.mode, gate.state, gate.effective_action) == ("ask", "waiting", "ask")
    assert (gate.user_reason, gate.asks) == ("please decide", "gates.open")
    assert (few.effective_action, few.primary_action) == ("careful_run", "work on {todo}")
    far = catalog.cases["parcel"][0]
    assert (far.verdict, far.requires) == ("hold", ("a person's look",))
    assert catalog.cases["candidate"][1].blocks == "gated"
    assert [(item.key, item.what) for item in catalog.withholdings] == [("IP-102.no_quiet", "quiet")]


def test_parameters_keep_the_name_of_their_rule(read: Read) -> None:
    catalog = compile_catalog(read())
    assert catalog.parameters == {"many": 4, "far_places": ("abroad", "orbit"), "lane_cap": 16, "IP-101.few": 2}


def test_points_carry_their_facts_and_verdicts(read: Read) -> None:
    points = compile_catalog(read()).points
    assert list(points) == ["turn", "candidate", "parcel"]
    assert points["parcel"].verdicts == ("deny", "hold", "allow")
    assert points["parcel"].default == "deny"
    assert points["candidate"].blocks == ("gated", "leased")
    assert points["turn"].facts["todos.ready"].maximum == 9
    assert points["turn"].facts["gates.open"].maximum == 99


@pytest.mark.parametrize("name", [R1, R2, "rules/ground/GR-rest.yaml"])
def test_a_removed_rule_file_takes_its_behaviour_and_nothing_else(tree: Path, read: Read, name: str) -> None:
    before = compile_catalog(read())
    (tree / name).unlink()
    after = compile_catalog(read())
    pattern = Path(name).name[:6] if "IP-" in name else "GR-rest"
    for point, cases in before.cases.items():
        assert after.cases[point] == tuple(case for case in cases if case.pattern != pattern)
    assert after.digest != before.digest


def test_the_first_error_is_raised_with_its_place(tree: Path, read: Read) -> None:
    lines = "      mode: deliver\n      state: eligible\n      effective"
    edit(tree, R1, lines, lines.replace("deliver", "delver").replace("eligible", "eligibel"))
    with pytest.raises(CatalogError) as caught:
        compile_catalog(read())
    assert caught.value.at == f"{R1}:25:13"
    assert "'deliver'" in caught.value.message
    assert "1 more" in caught.value.fix


def test_a_broken_vocabulary_is_not_reported_once_more_by_every_rule(tree: Path, read: Read) -> None:
    edit(tree, "catalog/modes.yaml", "  deliver:\n", "  deliver: [\n")
    assert {finding.at.split(":")[0] for finding in lint(read())} == {"catalog/modes.yaml"}


@pytest.mark.parametrize("name", ["families", "modes", "parameters", "points", "states", "strata"])
def test_a_missing_vocabulary_file_is_named(tree: Path, read: Read, name: str) -> None:
    (tree / "catalog" / f"{name}.yaml").unlink()
    assert (f"catalog/{name}.yaml:1:1", "missing-file") in [(item.at, item.rule) for item in lint(read())]
    with pytest.raises(CatalogError):
        compile_catalog(read())


def test_prose_stays_with_the_rule_file(read: Read) -> None:
    loaded = load_source(read())
    rule = next(rule for rule in loaded.rules if rule.id == "IP-101")
    assert rule.summary == "There is work and nothing in its way."
    assert rule.visual.value.startswith("flowchart LR")
    assert [entry.value for entry in rule.validation] == ["fixtures/IP-101/", "future: a smoke test of the lane"]
    when = rule.cases["turn"][0].when
    assert when is not None
    assert plain(when) == {"todos.ready": {"lte": "$few"}}
