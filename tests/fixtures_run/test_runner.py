"""A wrong fixture fails with the field that differs and its line; one that tests nothing does not pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopx_policy.catalog_cache import compile_sources
from loopx_policy.catalog_files import read_sources
from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.match import engine_available
from loopx_policy.errors import StateError
from loopx_policy.fixtures import Difference, Outcome, Runner, load_folder, missing, run_folder
from loopx_policy.fixtures.cover import items
from loopx_policy.records import replace

from .samples import BLOCKED, GOOD, POINT, line_of, run, swap, write

FILE = "GR-paused/one.yaml"


def the_difference(outcome: Outcome) -> Difference:
    """The only thing that is wrong with an outcome."""
    assert outcome.error is None
    (difference,) = outcome.differences
    return difference


def told(outcome: Outcome) -> StateError:
    """Why an outcome could not be judged."""
    assert isinstance(outcome.error, StateError)
    assert outcome.differences == []
    return outcome.error


@pytest.mark.parametrize("text", [GOOD, BLOCKED, POINT])
def test_a_right_fixture_passes_in_every_part(runner: Runner, tmp_path: Path, text: str) -> None:
    assert [(outcome.differences, outcome.error) for outcome in run(runner, tmp_path, text)] == [([], None)] * 2


@pytest.mark.parametrize(
    ("text", "old", "new", "field", "wanted", "found"),
    [
        (GOOD, "mode: skip", "mode: user_gate", "mode", "user_gate", "skip"),
        (GOOD, "state: paused", "items: [todo_a01]", "items", ["todo_a01"], []),
        (GOOD, "state: paused", "counts: {runnable: 9}", "counts.runnable", 9, 1),
        (GOOD, "state: paused", "facts: {quota.paused: false}", "facts.quota.paused", False, True),
        (
            *(GOOD, "state: paused", "withheld_kinds: {GR-paused.no_delivery: quiet}"),
            *("withheld_kinds.GR-paused.no_delivery", "quiet", "delivery"),
        ),
        (
            *(GOOD, "state: paused", "obligation_kinds: {IP-002.blocked_priority: user}"),
            *("obligation_kinds.IP-002.blocked_priority", "user", None),
        ),
        (GOOD, "state: paused", "reason_contains: tariff", "reason_contains", "tariff", ...),
        (GOOD, "state: paused", "obligations: [IP-002.blocked_priority]", "obligations", ..., "not there"),
        (BLOCKED, "{todo_a01: [IP-021.lacks_bridge]}", "{}", "blocked", {}, {"todo_a01": ["IP-021.lacks_bridge"]}),
        (BLOCKED, "{todo_a01: [IP-021.lacks_bridge]}", "{todo_a09: [x]}", "blocked.todo_a09", ["x"], None),
        (POINT, "verdict: allow, ", "verdict: deny, ", "verdict", "deny", "allow"),
        (POINT, "verdict: allow, ", "requires: [more], ", "requires", ["more"], []),
    ],
)
def test_a_wrong_expectation_is_told_with_its_line_and_both_values(
    runner: Runner, tmp_path: Path, text: str, old: str, new: str, field: str, wanted: object, found: object
) -> None:
    text = swap(old, new, text)
    positive, miss = run(runner, tmp_path, text)
    difference = {item.field: item for item in positive.differences}[field]
    assert difference.at == f"{FILE}:{line_of(new, text)}"
    assert wanted in (..., difference.wanted)
    assert found in (..., difference.found)
    assert not positive.passed
    assert miss.passed


def test_a_wrong_expectation_of_a_near_miss_has_the_line_of_the_near_miss(runner: Runner, tmp_path: Path) -> None:
    text = swap("selected: todo_a01", "selected: null")
    positive, miss = run(runner, tmp_path, text)
    difference = the_difference(miss)
    assert positive.passed
    assert (difference.field, difference.wanted, difference.found) == ("selected", None, "todo_a01")
    assert difference.at == f"{FILE}:{line_of('selected', text)}"


def test_each_field_that_differs_is_told(runner: Runner, tmp_path: Path) -> None:
    positive, _ = run(runner, tmp_path, swap("mode: skip, state: paused", "mode: user_gate, state: eligible"))
    assert [difference.field for difference in positive.differences] == ["mode", "state"]
    assert positive.to_dict()["differences"][0] == {
        "field": "mode",
        "wanted": "user_gate",
        "found": "skip",
        "at": f"{FILE}:{line_of('expect: {mode', GOOD)}",
    }


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("quota: {compute", "qouta: {compute", "qouta"),
        ("text: Chart the basin", "txet: Chart the basin", "txet"),
        ("now: 2026-12-01T12:00:00Z", "now: tomorrow", "now"),
    ],
)
def test_a_misspelt_field_of_the_given_state_is_an_error_at_its_line(
    runner: Runner, tmp_path: Path, old: str, new: str, word: str
) -> None:
    text = swap(old, new)
    (only,) = run(runner, tmp_path, text)
    assert told(only).at == f"{FILE}:{line_of(new, text)}"
    assert word in str(only.error)


def test_a_misspelt_field_of_a_points_input_is_an_error_at_its_line(runner: Runner, tmp_path: Path) -> None:
    text = swap("connected: true", "conected: true", POINT)
    error = told(run(runner, tmp_path, text)[0])
    assert error.at in (f"{FILE}:{line_of('conected', text)}", f"{FILE}:{line_of('given:', text)}")
    assert "onnected" in str(error)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ("{goal.qouta.compute: 0.5}", "$.goal.qouta"),
        ("{todos.todo_a09.status: done}", "todo_a09"),
        ("{todos.7: {text: x}}", "'7'"),
        ("{capabilities: null}", "removes what is not there"),
        ("{goal.quota.compute: half}", "$.goal.quota.compute"),
    ],
)
def test_a_change_that_cannot_be_made_is_an_error_at_its_line(
    runner: Runner, tmp_path: Path, change: str, word: str
) -> None:
    text = swap("{goal.quota.compute: 0.5}", change)
    positive, miss = run(runner, tmp_path, text)
    error = told(miss)
    assert positive.passed
    assert error.at == f"{FILE}:{line_of('change:', text)}"
    assert word in str(error)


@pytest.mark.parametrize(
    ("text", "old", "new", "word"),
    [
        (GOOD, "mode: skip", "lead: GR-paused.pausd", "GR-paused.paused"),
        (GOOD, "mode: skip", "obligations: [IP-002.blocked_prio]", "IP-002.blocked_priority"),
        (GOOD, "mode: skip", "not_obligations: [IP-002.blocked_prio]", "IP-002.blocked_priority"),
        (GOOD, "mode: skip", "withheld: [GR-paused.none]", "GR-paused.none"),
        (GOOD, "mode: skip", "obligation_kinds: {IP-002.blocked_prio: user}", "IP-002.blocked_priority"),
        (GOOD, "mode: skip", "withheld_kinds: {GR-paused.none: quiet}", "GR-paused.none"),
        (GOOD, "mode: skip", "facts: {quota.pausd: false}", "quota.paused"),
        (GOOD, "mode: skip", "counts: {candidate: 0}", "candidates"),
        (GOOD, "mode: skip", "verdict: deny", "verdict"),
        (POINT, "verdict: allow", "mode: skip", "mode"),
        (POINT, "verdict: allow", "counts: {candidates: 0}", "counts"),
        (POINT, "verdict: allow", "not_obligations: [IP-002.blocked_priority]", "not_obligations"),
        (POINT, "verdict: allow", "user_reason_contains: x", "user_reason_contains"),
    ],
)
def test_an_expectation_that_no_answer_could_meet_or_miss_is_an_error(
    runner: Runner, tmp_path: Path, text: str, old: str, new: str, word: str
) -> None:
    text = swap(old, new, text)
    error = told(run(runner, tmp_path, text)[0])
    assert error.at == f"{FILE}:{line_of(new, text)}"
    assert word in str(error)


@pytest.mark.parametrize(
    ("text", "old", "new", "word"),
    [
        (GOOD, "covers: GR-paused.paused", "covers: GR-paused.pausd", "GR-paused.paused"),
        (GOOD, "covers: GR-paused.paused", "covers: turn:IP-021.lacks_bridge", "candidate:IP-021.lacks_bridge"),
        (GOOD, "covers: GR-paused.paused", "covers: IP-018.nothing_promised", "IP-018.nothing_promised"),
        (GOOD, "covers: GR-paused.paused", "covers: plan_writeback:IP-018.nothing_promised", "point: plan_writeback"),
        (POINT, "covers: IP-018.nothing_promised", "covers: IP-021.lacks_bridge", "IP-021.lacks_bridge"),
        (POINT, "covers: IP-018.nothing_promised", "covers: turn:GR-paused.paused", "point: turn"),
        (POINT, "point: plan_writeback", "point: plan_writback", "plan_writeback"),
    ],
)
def test_a_fixture_that_reaches_no_rule_is_an_error_with_the_nearest_name(
    runner: Runner, tmp_path: Path, text: str, old: str, new: str, word: str
) -> None:
    (only,) = run(runner, tmp_path, swap(old, new, text))
    assert told(only).at == f"{FILE}:1" if text is GOOD or old.startswith("point") else f"{FILE}:2"
    assert word in str(only.error)


def test_a_name_that_several_things_have_asks_which(runner: Runner, tmp_path: Path) -> None:
    (only,) = run(runner, tmp_path, swap("GR-paused.paused", "IP-004.blanket"))
    assert "turn:IP-004.blanket, candidate:IP-004.blanket" in str(told(only))


def test_a_positive_that_does_not_reach_what_it_covers_fails_where_it_says_so(runner: Runner, tmp_path: Path) -> None:
    text = swap("expect: {mode: skip, state: paused, notify: DONT_NOTIFY}", "expect: {}")
    (positive, _) = run(runner, tmp_path, swap("quota: {compute: 0}", "quota: {compute: 1}", text))
    assert the_difference(positive) == Difference("turn:GR-paused.paused holds", True, False, f"{FILE}:1")


def test_a_turn_case_that_matches_below_another_lead_does_not_lead(runner: Runner, tmp_path: Path) -> None:
    text = swap("covers: GR-paused.paused", "covers: turn:IP-001.deliver").replace("mode: skip, ", "")
    positive, _ = run(runner, tmp_path, text)
    assert the_difference(positive).field == "turn:IP-001.deliver holds"


def test_where_another_case_is_said_to_lead_matching_is_enough(runner: Runner, tmp_path: Path) -> None:
    text = swap("covers: GR-paused.paused", "covers: turn:IP-001.deliver")
    text = swap("expect: {mode: skip, ", "expect: {lead: GR-paused.paused, mode: skip, ", text)
    near = "change: {todos.todo_a01.status: done}\n    expect: {lead: GR-paused.paused}"
    start = text.index("change: ")
    outcomes = run(runner, tmp_path, f"{text[:start]}{near}\n")
    assert [outcome.to_dict() for outcome in outcomes if not outcome.passed] == []


def test_a_near_miss_that_still_reaches_it_fails_at_its_line(runner: Runner, tmp_path: Path) -> None:
    text = swap("{goal.quota.compute: 0.5}", "{capabilities: [network]}")
    start = text.index("    expect: {mode: bounded")
    (positive, miss) = run(runner, tmp_path, f"{text[:start]}    expect: {{}}\n")
    assert positive.passed
    assert the_difference(miss) == Difference(
        "turn:GR-paused.paused holds", False, True, f"{FILE}:{line_of('- name: half', text)}"
    )


LEASED = """\
covers: turn:IP-016.all_leased
seed: Where every candidate is leased the agent waits.
given:
  now: 2026-12-01T12:00:00Z
  agent: ann
  goal: {id: harbor, agents: [ann, bo], write_scope: ["**"]}
  todos: [{todo_id: todo_a01, text: Chart the basin}]
  leases: [{todo_id: todo_a01, owner: bo, expires_at: 2026-12-01T13:00:00Z}]
