"""What the canary data says is what the catalog seed's matrix asks for; what is wrong in it is told at its place."""

from __future__ import annotations

import pytest

from loopx_policy.canary.lint import lint_canary
from loopx_policy.canary.tree import Tree

from .conftest import data_in

ARCHETYPES = {
    "hot_path_route": ["cheap"],
    "scoped_decision": ["cheap", "medium"],
    "projection_boundary": ["cheap", "medium"],
    "evidence_lifecycle": ["medium"],
    "planning_governance": ["cheap"],
    "product_readiness": ["medium", "deep"],
}
"""The six archetypes of the matrix, with the cost tiers that it names."""

FAMILIES = {
    "work_routing": ([1, 2, 3, 7, 8, 21, 29], ["hot_path_route"], ["planning_governance"]),
    "human_decision": ([4, 14, 17, 27], ["scoped_decision"], ["product_readiness"]),
    "state_and_boundary": (
        [5, 6, 11, 16, 19, 20, 22, 23, 25, 26, 28],
        ["projection_boundary"],
        ["hot_path_route"],
    ),
    "evidence_lifecycle": ([12, 15], ["evidence_lifecycle"], ["product_readiness"]),
    "planning_governance": ([10, 13, 18, 24], ["planning_governance"], ["hot_path_route"]),
}
"""The rows of the family table: patterns, default archetypes, and those for a reason."""

DOMAINS = [
    "pr_review",
    "release_promotion",
    "control_plane_refactor",
    "monitor_scheduling",
    "state_write_correctness",
    "frontstage_rollout",
    "benchmark_adapter",
]


def test_the_six_archetypes_are_there_with_their_costs(shipped: Tree) -> None:
    assert list(shipped.data.archetypes) == list(ARCHETYPES)
    for name, tiers in ARCHETYPES.items():
        assert set(tiers) <= set(shipped.data.archetypes[name].tiers), name


def test_only_the_route_of_the_next_turn_is_a_hot_archetype(shipped: Tree) -> None:
    assert [name for name, each in shipped.data.archetypes.items() if each.path == "hot"] == ["hot_path_route"]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_row_is_that_of_the_matrix(shipped: Tree, family: str) -> None:
    numbers, default, also = FAMILIES[family]
    row = shipped.data.families[family]
    named = [name for name in row.patterns if name <= "IP-029"]  # later ones are in no matrix
    assert named == [f"IP-{number:03d}" for number in numbers]
    assert list(row.archetypes) == default
    assert [each.archetype for each in row.also] == also


def test_every_domain_of_the_matrix_has_a_profile_with_an_owner(shipped: Tree) -> None:
    assert list(shipped.data.profiles)[: len(DOMAINS)] == DOMAINS
    assert all(shipped.data.profiles[name].owner for name in DOMAINS)


def test_a_specialised_pattern_names_its_owner_and_where_it_does_not_apply(shipped: Tree) -> None:
    assert list(shipped.data.special) == ["IP-009"]
    assert shipped.data.special["IP-009"].owner
    assert shipped.data.special["IP-009"].not_applicable


def test_the_shipped_data_is_clean() -> None:
    assert lint_canary() == []


WRONG = {
    "no such tier": (
        "tiers: [{id: cheap, milliseconds: 5, meaning: m}]\n"
        "archetypes:\n"
        "  - {id: a, name: n, question: q, triggers: [t], depth: d, tiers: [cheep], failure: f, path: hot}\n",
        "canary.yaml:3:68",
        "canary-name",
        "cheap",
    ),
    "nothing to run": (
        "checks:\n  - {id: a, runs: {exit: 1}, tier: cheap, milliseconds: 5, failure: f, patterns: [IP-001]}\n",
        "canary.yaml:2:10",
        "canary-runs",
        "",
    ),
    "two things to run": (
        "checks:\n  - {id: a, runs: {lint: true, pytest: [t]}, tier: cheap, milliseconds: 5, failure: f}\n",
        "canary.yaml:2:10",
        "canary-runs",
        "",
    ),
    "covers nothing": (
        "checks:\n  - {id: a, runs: {lint: true}, tier: cheap, milliseconds: 5, failure: f}\n",
        "canary.yaml:2:10",
        "canary-covers",
        "",
    ),
    "a surface without files": (
        "surfaces:\n  - {id: a, meaning: m, path: hot, why: w}\n",
        "canary.yaml:2:10",
        "canary-idle",
        "",
    ),
    "a surface without anything to check": (
        "surfaces:\n  - {id: a, meaning: m, path: hot, paths: [x]}\n",
        "canary.yaml:2:10",
        "canary-idle",
        "",
    ),
    "an id twice": (
        "surfaces:\n"
        "  - {id: a, meaning: m, path: hot, paths: [x], why: w}\n"
        "  - {id: a, meaning: m, path: hot, paths: [y], why: w}\n",
        "canary.yaml:3:10",
        "duplicate-name",
        "",
    ),
    "a misspelt key": (
        "surfaces:\n  - {id: a, meaning: m, path: hot, pathes: [x], why: w, paths: [x]}\n",
        "canary.yaml:2:36",
        "unknown-key",
        "",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_told_at_its_place(case: str) -> None:
    text, at, rule, suggestion = WRONG[case]
    _, report = data_in(text)
    assert (at, rule, suggestion) in [(f.at, f.rule, f.suggestion) for f in report.findings]
    assert all(finding.message.endswith(".") for finding in report.findings)
