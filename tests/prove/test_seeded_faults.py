"""One fault of each kind, seeded into the shipped catalog, is caught, with a witness that a person understands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.catalog_files import default_folder, read_sources
from loopx_policy.catalog_source.added import BLOCKS
from loopx_policy.catalog_source.approved import Version, version_of
from loopx_policy.catalog_source.laws import Laws, load_laws
from loopx_policy.decide import Policy
from loopx_policy.engine.catalog import Catalog
from loopx_policy.prove import checks
from loopx_policy.prove.added import added
from loopx_policy.prove.alive import alive
from loopx_policy.prove.diff import Difference, compare
from loopx_policy.prove.result import Check, Finding
from loopx_policy.prove.theories import Theories
from loopx_policy.prove.witness import lay_out
from tests.prove.faults import changed, swapped


@pytest.fixture(scope="module")
def approved() -> Version:
    return version_of(read_sources(), "approved")


def found(check: Callable[[Theories], Check], catalog: Catalog, subject: str, folder: Path) -> Finding:
    """The finding of a check about a subject, with its witness laid out."""
    laws = load_laws(catalog)
    result = check(Theories(catalog, laws))
    lay_out(Policy(catalog), laws, result, str(folder))
    return next(finding for finding in result.findings if finding.failed and finding.subject == subject)


def differences(approved: Version, catalog: Catalog, laws: Laws) -> Difference:
    return compare(approved, Version("changed", catalog, approved.importance), laws)


@pytest.mark.parametrize(
    "first, second, before, after",
    [
        ("monitor", "handoff", "IP-012.due", "IP-029.blocking"),
        ("ask", "none", "IP-021.ask_owner", "IP-021.skip"),
        ("boundary", "delivery", "IP-006.repair", "IP-001.deliver"),
        ("quota", "evidence", "GR-throttled.spent", "IP-012.observe_handle"),
    ],
)
def test_two_swapped_strata_are_told_with_the_states_between_them(
    approved: Version, laws: Laws, first: str, second: str, before: str, after: str
) -> None:
    result = differences(approved, swapped(first, second), laws)
    told = [change for change in result.changes if before in change.before and after in change.after]
    assert told
    assert result.serious
    assert all(change.where and change.shown for change in told)


def test_swapped_strata_whose_cases_exclude_each_other_change_no_state(approved: Version, laws: Laws) -> None:
    """Where no state has a case of both, the order does not matter, and the proof says so."""
    result = differences(approved, swapped("scoped_gate", "boundary"), laws)
    both = {change.kind for change in result.changes}
    alone = differences(approved, swapped("repair", "ask"), laws)
    assert both == {"lead"}
    assert {change.before.split(" ")[0] for change in alone.changes} == {"IP-021.repair_bridge"}


def test_a_widened_trigger_is_caught_with_the_todo_that_now_runs(tmp_path: Path) -> None:
    """The lease rule forgets overlapping scopes, so more todos run."""
    catalog = changed("IP-016", ("when: {lease.state: {in: [taken, overlapping]}}", "when: {lease.state: taken}"))
    finding = found(checks.invariants, catalog, "delivery_keeps_off_leases", tmp_path)
    assert finding.shown is not None
    project = finding.shown.project
    assert project is not None
    assert "another agent's lease covers some of the same files" in project["words"]
    assert project["happens"]["lead"] == "IP-001.deliver"
    assert project["happens"]["candidate"].startswith("todo_a01: open, and nothing blocks it")
    assert (Path(project["folder"]) / "project" / "STATE.md").is_file()


def test_a_wrong_mode_is_caught_with_the_gate_that_is_ignored(tmp_path: Path) -> None:
    old = "      when: {gates.blanket: {gte: 1}}\n      stratum: gate\n      mode: user_gate"
    catalog = changed("IP-004", (old, old.replace("user_gate", "bounded_delivery")))
    finding = found(checks.invariants, catalog, "no_delivery_behind_a_blanket_gate", tmp_path)
    assert finding.shown is not None
    assert finding.shown.differs == {"gates.open": 1, "gates.blanket": 1, "todos.open": 1}
    project = finding.shown.project
    assert project is not None
    assert project["words"] == "a gate covers everything"
    assert project["happens"]["flags"]["delivery_allowed"] is True


def test_a_mode_that_only_sounds_alike_is_caught_by_the_approved_catalog(approved: Version, laws: Laws) -> None:
    """No invariant tells these two apart; the approved catalog does."""
    old = "      when: {gates.blanket: {gte: 1}}\n      stratum: gate\n      mode: user_gate"
    catalog = changed("IP-004", (old, old.replace("user_gate", "user_action_required")))
    assert checks.invariants(Theories(catalog, laws)).ok
    (change,) = differences(approved, catalog, laws).changes
    assert (change.before, change.after) == ("IP-004.blanket (user_gate)", "IP-004.blanket (user_action_required)")
    assert change.where == ["a gate covers everything; nothing stricter matches"]


def test_a_dropped_obligation_is_caught_with_the_blocked_todo_that_is_not_told(
    tmp_path: Path, approved: Version, laws: Laws
) -> None:
    old = "    when: {frontier.outranked: true}\n    beside: [scoped_gate, delivery]"
    catalog = changed("IP-002", (old, old.replace("outranked: true", "outranked: true, gates.open: 0")))
    finding = found(checks.invariants, catalog, "a_blocked_higher_priority_is_never_silent", tmp_path)
    assert finding.shown is not None
    project = finding.shown.project
    assert project is not None
    assert "a blocked todo outranks the selected one" in project["words"]
    (change,) = differences(approved, catalog, laws).changes
    assert (change.kind, change.before) == ("obligation", "IP-002.blocked_priority is carried")
    assert change.where == [
        "a blocked todo outranks the selected one, a gate is open, and scoped_gate or delivery leads"
    ]


def test_an_overlapping_case_is_caught_with_a_state_in_which_both_match(tmp_path: Path) -> None:
    catalog = changed("IP-007", ("      stratum: outcome", "      stratum: scoped_gate"))
    finding = found(checks.deterministic, catalog, "IP-003.fallback > IP-007.recover", tmp_path)
    assert finding.shown is not None
    project = finding.shown.project
    assert project is not None
    assert any(note.startswith("IP-007.recover") for note in project["happens"]["below"])
    assert project["happens"]["lead"] == "IP-003.fallback"


def test_an_order_that_somebody_declares_is_no_overlap() -> None:
    catalog = changed(
        "IP-007", ("      stratum: outcome", "      stratum: scoped_gate\n      after: [IP-003.fallback]")
    )
    subjects = {finding.subject for finding in checks.deterministic(Theories(catalog, load_laws(catalog))).findings}
    assert "IP-003.fallback > IP-007.recover" not in subjects


def test_a_shadowed_case_is_caught_and_what_shadows_it_is_named(tmp_path: Path) -> None:
    old = "when: {deferred.ready: {gte: 1}}\n      stratum"
    catalog = changed("IP-027", (old, old.replace("}}\n", "}, handoffs.cleared: {gte: 1}}\n")))
    finding = found(alive, catalog, "IP-027.ready", tmp_path)
    assert finding.by == ("IP-029.cleared_without_successor",)
    assert "shadowed" in finding.says


def test_a_dead_case_is_caught_and_the_axioms_that_rule_it_out_are_named(tmp_path: Path) -> None:
    old = "when: {monitors.unscheduled: {gte: 1}}"
    catalog = changed("IP-008", (old, old.replace("}}", "}, monitors.watching: 0}")))
    finding = found(alive, catalog, "IP-008.unscheduled", tmp_path)
    assert finding.by == ("kinds_of_watches",)
    assert "dead" in finding.says


def test_a_pattern_that_never_counts_is_named(tmp_path: Path) -> None:
    """Prose beside no open todo that is outranked, and so stands beside one."""
    old = "when: {todos.open: 0, next_action.present: true}"
    catalog = changed("IP-005", (old, old.replace("true}", "true, frontier.outranked: true}")))
    assert found(alive, catalog, "IP-005", tmp_path).says == "The whole pattern counts in no state."


def test_an_answer_that_is_no_longer_total_is_caught(tmp_path: Path) -> None:
    catalog = changed("GR-idle", ("when: {}", "when: {next_action.present: false}"))
    finding = found(checks.total, catalog, "turn", tmp_path)
    assert finding.shown is not None
    project = finding.shown.project
    assert project is not None
    assert project["happens"]["mode"] == "health_blocked"
    assert finding.shown.record["next_action.present"] is True


GRANT = """\
# yaml-language-server: $schema=../../catalog/schemas/rule.schema.json
id: GR-eager
name: Eager
family: ground
importance: P0
owner: Agent
summary: Work goes on whatever stands in the way.
decides: [turn]
turn:
  cases:
    - id: go
      when: {gates.blanket: {gte: 1}}
      stratum: integrity
      mode: bounded_delivery
      state: eligible
      reason: work goes on
