"""Snapshot documents: easy to write, strict to read, and the same again after a round trip."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopx_policy.errors import StateError
from loopx_policy.model import (
    Authority,
    DecisionScope,
    Goal,
    Invocation,
    Lease,
    Merge,
    NextAction,
    OutcomeFloor,
    Problem,
    Quota,
    Snapshot,
    State,
    Todo,
)
from loopx_policy.project import from_document, to_document
from loopx_policy.project.state import parse_state
from tests.project.documents import GOOD, spoilt

NOW = 1_796_083_200
LEAST = {"now": "2026-12-01T00:00:00Z", "goal": {"id": "g"}}
QUICK = settings(suppress_health_check=list(HealthCheck), deadline=None)


def doc(**parts: Any) -> Snapshot:
    return from_document({**LEAST, **parts})


def test_the_least_document_is_a_goal_with_the_defaults_of_the_registry() -> None:
    assert doc() == Snapshot(NOW, Goal("g"))
    assert to_document(doc()) == {"schema_version": "loopx_snapshot_v0", **LEAST}


def test_todos_have_the_defaults_of_the_state_file() -> None:
    state = parse_state("## User Todo\n- [x] one\n## Agent Todo\n- [ ] [P1] two\n- [ ] [P2-monitor] three")
    written = doc(
        todos=[{"role": "user", "text": "one", "status": "done"}, {"text": "[P1] two"}, {"text": "[P2-monitor] three"}]
    )
    for read, todo in zip(state.todos, written.state.todos, strict=True):
        read.line = read.last_line = 0
        assert todo == read


def test_values_are_typed_as_the_metadata_is() -> None:
    (todo,) = doc(
        todos=[
            {
                "todo_id": "todo_m01",
                "priority": 2,
                "cadence": "2h",
                "next_due_at": "-30m",
                "expires_at": "2026-12-01T08:00:00+08:00",
                "decision_scope": "resource:lane:gpu",
                "required_capabilities": ["cli-bridge"],
                "line": 7,
            }
        ]
    ).state.todos
    assert todo == Todo(
        "todo_m01",
        "agent",
        "",
        7,
        7,
        "Agent Todo",
        priority=2,
        task_class="advancement_task",
        cadence=120,
        next_due_at=NOW - 1800,
        expires_at=NOW,
        decision_scope=DecisionScope("resource", "lane", "gpu"),
        required_capabilities=("cli_bridge",),
    )


def test_the_goal_and_the_rest() -> None:
    snapshot = doc(
        agent="main",
        capabilities=["network"],
        goal={
            "id": "g",
            "agents": ["main", "side"],
            "quota": {"compute": 0.5, "window_hours": 12},
            "outcome_floor": {},
            "checkpointed_boundary_authority": [{"write_scope": ["x/**"], "recorded_at": "-1h"}],
        },
        next_action=["Go on with todo_a01", {"text": "more", "line": 9}],
        leases=[{"todo_id": "todo_a01", "owner": "side", "expires_at": "+1h"}],
        merges=["acme/tool#12", "#7"],
    )
    assert snapshot.goal == Goal(
        "g",
        agents=("main", "side"),
        quota=Quota(0.5, 12.0, 1.0, 360),
        outcome_floor=OutcomeFloor(),
        authority=(Authority(("x/**",), recorded_at=NOW - 3600),),
    )
    assert snapshot.invocation == Invocation("main", ("network",))
    assert snapshot.state.next_actions == [NextAction("Go on with todo_a01", 0, ("todo_a01",)), NextAction("more", 9)]
    assert snapshot.leases == [Lease("todo_a01", "side", None, NOW + 3600)]
    assert snapshot.merges == [Merge("acme/tool", 12), Merge("", 7)]


def test_runs_stand_newest_last_as_in_the_index() -> None:
    snapshot = doc(
        runs=[
            {"generated_at": "-2h", "classification": "quota_slot_spent"},
            {"generated_at": "-1h", "classification": "note", "raw": {"classification": "x", "lesson": {"rule": "r"}}},
            {"classification": "quota_slot_spent", "slots": 3},
            {
                "raw": {
                    "generated_at": "2026-12-01T00:00:00Z",
                    "quota_event": {"slots": 2},
                    "classification": "quota_slot_voided",
                }
            },
            {
                "autonomous_replan_ack": {
                    "recorded": True,
                    "delta_contract": {"delta_present": True, "delta_kinds": ["todo"]},
                }
            },
        ]
    )
    rows = snapshot.runs.rows[::-1]
    assert [(row.generated_at, row.classification, row.slots) for row in rows] == [
        (NOW - 7200, "quota_slot_spent", 1),
        (NOW - 3600, "note", 0),
        (None, "quota_slot_spent", 3),
        (NOW, "quota_slot_voided", -2),
        (None, "", 0),
    ]
    assert rows[1].raw["lesson"] == {"rule": "r"}
    assert (rows[4].ack_recorded, rows[4].ack_delta, rows[4].delta_kinds) == (True, True, ("todo",))


def test_a_document_is_held_to_the_contract_of_todos() -> None:
    todos = [{"todo_id": "todo_u01", "role": "user", "task_class": "user_gate", "line": 4}]
    (problem,) = doc(goal={"id": "g", "agents": ["a", "b"]}, todos=todos, state={"file": "S.md"}).state.problems
    assert (problem.at, problem.todo_id, problem.breaks_contract) == ("S.md:4", "todo_u01", True)
    (problem,) = doc(todos=[{"todo_id": "todo_a01", "superseded_by": "todo_a01"}]).state.problems
    assert problem.at == "todos[0]"


def test_what_the_todos_show_by_themselves_is_not_written() -> None:
    state = parse_state("## User Todo\n- [ ] x\n  <!-- loopx:todo todo_id=todo_u01 cadense=x -->", file="S.md")
    document = to_document(Snapshot(NOW, Goal("g"), state))
    assert len(state.problems) == 2
    assert [problem["message"] for problem in document["state"]["problems"]] == [
        "todo_u01: unknown metadata key cadense, perhaps cadence."
    ]
    document["todos"][0]["task_class"] = "user_action"
    assert [problem.breaks_contract for problem in from_document(document).state.problems] == [False]


@pytest.mark.parametrize(
    "parts, at, said",
    [
        (
            {"todos": [{}, {}, {"status": "opne"}]},
            "$.todos[2].status",
            "status must be one of open, done, blocked, deferred, not 'opne'.",
        ),
        ({"todos": [{"statsu": "open"}]}, "$.todos[0].statsu", "statsu is no known key. Did you mean status?"),
        ({"todos": {}}, "$.todos", "todos must be a list, not an object."),
        ({"todos": [{"global_gate": "yes"}]}, "$.todos[0].global_gate", "must be true or false, not 'yes'."),
        ({"todos": [{"priority": 7}]}, "$.todos[0].priority", "must be a whole number, at least 0, at most 4, not 7."),
        ({"todos": [{"claimed_by": "Main"}]}, "$.todos[0].claimed_by", "at most 80), not 'Main'."),
        (
            {"todos": [{"required_write_scopes": ["a", "../x"]}]},
            "$.todos[0].required_write_scopes[1]",
            "must be a relative glob",
        ),
        ({"now": "-30m"}, "$.now", "must be an ISO 8601 time"),
        ({"now": 5}, "$.now", "Write it as a text, in quotes."),
        ({"goal": {}}, "$.goal", "goal lacks id."),
        ({"goal": {"id": "../x"}}, "$.goal.id", "must be one path segment"),
        ({"goal": {"id": "g", "quota": {"compute": True}}}, "$.goal.quota.compute", "must be a number"),
        ({"agent": ""}, "$.agent", "must be an agent id"),
        ({"now": "0001-01-01T00:00:00+23:59"}, "$.now", "must be an ISO 8601 time"),
        ({"now": "9999-12-31T23:59:59-23:59"}, "$.now", "must be an ISO 8601 time"),
        ({"todos": [{"expires_at": "9999-12-31T23:59:59-23:59"}]}, "$.todos[0].expires_at", "an ISO 8601 time"),
        ({"todos": [{"expires_at": "+9999999d"}]}, "$.todos[0].expires_at", "an ISO 8601 time"),
        ({"runs": [{"generated_at": "-9999999d"}]}, "$.runs[0].generated_at", "an ISO 8601 time"),
        ({"agent": "a" * 2000}, "$.agent", "must be an agent id (a-z, then a-z, 0-9 and _.:@-, at most 80)"),
        ({"goal": {"id": "g", "agents": ["side", "Main Agent"]}}, "$.goal.agents[1]", "must be an agent id"),
        ({"schema_version": "v1"}, "$.schema_version", "must be one of loopx_snapshot_v0"),
        ({"next_action": [5]}, "$.next_action[0]", "must be a text or an object, not 5."),
        ({"runs": [{"raw": []}]}, "$.runs[0].raw", "must be an object, not a list."),
        ({"state": {"front": {"a": None}}}, "$.state.front.a", "must be a text, not null."),
    ],
)
def test_a_mistake_is_located(parts: dict[str, Any], at: str, said: str) -> None:
    with pytest.raises(StateError) as caught:
        doc(**parts)
    assert caught.value.at == at
    assert said in f"{caught.value.message} {caught.value.fix}"
    with pytest.raises(StateError) as caught:
        from_document({**LEAST, **parts}, "s.yaml")
    assert caught.value.at == f"s.yaml {at}"


@pytest.mark.parametrize("document", [None, [], "x", 5, {}, {"now": "2026-12-01"}])
def test_what_is_no_document_is_an_error(document: Any) -> None:
    with pytest.raises(StateError) as caught:
        from_document(document)
    assert caught.value.at == "$"


def test_a_goal_that_allows_nothing_stays_so() -> None:
    snapshot = Snapshot(
        NOW, Goal("g", quota=Quota(compute=0.0, allowed_slots=0)), State(readable=False, problems=[Problem("x")])
    )
    assert from_document(to_document(snapshot)) == snapshot


def test_a_document_has_one_order_of_keys_and_no_defaults() -> None:
    first = to_document(doc(todos=[{"note": "b", "todo_id": "todo_a01", "status": "open"}], agent="a"))
    second = to_document(from_document(dict(reversed(first.items()))))
    assert json.dumps(first) == json.dumps(second)
    assert first["todos"] == [{"todo_id": "todo_a01", "note": "b"}]


@QUICK
@given(GOOD)
def test_a_round_trip_changes_nothing(document: dict[str, Any]) -> None:
    snapshot = from_document(document)
    written = to_document(snapshot)
    assert from_document(json.loads(json.dumps(written))) == snapshot
    assert to_document(from_document(written)) == written


LINES = st.sampled_from(
    [
        "## Agent Todo",
        "## User Todo",
        "## Todo Archive",
        "## Next Action",
        "- [ ] [P1] one",
        "- [x] two",
        "- bullet todo_a01",
        "  more",
        "  <!-- loopx:todo todo_id=todo_a01 status=blocked cadence=90m mood=x -->",
        "  <!-- loopx:todo task_class=user_gate next_due_at=2026-12-01T00:00 decision_scope=direction:goal:x -->",
        "  <!-- loopx:todo todo_id=todo_a02 superseded_by=todo_a01 claimed_by=Bad note=%zz -->",
    ]
)


@given(st.lists(LINES, max_size=14), st.sampled_from([(), ("a", "b")]))
def test_every_state_file_survives_a_round_trip(lines: list[str], agents: tuple[str, ...]) -> None:
    state = parse_state("\n".join(lines), file="docs/S.md", agents=agents)
    snapshot = Snapshot(NOW, Goal("g", agents=agents), state)
    assert from_document(json.loads(json.dumps(to_document(snapshot)))) == snapshot


@QUICK
@given(spoilt())
def test_no_document_raises_anything_but_a_located_error(document: Any) -> None:
    caught: StateError | None = None
    try:
        from_document(document)
    except StateError as error:
        caught = error
    assert caught is None or (caught.at.startswith("$") and caught.message.endswith("."))
