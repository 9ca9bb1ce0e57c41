"""No decision contradicts itself or its rules, whatever the project."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from jsonschema import Draft202012Validator

from loopx_policy import globs
from loopx_policy.budget import LIMIT
from loopx_policy.decide import Policy
from loopx_policy.decision import digest
from loopx_policy.detail import detailed
from loopx_policy.explain import explain
from loopx_policy.model import Snapshot, Todo
from loopx_policy.project import from_document, to_document
from loopx_policy.records import replace
from tests.properties.conftest import Decided, decided, read
from tests.support.laying import scratch
from tests.support.projects import Project, projects
from tests.support.rewording import reword

SCHEMA = json.loads((Path(__file__).parents[2] / "catalog/schemas/decision.schema.json").read_text())
DELIVERS = ("bounded_delivery", "bounded_delivery_with_user_notice", "scoped_user_gate_fallback")


def told(one: Decided) -> str:
    """What to print where a law is broken."""
    return f"{one.text}\n{one.project.dump()}"


def test_every_flag_is_the_modes(sample: list[Decided], policy: Policy) -> None:
    for one in sample:
        mode = policy.catalog.modes[one.contract["mode"]]
        agent, cli = one.contract["agent_channel"], one.contract["cli_channel"]
        assert one.answer["should_run"] is agent["must_attempt"] is mode.must_attempt, told(one)
        assert agent["delivery_allowed"] is mode.delivery_allowed, told(one)
        assert cli["spend_after_validation"] is mode.spend_after_validation, told(one)
        assert cli["spend_policy"] == mode.spend_policy, told(one)
        assert cli["spend_allowed_now"] is False
        assert one.answer["effective_action"] in mode.effective_actions, told(one)
        if agent["quiet_noop_allowed"]:
            assert mode.quiet_noop_allowed, told(one)


def test_the_lead_is_a_case_of_its_pattern_with_that_mode_and_state(sample: list[Decided], policy: Policy) -> None:
    cases = {(case.pattern, case.id): case for case in policy.catalog.cases["turn"]}
    for one in sample:
        lead = one.answer["lead"]
        case = cases[lead["pattern"], lead["case"]]
        assert (case.mode, case.state) == (one.contract["mode"], one.answer["state"]), told(one)


def test_somebody_has_a_duty_or_leave_to_be_quiet_or_was_told(sample: list[Decided]) -> None:
    for one in sample:
        agent, user = one.contract["agent_channel"], one.contract["user_channel"]
        assert agent["must_attempt"] or agent["quiet_noop_allowed"] or user["notify"] == "NOTIFY", told(one)


def test_nobody_is_quiet_about_what_a_person_has_open(sample: list[Decided]) -> None:
    for one in sample:
        agent, user = one.contract["agent_channel"], one.contract["user_channel"]
        if user["action_required"]:
            assert user["notify"] == "NOTIFY", told(one)
            assert not agent["quiet_noop_allowed"], told(one)
        if one.answer["state"] != "paused" and agent["quiet_noop_allowed"]:
            assert user["items"] == [], told(one)


def test_where_a_person_is_told_the_agent_is_not_quiet(sample: list[Decided]) -> None:
    for one in sample:
        agent, user = one.contract["agent_channel"], one.contract["user_channel"]
        assert not (user["notify"] == "NOTIFY" and agent["quiet_noop_allowed"]), told(one)


def test_an_open_gate_of_the_caller_is_shown_outside_a_pause(sample: list[Decided]) -> None:
    for one in sample:
        mine = [todo.todo_id for todo in gates_of(one.snapshot)]
        if mine and one.answer["state"] != "paused":
            assert one.contract["user_channel"]["notify"] == "NOTIFY", told(one)
            assert set(mine) <= {item["todo_id"] for item in one.full["interaction_contract"]["user_channel"]["items"]}


def test_a_pause_is_silent(sample: list[Decided]) -> None:
    for one in sample:
        if one.answer["state"] == "paused":
            user = one.contract["user_channel"]
            assert (user["notify"], user["action_required"]) == ("DONT_NOTIFY", False), told(one)


def test_candidates_are_listed_only_where_work_is_delivered(sample: list[Decided]) -> None:
    for one in sample:
        agent = one.contract["agent_channel"]
        listed = one.full["interaction_contract"]["agent_channel"]["candidates"]
        if one.contract["mode"] in DELIVERS:
            assert agent["selected_todo_id"] == listed[0]["todo_id"], told(one)
        else:
            assert (agent["selected_todo_id"], listed) == (None, []), told(one)


def gates_of(snapshot: Snapshot) -> list[Todo]:
    """Open gates that concern the caller, read off the todos once more and without the program's own sorting."""
    me = snapshot.invocation.agent_id or ""
    return [
        todo
        for todo in snapshot.state.todos
        if todo.role == "user"
        and todo.task_class == "user_gate"
        and todo.status in ("open", "blocked")
        and todo.blocks_agent in ("", me)
    ]


