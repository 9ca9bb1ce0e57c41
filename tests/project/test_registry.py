"""The registry: what it gives, where it fails, and that a mistake never allows more."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.errors import StateError, UsageError
from loopx_policy.model import Authority, Goal, OutcomeFloor, Problem, Quota
from loopx_policy.project.positions import line_of
from loopx_policy.project.registry import Registry, registry_of

FULL = {
    "id": "harbor",
    "status": "active",
    "domain": "ships",
    "repo": "..",
    "state_file": "STATE.md",
    "adapter": {"kind": "generic", "status": "connected"},
    "quota": {"compute": 0.5, "window_hours": 12, "slot_minutes": 2, "next_eligible_at": "1970-01-01T00:01:00Z"},
    "coordination": {
        "registered_agents": ["main", {"id": "side"}, {"agent_id": "third"}, {"name": "fourth"}],
        "primary_agent": "main",
        "side_agent_handoff_agent": "side",
        "write_scope": ["src/**"],
        "available_capabilities": ["cli-bridge"],
        "claim_ttl_minutes": 30,
        "checkpointed_boundary_authority": [
            {
                "schema_version": "checkpointed_boundary_authority_v0",
                "write_scope": ["runner/**"],
                "source": "owner",
                "decision": "approve",
                "status": "active",
                "recorded_at": "1970-01-01T00:00:01Z",
            }
        ],
    },
    "waiting_on": "focus_wait",
    "attention_status": "waiting",
    "recommended_action": "Wait.",
    "execution_profile": {"outcome_floor": {"surface_streak_threshold": 4, "must_advance": ["x"]}},
    "control_plane": {"self_repair": {"enabled": True, "allow_health_blocker_repair": True}},
    "workspace_guard_policy": {"side_agent_independent_worktree_required": False},
    "spawn_policy": {"anything": [1]},
}


def registry(*entries: object, **top: object) -> Registry:
    text = json.dumps({"schema_version": 1, "goals": list(entries), **top}, indent=1)
    return registry_of(text.encode(), "/home/x/.loopx/registry.json")


def typed(**entry: Any) -> tuple[Goal, list[Problem]]:
    return registry({"id": "g", **entry}).goal("g")


def test_every_key_of_an_entry_is_typed_and_the_entry_kept() -> None:
    goal, problems = registry(FULL).goal("harbor")
    assert problems == []
    assert goal == Goal(
        goal_id="harbor",
        status="active",
        domain="ships",
        repo="..",
        state_file="STATE.md",
        adapter_kind="generic",
        adapter_status="connected",
        agents=("main", "side", "third", "fourth"),
        primary_agent="main",
        handoff_agent="side",
        write_scope=("src/**",),
        capabilities=("cli_bridge",),
        claim_ttl_minutes=30,
        authority=(
            Authority(("runner/**",), "owner", "approve", "active", "checkpointed_boundary_authority_v0", 1, None),
        ),
        quota=Quota(0.5, 12.0, 2.0, 180, 60),
        waiting_on="focus_wait",
        attention_status="waiting",
        recommended_action="Wait.",
        outcome_floor=OutcomeFloor(4, ("x",)),
        self_repair_enabled=True,
        allow_health_blocker_repair=True,
        side_agent_worktree_required=False,
        raw=FULL,
    )


def test_an_entry_with_only_an_id_has_the_defaults() -> None:
    goal, problems = typed()
    assert problems == []
    assert goal == Goal("g", raw={"id": "g"})
    assert goal.quota == Quota(1.0, 24.0, 1.0, 1440, None)


def test_null_reads_as_absent() -> None:
    goal, problems = typed(**dict.fromkeys([key for key in FULL if key != "id"]))
    assert problems == []
    assert goal.quota == Quota()


@pytest.mark.parametrize(
    "quota, slots",
    [
        ({}, 1440),
        ({"compute": 0}, 0),
        ({"allowed_slots": 0}, 0),
        ({"allowed_slots": 7}, 7),
        ({"compute": 0.7}, 1008),
        ({"slot_minutes": 7}, 205),
    ],
)
def test_allowed_slots(quota: dict[str, Any], slots: int) -> None:
    assert typed(quota=quota)[0].quota.allowed_slots == slots


@pytest.mark.parametrize(
    "quota",
    [
        "lots",
        [],
        {"compute": "1"},
        {"compute": True},
        {"compute": 1.5},
        {"compute": -0.1},
        {"window_hours": 0},
        {"window_hours": 1e300},
        {"slot_minutes": 0},
        {"slot_minutes": []},
        {"allowed_slots": "unlimited"},
        {"allowed_slots": -1},
        {"allowed_slots": 1.5},
        {"allowed_slots": False},
        {"next_eligible_at": "soon"},
        {"next_eligible_at": 5},
    ],
)
def test_a_malformed_quota_allows_nothing_and_is_placed(quota: Any) -> None:
    goal, problems = typed(quota=quota)
    assert (goal.quota.compute, goal.quota.allowed_slots) == (0.0, 0)
    assert any(problem.breaks_contract for problem in problems)
    assert all(problem.at.startswith("registry.json:") for problem in problems)


@pytest.mark.parametrize(
    "coordination",
    [
        "main",
        {"registered_agents": "main"},
        {"registered_agents": [5]},
        {"registered_agents": [{}]},
        {"registered_agents": [{"id": 7}]},
        {"write_scope": "**"},
        {"write_scope": [1]},
        {"available_capabilities": {"network": True}},
        {"primary_agent": ["main"]},
        {"claim_ttl_minutes": 0},
        {"checkpointed_boundary_authority": {}},
    ],
)
def test_a_malformed_coordination_breaks_the_contract_and_allows_nothing(coordination: Any) -> None:
    goal, problems = typed(coordination=coordination)
    assert [problem.breaks_contract for problem in problems] == [True]
    assert (goal.write_scope, goal.capabilities, goal.authority) == ((), (), ())


@pytest.mark.parametrize(
    "key", ["waiting_on", "status", "state_file", "repo", "adapter", "execution_profile", "control_plane"]
)
def test_a_wrong_type_elsewhere_breaks_the_contract(key: str) -> None:
    (problem,) = typed(**{key: [1]})[1]
    assert problem.breaks_contract
    assert problem.message.startswith(f"{key} must be")


def test_a_problem_names_the_line_of_the_value() -> None:
    source = registry({"id": "a"}, {"id": "b", "quota": {"window_hours": 24, "compute": "all"}})
    (problem,) = source.goal("b")[1]
    line = int(problem.at.removeprefix("registry.json:"))
    assert source.text.splitlines()[line - 1].strip() == '"compute": "all"'
    assert problem.message == "quota.compute must be a number from 0 to 1."


def test_globs_and_capabilities_that_cannot_be_used_are_dropped() -> None:
    goal, problems = typed(
        coordination={"write_scope": ["/etc/**", "src/**"], "available_capabilities": ["Shell", "network"]}
    )
    assert (goal.write_scope, goal.capabilities) == (("src/**",), ("network",))
    assert [problem.breaks_contract for problem in problems] == [False, False]


def test_a_broken_authority_stays_as_a_diagnostic_that_authorises_nothing() -> None:
    entries = [
        {"write_scope": "runner/**", "recorded_at": "long ago", "expires_at": "never"},
        7,
        {"write_scope": ["../x"], "source": 5},
    ]
    goal, problems = typed(coordination={"checkpointed_boundary_authority": entries})
    assert goal.authority == (Authority(("runner/**",), expires_at=0), Authority(), Authority())
    assert problems
    assert not any(problem.breaks_contract for problem in problems)


def test_a_write_scope_that_takes_paths_away_allows_nothing_and_breaks_the_contract() -> None:
    for scopes in (["src/**", "!src/keys/**"], ["!src/keys/**"], ["src/**", " !src/keys"]):
        goal, (problem,) = typed(coordination={"write_scope": scopes})
        assert goal.write_scope == ()
        assert problem.breaks_contract
        assert "!src/keys" in problem.message
    approval = {"write_scope": ["src/**", "!src/keys/**"], "decision": "approve"}
    goal, (problem,) = typed(coordination={"checkpointed_boundary_authority": [approval]})
    assert goal.authority[0].write_scope == ()
    assert "!src/keys" in problem.message


def test_a_registered_agent_that_could_never_ask_breaks_the_contract_and_is_none() -> None:
    for name in ("Main Agent", "a" * 81, "-x"):
        goal, (problem,) = typed(coordination={"registered_agents": ["main", {"id": name}]})
        assert goal.agents == ("main",)
        assert problem.breaks_contract
        assert name[:60] in problem.message
    goal, (problem,) = typed(coordination={"primary_agent": "Main Agent"})
    assert (goal.primary_agent, problem.breaks_contract) == ("", True)


def test_a_primary_that_is_not_registered_is_reported() -> None:
    (problem,) = typed(coordination={"registered_agents": ["a"], "primary_agent": "b"})[1]
    assert not problem.breaks_contract


def test_an_unknown_goal_gets_the_nearest_name() -> None:
    source = registry({"id": "harbor-goal"}, {"id": "other"})
    with pytest.raises(UsageError) as caught:
        source.goal("harbour-goal")
    assert str(caught.value) == "registry.json: No goal 'harbour-goal' is registered. Did you mean 'harbor-goal'?"
    with pytest.raises(UsageError, match=r"Registered: harbor-goal, other\."):
        source.goal("zzz")
    with pytest.raises(UsageError, match="lists no goal"):
        registry().goal("zzz")


def test_two_goals_with_one_id_are_an_error_at_the_second() -> None:
    source = registry({"id": "a"}, {"id": "b"}, {"id": "a"})
    with pytest.raises(StateError) as caught:
        source.goal("a")
    line = int(caught.value.at.removeprefix("registry.json:"))
    assert source.text.splitlines()[line - 1 :][:2] == ["  {", '   "id": "a"']
    assert line > 6
    assert source.goal("b")[0].goal_id == "b"


@pytest.mark.parametrize(
    "data, at, said",
    [
        (b"", "registry.json:1", "not JSON: Expecting value at column 1"),
        (b'{"goals": [\n {"id": }\n]}', "registry.json:2", "at column 9"),
        (b"\n\xff", "registry.json:2", "not UTF-8"),
        (b"[]", "registry.json:1", "must be a JSON object"),
        (b'{\n"version": 1}', "registry.json:1", "no list named goals"),
        (b'{\n"goals": {}}', "registry.json:2", "no list named goals"),
        (b'{"goals": [\n"a"]}', "registry.json:2", "Goal 1 of the registry has no usable id"),
        (b'{"goals": [{"id": "a"},\n{"id":\n"../b"}]}', "registry.json:3", "Goal 2"),
        (b'{"goals": [{"id": 5}]}', "registry.json:1", "Goal 1"),
        (b'{"goals": [],\n"common_runtime_root": 5}', "registry.json:2", "common_runtime_root"),
        (b'{"goals": [{"id": "a", "n": NaN}]}', "registry.json", "NaN"),
        (b"[" * 100_000, "registry.json", "not JSON"),
    ],
)
def test_a_broken_registry_is_an_error_at_its_line(data: bytes, at: str, said: str) -> None:
    with pytest.raises(StateError) as caught:
        registry_of(data, "/tmp/x/registry.json")
    assert caught.value.at == at
    assert said in caught.value.message
    assert caught.value.fix
    assert "/tmp" not in str(caught.value)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def _mutated(entry: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    def put(path: list[str], value: Any) -> dict[str, Any]:
        copy: dict[str, Any] = json.loads(json.dumps(entry))
        inner = copy
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = value
        return copy

    paths = [[key] for key in entry if key != "id"]
    for key, value in entry.items():
        if isinstance(value, dict):
            paths += [[key, inner] for inner in value]
    return st.builds(put, st.sampled_from(paths), JSON)


@given(_mutated(FULL))
def test_no_value_anywhere_in_an_entry_raises(entry: dict[str, Any]) -> None:
    goal, problems = registry(entry).goal("harbor")
    assert goal.raw == entry
    assert all(problem.at.startswith("registry.json:") for problem in problems)
    if (
        goal.quota != Quota(0.5, 12.0, 2.0, 180, 60)
        and isinstance(entry["quota"], dict)
        and goal.quota.allowed_slots > 360
    ):
        assert entry["quota"].get("compute", 1) is None or "allowed_slots" in entry["quota"] or not problems


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [path] + [leaf for key, inner in items for leaf in _leaves(inner, (*path, key))]


@given(JSON)
def test_the_line_of_every_value_is_found(value: Any) -> None:
    text = json.dumps(value, indent=1)
    assert line_of(text, ("missing", "x")) in (1, line_of(text, ("missing",)))
    lines = text.splitlines()
    for path in _leaves(value):
        line = lines[line_of(text, path) - 1]
        found = value
        for key in path:
            found = found[key]
        start = json.dumps(found)[:1] if isinstance(found, (dict, list)) else json.dumps(found)
        assert start in line
        if path and isinstance(path[-1], str):
            assert line.strip().startswith(json.dumps(path[-1]) + ":")
