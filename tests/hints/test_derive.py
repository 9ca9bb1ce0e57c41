"""Which hints follow from what people said. Seed: reward-style replanning hints (inputs, shape, privacy)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from loopx_policy.hints.derive import Hints
from loopx_policy.hints.hint import AVOID, PREFER, Hint
from loopx_policy.hints.signals import REWRITTEN, SURFACE_LOOP, UNVALIDATED
from tests.hints.conftest import RUN_AT, judged, run, work

Derive = Callable[..., Hints]
SCHEMA = json.loads((Path(__file__).parents[2] / "catalog/schemas/replan_hint.schema.json").read_text())
DONE = {"status": "done"}


def only(found: Hints) -> Hint:
    assert len(found.active) == 1, found
    return found.active[0]


def retired(hint: Hint, at: str) -> dict[str, Any]:
    return run(at, classification="replan_hint_retired", replan_hint={"hint_id": hint.hint_id}, delivery_outcome="")


def rewritten(hint: Hint, at: str, **more: Any) -> dict[str, Any]:
    edit = {
        "hint_id": hint.hint_id,
        "hint_kind": hint.kind,
        "action_kinds": list(hint.action_kinds),
        "strength": "weak",
        "expires_after_days": 7,
        "summary": "Measure first.",
    }
    return run(at, classification=REWRITTEN, replan_hint=edit | more, delivery_outcome="")


def test_praise_of_a_run_prefers_the_kind_of_work_that_it_did(hints: Derive) -> None:
    hint = only(hints(todos=[work("todo_a01", "run_eval", **DONE)], runs=[judged("positive", "todo_a01")]))
    assert (hint.kind, hint.action_kinds, hint.confidence) == (PREFER, ("run_eval",), "explicit")
    assert hint.sources == ({"kind": "human_reward", "run_generated_at": RUN_AT},)


def test_a_negative_reward_puts_its_kind_of_work_after_its_equals(hints: Derive) -> None:
    hint = only(hints(todos=[work("todo_a01", "docs_pass", **DONE)], runs=[judged("negative", "todo_a01")]))
    assert (hint.kind, hint.action_kinds) == (AVOID, ("docs_pass",))


def test_a_neutral_reward_orders_nothing_and_that_is_said(hints: Derive) -> None:
    found = hints(todos=[work("todo_a01", "run_eval")], runs=[judged("neutral", "todo_a01")])
    assert found.active == []
    assert found.unused[0][0]["run_generated_at"] == RUN_AT


def test_feedback_on_a_run_that_names_no_kind_of_work_is_not_guessed_at(hints: Derive) -> None:
    rows = [judged("negative", recommended_action="implement the tariffs")]
    found = hints(todos=[work("todo_a01", "implement")], runs=rows)
    assert (found.active, len(found.unused)) == ([], 1)


def test_praise_of_an_outcome_without_a_kind_prefers_work_that_ends_in_evidence(hints: Derive) -> None:
    hint = only(hints(runs=[judged("positive")]))
    assert hint.kind == PREFER
    assert {"outcome_evidence", "validated_writeback"} <= set(hint.action_kinds)


def test_a_corrected_surface_step_names_the_anti_pattern(hints: Derive) -> None:
    hint = only(hints(runs=[judged("negative", delivery_outcome="surface_only")]))
    assert (hint.kind, hint.anti_pattern, hint.confidence) == (PREFER, SURFACE_LOOP, "explicit")


@pytest.mark.parametrize(
    "outcome, pattern", [("surface_only", SURFACE_LOOP), ("outcome_gap", UNVALIDATED)], ids=["surface", "gap"]
)
def test_three_rows_that_moved_nothing_steer_without_anybody_saying_so(
    hints: Derive, outcome: str, pattern: str
) -> None:
    rows = [run(f"2026-11-30T0{hour}:00:00Z", delivery_outcome=outcome) for hour in range(3)]
    hint = only(hints(runs=rows))
    assert (hint.anti_pattern, hint.confidence) == (pattern, "repeated")
    assert hints(runs=rows[1:]).active == []


def test_progress_in_between_ends_a_loop(hints: Derive) -> None:
    rows = [run(f"2026-11-30T0{hour}:00:00Z", delivery_outcome="surface_only") for hour in range(4)]
    rows[1]["delivery_outcome"] = "outcome_progress"
    assert hints(runs=rows).active == []


def test_an_owners_answer_speaks_of_what_its_gate_held_back(hints: Derive) -> None:
    todos = [
        work("todo_a01", "publish"),
        {"todo_id": "todo_u01", "role": "user", "text": "Publish?", "task_class": "user_gate", "status": "done",
         "blocks_agent": "x", "unblocks_todo_id": "todo_a01"},
    ]  # fmt: skip
    for decision, kind in (("approve", PREFER), ("reject", AVOID), ("defer", AVOID)):
        answer = {"gate_id": "todo_u01", "decision": decision}
        assert only(hints(todos=todos, runs=[run(operator_gate=answer, delivery_outcome="")])).kind == kind
    unclear = run(operator_gate={"gate_id": "todo_u01", "decision": "noted"}, delivery_outcome="")
    assert hints(todos=todos, runs=[unclear]).active == []


def test_a_correction_prefers_what_carries_it_and_avoids_what_it_supersedes(hints: Derive) -> None:
    lesson = {"id": "lesson_01", "rule": "measure first", "superseded": "docs_pass"}
    todos = [work("todo_a01", "run_eval", extra={"lesson_ref": "lesson_01"}), work("todo_a02", "docs_pass")]
    found = hints(todos=todos, runs=[run(lesson=lesson, delivery_outcome="")])
    assert {(hint.kind, *hint.action_kinds) for hint in found.active} == {(PREFER, "run_eval"), (AVOID, "docs_pass")}
    assert {"kind": "todo", "todo_id": "todo_a01"} in [source for hint in found.active for source in hint.sources]


def test_prose_of_a_correction_is_not_read(hints: Derive) -> None:
    lesson = {"id": "lesson_01", "rule": "less docs_pass", "superseded": "the docs_pass habit"}
    assert hints(todos=[work("todo_a02", "docs_pass")], runs=[run(lesson=lesson)]).active == []


def test_the_newest_word_on_a_kind_of_work_holds(hints: Derive) -> None:
    rows = [
        judged("positive", "todo_a01", at="2026-11-20T09:00:00Z"),
        judged("negative", "todo_a01", at="2026-11-21T09:00:00Z"),
    ]
    hint = only(hints(todos=[work("todo_a01", "run_eval")], runs=rows))
    assert (hint.kind, len(hint.sources)) == (AVOID, 1)


def test_a_word_counts_from_when_it_was_said_and_not_from_the_run_that_it_judges(hints: Derive) -> None:
    rows = [
        judged("positive", "todo_a01", at="2026-11-20T09:00:00Z", said="2026-11-29T09:00:00Z"),
        judged("negative", "todo_a01", at="2026-11-21T09:00:00Z", said="2026-11-22T09:00:00Z"),
    ]
    assert only(hints(todos=[work("todo_a01", "run_eval")], runs=rows)).kind == PREFER


def test_what_is_dated_ahead_of_the_clock_has_not_been_said_yet(hints: Derive) -> None:
    rows = [judged("positive", "todo_a01", said="2026-12-02T09:00:00Z")]
    assert hints(todos=[work("todo_a01", "run_eval")], runs=rows).every == []


def test_agreement_makes_a_hint_strong(hints: Derive) -> None:
    days = ("2026-11-28T09:00:00Z", "2026-11-29T09:00:00Z")
    todos = [work("todo_a01", "run_eval")]
    assert only(hints(todos=todos, runs=[judged("positive", "todo_a01", at=days[1])])).strength == "medium"
    assert only(hints(todos=todos, runs=[judged("positive", "todo_a01", at=day) for day in days])).strength == "strong"


@pytest.mark.parametrize(
    "said, strength",
    [
        ("2026-11-30T12:00:00Z", "strong"),
        ("2026-11-21T12:00:01Z", "strong"),
        ("2026-11-21T12:00:00Z", "medium"),
        ("2026-11-11T12:00:00Z", "weak"),
        ("2026-11-01T12:00:01Z", "weak"),
    ],
)
def test_strength_decays_by_a_step_in_each_third_of_a_hints_life(hints: Derive, said: str, strength: str) -> None:
    rows = [judged("positive", "todo_a01", at=f"2026-11-01T0{one}:00:00Z", said=said) for one in range(2)]
    assert only(hints(todos=[work("todo_a01", "run_eval")], runs=rows)).strength == strength


def test_a_hint_expires_after_thirty_days(hints: Derive) -> None:
    rows = [judged("positive", "todo_a01", at="2026-11-01T00:00:00Z", said="2026-11-01T12:00:00Z")]
    found = hints(todos=[work("todo_a01", "run_eval")], runs=rows)
    assert [hint.standing for hint in found.every] == ["expired"]


def test_at_most_three_hints_have_an_effect_and_the_strongest_go_first(hints: Derive) -> None:
    todos = [work(f"todo_a{number:02d}", f"kind_{number}") for number in range(5)]
    rows = [judged("positive", todo["todo_id"], at=f"2026-11-2{place}T09:00:00Z") for place, todo in enumerate(todos)]
    rows.append(judged("positive", "todo_a01", at="2026-11-28T09:00:00Z"))
    found = hints(todos=todos, runs=rows)
    assert len(found.active) == 3
    assert found.active[0].action_kinds == ("kind_1",)
    assert [hint.standing for hint in found.resting] == ["resting"] * 2


def test_a_retired_hint_is_over_until_somebody_says_it_anew(hints: Derive) -> None:
    todos, said = [work("todo_a01", "run_eval")], judged("positive", "todo_a01")
    hint = only(hints(todos=todos, runs=[said]))
    over = [said, retired(hint, "2026-11-30T10:00:00Z")]
    found = hints(todos=todos, runs=over)
    assert (found.active, [each.standing for each in found.ended]) == ([], ["retired"])
    anew = judged("positive", "todo_a01", at="2026-11-30T11:00:00Z")
    assert only(hints(todos=todos, runs=[*over, anew])).hint_id == hint.hint_id


def test_a_rewritten_hint_says_what_its_owner_says_and_lasts_as_long(hints: Derive) -> None:
    todos, said = [work("todo_a01", "run_eval")], judged("positive", "todo_a01")
    hint = only(hints(todos=todos, runs=[said]))
    found = only(hints(todos=todos, runs=[said, rewritten(hint, "2026-11-30T10:00:00Z", hint_kind=AVOID)]))
    assert (found.kind, found.strength, found.days, found.summary) == (AVOID, "weak", 7, "Measure first.")
    gone = hints(todos=todos, runs=[said, rewritten(hint, "2026-11-20T10:00:00Z")])
    assert [each.standing for each in gone.ended] == ["expired"]


def test_a_rewrite_that_cannot_be_read_changes_nothing(hints: Derive) -> None:
    todos, said = [work("todo_a01", "run_eval")], judged("positive", "todo_a01")
    hint = only(hints(todos=todos, runs=[said]))
    unreadable: list[dict[str, Any]] = [
        {"hint_kind": "always"},
        {"action_kinds": []},
        {"strength": 9},
        {"expires_after_days": True},
    ]
    for broken in unreadable:
        row = rewritten(hint, "2026-11-30T10:00:00Z", **broken)
        assert only(hints(todos=todos, runs=[said, row])) == hint


def test_a_rewrite_holds_also_where_its_sources_are_no_longer_read(hints: Derive) -> None:
    hint = only(hints(todos=[work("todo_a01", "run_eval")], runs=[judged("positive", "todo_a01")]))
    assert only(hints(runs=[rewritten(hint, "2026-11-30T10:00:00Z")])).summary == "Measure first."


def test_no_hint_has_another_goals_id_or_is_known_by_it(hints: Derive) -> None:
    document: dict[str, Any] = {"todos": [work("todo_a01", "run_eval")], "runs": [judged("positive", "todo_a01")]}
    mine, others = only(hints(**document)), only(hints(goal={"id": "tide"}, **document))
    assert (mine.goal_id, others.goal_id) == ("harbor", "tide")
    assert mine.hint_id != others.hint_id


@pytest.mark.parametrize("given", [None, "positive", 7, [], {"reward": 1}, {"reward": ["positive"]}, {}])
def test_a_malformed_reward_says_nothing(hints: Derive, given: Any) -> None:
    found = hints(todos=[work("todo_a01", "run_eval")], runs=[run(human_reward=given, todo_ids=["todo_a01"])])
    assert found.active == []


def test_what_looks_private_in_a_kind_of_work_is_not_repeated(hints: Derive) -> None:
    secret = "ghp_" + "a1b2c3d4" * 5
    hint = only(hints(todos=[work("todo_a01", secret)], runs=[judged("positive", "todo_a01")]))
    assert secret not in hint.summary


def test_every_hint_has_the_published_shape_and_may_override_nothing(hints: Derive) -> None:
    todos = [work(f"todo_a{number:02d}", f"kind_{number}") for number in range(5)]
    rows = [judged("negative", todo["todo_id"], at=f"2026-11-2{place}T09:00:00Z") for place, todo in enumerate(todos)]
    rows += [run(f"2026-11-30T0{hour}:00:00Z", delivery_outcome="surface_only") for hour in range(3)]
    every = hints(todos=todos, runs=rows).every
    assert len(every) == 6
    for hint in every:
        document = hint.to_dict()
        Draft202012Validator(SCHEMA).validate(document)
        assert document["hard_gate"] is False
        assert [name for name, may in document["boundary"].items() if may] == ["may_reorder_candidates"]


@pytest.mark.parametrize(
    "change",
    [{"hard_gate": True}]
    + [
        {"boundary": {"may_reorder_candidates": True, **dict.fromkeys(names, False), over: True}}
        for names in [[f"may_override_{what}" for what in ("user_gate", "claim", "scope", "capability_gate")]]
        for over in names
    ],
    ids=lambda change: next(reversed(change.get("boundary", change))),
)
def test_the_schema_admits_no_hint_that_overrides_anything(hints: Derive, change: dict[str, Any]) -> None:
    hint = only(hints(todos=[work("todo_a01", "run_eval")], runs=[judged("positive", "todo_a01")]))
    assert not Draft202012Validator(SCHEMA).is_valid(hint.to_dict() | change)
