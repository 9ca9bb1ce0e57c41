"""The shape of a snapshot document, ``loopx_snapshot_v0``: one table for reader, writer and schema.

The keys are those of the on-disk formats wherever these have one.
"""

from __future__ import annotations

from typing import Any, Final

from ..model import DecisionScope, Merge
from . import grammar
from .scopes import DECISION_SCOPE, GRANULARITIES, KINDS, parse_scope
from .shapes import Enum, Field, Flag, ListOf, MapOf, Nullable, Number, Object, Raw, Schema, Text, TextOr, Time
from .times import iso

SCHEMA_VERSION: Final = "loopx_snapshot_v0"


class _Cadence(Text):
    """Minutes, written ``30m``, ``2h`` or ``1d``."""

    def write(self, value: Any) -> Any:
        for unit, size in (("d", 1440), ("h", 60)):
            if value % size == 0:
                return f"{value // size}{unit}"
        return f"{value}m"


class _Merge(Text):
    def write(self, value: Any) -> Any:
        return f"{value.repo}#{value.number}"


def _merge(text: str) -> Merge:
    return Merge(*(grammar.merge(text) or ("", 0)))


def _scope(text: str) -> DecisionScope:
    return parse_scope(text) or DecisionScope("", "", "")


_TEXT: Final = Text()
_NAME: Final = Text("a text that is not empty", least=1)
_TODO_ID: Final = Text("todo_ and 3 to 64 of a-z, 0-9, _ and -", grammar.TODO_ID, grammar.is_todo_id)
_TODO_IDS: Final = ListOf(_TODO_ID)
_AGENT: Final = Text("an agent id (a-z, then a-z, 0-9 and _.:@-, at most 80)", grammar.AGENT_ID, grammar.is_agent_id)
_GLOBS: Final = ListOf(Text("a relative glob without ..", grammar.GLOB, grammar.is_glob))
_CAPABILITY: Final = Text("a capability", grammar.CAPABILITY, grammar.capability, lambda t: t.replace("-", "_"))
_CAPABILITIES: Final = ListOf(_CAPABILITY)
_SCOPE: Final = Text(
    f"kind:granularity:key (kinds {', '.join(KINDS)}; granularities {', '.join(GRANULARITIES)})",
    DECISION_SCOPE,
    parse_scope,
    _scope,
)
_CADENCE: Final = _Cadence("a number with m, h or d, such as 30m", grammar.CADENCE, grammar.minutes, grammar.minutes)
_MERGE: Final = _Merge("owner/repo#12 or #12", grammar.MERGE, grammar.merge, _merge)
_TIME: Final = Time()
_COUNT: Final = Number(least=0)
_GOAL_ID: Final = Text("one path segment", grammar.GOAL_ID, grammar.is_goal_id)

PROBLEM: Final = Object(
    {
        "message": Field(_NAME, "What is wrong, one sentence.", required=True),
        "at": Field(_TEXT, "Where: file:line.", ""),
        "fix": Field(_TEXT, "What to do about it.", ""),
        "todo_id": Field(_TEXT, "The todo that it is about.", ""),
        "breaks_contract": Field(Flag(), "Whether the goal's contract is broken: no work runs. Default true.", True),
    }
)

