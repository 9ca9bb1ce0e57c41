"""The ways to another mode are real: making the changes leads there, and no smaller set does."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import combinations
from typing import Any

import pytest

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.levers import levers
from loopx_policy.why_not import why_not

Turn = Callable[..., Evaluation]
WORK: dict[str, Any] = {"todo_id": "todo_a01", "text": "[P1] Chart the basin"}
GATE: dict[str, Any] = {"todo_id": "todo_u01", "role": "user", "task_class": "user_gate", "text": "Which quay?"}
TEAM = {"agents": ["main-agent", "side-agent"], "primary_agent": "main-agent"}
DELIVERY = "bounded_delivery"
SIDE = {"agent": "side-agent", "workspace": {"kind": "worktree"}}
STALL = [
    {
        "generated_at": f"2026-12-01T{hour:02d}:00:00Z",
        "classification": "docs_refresh",
        "progress_scope": "goal",
        "delivery_outcome": "surface_only",
        "recommended_action": "tidy",
    }
    for hour in (8, 9, 10)
]
FLOOR = {"outcome_floor": {"surface_streak_threshold": 3, "must_advance": ["survey"]}}


def changes(answer: dict[str, Any]) -> list[list[str]]:
    return [way["changes"] for way in answer["ways"]]


@pytest.mark.parametrize(
    ("goal", "document", "mode", "wanted"),
    [
        (
            TEAM,
            {**SIDE, "todos": [{**GATE, "global_gate": True}, WORK]},
            DELIVERY,
            "answer the gate todo_u01",
        ),
        ({}, {"todos": [{**GATE, "task_class": "user_action"}, WORK]}, DELIVERY, "do the action todo_u01"),
        ({"quota": {"compute": 0}}, {"todos": [WORK]}, DELIVERY, "resume the goal (compute above 0)"),
        ({"quota": {"allowed_slots": 0}}, {"todos": [WORK]}, DELIVERY, "allow more slots"),
        (
            {"quota": {"next_eligible_at": "+1h"}},
            {"todos": [WORK]},
            DELIVERY,
            "wait for the next eligible time",
        ),
        ({"attention_status": "focus_wait"}, {"todos": [WORK]}, DELIVERY, "lift the declared wait"),
        (TEAM, {"todos": [WORK]}, DELIVERY, "name --agent-id main-agent"),
        (
            TEAM,
            {**SIDE, "workspace": {"kind": "primary"}, "todos": [WORK]},
            DELIVERY,
            "move to an independent",
        ),
        (
            {"write_scope": []},
            {"todos": [{**WORK, "required_write_scopes": ["a/**"]}]},
            DELIVERY,
            "add a/** to",
        ),
        ({}, {"todos": [{**WORK, "required_capabilities": ["network"]}]}, DELIVERY, "the capability network"),
        (TEAM, {**SIDE, "todos": [{**WORK, "claimed_by": "main-agent"}]}, DELIVERY, "reassign todo_a01"),
        ({}, {"todos": [{**WORK, "status": "blocked"}]}, DELIVERY, "unblock todo_a01"),
        ({}, {"todos": [{**WORK, "status": "deferred"}]}, DELIVERY, "reopen todo_a01"),
        (
            TEAM,
            {**SIDE, "todos": [WORK], "leases": [{"todo_id": "todo_a01", "owner": "main-agent"}]},
            DELIVERY,
            "release the lease on todo_a01",
        ),
        ({}, {"todos": [WORK], "runs": STALL}, DELIVERY, "acknowledge a replan"),
        ({}, {"todos": [WORK], "state": {"problems": [{"message": "torn"}]}}, DELIVERY, "mend the state"),
        ({}, {"next_action": ["Ship it."]}, "skip", "clear Next Action"),
        ({}, {}, DELIVERY, "add a runnable todo"),
        ({}, {"todos": [WORK]}, "skip", "finish todo_a01"),
        (
            TEAM,
            {**SIDE, "todos": [{**WORK, "blocks_agent": "side-agent", "claimed_by": "main-agent"}]},
            "agent_scope_exhausted",
            "finish the handoff todo_a01",
        ),
        (
            TEAM,
            {**SIDE, "todos": [{**WORK, "blocks_agent": "side-agent", "status": "done"}]},
            "agent_scope_exhausted",
            "record that nothing follows todo_a01",
        ),
        (
            {},
            {"todos": [{**WORK, "task_class": "continuous_monitor", "cadence": "1h", "next_due_at": "+1h"}]},
            "skip",
            "close the watch todo_a01",
        ),
        (
            {},
            {
                "todos": [WORK],
                "runs": [{"generated_at": "2026-12-01T08:00:00Z", "raw": {"lesson": {"rule": "measure twice"}}}],
            },
            DELIVERY,
            "promote the correction",
        ),
    ],
)
def test_one_change_that_a_person_can_make_leads_there(
    turn: Turn, goal: dict[str, Any], document: dict[str, Any], mode: str, wanted: str
) -> None:
    for exact in (True, False):
        ways = changes(why_not(turn(goal, **document), mode, exact=exact))
        assert len(ways[0]) == 1
        assert any(wanted in way[0] for way in ways if len(way) == 1), ways


def test_two_changes_are_found_where_one_is_not_enough(turn: Turn) -> None:
    floor = turn({**FLOOR}, todos=[WORK], runs=STALL)
    ways = changes(why_not(floor, DELIVERY, exact=False))
    assert ["acknowledge a replan with a delta", "produce the missing outcome"] in ways
    assert all(len(way) == 2 for way in ways)


def test_the_ways_are_real_and_minimal(turn: Turn, policy: Policy) -> None:
    evaluation = turn(
        {**TEAM, "quota": {"allowed_slots": 0}}, agent="side-agent", workspace={"kind": "primary"}, todos=[WORK]
    )
    answer = why_not(evaluation, DELIVERY)
    known = {lever.words: lever for lever in levers(evaluation.turn)}

    def mode_after(words: tuple[str, ...]) -> str:
        snapshot = evaluation.snapshot
        for word in words:
            snapshot = known[word].change(snapshot)
        lead = policy.evaluate(snapshot).combined.lead
        assert lead is not None
        return lead.mode

    assert answer["ways"]
    for way in changes(answer):
        assert mode_after(tuple(way)) == DELIVERY
        for smaller in combinations(way, len(way) - 1):
            assert mode_after(smaller) != DELIVERY


def test_a_change_may_uncover_the_next_one(turn: Turn) -> None:
    gate = {**GATE, "blocks_agent": "main-agent"}
    nameless = turn(TEAM, todos=[gate, {**WORK, "claimed_by": "main-agent"}])
    assert ["name --agent-id main-agent", "answer the gate todo_u01"] in changes(why_not(nameless, DELIVERY))


def test_a_large_state_is_searched_less_and_that_is_said(turn: Turn) -> None:
    todos = [{**WORK, "todo_id": f"todo_quay{number}", "status": "blocked"} for number in range(5_000)]
    answer = why_not(turn(todos=todos), "quota_throttled")
    assert answer["ways"] == []
    assert "The search ended after 79 trials; there may be other ways." in answer["note"]


def test_a_way_is_found_among_thousands_of_todos(turn: Turn) -> None:
    todos = [{**WORK, "todo_id": f"todo_quay{number}", "required_write_scopes": ["quay/**"]} for number in range(3_000)]
    gated = turn({"write_scope": ["docs/**"]}, todos=[{**GATE, "global_gate": True}, *todos])
    assert ["answer the gate todo_u01", "add quay/** to write_scope"] in changes(why_not(gated, DELIVERY))


def test_trying_changes_leaves_the_snapshot_alone(turn: Turn) -> None:
    evaluation = turn(todos=[{**GATE, "global_gate": True}, WORK])
    before = repr(evaluation.snapshot)
    why_not(evaluation, DELIVERY)
    assert repr(evaluation.snapshot) == before


def test_a_mode_that_the_turn_has_is_said_to_be_there(turn: Turn) -> None:
    answer = why_not(turn(todos=[WORK]), DELIVERY)
    assert answer["ways"] == []
    assert "already" in answer["note"]


def test_a_mode_that_no_change_reaches_is_said_to_be_out_of_reach(turn: Turn) -> None:
    for exact, said in ((True, r"Nothing .* leads there\."), (False, r"Nothing .* leads there \(\d.* tried\)\.")):
        answer = why_not(turn(), "side_agent_workspace_repair", exact=exact)
        assert answer["ways"] == []
        assert re.match(said, answer["note"])
        assert [(case["key"], case["status"]) for case in answer["barred"]] == [
            ("IP-019.wrong_workspace", "not_matched")
        ]
        assert "agent.identity is side" in answer["barred"][0]["text"]


def test_a_mode_that_something_stricter_keeps_out_says_what(turn: Turn) -> None:
    held = turn({"attention_status": "focus_wait", "waiting_on": "the_moon"}, todos=[WORK])
    answer = why_not(held, "quota_throttled")
    assert answer["ways"] == []
    assert {case["key"] for case in answer["barred"]} == {"GR-throttled.spent", "GR-throttled.cooling_down"}
