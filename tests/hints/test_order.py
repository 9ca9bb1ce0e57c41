"""Hints reorder equals and can do nothing else. Seed: reward-style replanning hints (use, projection smoke)."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.decision import build
from loopx_policy.facts.frontier import Candidate, Verdict, rank
from loopx_policy.hints.hint import AVOID, DAY, PREFER, STRENGTHS, Hint
from loopx_policy.hints.order import reorder
from loopx_policy.model import Snapshot, Todo
from loopx_policy.project.runs import run_of
from loopx_policy.project.times import iso
from loopx_policy.records import replace
from tests.hints.conftest import RUN_AT, Turn, judged, run, work
from tests.properties.conftest import Decided, sample

__all__ = ["sample"]


def first(evaluation: Evaluation) -> str | None:
    return build(evaluation).selected


def order(evaluation: Evaluation) -> list[str]:
    return [candidate.todo_id for candidate in build(evaluation).candidates]


def test_two_safe_candidates_change_places_after_feedback(turn: Turn) -> None:
    todos = [work("todo_a01", "docs_pass"), work("todo_a02", "run_eval"), work("todo_a03", "run_eval", status="done")]
    assert order(turn(todos=todos, runs=[run()])) == ["todo_a01", "todo_a02"]
    assert order(turn(todos=todos, runs=[judged("positive", "todo_a03")])) == ["todo_a02", "todo_a01"]


def test_a_corrected_kind_of_work_goes_last_and_stays_on_the_list(turn: Turn) -> None:
    todos = [work("todo_a01", "docs_pass"), work("todo_a02", "run_eval"), work("todo_a03", "implement")]
    assert order(turn(todos=todos, runs=[judged("negative", "todo_a01")])) == ["todo_a02", "todo_a03", "todo_a01"]


@pytest.mark.parametrize(
    "above",
    [
        {"text": "[P0] todo_a01"},
        {"claimed_by": "main-agent"},
    ],
    ids=["priority", "claim"],
)
def test_a_hint_moves_nothing_over_what_ranks_higher(turn: Turn, above: dict[str, Any]) -> None:
    goal = {"agents": ["main-agent"], "primary_agent": "main-agent"}
    asked = "main-agent"
    todos = [work("todo_a02", "run_eval"), work("todo_a01", "docs_pass") | above]
    found = turn(goal, todos=todos, runs=[judged("positive", "todo_a02")], agent=asked)
    assert order(found) == ["todo_a01", "todo_a02"]


def test_next_action_goes_before_what_a_hint_prefers(turn: Turn) -> None:
    todos = [work("todo_a01", "docs_pass"), work("todo_a02", "run_eval")]
    found = turn(todos=todos, runs=[judged("positive", "todo_a02")], next_action=["Do todo_a01"])
    assert first(found) == "todo_a01"


@pytest.mark.parametrize(
    "barred, others",
    [
        ({"required_capabilities": ["network"]}, []),
        ({"required_write_scopes": ["infra/**"]}, []),
        ({"claimed_by": "side-agent"}, []),
        (
            {"required_decision_scopes": ["production:global:harbor"]},
            [{"todo_id": "todo_u01", "role": "user", "text": "Go?", "task_class": "user_gate", "global_gate": False,
              "blocks_agent": "main-agent", "decision_scope": "production:global:harbor"}],
        ),
    ],
    ids=["capability", "scope", "claim", "gate"],
)  # fmt: skip
def test_praise_does_not_make_barred_work_runnable(
    turn: Turn, barred: dict[str, Any], others: list[dict[str, Any]]
) -> None:
    goal = {"agents": ["main-agent", "side-agent"], "primary_agent": "main-agent", "write_scope": ["docs/**"]}
    todos = [work("todo_a01", "docs_pass"), work("todo_a02", "run_eval") | barred, *others]
    asked = "main-agent"
    before = turn(goal, todos=todos, runs=[run()], agent=asked)
    after = turn(goal, todos=todos, runs=[judged("positive", "todo_a02")], agent=asked)
    assert order(before) == order(after) == ["todo_a01"]
    assert build(before).mode == build(after).mode


def test_praise_does_not_lead_a_side_agent_out_of_its_worktree(turn: Turn) -> None:
    goal = {"agents": ["main-agent", "side-agent"], "primary_agent": "main-agent"}
    todos = [work("todo_a01", "docs_pass"), work("todo_a02", "run_eval")]
    found = turn(
        goal,
        todos=todos,
        runs=[judged("positive", "todo_a02")],
        agent="side-agent",
        workspace={"kind": "primary"},
    )
    assert build(found).mode.name == "side_agent_workspace_repair"


def test_the_answer_names_the_hint_what_it_rests_on_and_the_todo_that_lost(turn: Turn) -> None:
    todos = [work("todo_a01", "docs_pass"), work("todo_a02", "run_eval")]
    agent = build(turn(todos=todos, runs=[judged("positive", "todo_a02")])).to_dict()["interaction_contract"][
        "agent_channel"
    ]
    assert agent["selected_todo_id"] == "todo_a02"
    assert agent["hint"]["over"] == "todo_a01"
    assert agent["hint"]["sources"] == [RUN_AT]
    assert "run_eval" in agent["hint"]["why"]
    assert [each["todo_id"] for each in agent["candidates"]] == ["todo_a02", "todo_a01"]
    assert "todo_a02" in agent["primary_action"]


def test_an_answer_that_no_hint_changed_speaks_of_none(turn: Turn) -> None:
    todos = [work("todo_a01", "run_eval"), work("todo_a02", "docs_pass")]
    decision = build(turn(todos=todos, runs=[judged("positive", "todo_a01")])).to_dict()
    assert "hint" not in decision["interaction_contract"]["agent_channel"]


def test_a_retired_hint_gives_the_old_order_back(turn: Turn) -> None:
    todos = [work("todo_a01", "docs_pass"), work("todo_a02", "run_eval")]
    said = judged("positive", "todo_a02")
    hinted = turn(todos=todos, runs=[said]).hinted
    assert hinted is not None
    edit = {"hint_id": hinted.because[0].hint_id}
    over = run("2026-11-30T10:00:00Z", classification="replan_hint_retired", replan_hint=edit, delivery_outcome="")
    assert order(turn(todos=todos, runs=[said, over])) == ["todo_a01", "todo_a02"]


# The law: over random projects with random feedback, everything but the order of equals is as it is without hints.

KINDS = ("run_eval", "implement", "docs_pass", "")
SAID = ("approve", "reject", "defer")


def spoken(snapshot: Snapshot, dice: random.Random) -> Snapshot:
    """The snapshot with feedback of every kind in its rows: rewards, gate answers, corrections, loops and edits."""
    state = snapshot.state
    ids = [todo.todo_id for todo in state.todos if todo.action_kind] or [todo.todo_id for todo in state.archived]
    gates = [todo.todo_id for todo in snapshot.state.todos if todo.task_class == "user_gate"]
    rows = list(snapshot.runs.rows)
    for _ in range(dice.randint(1, 6)):
        at = snapshot.now - dice.randint(0, 35) * DAY - dice.randint(0, 9)
        raw: dict[str, Any] = {"generated_at": iso(at), "classification": "noted"}
        match dice.randint(0, 6):
            case 0:
                raw["operator_gate"] = {"gate_id": dice.choice(gates or ["todo_u01"]), "decision": dice.choice(SAID)}
            case 1:
                raw["lesson"] = {"id": "lesson_x", "rule": "measure", "superseded": dice.choice(["implement", "x"])}
                raw["lesson_ref"] = "lesson_x"
            case _:
                raw["todo_ids"] = dice.sample(ids, min(len(ids), 1))
                raw["human_reward"] = {"reward": dice.choice(["positive", "negative"]), "decision": "noted"}
        rows.append(run_of(raw, snapshot.goal.goal_id))
    rows.sort(key=lambda row: -(row.generated_at or 0))
    return replace(snapshot, runs=replace(snapshot.runs, rows=rows))


def twinned(snapshot: Snapshot, dice: random.Random) -> Snapshot:
    """The snapshot with a twin of each agent todo, alike but for its kind of work, so that many are equals."""
    todos: list[Todo] = []
    for todo in snapshot.state.todos:
        if todo.role == "agent":
            todos.append(replace(todo, todo_id=f"{todo.todo_id}t", action_kind=dice.choice(KINDS), order=len(todos)))
        todos.append(replace(todo, order=len(todos)))
    return replace(snapshot, state=replace(snapshot.state, todos=todos))


def without(evaluation: Evaluation) -> Any:
    """An answer without what a hint may change: the order of candidates, which is first, and what is said of that."""
    answer = build(evaluation).to_dict()
    agent = answer["interaction_contract"]["agent_channel"]
    agent.pop("candidates")
    listed = sorted((each.todo.todo_id for each in evaluation.turn.frontier.runnable), key=len, reverse=True)
    agent.pop("hint", None)
    text = json.dumps(answer | {"facts_digest": ""})
    for todo_id in listed:
        text = text.replace(todo_id, "TODO")
    return text


@pytest.mark.slow
def test_over_two_thousand_random_projects_feedback_changes_the_order_of_equals_and_nothing_else(
    sample: list[Decided], policy: Policy
) -> None:
    unhinted = Policy(replace(policy.catalog, parameters={**policy.catalog.parameters, "hint_active": 0}))
    dice = random.Random(20261201)
    moved: Counter[str] = Counter()
    for one in sample:
        snapshot = spoken(twinned(one.snapshot, dice) if dice.random() < 0.7 else one.snapshot, dice)
        plain, hinted = unhinted.evaluate(snapshot), policy.evaluate(snapshot)
        assert plain.hinted is None
        assert hinted.turn.record.values == plain.turn.record.values
        assert hinted.combined == plain.combined
        primary = plain.turn.view.identity == "primary"
        old, new = plain.turn.frontier.candidates, hinted.turn.frontier.candidates
        assert [rank(each, primary)[:-1] for each in new] == [rank(each, primary)[:-1] for each in old]
        assert {key(each) for each in new} == {key(each) for each in old}
        assert [key(each) for each in new if not each.verdict.runnable] == [
            key(each) for each in old if not each.verdict.runnable
        ]
        assert without(hinted) == without(plain)
        moved["some"] += hinted.hinted is not None
        moved["first"] += build(hinted).selected != build(plain).selected
    assert moved["some"] > 60, moved
    assert moved["first"] > 20, moved
    assert len(sample) >= 2000


def key(candidate: Candidate) -> tuple[str, bool, tuple[str, ...]]:
    return candidate.todo.todo_id, candidate.verdict.runnable, candidate.verdict.cases


@st.composite
def frontiers(draw: st.DrawFn) -> list[Candidate]:
    """Candidates in the order of their rank, some of them barred."""
    found = [
        Candidate(
            Todo(
                f"todo_a{number:02d}",
                "agent",
                "x",
                order=number,
                priority=draw(st.integers(0, 1)),
                task_class="advancement_task",
                action_kind=draw(st.sampled_from(KINDS)),
                claimed_by=draw(st.sampled_from(("", "me"))),
            ),
            {},
            Verdict(draw(st.booleans())),
            named=draw(st.booleans()),
        )
        for number in range(draw(st.integers(0, 8)))
    ]
    return sorted(found, key=lambda candidate: rank(candidate, False))


@st.composite
def some_hints(draw: st.DrawFn) -> list[Hint]:
    return [
        Hint(
            hint_id=f"hint_{number}",
            goal_id="harbor",
            kind=draw(st.sampled_from((PREFER, AVOID))),
            action_kinds=(draw(st.sampled_from(KINDS[:3])),),
            anti_pattern="",
            summary="x",
            strength=draw(st.sampled_from(STRENGTHS)),
            confidence="explicit",
            sources=(),
            since=0,
            days=30,
            standing="active",
        )
        for number in range(draw(st.integers(0, 3)))
    ]


@given(frontiers(), some_hints())
def test_reordering_permutes_runnable_equals_and_is_stable(before: list[Candidate], hints: list[Hint]) -> None:
    after = reorder(before, hints, False)
    assert [rank(each, False)[:-1] for each in after] == [rank(each, False)[:-1] for each in before]
    for old, new in zip(before, after, strict=True):
        assert old.verdict.runnable == new.verdict.runnable
        assert old is new or old.verdict.runnable
    assert sorted(map(id, after)) == sorted(map(id, before))
    assert reorder(after, hints, False) == after
    weight = {id(each): sum(hint.weight(each.todo) for hint in hints) for each in before}
    runnable = [each for each in after if each.verdict.runnable]
    for left, right in pairwise(runnable):
        if rank(left, False)[:-1] == rank(right, False)[:-1]:
            assert (-weight[id(left)], left.todo.order) < (-weight[id(right)], right.todo.order)


@given(frontiers())
def test_without_hints_nothing_moves(before: list[Candidate]) -> None:
    assert reorder(before, [], False) == before