def covered(todo: Todo, gates: Iterable[Todo]) -> bool:
    """Whether some gate plainly covers the todo: for all, by link, or by a scope of the same kind and key."""
    for gate in gates:
        scope = gate.decision_scope
        if gate.global_gate or gate.unblocks_todo_id == todo.todo_id:
            return True
        if scope is None and not gate.unblocks_todo_id:
            return True
        if scope is not None and any(
            (need.kind, need.key) == (scope.kind, scope.key) for need in todo.required_decision_scopes
        ):
            return True
    return False


def test_no_listed_candidate_is_gated_outside_leased_or_anothers(sample: list[Decided]) -> None:
    checked = 0
    for one in sample:
        snapshot, me = one.snapshot, one.snapshot.invocation.agent_id or ""
        todos = {todo.todo_id: todo for todo in snapshot.state.todos}
        allowed = [*snapshot.goal.write_scope]
        for entry in snapshot.goal.authority:
            fresh = entry.expires_at is None or entry.expires_at > snapshot.now
            known = entry.recorded_at is not None and entry.recorded_at <= snapshot.now
            if entry.decision == "approve" and entry.status == "active" and entry.source and fresh and known:
                allowed += entry.write_scope
        for listed in one.full["interaction_contract"]["agent_channel"]["candidates"]:
            todo = todos[listed["todo_id"]]
            checked += 1
            assert (todo.role, todo.status) == ("agent", "open"), told(one)
            assert todo.task_class == "advancement_task", told(one)
            assert todo.claimed_by in ("", me), told(one)
            assert not covered(todo, gates_of(snapshot)), told(one)
            for scope in todo.required_write_scopes:
                assert any(globs.covers(pattern, scope) for pattern in allowed), told(one)
            for lease in snapshot.leases:
                if lease.todo_id == todo.todo_id and lease.owner != me:
                    assert lease.expires_at is not None, told(one)
                    assert lease.expires_at <= snapshot.now, told(one)
    assert checked > 200


def test_nothing_is_delivered_on_a_spent_quota_in_a_pause_or_from_a_wrong_checkout(sample: list[Decided]) -> None:
    for one in sample:
        goal, now = one.snapshot.goal, one.snapshot.now
        if not one.contract["agent_channel"]["delivery_allowed"]:
            continue
        start = now - goal.quota.window_hours * 3600
        rows = [row for row in one.snapshot.runs.rows if row.generated_at is None or row.generated_at > start]
        assert goal.quota.compute > 0, told(one)
        assert sum(row.slots for row in rows) < goal.quota.allowed_slots, told(one)
        assert goal.quota.next_eligible_at is None or goal.quota.next_eligible_at <= now, told(one)
        me = one.snapshot.invocation.agent_id
        if goal.agents:
            assert me in goal.agents, told(one)
        side = bool(goal.agents) and bool(goal.primary_agent) and me != goal.primary_agent
        if side and goal.side_agent_worktree_required:
            assert one.snapshot.workspace.kind == "worktree", told(one)


def test_the_engines_agree(sample: list[Decided]) -> None:
    for one in sample:
        assert one.answer["engine"] == one.evaluation.matches.engine, told(one)
        assert not one.evaluation.disagreement, told(one)


def test_no_grant_is_ever_withheld(sample: list[Decided]) -> None:
    for one in sample:
        assert "withholds" not in one.answer["reason"], told(one)


def test_the_record_has_exactly_the_declared_facts(sample: list[Decided], policy: Policy) -> None:
    declared = policy.catalog.points["turn"].facts
    for one in sample:
        values = one.evaluation.turn.record.values
        assert list(values) == list(values.keys() & declared.keys()) or values.keys() == declared.keys()
        assert values.keys() == declared.keys()


