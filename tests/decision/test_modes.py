"""Every answer follows the mode table, whatever leads."""

from __future__ import annotations

import json
from pathlib import Path

from loopx_policy.catalog_files import read_sources
from loopx_policy.catalog_source.findings import Report
from loopx_policy.catalog_source.vocabulary import read_vocabulary
from loopx_policy.decide import Policy

ROOT = Path(__file__).parents[2]
# The mode table of the requirements: must attempt, may deliver, may be quiet, may spend after validation.
TABLE = {
    "bounded_delivery": "TTFT",
    "bounded_delivery_with_user_notice": "TTFT",
    "scoped_user_gate_fallback": "TTFT",
    "outcome_floor_recovery": "TTFT",
    "autonomous_replan": "TTFT",
    "successor_replan_required": "TFFT",
    "capability_bridge_repair": "TFFT",
    "boundary_projection_repair": "TFFT",
    "control_plane_self_repair": "TFFT",
    "external_evidence_observation": "TFFT",
    "state_writeback_required": "TFFF",
    "side_agent_workspace_repair": "TFFF",
    "user_gate": "FFFF",
    "user_todo_blocker_push": "FFFF",
    "user_action_required": "FFFF",
    "automation_prompt_upgrade": "FFFF",
    "health_blocked": "FFFF",
    "agent_scope_wait": "FFTF",
    "agent_scope_exhausted": "FFTF",
    "reassignment_required": "FFTF",
    "monitor_quiet_skip": "FFTF",
    "quota_throttled": "FFTF",
    "blocked_wait": "FFTF",
    "skip": "FFTF",
}
ACTIONS = {
    "bounded_delivery": ("normal_run",),
    "bounded_delivery_with_user_notice": ("normal_run",),
    "autonomous_replan": ("autonomous_replan_required",),
    "external_evidence_observation": ("external_evidence_observe",),
    "user_gate": ("operator_gate_notify",),
    "quota_throttled": ("throttled_skip",),
    "skip": ("quota_skip",),
}


def test_modes_have_the_flags_of_the_table(policy: Policy) -> None:
    modes = policy.catalog.modes
    flags = {
        name: "".join(
            "T" if flag else "F"
            for flag in (
                mode.must_attempt,
                mode.delivery_allowed,
                mode.quiet_noop_allowed,
                mode.spend_after_validation,
            )
        )
        for name, mode in modes.items()
    }
    assert flags == TABLE


def test_effective_actions_are_those_of_the_table(policy: Policy) -> None:
    for name, mode in policy.catalog.modes.items():
        if name == "control_plane_self_repair":
            assert mode.effective_actions[:2] == ("state_projection_gap_repair", "monitor_schedule_repair")
        else:
            assert mode.effective_actions == ACTIONS.get(name, (name,))


def test_an_unchanged_watch_is_shown_as_a_watch(policy: Policy) -> None:
    watch = policy.catalog.modes["monitor_quiet_skip"]
    assert (watch.waiting_on, watch.severity) == ("monitor_signal", "watch")


def test_the_decision_schema_knows_every_mode_state_and_action(policy: Policy) -> None:
    schema = json.loads((ROOT / "catalog/schemas/decision.schema.json").read_text())["properties"]
    states = read_vocabulary(read_sources().vocabulary, Report()).states
    contract = schema["interaction_contract"]["properties"]
    actions = [action for mode in policy.catalog.modes.values() for action in mode.effective_actions]
    assert contract["mode"]["enum"] == list(policy.catalog.modes)
    assert schema["state"]["enum"] == list(states)
    assert schema["effective_action"]["enum"] == list(dict.fromkeys(actions))