"""


def with_directory(tmp_path: Path, text: str) -> Catalog:
    folder = tmp_path / "more" / "ground"
    folder.mkdir(parents=True)
    (folder / "GR-eager.yaml").write_text(text)
    return load_catalog([default_folder("rules"), str(tmp_path / "more")])


def test_a_grant_in_an_added_rule_directory_is_caught(tmp_path: Path, catalog: Catalog) -> None:
    extended = with_directory(tmp_path, GRANT)
    finding = found(
        lambda theories: added(theories, catalog), extended, "added_rules_grant_no_delivery", tmp_path / "witness"
    )
    assert finding.shown is not None
    project = finding.shown.project
    assert project is not None
    assert project["happens"]["lead"] == "GR-eager.go"
    assert project["words"] == "a gate covers everything"


def test_an_added_rule_that_only_withholds_passes(tmp_path: Path, catalog: Catalog) -> None:
    text = GRANT.replace("bounded_delivery", "health_blocked").replace("eligible", "blocked_health")
    check = added(Theories(with_directory(tmp_path, text), load_laws(catalog)), catalog)
    assert [finding.subject for finding in check.findings] == []
    assert check.number >= 13


ADDED = """\
id: ACME-001
name: Freeze
summary: Nothing is delivered while a freeze is on.
decides: [candidate, turn]
candidate:
  - {id: hold, when: {candidate.claim: mine}, verdict: blocked, blocks: BLOCKS, reason: the freeze holds it}
