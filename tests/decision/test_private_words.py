"""Somebody's own text is quoted without what looks private, wherever it comes from."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from loopx_policy.decide import Evaluation
from loopx_policy.decision import build
from loopx_policy.detail import diagnostics
from loopx_policy.explain import explain

Turn = Callable[..., Evaluation]
TOKEN = "ghp" + "_" + "a1B2" * 9
PATH = "/home/" + "ada/notes/plan.md"
OPEN = {"todo_id": "todo_a01", "text": "[P1] Chart the basin"}
SURFACE = [{"generated_at": f"-{n}m", "classification": "x", "delivery_outcome": "surface_only"} for n in (3, 2, 1)]
SOURCES: dict[str, Callable[[str], dict[str, Any]]] = {
    "waiting_on": lambda text: {"goal": {"waiting_on": text}},
    "attention_status": lambda text: {"goal": {"attention_status": text}},
    "must_advance": lambda text: {"goal": {"outcome_floor": {"must_advance": [text]}}, "runs": SURFACE},
    "lesson": lambda text: {"runs": [{"generated_at": "-1m", "raw": {"lesson": {"rule": text}}}]},
    "plan": lambda text: {"runs": [{"generated_at": "-1m", "raw": {"plan": {"items": [{"text": text}]}}}]},
    "lease owner": lambda text: {"leases": [{"todo_id": "todo_a01", "owner": text}]},
    "monitor target": lambda text: {
        "runs": [
            {"generated_at": f"-{n}m", "classification": "quota_monitor_poll", "monitor_target": text}
            for n in range(9, 0, -1)
        ]
    },
    "next action": lambda text: {"todos": [], "next_action": [text]},
    "problem": lambda text: {"state": {"problems": [{"message": f"Wrong: {text}.", "at": "STATE.md:3"}]}},
}
QUOTED = {"waiting_on", "attention_status", "must_advance", "lesson", "lease owner", "monitor target", "problem"}
"""Sources that an answer quotes; the others show in an explanation at most."""


@pytest.mark.parametrize("private", [TOKEN, PATH])
@pytest.mark.parametrize("source", SOURCES)
def test_no_source_of_free_text_brings_a_secret_or_a_path_into_an_answer(turn: Turn, source: str, private: str) -> None:
    document = {"todos": [OPEN], **SOURCES[source](f"the survey in {private} and more")}
    evaluation = turn(**document)
    answer = json.dumps(build(evaluation).to_dict())
    told = answer + json.dumps(explain(evaluation).to_dict()) + json.dumps(diagnostics(evaluation.snapshot))
    assert private not in told
    assert "(private) and more" in told or source == "plan"
    assert ("the survey in (private) and more" in answer) is (source in QUOTED)


def test_a_row_whose_time_is_none_is_not_placed_by_its_text(turn: Turn) -> None:
    rows = [{"raw": {"generated_at": PATH, "classification": "x", "lesson": {"rule": "look twice"}}}]
    evaluation = turn(todos=[OPEN], runs=rows)
    told = json.dumps(build(evaluation).to_dict()) + json.dumps(explain(evaluation).to_dict())
    assert "look twice" in told
    assert PATH not in told
