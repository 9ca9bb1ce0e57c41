"""The ways to another turn are all the minimal ones: the solver finds what trying every set of changes finds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import combinations

import pytest

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.levers import Lever
from loopx_policy.project.document import from_document
from loopx_policy.prove import space
from loopx_policy.prove.ways import Found, find, starts
from loopx_policy.why_not import counterfactual, why_not
from tests.properties.conftest import read
from tests.support.laying import scratch
from tests.support.projects import sample_projects

NOW = "2026-12-01T12:00:00Z"
MODES = ("bounded_delivery", "user_gate", "skip", "capability_bridge_repair", "agent_scope_wait")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [7, 21])
def test_the_solver_finds_what_trying_every_set_finds(policy: Policy, seed: int) -> None:
    compared = 0
    with scratch() as folder:
        for project in sample_projects(60, seed):
            snapshot, _ = read(policy, project, folder)
            turn = policy.evaluate(snapshot)
            if not 5 <= len(changes_of(policy, turn)) <= 8:
                continue
            for mode in MODES:
                asked = find(policy, turn, lambda case, mode=mode: case.mode == mode, few=-1)  # type: ignore[misc]
                tried = find(policy, turn, lambda case, mode=mode: case.mode == mode, few=99)  # type: ignore[misc]
                assert sets(asked) == sets(tried), (mode, project.dump())
                compared += 1
    assert compared >= 50


def changes_of(policy: Policy, turn: Evaluation) -> dict[str, Lever]:
    """What can be changed about a turn, by its words."""
    first = next(iter(starts(policy, turn)))
    return {lever.words: lever for lever in (*first.apart, *first.choices)}


def sets(found: Found) -> set[tuple[str, frozenset[str]]]:
    return {(way.case, frozenset(way.changes)) for way in found.ways}


def turn_of(policy: Policy, **document: object) -> Evaluation:
    return policy.evaluate(from_document({"now": NOW, "goal": {"id": "harbor"}, **document}))


def crowded(policy: Policy) -> Evaluation:
    """Two gates over one todo that also lacks two capabilities and writes outside, beside work of others."""
    gate = {"role": "user", "task_class": "user_gate", "decision_scope": "direction:goal:pier"}
    needs = {
        "required_decision_scopes": ["direction:goal:pier"],
        "required_capabilities": ["network", "worker_bridge"],
        "required_write_scopes": ["infra/**"],
    }
    return turn_of(
        policy,
        agent="guest-agent",
        todos=[
            {"todo_id": "todo_u01", "text": "Which pier?", **gate},
            {"todo_id": "todo_u02", "text": "And when?", **gate},
            {"todo_id": "todo_a01", "text": "[P0] Build the pier", **needs},
            {"todo_id": "todo_a02", "text": "[P1] Paint the crane", "claimed_by": "quay-agent"},
            {"todo_id": "todo_a03", "text": "[P1] Oil the winch", "claimed_by": "quay-agent"},
            {"todo_id": "todo_a04", "text": "Old idea", "status": "deferred"},
        ],
    )


def test_all_minimal_sets_are_found_also_those_of_five_changes(policy: Policy) -> None:
    turn = crowded(policy)
    answer = why_not(turn, "bounded_delivery")
    assert answer["method"] == "exact"
    ways = [set(way["changes"]) for way in answer["ways"]]
    gates = {"answer the gate todo_u01", "answer the gate todo_u02"}
    needs = {"provide the capability network", "provide the capability worker_bridge", "add infra/** to write_scope"}
    assert gates | needs in ways
    assert [len(way) for way in ways] == sorted(len(way) for way in ways)
    assert not any(one < other for one, other in combinations(ways, 2))


def test_each_way_leads_there_and_no_part_of_it_does(policy: Policy) -> None:
    turn = crowded(policy)
    known = changes_of(policy, turn)

    def mode_after(words: Sequence[str]) -> str:
        snapshot = turn.snapshot
        for word in words:
            snapshot = known[word].change(snapshot)
        lead = policy.evaluate(snapshot).combined.lead
        assert lead is not None
        return lead.mode

    found = find(policy, turn, lambda case: case.mode == "bounded_delivery")
    assert found.ways
    for way in found.ways:
        assert mode_after(way.changes) == "bounded_delivery"
        for smaller in combinations(way.changes, len(way.changes) - 1):
            assert mode_after(smaller) != "bounded_delivery"


def test_what_a_todo_of_another_needs_is_part_of_the_way(policy: Policy) -> None:
    """A reassigned todo may need what only then can be asked for."""
    held = {
        "todo_id": "todo_a01",
        "text": "Build the pier",
        "claimed_by": "quay-agent",
        "required_capabilities": ["network"],
    }
    answer = why_not(turn_of(policy, agent="guest-agent", todos=[held]), "bounded_delivery")
    ways = [set(way["changes"]) for way in answer["ways"]]
    assert {"reassign todo_a01 to this agent", "provide the capability network"} in ways


def test_a_counterfactual_leads_to_another_mode_and_says_to_which(policy: Policy) -> None:
    gate = {"todo_id": "todo_u01", "role": "user", "task_class": "user_gate", "global_gate": True, "text": "Open?"}
    work = {"todo_id": "todo_a01", "text": "Count the bollards"}
    answer = counterfactual(turn_of(policy, todos=[gate, work]))
    assert answer["mode"] == ""
    assert {"case": "IP-001.deliver", "mode": "bounded_delivery", "changes": ["answer the gate todo_u01"]} in answer[
        "ways"
    ]
    assert all(way["mode"] != "user_gate" for way in answer["ways"])


def test_without_the_solver_the_answer_says_that_it_was_searched_for(
    policy: Policy, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = turn_of(policy, goal={"id": "harbor", "quota": {"compute": 0}}, todos=[{"todo_id": "todo_a01", "text": "x"}])
    exact = why_not(turn, "bounded_delivery")
    space.solver.cache_clear()
    monkeypatch.setitem(sys.modules, "z3", None)
    searched = why_not(turn, "bounded_delivery")
    monkeypatch.undo()
    space.solver.cache_clear()
    assert (exact["method"], searched["method"]) == ("exact", "search")
    assert "loopx-policy[prove]" in searched["note"]
    assert [way["changes"] for way in searched["ways"]] == [["resume the goal (compute above 0)"]]


def test_many_changes_are_answered(policy: Policy) -> None:
    todos = [
        {"todo_id": f"todo_a{n:02d}", "text": f"Pier {n}", "required_capabilities": [f"tool_{n}"]} for n in range(20)
    ]
    turn = turn_of(policy, todos=todos)
    assert len(changes_of(policy, turn)) > 40
    answer = why_not(turn, "bounded_delivery")
    assert answer["method"] == "exact"
    assert len(answer["ways"]) == 21, "one for each tool, and new work"
