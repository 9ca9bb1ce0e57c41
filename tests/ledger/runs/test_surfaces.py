"""The frontier: the same for a state that nobody touched, different for every change that IP-024 names."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide import Policy
from loopx_policy.decide_point import read_schema
from loopx_policy.facts.points.state_refresh import SURFACES, _changed
from loopx_policy.model import Goal, Invocation, Lease, Quota, Run, Runs, Snapshot, State
from loopx_policy.observe import Observer
from loopx_policy.project.state import state_of
from loopx_policy.project.times import parse_time
from loopx_policy.records import replace
from loopx_policy.safe_text import is_safe
from loopx_policy.schema_check import misfits
from loopx_policy.surfaces import ENTRIES
from tests.properties.conftest import read
from tests.support.laying import scratch
from tests.support.projects import Project, projects

POLICY = Policy(load_catalog())
OBSERVER = Observer(POLICY)
NOON = 1_796_126_400
BEFORE = """\
## User Todo

- [ ] Say which quay
  <!-- loopx:todo todo_id=todo_ask1 task_class=user_action -->

## Agent Todo

- [ ] [P1] Chart the basin
  <!-- loopx:todo todo_id=todo_basin claimed_by=me required_write_scopes=charts/** -->
- [ ] [P2] Paint the buoys
  <!-- loopx:todo todo_id=todo_buoys required_capabilities=network -->
- [ ] [P2-monitor] Watch the gauge
  <!-- loopx:todo todo_id=todo_gauge target_key=gauge cadence=30m result_hash=a1 -->

## Next Action

- todo_basin first
"""


def snapshot(text: str = BEFORE, **goal: Any) -> Snapshot:
    entry = replace(Goal("harbor", agents=("me", "other"), primary_agent="me", write_scope=("charts/**",)), **goal)
    return Snapshot(
        NOON, entry, state_of(text.encode(), file="STATE.md", agents=entry.agents), invocation=Invocation("me")
    )


def changed(one: Snapshot, other: Snapshot) -> list[str]:
    return _changed(OBSERVER.frontier(one, NOON), OBSERVER.frontier(other, NOON))


@given(project=projects(), later=st.integers(0, 10**7))
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_whatever_passes_by_itself_changes_no_frontier(project: Project, later: int) -> None:
    """Time, the history and the leases of others: an obligation that comes and goes is no change either."""
    with scratch() as folder:
        found, _ = read(POLICY, project, folder)
    passed = replace(found, now=found.now + later, runs=Runs(), leases=[Lease("todo_any", "other")])
    frontier = OBSERVER.frontier(found, found.now)
    assert _changed(frontier, OBSERVER.frontier(passed, found.now)) == []
    stored = json.loads(json.dumps(frontier))
    assert _changed(stored, frontier) == []
    assert set(frontier) <= set(SURFACES)
    assert not misfits({"operation": "repair", "before": stored, "after": stored}, read_schema("state_refresh"))
    assert all(is_safe(entry) for entries in frontier.values() if isinstance(entries, list) for entry in entries)


CHANGES = {
    "runnable_todo_set": ("- [ ] [P2] Paint", "- [ ] Ring the bell\n- [ ] [P2] Paint"),
    "claimed_lane": ("todo_id=todo_buoys", "todo_id=todo_buoys claimed_by=me"),
    "successor": ("todo_id=todo_basin", "todo_id=todo_basin successor_todo_ids=todo_inner"),
    "supersede": ("todo_id=todo_buoys", "todo_id=todo_buoys superseded_by=todo_basin"),
    "user_todo": ("todo_id=todo_ask1", "todo_id=todo_ask1 status=done"),
    "blocker": ("todo_id=todo_buoys", "todo_id=todo_buoys status=blocked"),
    "capability_guard": ("required_capabilities=network", "required_capabilities=credentials"),
    "monitor_target": ("target_key=gauge", "target_key=wind"),
    "watch_lane": ("cadence=30m", "cadence=30m expires_at=2027-01-01"),
    "evidence_handle": ("result_hash=a1", "result_hash=b2"),
    "next_action": ("todo_basin first", "todo_basin last"),
    "effective_action": ("claimed_by=me required", "status=deferred claimed_by=me required"),
    "interaction_contract": ("task_class=user_action", "task_class=user_gate global_gate=true"),
}


@pytest.mark.parametrize("surface", CHANGES)
def test_each_surface_shows_its_change(surface: str) -> None:
    old, new = CHANGES[surface]
    assert BEFORE.count(old) == 1
    assert surface in changed(snapshot(), snapshot(BEFORE.replace(old, new)))


def test_a_wider_boundary_is_a_change() -> None:
    assert "goal_boundary" in changed(snapshot(), snapshot(write_scope=("charts/**", "buoys/**")))


def test_another_worktree_is_a_change_for_a_side_agent_only() -> None:
    for me, wanted in (("other", True), ("me", False)):
        here = replace(snapshot(), invocation=Invocation(me))
        moved = replace(here, workspace=replace(here.workspace, kind="worktree"))
        assert ("workspace_guard" in changed(here, moved)) is wanted


@pytest.mark.parametrize("old, new", [
    ("result_hash=a1", "result_hash=a1 last_checked_at=2026-12-01T12:00:00Z consecutive_no_change=4"),
    ("todo_id=todo_basin", "todo_id=todo_basin updated_at=2026-12-01T12:00:00Z note=well"),
    ("Chart the basin", "Chart the basin anew"),
])  # fmt: skip
def test_looks_and_words_change_no_frontier(old: str, new: str) -> None:
    assert changed(snapshot(), snapshot(BEFORE.replace(old, new))) == []


def test_what_another_agent_moves_in_its_own_lane_is_no_delta_of_this_one() -> None:
    theirs = "- [ ] [P1] Sweep\n  <!-- loopx:todo todo_id=todo_sweep claimed_by=other{more} -->\n"
    one, other = (
        snapshot(BEFORE.replace("- [ ] [P2] Paint", theirs.format(more=more) + "- [ ] [P2] Paint"))
        for more in ("", " superseded_by=todo_basin successor_todo_ids=todo_basin status=done")
    )
    assert changed(one, other) == []


def test_a_surface_of_any_size_is_kept_small_and_shows_a_change_anywhere() -> None:
    many = "".join(
        f"- [ ] Step {number}\n  <!-- loopx:todo todo_id=todo_n{number:05d} claimed_by=me -->\n"
        for number in range(2000)
    )
    text = BEFORE.replace("- [ ] [P2] Paint", many + "- [ ] [P2] Paint")
    frontier = OBSERVER.frontier(snapshot(text), NOON)
    assert len(frontier["claimed_lane"]) == ENTRIES
    for number in (0, 500, 1999):
        closed = text.replace(f"todo_id=todo_n{number:05d}", f"todo_id=todo_n{number:05d} status=done")
        assert "claimed_lane" in changed(snapshot(text), snapshot(closed))


def test_private_words_of_a_state_are_kept_as_a_digest() -> None:
    secret = "pass" + "word=hunter2xyz"
    frontier = OBSERVER.frontier(snapshot(BEFORE.replace("todo_basin first", f"log in with {secret}")), NOON)
    assert "hunter2xyz" not in json.dumps(frontier)
    assert len(frontier["next_action"]) == 1


STALL = [
    Run(generated_at=NOON - 60 * age, generated_at_text=str(age), delivery_outcome="surface_only",
        recommended_action="tidy", classification="tidied")
    for age in (10, 20)
]  # fmt: skip


@pytest.mark.parametrize("scopes, agents, standing, own", [
    (("goal", "goal"), ("me", "me"), "goal", False),
    (("agent_lane", "agent_lane"), ("me", "me"), "lane", True),
    (("goal", "agent_lane"), ("other", "me"), "lane", True),
    (("agent_lane", "agent_lane"), ("other", "other"), "none", False),
])  # fmt: skip
def test_an_obligation_is_the_goals_where_it_stands_without_the_lanes_own_rows(
    scopes: tuple[str, str], agents: tuple[str, str], standing: str, own: bool
) -> None:
    rows = [
        replace(row, progress_scope=scope, agent_id=agent)
        for row, scope, agent in zip(STALL, scopes, agents, strict=True)
    ]
    seen = OBSERVER.look(replace(snapshot(), runs=Runs(rows)))
    assert (seen.replan, seen.own_replan) == (standing, own)


def test_the_record_of_a_decision_says_who_asked_with_what() -> None:
    asked = replace(snapshot(), invocation=Invocation("me", ("network",)), goal=replace(snapshot().goal, quota=Quota()))
    decision = OBSERVER.look(asked).decision
    assert parse_time(decision["decided_at"]) == (NOON, True)
    assert (decision["agent_id"], decision["capabilities"]) == ("me", ["network"])
    mode = POLICY.catalog.modes[decision["mode"]]
    assert decision["turn_kind"] == mode.turn_kind
    assert decision["spend_after_validation"] is mode.spend_after_validation


def test_an_unreadable_state_has_a_frontier_too() -> None:
    broken = replace(snapshot(), state=State(file="STATE.md", readable=False))
    assert OBSERVER.frontier(broken, NOON)["effective_action"] == "health_blocked"