def test_the_answer_is_small_has_its_published_shape_and_no_path_of_the_machine(sample: list[Decided]) -> None:
    validator = Draft202012Validator(SCHEMA)
    for one in sample:
        assert len(one.text.encode()) <= LIMIT < 2048, told(one)
        assert list(validator.iter_errors(one.answer)) == [], told(one)
        assert one.root not in one.text, told(one)


def test_every_placeholder_is_filled(sample: list[Decided]) -> None:
    for one in sample:
        said = [one.decision.reason, one.decision.user_reason, one.decision.primary_action]
        said += [duty.text for duty in one.decision.duties]
        assert not any(word in text for text in said for word in ("{", "}")), told(one)
        assert all(text.strip() == text for text in said), told(one)


def test_the_same_snapshot_gives_the_same_bytes_also_by_way_of_a_document(
    sample: list[Decided], policy: Policy
) -> None:
    for one in sample:
        document = json.loads(json.dumps(to_document(one.snapshot)))
        again = decided(policy, one.project, from_document(document), one.root)
        assert again.text == one.text, told(one)


def test_a_second_changes_the_digest_only_where_it_changes_a_fact(sample: list[Decided], policy: Policy) -> None:
    for one in sample[:300]:
        other = policy.evaluate(replace(one.snapshot, now=one.snapshot.now + 1))
        same = other.turn.record.values == one.evaluation.turn.record.values
        assert (digest(other) == digest(one.evaluation)) is same, told(one)


def test_rewording_free_text_changes_no_flag(sample: list[Decided], policy: Policy) -> None:
    with scratch() as folder:
        for one in sample:
            snapshot, root = read(policy, reword(one.project, 7), folder)
            other = decided(policy, one.project, snapshot, root)
            if one.snapshot.workspace.kind == snapshot.workspace.kind:
                assert flags(other) == flags(one), told(one)


def flags(one: Decided) -> list[object]:
    """Everything of an answer that is not prose; ids that are derived from the text are left out."""
    user, agent, cli = (one.contract[f"{name}_channel"] for name in ("user", "agent", "cli"))
    return [
        one.answer["lead"],
        one.answer["state"],
        one.answer["effective_action"],
        [duty["id"] for duty in one.answer["obligations"]],
        one.contract["mode"],
        user["action_required"],
        user["notify"],
        agent["must_attempt"],
        agent["delivery_allowed"],
        agent["quiet_noop_allowed"],
        agent["counts"],
        cli["spend_after_validation"],
    ]


def test_the_long_answer_and_the_explanation_tell_the_same(sample: list[Decided]) -> None:
    for one in sample[:300]:
        long = detailed(one.decision, one.evaluation)
        json.dumps(long)
        assert {key: long[key] for key in one.full} == one.full
        assert long["facts"] == one.evaluation.turn.record.values
        notes = explain(one.evaluation)
        assert notes.lead is not None
        assert notes.lead.key == f"{one.decision.pattern}.{one.decision.case}"
        assert {note.key for note in notes.notes if note.status == "obliged"} >= {
            duty.id for duty in one.decision.duties
        }
        for note in notes.notes:
            if note.status == "not_matched":
                assert note.because, note.key
                assert note.text, note.key


def test_every_mode_and_every_stratum_occurs(sample: list[Decided], policy: Policy) -> None:
    assert {one.contract["mode"] for one in sample} == set(policy.catalog.modes)
    strata = {one.decision.stratum for one in sample}
    assert strata == set(policy.catalog.strata)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(project=projects())
def test_what_hypothesis_draws_decides_without_contradiction(policy: Policy, project: Project) -> None:
    with scratch() as folder:
        snapshot, root = read(policy, project, folder)
    one = decided(policy, project, snapshot, root)
    agent, user = one.contract["agent_channel"], one.contract["user_channel"]
    assert agent["must_attempt"] or agent["quiet_noop_allowed"] or user["notify"] == "NOTIFY"
    assert not (agent["quiet_noop_allowed"] and user["action_required"])
    assert not one.evaluation.disagreement
    assert len(one.text.encode()) <= LIMIT