TODO: Final = Object(
    {
        "todo_id": Field(_TODO_ID, "Its id. Default: derived from role, section, number and text."),
        "role": Field(Enum(("user", "agent")), "Whose list it stands in. Default agent.", "agent"),
        "text": Field(_TEXT, "Its text as written; it may begin with a marker such as [P0].", ""),
        "priority": Field(
            Nullable(Number(least=0, most=4)), "0 (first) to 4; null for none. Default: the marker of the text."
        ),
        "status": Field(Enum(grammar.STATUSES), "Default open.", "open"),
        "task_class": Field(
            Enum(grammar.TASK_CLASSES),
            "Default: of an agent todo advancement_task ([P1-monitor]: continuous_monitor), of a user todo none.",
        ),
        "action_kind": Field(Text("an action kind", grammar.ACTION_KIND, grammar.is_action_kind), "Kind of work.", ""),
        "claimed_by": Field(_AGENT, "The agent that holds it.", ""),
        "blocks_agent": Field(_AGENT, "The agent that it blocks until it is done.", ""),
        "global_gate": Field(Flag(), "Whether it gates every agent of the goal. Default false.", False),
        "unblocks_todo_id": Field(_TODO_ID, "The todo that it unblocks.", ""),
        "superseded_by": Field(_TODO_ID, "The todo that replaces it.", ""),
        "successor_todo_ids": Field(_TODO_IDS, "The todos that follow it.", ()),
        "resume_when": Field(
            Text("todo_done:<todo_id> or pr_merged:<owner/repo>#<number>", grammar.RESUME_WHEN, grammar.is_resume_when),
            "What it waits for: todo_done:todo_x01, pr_merged:owner/repo#12 or pr_merged:#12.",
            "",
        ),
        "no_followup": Field(Flag(), "Whether it needs no successor. Default false.", False),
        "route_continuation_replan_required": Field(
            Flag(), "Whether a handoff asks for a replan. Default false.", False
        ),
        "required_write_scopes": Field(_GLOBS, "Relative globs that it writes.", ()),
        "required_capabilities": Field(_CAPABILITIES, "Capabilities that it needs.", ()),
        "target_capabilities": Field(_CAPABILITIES, "Capabilities that it repairs or builds.", ()),
        "decision_scope": Field(_SCOPE, "What a gate decides: kind:granularity:key.", None),
        "required_decision_scopes": Field(ListOf(_SCOPE), "What must be decided first: kind:granularity:key.", ()),
        "safety_class": Field(Enum(grammar.SAFETY_CLASSES), "How much harm it can do.", ""),
        "target_key": Field(_TEXT, "What a monitor watches.", ""),
        "cadence": Field(_CADENCE, "How often a monitor looks: 30m, 2h, 1d.", None),
        "next_due_at": Field(_TIME, "When a monitor is due.", None),
        "expires_at": Field(_TIME, "When a monitor, or a decision scope, ends.", None),
        "last_checked_at": Field(_TIME, "When a monitor last looked.", None),
        "result_hash": Field(_TEXT, "What a monitor last saw.", ""),
        "consecutive_no_change": Field(_COUNT, "How often in a row a monitor saw no change.", 0),
        "material_change": Field(Flag(), "Whether a monitor last saw a change that matters. Default false.", False),
        "note": Field(_TEXT, "Free text.", ""),
        "reason": Field(_TEXT, "Free text.", ""),
        "evidence": Field(_TEXT, "Free text.", ""),
        "updated_at": Field(_TIME, "When it was last changed.", None),
        "completed_at": Field(_TIME, "When it was done.", None),
        "extra": Field(MapOf(_TEXT), "Metadata keys that this version does not know, with their texts.", {}),
        "section": Field(_TEXT, "The heading that it stands under. Default User Todo or Agent Todo."),
        "line": Field(_COUNT, "The line that it begins on, from 1. Default 0: no file.", 0),
        "last_line": Field(_COUNT, "The line that it ends on. Default: line."),
    }
)

NEXT_ACTION: Final = TextOr(
    "text",
    Object(
        {
            "text": Field(_NAME, "The bullet.", required=True),
            "line": Field(_COUNT, "Its line, from 1. Default 0: no file.", 0),
            "todo_ids": Field(_TODO_IDS, "The todo ids in it. Default: those that its text names."),
        }
    ),
)

RUN: Final = Object(
    {
        "generated_at": Field(_TIME, "When the run was recorded."),
        "classification": Field(_TEXT, "Its label, such as validated_progress or quota_slot_spent."),
        "agent_id": Field(_TEXT, "The agent that ran."),
        "progress_scope": Field(Enum(("goal", "agent_lane")), "Whose progress it is."),
        "recommended_action": Field(_TEXT, "The action that it was about."),
        "delivery_batch_scale": Field(_TEXT, "How much was delivered."),
        "delivery_outcome": Field(
            Enum(("surface_only", "outcome_gap", "outcome_progress", "primary_goal_outcome")), "What came of it."
        ),
        "monitor_target": Field(_TEXT, "The id of the watched target."),
        "autonomous_replan_ack": Field(
            Object(
                {
                    "recorded": Field(Flag(), "Whether the replan was recorded. Default false.", False),
                    "delta_contract": Field(
                        Object(
                            {
                                "delta_present": Field(Flag(), "Whether it changed something. Default false.", False),
                                "delta_kinds": Field(ListOf(_TEXT), "What it changed.", ()),
                            }
                        ),
                        "What the replan changed.",
                        {},
                    ),
                }
            ),
            "That a replan obligation was met.",
        ),
        "slots": Field(Number(), "Slots spent; negative where taken back. Default: by classification 1, -1 or 0."),
        "raw": Field(Raw(), "The row as it stands in the index. The keys beside it take precedence.", {}),
    }
)

