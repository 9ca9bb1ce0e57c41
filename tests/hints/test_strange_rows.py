"""Rows that other programs wrote, or spoilt: no hint comes of nonsense, and nothing fails over it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide import Policy
from loopx_policy.decision import build
from loopx_policy.hints.derive import derive
from loopx_policy.hints.hint import hint_id
from loopx_policy.hints.surface import feedback_surface
from loopx_policy.project.document import from_document
from loopx_policy.project.runs import run_of
from loopx_policy.records import replace
from tests.hints.conftest import work

FOLDER = Path(__file__).parents[2] / "catalog" / "schemas"
HINT = Draft202012Validator(json.loads((FOLDER / "replan_hint.schema.json").read_text()))
DECISION = Draft202012Validator(json.loads((FOLDER / "decision.schema.json").read_text()))
POLICY = Policy(load_catalog())

WORDS = st.sampled_from(
    ["", "positive", "negative", "approve", "reject", "run_eval", "docs_pass", "todo_a01", "todo_u01", "lesson_01",
     "prefer_candidate", "avoid_candidate", "weak", "strong", "2026-11-30T09:00:00Z", "0001-01-01T00:00:00Z", "a" * 400,
     "surface_only", hint_id("harbor", "kind:run_eval"), "\u202e/home/ada", "human_reward", "todo"]
)  # fmt: skip
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False), WORDS)
KEYS = st.sampled_from(
    ["reward", "decision", "recorded_at", "gate_id", "id", "superseded", "hint_id", "hint_kind", "action_kinds",
     "strength", "expires_after_days", "summary", "source_refs", "anti_pattern", "kind", "todo_id", "run_generated_at"]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=6), max_leaves=8
)
ROWS = st.fixed_dictionaries(
    {
        "generated_at": st.sampled_from(
            ["2026-11-30T09:00:00Z", "2026-12-01T11:00:00Z", "2026-12-09T09:00:00Z", "x", ""]
        )
    },
    optional={
        "classification": st.sampled_from(["replan_hint_retired", "replan_hint_rewritten", "noted"]),
        "delivery_outcome": WORDS,
        "todo_ids": VALUES,
        "todo_id": VALUES,
        "action_kind": VALUES,
        "human_reward": VALUES,
        "operator_gate": VALUES,
        "lesson": VALUES,
        "replan_hint": VALUES,
    },
)
PLACE = from_document(
    {
        "now": "2026-12-01T12:00:00Z",
        "goal": {"id": "harbor", "write_scope": ["**"]},
        "todos": [
            work("todo_a01", "docs_pass"),
            work("todo_a02", "run_eval", extra={"lesson_ref": "lesson_01"}),
            {
                "todo_id": "todo_u01",
                "role": "user",
                "text": "Go?",
                "task_class": "user_gate",
                "status": "done",
                "blocks_agent": "x",
                "unblocks_todo_id": "todo_a01",
            },
        ],
    }
)


@given(st.lists(ROWS, max_size=6))
@settings(max_examples=300, deadline=None)
def test_no_row_makes_a_decision_fail_or_a_hint_that_is_none(rows: list[dict[str, Any]]) -> None:
    found = [run_of(row, "harbor") for row in rows]
    snapshot = replace(PLACE, runs=replace(PLACE.runs, rows=found))
    evaluation = POLICY.evaluate(snapshot)
    DECISION.validate(build(evaluation).to_dict())
    json.dumps(feedback_surface(evaluation))
    for hint in derive(evaluation.turn.view).every:
        HINT.validate(hint.to_dict())