obligations:
  - {id: tell, kind: user, when: {todos.open: {gte: 1}}, text: a freeze is on}
withholds:
  - {id: frozen, what: delivery, when: {todos.open: {gte: 1}}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", BLOCKS)
def test_what_a_project_may_add_is_proven_to_withhold_only(tmp_path: Path, catalog: Catalog, kind: str) -> None:
    (tmp_path / "ACME-001.yaml").write_text(ADDED.replace("BLOCKS", kind))
    extended = load_catalog(overlays=[str(tmp_path)])
    check = added(Theories(extended, load_laws(extended)), catalog)
    assert [finding.subject for finding in check.findings] == []


def test_an_axiom_that_rests_on_a_broken_rule_is_not_assumed() -> None:
    """Without IP-004's candidate rule a blanket gate covers nothing; the proof must not assume that it does."""
    old = "  - id: blanket\n    when: {gate.blanket: true}\n    verdict"
    catalog = changed("IP-004", (old, old.replace("true}", "true, gate.covers: true}")))
    theories = Theories(catalog, load_laws(catalog))
    assert "a_blanket_gate_gates_all" in theories.unfounded
    failed = {finding.subject for finding in checks.invariants(theories).findings}
    assert {"a_blanket_or_unclear_gate_blocks", "no_delivery_behind_a_covering_gate"} <= failed