GOAL: Final = Object(
    {
        "id": Field(_GOAL_ID, "The goal's id, one path segment.", required=True),
        "status": Field(_TEXT, "Its status.", ""),
        "domain": Field(_TEXT, "Its domain.", ""),
        "repo": Field(_TEXT, "The name of its repository, for people.", ""),
        "state_file": Field(_TEXT, "The name of its state file, for people.", ""),
        "adapter": Field(
            Object(
                {
                    "kind": Field(_TEXT, "Its kind.", ""),
                    "status": Field(_TEXT, "connected-read-only, connected, connected-delivery, ...", ""),
                }
            ),
            "How the goal is connected.",
            {},
        ),
        "agents": Field(ListOf(_AGENT), "The registered agents. Default none.", ()),
        "primary_agent": Field(_AGENT, "The primary one of them.", ""),
        "side_agent_handoff_agent": Field(_TEXT, "Who takes over from side agents.", ""),
        "write_scope": Field(_GLOBS, "Globs that may be written. Default none, which allows nothing.", ()),
        "available_capabilities": Field(_CAPABILITIES, "What every caller of the goal has.", ()),
        "claim_ttl_minutes": Field(Number(least=1), "How long a claim holds.", None),
        "checkpointed_boundary_authority": Field(
            ListOf(
                Object(
                    {
                        "write_scope": Field(_GLOBS, "What may be written besides.", ()),
                        "source": Field(_TEXT, "Where the approval comes from.", ""),
                        "decision": Field(_TEXT, "approve, reject, ...", ""),
                        "status": Field(_TEXT, "active, ...", ""),
                        "schema_version": Field(_TEXT, "checkpointed_boundary_authority_v0.", ""),
                        "recorded_at": Field(_TIME, "When it was recorded.", None),
                        "expires_at": Field(_TIME, "When it ends.", None),
                    }
                )
            ),
            "Approvals that may widen write_scope.",
            (),
        ),
        "quota": Field(
            Object(
                {
                    "compute": Field(Number(False, least=0, most=1), "0 pauses the goal. Default 1.", 1.0),
                    "window_hours": Field(Number(False, above=0, most=87_600), "Default 24.", 24.0),
                    "slot_minutes": Field(Number(False, least=0.001, most=5_256_000), "Default 1.", 1.0),
                    "allowed_slots": Field(_COUNT, "Slots in the window; 0 means none. Default: from the other three."),
                    "next_eligible_at": Field(_TIME, "When the goal may run again.", None),
                    "burst_slots": Field(_COUNT, "Slots in the window while a burst lasts.", None),
                    "burst_until": Field(_TIME, "When the burst ends.", None),
                }
            ),
            "How much may be spent.",
            {},
        ),
        "waiting_on": Field(_TEXT, "A declared wait: external_evidence, focus_wait, ...", ""),
        "attention_status": Field(_TEXT, "What the goal says about its attention.", ""),
        "recommended_action": Field(_TEXT, "What it recommends.", ""),
        "outcome_floor": Field(
            Nullable(
                Object(
                    {
                        "surface_streak_threshold": Field(Number(least=1), "Rows until it is crossed. Default 3.", 3),
                        "must_advance": Field(ListOf(_NAME), "What must move on.", ()),
                        "avoid": Field(ListOf(_NAME), "What to leave alone.", ()),
                        "outcome_markers": Field(ListOf(_NAME), "What shows an outcome.", ()),
                    }
                )
            ),
            "The outcome floor. Default null: none.",
            None,
        ),
        "self_repair": Field(
            Object(
                {
                    "enabled": Field(Flag(), "Default false.", False),
                    "allow_health_blocker_repair": Field(Flag(), "Default false.", False),
                    "allow_waiting_projection_repair": Field(Flag(), "Default false.", False),
                }
            ),
            "What the control plane may repair by itself.",
            {},
        ),
        "side_agent_independent_worktree_required": Field(Flag(), "Default true.", True),
        "raw": Field(Raw(), "The registry entry, carried along; the keys beside it are what counts.", {}),
    }
)