expect: {lead: IP-016.all_leased}
near_misses:
  - name: another candidate is free
    change: {todos.todo_a02: {text: Write the guide}}
    expect: {lead: IP-001.deliver}
  - name: the lease has ended
    change: {leases.0.expires_at: 2026-12-01T11:00:00Z}
    expect: {lead: IP-001.deliver}
"""


def test_a_near_miss_that_is_two_facts_away_fails_with_the_facts(runner: Runner, tmp_path: Path) -> None:
    positive, near, far = run(runner, tmp_path, LEASED)
    assert positive.passed
    assert near.passed
    difference = the_difference(far)
    assert difference.at == f"{FILE}:{line_of('- name: the lease', LEASED)}"
    assert {"frontier.leased", "frontier.runnable"} <= set(difference.found.split(", "))


def test_a_contrast_that_changes_more_than_one_thing_may_be_further_away(runner: Runner, tmp_path: Path) -> None:
    text = swap("{leases.0.expires_at: 2026-12-01T11:00:00Z}", "{leases: [], todos.todo_a01.text: Any}", LEASED)
    assert [outcome.passed for outcome in run(runner, tmp_path, text)] == [True, True, True]


def test_a_contrast_that_still_reaches_it_fails_all_the_same(runner: Runner, tmp_path: Path) -> None:
    text = swap("{leases.0.expires_at: 2026-12-01T11:00:00Z}", "{todos.todo_a01.text: A, agent: ann}", LEASED)
    text = text[: text.rindex("    expect")] + "    expect: {}\n"
    difference = the_difference(run(runner, tmp_path, text)[2])
    assert (difference.wanted, difference.found) == (False, True)


def test_a_todo_that_has_left_the_frontier_shows_no_distance(runner: Runner, tmp_path: Path) -> None:
    """It has no record to compare, so it may stand beside a near miss that has one, and does not do alone."""
    gone = "{name: another holds it, change: {todos.todo_a01.claimed_by: bo}, expect: {candidates: []}}"
    beside = run(runner, tmp_path, f"{BLOCKED}  - {gone}\n")
    assert [outcome.passed for outcome in beside] == [True, True, True]
    alone = BLOCKED[: BLOCKED.index("  - name")] + f"  - {gone}\n"
    positive, miss = run(runner, tmp_path, alone)
    assert miss.passed
    assert the_difference(positive).wanted == "one that is one fact away"
    assert the_difference(positive).at == f"{FILE}:{line_of('near_misses', alone)}"


def test_every_kind_of_thing_without_a_fixture_is_named(runner: Runner, tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    write(tmp_path, BLOCKED, "IP-021/a.yaml")
    write(tmp_path, "covers: [", "IP-018/torn.yaml")
    write(tmp_path, swap("GR-paused.paused", "GR-paused.pausd"), "IP-021/wrong.yaml")
    fixtures, _ = load_folder(str(tmp_path))
    known = items(runner.catalog)
    assert {key.partition(":")[0] for key in known} == {*runner.catalog.points, "obligation", "withhold"}
    assert len(set(known)) == len(known)
    done = {"turn:GR-paused.paused", "candidate:IP-021.lacks_bridge"}
    assert missing(runner.catalog, fixtures) == [key for key in known if key not in done]
    of_one = missing(runner.catalog, fixtures, ["IP-021"])
    assert of_one == [key for key in known if key.partition(":")[2].startswith("IP-021.") and key not in done]
    assert "turn:IP-021.repair_bridge" in of_one


def test_a_run_counts_what_passed_failed_and_could_not_be_judged(runner: Runner, tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    write(tmp_path, swap("mode: skip", "mode: user_gate"), "GR-paused/two.yaml")
    write(tmp_path, swap("quota: {compute", "qouta: {compute"), "GR-paused/three.yaml")
    write(tmp_path, "covers: [", "GR-paused/torn.yaml")
    report = run_folder(runner.catalog, str(tmp_path), ("GR-paused",))
    assert (report.passed, report.failed) == (3, 1)
    assert [error.at for error in report.errors] == [
        "GR-paused/torn.yaml:2",
        "GR-paused/three.yaml:5",
    ]
    assert report.missing == missing(runner.catalog, load_folder(str(tmp_path))[0], ["GR-paused"])


def recompiled(old: bytes, new: bytes) -> Catalog:
    """The catalog with the rule file of the pause rewritten."""
    sources = read_sources()
    rules = tuple(
        replace(file, data=file.data.replace(old, new)) if "GR-paused" in file.name else file for file in sources.rules
    )
    assert rules != sources.rules
    return compile_sources(replace(sources, rules=rules, digest="0" * 16))


def test_a_rule_that_is_changed_fails_its_fixture(tmp_path: Path) -> None:
    positive, _ = run(Runner(recompiled(b"state: paused", b"state: waiting")), tmp_path, GOOD)
    assert (the_difference(positive).wanted, the_difference(positive).found) == ("paused", "waiting")


def test_a_fixture_about_which_the_engines_differ_fails(runner: Runner, tmp_path: Path) -> None:
    """The rule engine is given the rules of another catalog than the interpreter."""
    if not engine_available()[0]:
        pytest.skip("there is one engine only")
    other = recompiled(b"when: {quota.paused: true}", b"when: {quota.paused: false}")
    odd = replace(runner.catalog, shards=other.shards)
    positive, _ = run(Runner(odd), tmp_path, GOOD)
    assert [item.wanted for item in positive.differences if item.field == "engines"] == ["agree"]
