"""``--detail`` has the sections that status and dashboards know, under their names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loopx_policy.decide import Evaluation
from loopx_policy.decision import build
from loopx_policy.detail import detailed

Turn = Callable[..., Evaluation]
TEAM = {"agents": ["main-agent", "side-agent"], "primary_agent": "main-agent"}
SIDE = {"agent": "side-agent", "workspace": {"kind": "worktree", "branch": "lane"}}


def long_answer(evaluation: Evaluation) -> dict[str, Any]:
    return detailed(build(evaluation), evaluation)


def test_the_capability_gate_names_who_decides_and_the_whole_runnable_set(turn: Turn) -> None:
    todos = [
        {"todo_id": "todo_a01", "text": "[P0] Run the benchmark", "required_capabilities": ["benchmark_runner"]},
        {"todo_id": "todo_a02", "text": "[P0] Mend the runner", "target_capabilities": ["benchmark_runner"]},
        {"todo_id": "todo_a03", "text": "[P1] Write the guide", "required_capabilities": ["shell"]},
    ]
    gate = long_answer(turn(todos=todos))["capability_gate"]
    assert (gate["action"], gate["decision_owner"]) == ("run", "agent")
    assert gate["selection_policy"] == "agent_steering_audit_over_runnable_candidates"
    assert [entry["todo_id"] for entry in gate["runnable_candidates"]] == ["todo_a02", "todo_a03"]
    assert gate["runnable_candidates"][0]["capability_repair_mode"] is True
    assert gate["runnable_candidates"][0]["capability_action"] == "repair_bridge"
    (blocked,) = gate["blocked_candidates"]
    assert (blocked["todo_id"], blocked["missing_capabilities"]) == ("todo_a01", ["benchmark_runner"])


def test_without_a_runnable_todo_the_gate_says_what_happens_instead(turn: Turn) -> None:
    wanted = {"benchmark_runner": "repair_bridge", "network": "ask_owner", "quantum_link": "skip"}
    for capability, action in wanted.items():
        todos = [{"todo_id": "todo_a01", "text": "Run", "required_capabilities": [capability]}]
        assert long_answer(turn(todos=todos))["capability_gate"]["action"] == action
    assert long_answer(turn())["capability_gate"]["action"] == "none"


def test_the_agents_pointer_leaves_the_goals_next_action_alone(turn: Turn) -> None:
    todos = [
        {"todo_id": "todo_a01", "text": "[P0] Dredge"},
        {"todo_id": "todo_a02", "text": "[P2] Survey", "claimed_by": "side-agent"},
    ]
    answer = long_answer(turn(TEAM, **SIDE, todos=todos, next_action=["Dredge first."]))
    pointer = answer["agent_lane_next_action"]
    assert pointer["schema_version"] == "agent_lane_next_action_v0"
    assert (pointer["todo_id"], pointer["preserves_goal_next_action"]) == ("todo_a02", True)
    assert long_answer(turn(todos=todos[:1]))["agent_lane_next_action"] is None


def test_a_quiet_watch_is_waiting_on_a_monitor_signal(turn: Turn) -> None:
    watch = {
        "todo_id": "todo_m01", "text": "Watch", "task_class": "continuous_monitor", "cadence": "1h",
        "next_due_at": "+1h",
    }  # fmt: skip
    answer = long_answer(turn(todos=[watch]))
    assert (answer["waiting_on"], answer["severity"]) == ("monitor_signal", "watch")
    assert answer["effective_action"] == "monitor_quiet_skip"


def test_a_ready_deferred_todo_has_its_execution_contract_and_lanes(turn: Turn) -> None:
    todos = [
        {"todo_id": "todo_a01", "text": "Survey", "status": "done", "no_followup": True},
        {"todo_id": "todo_a02", "text": "Dredge", "status": "deferred", "resume_when": "todo_done:todo_a01"},
        {
            "todo_id": "todo_a03", "text": "Build", "status": "deferred", "resume_when": "todo_done:todo_a01",
            "claimed_by": "main-agent",
        },
        {"todo_id": "todo_a04", "text": "Paint", "status": "deferred", "resume_when": "todo_done:todo_a03"},
    ]  # fmt: skip
    answer = long_answer(turn(TEAM, **SIDE, todos=todos))
    assert answer["execution_obligation"]["contract"] == "deferred_resume_projection"
    assert answer["normal_delivery_allowed"] is False

    def ids(lane: str) -> list[str]:
        return [row["todo_id"] for row in answer[lane]["items"]]

    assert ids("deferred_items") == ["todo_a02", "todo_a03", "todo_a04"]
    assert ids("deferred_resume_candidates") == ["todo_a02", "todo_a03"]
    assert ids("current_agent_deferred_resume_candidates") == []
    assert ids("unclaimed_deferred_resume_candidates") == ["todo_a02"]
    assert ids("other_agent_deferred_resume_candidates") == ["todo_a03"]


def test_every_handoff_is_listed_with_its_gate_state(turn: Turn) -> None:
    states: dict[str, dict[str, Any]] = {
        "blocking": {"status": "blocked"},
        "cleared_without_successor": {"status": "done"},
        "cleared_with_successor": {"status": "done", "successor_todo_ids": ["todo_h01"]},
        "cleared_no_followup": {"status": "done", "no_followup": True},
        "superseded": {"status": "done", "superseded_by": "todo_gone"},
        "deferred": {"status": "deferred"},
    }
    todos = [
        {"todo_id": f"todo_h{number:02d}", "text": "Review", "blocks_agent": "side-agent", **fields}
        for number, fields in enumerate(states.values())
    ]
    gates = long_answer(turn(TEAM, **SIDE, todos=todos))["handoff_gates"]
    assert [gate["gate_state"] for gate in gates] == list(states)
    assert {gate["schema_version"] for gate in gates} == {"todo_handoff_gate_v0"}
    assert gates[0]["owner"] == "main-agent"


def test_refused_authority_is_shown_with_its_reason_and_grants_nothing(turn: Turn) -> None:
    entry = {
        "schema_version": "checkpointed_boundary_authority_v0", "write_scope": ["infra/**"], "source": "operator_gate",
        "decision": "approve", "status": "active", "recorded_at": "-2d", "expires_at": "-1d",
    }  # fmt: skip
    boundary = long_answer(turn({"write_scope": ["docs/**"], "checkpointed_boundary_authority": [entry]}))[
        "goal_boundary"
    ]
    assert boundary["write_scope"] == ["docs/**"]
    assert boundary["checkpointed_boundary_authority"] == []
    assert boundary["rejected_authority"][0]["why"] == "expired"


def test_gates_of_other_agents_are_shown_apart_and_not_counted(turn: Turn) -> None:
    gate = {
        "todo_id": "todo_u01",
        "role": "user",
        "task_class": "user_gate",
        "text": "Which quay?",
        "blocks_agent": "main-agent",
    }
    summary = long_answer(turn(TEAM, **SIDE, todos=[gate]))["user_todo_summary"]
    assert summary["open_count"] == 0
    assert summary["gate_open_items"] == []
    assert [row["todo_id"] for row in summary["other_agent_gate_items"]] == ["todo_u01"]


def test_lanes_hold_sixteen_and_count_the_rest(turn: Turn) -> None:
    todos = [{"todo_id": f"todo_a{number:02d}", "text": "Survey", "claimed_by": "main-agent"} for number in range(20)]
    todos.append({"todo_id": "todo_s01", "text": "Dredge", "claimed_by": "side-agent"})
    summary = long_answer(turn(TEAM, **SIDE, todos=todos))["agent_todo_summary"]
    lane = summary["claimed_open_items"]
    assert (lane["count"], len(lane["items"])) == (21, 16)
    assert "todo_s01" in [row["todo_id"] for row in lane["items"]]
    assert summary["current_agent_claimed_open_items"]["count"] == 1
    assert summary["claimed_by_others_items"]["count"] == 20


def test_a_fallback_names_its_gate_what_it_leaves_alone_and_how_it_is_paid(turn: Turn) -> None:
    gate = {
        "todo_id": "todo_u01", "role": "user", "task_class": "user_gate", "text": "Which pool?",
        "decision_scope": "resource:lane:pool",
    }  # fmt: skip
    todos = [
        gate,
        {"todo_id": "todo_a01", "text": "[P0] Book", "required_decision_scopes": ["resource:lane:pool"]},
        {"todo_id": "todo_a02", "text": "[P1] Survey"},
    ]
    answer = long_answer(turn(todos=todos))
    fallback = answer["scoped_user_gate_fallback"]
    assert [row["todo_id"] for row in fallback["gates"]] == ["todo_u01"]
    assert [row["todo_id"] for row in fallback["gated_items"]] == ["todo_a01"]
    assert fallback["selected_fallback"] == "todo_a02"
    assert fallback["spend_policy"] == "once_after_validated_fallback_writeback"
    assert answer["blocked_priority_fallback"]["notify_user"] is True
    assert [row["todo_id"] for row in answer["blocked_priority_fallback"]["blocked"]] == ["todo_a01"]


def test_blocked_work_without_a_fallback_is_listed_too(turn: Turn) -> None:
    todo = {"todo_id": "todo_a01", "text": "[P0] Dredge", "status": "blocked"}
    fallback = long_answer(turn({"id": "harbor"}, todos=[todo]))["blocked_priority_fallback"]
    assert [row["todo_id"] for row in fallback["blocked"]] == ["todo_a01"]
    assert fallback["selected_fallback"] is None


def test_the_workspace_guard_says_where_the_caller_stands(turn: Turn) -> None:
    guard = long_answer(turn(TEAM, agent="side-agent", workspace={"kind": "primary"}))["workspace_guard"]
    assert guard == {"required": True, "workspace": "primary", "branch": "", "independent_worktree": False}
