"""The difference between two versions: every state that changes, in words, and nothing where none does."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from loopx_policy.catalog_files import read_sources
from loopx_policy.catalog_source.approved import Version, approved_path, read_approved, to_text, version_of
from loopx_policy.catalog_source.changes import edits
from loopx_policy.catalog_source.laws import Laws
from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.channels import channels
from loopx_policy.engine.combine import combine
from loopx_policy.engine.evaluate import conditions
from loopx_policy.engine.interpret import Interpreter
from loopx_policy.prove.compared import lay_out_changes
from loopx_policy.prove.diff import compare, grouped
from loopx_policy.prove.theories import Theories
from tests.prove.faults import changed, swapped
from tests.prove.sampling import sample


@pytest.fixture(scope="module")
def own() -> Version:
    return version_of(read_sources(), "own")


def test_the_approved_catalog_decides_every_state_as_this_one_does(own: Version, laws: Laws) -> None:
    """The merge gate. Look at `loopx catalog diff --semantic`; where the change was meant, approve it in this commit
    with `python -m loopx_policy.catalog_source.approved`.
    """
    result = compare(read_approved(approved_path(), "approved"), own, laws)
    told = [f"{change.before} -> {change.after} where {' | '.join(change.where)}" for change in result.changes]
    assert (told, result.broken, result.notes) == ([], [], [])


def test_an_approved_catalog_comes_back_as_it_was_written(own: Version, tmp_path: Path) -> None:
    path = tmp_path / "approved.json"
    path.write_text(to_text(own), encoding="utf-8")
    read = read_approved(str(path), "it")
    for name in ("points", "cases", "obligations", "withholdings", "modes", "strata", "parameters", "placeholders"):
        assert getattr(read.catalog, name) == getattr(own.catalog, name)
    assert read.importance == own.importance
    assert edits(read, own) == []


def test_rewording_changes_entries_and_no_state(own: Version, laws: Laws) -> None:
    other = Version("reworded", changed("GR-idle", ("reason: nothing is left", "reason: nothing at all is left")), {})
    assert [(edit.key, edit.texts) for edit in edits(own, other)] == [("turn GR-idle.nothing", True)]
    assert compare(own, other, laws).changes == []


def test_a_condition_written_otherwise_that_means_the_same_changes_no_state(own: Version, laws: Laws) -> None:
    old = "when: {others.side: {gte: 1}, others.primary: 0}"
    catalog = changed("IP-026", (old, "when: {all: [{others.side: {gt: 0}}, {none: [{others.primary: {gte: 1}}]}]}"))
    other = Version("rewritten", catalog, own.importance)
    assert edits(own, other) != []
    assert compare(own, other, laws).changes == []


def test_a_change_that_only_impossible_states_would_see_is_none(own: Version, laws: Laws) -> None:
    """A watch that is due is a watch: asking for both changes nothing, by the axioms."""
    old = "when: {monitors.due: {gte: 1}}\n      stratum: monitor"
    catalog = changed("IP-012", (old, old.replace("}}", "}, monitors.watching: {gte: 1}}")))
    assert compare(own, Version("same", catalog, own.importance), laws).changes == []


def test_one_more_poll_is_told_in_one_sentence(own: Version, laws: Laws) -> None:
    catalog = changed("parameters", ("dead_monitor_polls: {value: 6", "dead_monitor_polls: {value: 7"))
    result = compare(own, Version("seven", catalog, own.importance), laws)
    lead, obligation, verdict = result.changes
    assert lead.before == "IP-008.dead_monitor (autonomous_replan)"
    assert lead.where == ["6 polls in a row came back unchanged; nothing stricter matches"]
    assert obligation.where == ["6 polls in a row came back unchanged"]
    assert (verdict.point, verdict.before) == ("quota_spend", "IP-008.dead_watch (deny)")
    assert verdict.where == ["watch.unchanged is 6, and watch.news is none; nothing stricter matches"]


def test_a_lenient_verdict_is_told_with_the_record_that_shows_it(own: Version, laws: Laws) -> None:
    old = "delivery.validated: false}, verdict: deny"
    catalog = changed("IP-001", (old, old.replace("false}", "false, delivery.kind: delivery}")))
    result = compare(own, Version("lenient", catalog, own.importance), laws)
    (change,) = result.changes
    assert (change.point, change.before, change.after) == (
        "quota_spend",
        "IP-001.not_validated (deny)",
        "IP-001.spent (allow)",
    )
    assert change.shown is not None
    assert change.shown.record["delivery.validated"] is False
    assert [said.partition(":")[0] for said in result.broken] == ["no_spend_without_a_decision"]


def test_the_witness_of_a_change_is_a_project_on_which_the_versions_differ(
    own: Version, laws: Laws, tmp_path: Path
) -> None:
    other = Version("swapped", swapped("monitor", "handoff"), own.importance)
    result = compare(own, other, laws)
    lay_out_changes(result, own, other, laws, str(tmp_path))
    for change in result.changes:
        assert change.shown is not None
        project = change.shown.project
        assert project is not None
        assert project["before"]["lead"] != project["after"]["lead"]
        assert change.before.startswith(project["before"]["lead"])
        assert change.after.startswith(project["after"]["lead"])
        assert (Path(project["folder"]) / "project" / "STATE.md").is_file()


def flags(catalog: Catalog, record: dict[str, object]) -> tuple[object, ...]:
    """Everything that an answer shows of a record but words, by the program's own functions."""
    combined = combine(catalog, Interpreter(conditions(catalog, "turn")).matched(record))  # type: ignore[arg-type]
    open_items = bool(record["gates.open"] or record["actions.open"])
    lead = combined.lead
    says = channels(catalog, combined, open_items, bool(lead and lead.asks and record[lead.asks]))
    return (
        lead.key if lead else "",
        lead.effective_action if lead else "",
        says.mode,
        says.state,
        says.action_required,
        says.notify,
        says.quiet_noop_allowed,
        tuple(item.key for item in combined.obligations),
    )


@pytest.mark.slow
@pytest.mark.parametrize("number", range(4))
def test_random_records_find_no_change_that_was_not_told(
    own: Version, laws: Laws, theories: Theories, number: int
) -> None:
    """For swaps of neighbouring strata: no changes told, no record differs; and where one differs, some are told."""
    pairs = list(pairwise(own.catalog.strata))
    first, second = pairs[Random(number).randrange(len(pairs))]
    catalog = swapped(first, second)
    told = compare(own, Version("swapped", catalog, own.importance), laws).changes
    chance = Random(number)
    records = [sample(theories.of("turn"), theories.default("turn"), chance, small=True) for _ in range(30)]
    differing = [record for record in records if flags(own.catalog, record) != flags(catalog, record)]  # type: ignore[arg-type]
    assert not differing or told, (first, second)


def test_pairs_that_share_a_part_are_told_together() -> None:
    pairs = [("a", "x"), ("a", "y"), ("a", "z"), ("b", "x"), ("c", "q")]
    assert grouped(pairs) == [[("a", "x"), ("a", "y"), ("a", "z")], [("b", "x")], [("c", "q")]]