LEASE: Final = Object(
    {
        "todo_id": Field(_TODO_ID, "The todo that is leased.", required=True),
        "owner": Field(_TEXT, "Who holds it. Default empty: somebody unknown.", ""),
        "acquired_at": Field(_TIME, "Since when.", None),
        "expires_at": Field(_TIME, "Until when. Default: without end.", None),
        "write_scopes": Field(_GLOBS, "What the holder may write.", ()),
        "idempotency_key": Field(_TEXT, "The key of the claim.", ""),
    }
)

SNAPSHOT: Final = Object(
    {
        "schema_version": Field(Enum((SCHEMA_VERSION,)), f"{SCHEMA_VERSION}."),
        "now": Field(Time(absolute=True), "The time of the decision, ISO 8601.", required=True),
        "agent": Field(Nullable(_AGENT), "The agent that asks. Default null: nobody is named.", None),
        "capabilities": Field(_CAPABILITIES, "What the caller has besides the goal's own.", ()),
        "registry": Field(_TEXT, "The --registry option as typed.", ""),
        "runtime_root": Field(_TEXT, "The --runtime-root option as typed.", ""),
        "rules": Field(ListOf(_TEXT), "The --rules options as typed: folders of added rules.", ()),
        "goal": Field(GOAL, "The goal, as registered.", required=True),
        "workspace": Field(
            Object(
                {
                    "kind": Field(
                        Enum(("primary", "worktree", "unrelated", "not_git", "unknown")),
                        "Where the caller stands: its own checkout, an independent worktree, or elsewhere.",
                        "unknown",
                    ),
                    "branch": Field(_TEXT, "The branch that is checked out there.", ""),
                }
            ),
            "Where the caller stands. Default unknown.",
            {},
        ),
        "state": Field(
            Object(
                {
                    "file": Field(_TEXT, "The name of the state file, for people.", ""),
                    "readable": Field(Flag(), "Whether it could be read. Default true.", True),
                    "front": Field(MapOf(_TEXT), "Its front matter.", {}),
                    "problems": Field(
                        ListOf(PROBLEM), "What is wrong in it, besides what the todos below show by themselves.", ()
                    ),
                }
            ),
            "The active goal state, besides its todos.",
            {},
        ),
        "todos": Field(ListOf(TODO), "The active todos, in file order.", ()),
        "archived": Field(ListOf(TODO), "The todos of archive sections: history.", ()),
        "next_action": Field(ListOf(NEXT_ACTION), "The bullets under Next Action.", ()),
        "runs": Field(ListOf(RUN), "Rows of the run index, newest last, as in the index.", ()),
        "run_index": Field(
            Object(
                {
                    "complete": Field(Flag(), "Whether runs holds all of the index. Default true.", True),
                    "torn": Field(_COUNT, "How many lines of it could not be read. Default 0.", 0),
                }
            ),
            "What is known of the index besides its rows.",
            {},
        ),
        "leases": Field(ListOf(LEASE), "The task leases.", ()),
        "merges": Field(ListOf(_MERGE), "Merged pull requests: owner/repo#12, or #12.", ()),
        "problems": Field(ListOf(PROBLEM), "What is wrong outside the state.", ()),
    }
)


def schema() -> Schema:
    """The JSON Schema of the document (draft 2020-12)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"{SCHEMA_VERSION}.schema.json",
        "title": "LoopX snapshot",
        "description": f"All that a decision may depend on. Example of a time: {iso(0)}.",
        **SNAPSHOT.schema(),
    }


def schema_text() -> str:
    """The published file ``catalog/schemas/snapshot.schema.json``."""
    import json

    return json.dumps(schema(), ensure_ascii=False, indent=2) + "\n"
