"""A plan covers what a change touches with the cheapest checks, and says what it leaves out."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopx_policy.canary.changes import Change
from loopx_policy.canary.expand import Target, beside
from loopx_policy.canary.git import files_of
from loopx_policy.canary.mapping import Mapper
from loopx_policy.canary.needs import Asked
from loopx_policy.canary.plan import Plan, make_plan
from loopx_policy.canary.tree import Tree, read_tree, tree_of
from loopx_policy.canary.use import Use, use_of
from loopx_policy.catalog_cache import load_catalog
from loopx_policy.errors import UsageError

from .conftest import ROOT, shipped_data

EVERY_FILE = files_of(str(ROOT))


@lru_cache(maxsize=1)
def here() -> tuple[Tree, Use, Mapper]:
    tree, use = tree_of(str(ROOT), shipped_data()), use_of(load_catalog())
    return tree, use, Mapper(tree, use)


def plan(*paths: str, deep: bool = False, **asked: tuple[str, ...]) -> Plan:
    tree, use, mapper = here()
    touched = mapper.map(Change(path) for path in paths)
    return make_plan(tree.data, use, touched, Asked(**asked), beside(str(ROOT)), deep)


def ids(found: Plan, profile: str = "") -> list[str]:
    return [each.item.id for each in found.checks if not profile or each.profile == profile]


def covered(found: Plan) -> set[Target]:
    return {target for each in found.checks for target in each.item.covers}


some_files = st.lists(st.sampled_from(EVERY_FILE), max_size=4)


@settings(max_examples=60, deadline=None)
@given(some_files)
def test_a_plan_covers_everything_but_the_gaps_that_it_names(paths: list[str]) -> None:
    found = plan(*paths)
    lacking = set(found.targets) - covered(found)
    assert len([gap for gap in found.gaps if not gap.tried]) >= len(lacking)
    assert {str(target).replace("surface:", "the surface ").removeprefix("file:") for target in lacking} <= {
        gap.what for gap in found.gaps
    }


@settings(max_examples=40, deadline=None)
@given(some_files, some_files)
def test_a_larger_change_never_has_less_to_cover(paths: list[str], more: list[str]) -> None:
    assert set(plan(*paths).targets) <= set(plan(*paths, *more).targets)


@settings(max_examples=40, deadline=None)
@given(some_files)
def test_each_profile_is_in_the_order_of_cost_and_the_hot_one_goes_first(paths: list[str]) -> None:
    found = plan(*paths)
    for profile in ("hot", "cold"):
        costs = [each.item.milliseconds for each in found.checks if each.profile == profile]
        assert costs == sorted(costs)
    assert [each.profile for each in found.checks] == sorted((each.profile for each in found.checks), reverse=True)


@settings(max_examples=40, deadline=None)
@given(some_files)
def test_no_check_of_a_plan_could_be_left_out(paths: list[str]) -> None:
    found = plan(*paths)
    assert found.exact
    for each in found.checks:
        assert each.covers, each.item.id
        assert each.why, each.item.id
        assert each.item.check.failure


@settings(max_examples=20, deadline=None)
@given(some_files)
def test_the_order_in_which_files_are_named_does_not_matter(paths: list[str]) -> None:
    assert ids(plan(*paths)) == ids(plan(*reversed(paths)))


def test_a_change_of_the_gates_runs_the_fixtures_of_the_patterns_that_read_them_and_no_more() -> None:
    found = plan("loopx_policy/facts/gates.py")
    assert found.patterns == ["GR-waiting", "IP-002", "IP-003", "IP-004"]
    assert sorted(ids(found)) == [f"pattern_fixtures:{pattern}" for pattern in found.patterns]


@pytest.mark.parametrize("path", ["engine/match.py", "decide.py", "model.py"])
def test_what_touches_everything_takes_the_checks_of_the_families(path: str) -> None:
    found = plan(f"loopx_policy/{path}")
    families = [f"family_fixtures:{family}" for family in here()[0].data.families]
    assert set(families) <= set(ids(found))
    assert not [name for name in ids(found) if name.startswith("pattern_fixtures")]


def test_hot_and_cold_surfaces_get_a_small_profile_each() -> None:
    found = plan("loopx_policy/facts/gates.py", "cli/render/status.py")
    assert "pattern_fixtures:IP-004" in ids(found, "hot")
    assert ids(found, "cold") == ["screen_tests"]


def test_a_family_is_checked_by_a_further_archetype_where_its_surface_is_touched() -> None:
    assert Target("IP-008", "planning_governance") in plan("loopx_policy/facts/watches.py").targets
    assert (
        Target("IP-008", "planning_governance") not in plan("rules/work_routing/IP-008-monitor-quiet-skip.yaml").targets
    )


def test_a_p2_pattern_comes_in_by_a_profile_only() -> None:
    for found in (plan("loopx_policy/facts/points/assistance.py"), plan(patterns=("IP-009",))):
        assert found.checks == []
        assert "--profile benchmark_adapter" in found.left_out["IP-009"]
    with_profile = plan("loopx_policy/facts/points/assistance.py", profiles=("benchmark_adapter",))
    assert "pattern_fixtures:IP-009" in ids(with_profile)
    assert with_profile.left_out == {}


def test_a_profile_that_looks_elsewhere_does_not_take_the_p2_pattern_in() -> None:
    assert "IP-009" in plan("loopx_policy/facts/points/assistance.py", profiles=("pr_review",)).left_out


def test_deep_checks_are_told_and_come_in_only_when_asked_for() -> None:
    without, included = plan("pyproject.toml"), plan("pyproject.toml", deep=True)
    assert [each.item.id for each in without.deep] == ["wheel"]
    assert without.deep[0].when
    assert not any(each.item.check.deep for each in without.checks)
    assert ids(included, "deep") == ["wheel"]
    assert ids(included)[:-1] == ids(without)


def test_a_deep_check_that_nothing_touched_calls_for_stays_out() -> None:
    assert ids(plan("pyproject.toml", deep=True), "deep") == ["wheel"]
    assert plan("LICENSE", deep=True).checks == []


def test_a_profile_brings_its_deep_checks() -> None:
    found = plan(profiles=("rule_maintenance",), deep=True)
    assert {"rule_coverage", "rule_mutants", "deletions"} <= set(ids(found, "deep"))


def test_a_file_that_no_surface_represents_is_a_gap_with_what_was_tried() -> None:
    found = plan("lighthouse/lamp.c")
    (gap,) = found.gaps
    assert gap.what == "lighthouse/lamp.c"
    assert "no surface" in gap.why
    for contract in here()[0].data.contracts.values():
        assert any(tried.startswith(contract.command) for tried in gap.tried)
    assert "turned down" in gap.then
    assert found.checks == []


def test_a_changed_test_is_run_and_one_that_no_check_runs_is_a_gap() -> None:
    assert ids(plan("tests/facts/test_lanes.py")) == ["facts_tests"]
    (gap,) = plan("tests/test_overlays.py").gaps
    assert (gap.what, gap.why) == ("tests/test_overlays.py", "no check runs this test")


def test_a_pattern_that_no_row_lists_is_a_gap() -> None:
    (gap,) = plan("rules/work_routing/IP-777-nobody-knows-it.yaml").gaps
    assert gap.what == "IP-777"


def test_a_check_whose_files_are_not_here_is_a_gap_that_says_so() -> None:
    tree, use, mapper = here()
    touched = mapper.map([Change("loopx_policy/engine/match.py")])
    found = make_plan(tree.data, use, touched, Asked(), lambda path: path != "tests/engine")
    assert [gap.why for gap in found.gaps] == ["matching_tests would cover it, and there is no tests/engine here"]


def test_names_choose_without_any_file() -> None:
    assert ids(plan(patterns=("IP-021",))) == ["pattern_fixtures:IP-021"]
    assert ids(plan(families=("ground",))) == ["family_fixtures:ground"]
    assert ids(plan(surfaces=("guides",))) == ["guide_tests"]


@pytest.mark.parametrize(
    "asked, near",
    [
        ({"surfaces": ("sceens",)}, "screens"),
        ({"families": ("work-routing",)}, "work_routing"),
        ({"patterns": ("ip-021",)}, "IP-021"),
        ({"profiles": ("pr_rewiev",)}, "pr_review"),
    ],
)
def test_a_name_that_nothing_has_is_a_usage_error_with_the_nearest(asked: dict[str, Any], near: str) -> None:
    with pytest.raises(UsageError) as caught:
        plan(**asked)
    assert near in caught.value.fix


def test_the_profiles_that_would_fit_are_named_and_not_taken() -> None:
    found = plan("loopx_policy/ledger/write.py")
    assert found.fitting == ["state_write_correctness"]
    assert found.chosen == []


def test_nothing_changed_is_nothing_to_check() -> None:
    assert (plan().checks, plan().gaps, plan().targets) == ([], [], [])


def test_a_change_of_state_in_a_project_asks_whether_its_goals_are_read(tmp_path: object) -> None:
    root = str(tmp_path)
    tree, use = read_tree(root), here()[1]
    touched = Mapper(tree, use).map([Change(".loopx/registry.json"), Change("src/app.py")])
    found = make_plan(tree.data, use, touched, Asked(), lambda path: path == ".loopx/registry.json")
    assert sorted(ids(found)) == ["goals_are_sound", "slots_are_planned"]
    assert [gap.what for gap in found.gaps] == ["src/app.py"]
