"""A person's answer to one exact gate: a decision run, and what the goal state says of the gate, in one write.

Source: the direct-write contract (``operator_gate``), IP-014. The run is the durable source of truth; the gate's todo
carries a summary of it. An answer that lets work go on closes the todo and comes with the resume contract.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from ..facts.points.decision_write import REREAD, SOURCES, sense
from ..model import Todo
from ..project.times import iso
from .documents import goal_part, todo_part
from .drafts import draft, edit
from .edits import Edit
from .places import Ground, readable_state
from .reward import decider
from .run_index import open_gate_rows
from .run_rows import GOAL, new_row
from .write import Judge, Plan, allow

Json = dict[str, Any]
KIND: Final = "operator_gate"
RESUME: Final = "operator_gate_resume_contract"
CLASSIFICATION: Final = "operator_gate_recorded"
VISIBILITY: Final = (
    "loopx quota should-run asks again; loopx history --kind gate shows the decision and its resume contract"
)


@dataclass(slots=True, frozen=True)
class Answer:
    """What the person says about a gate, in short lines. ``settles`` closes the gate though the word is no approval."""

    gate_id: str
    decision: str
    reason_summary: str
    follow_up: str = ""
    settles: bool = False


def answer_gate(here: Ground, judge: Judge, answer: Answer, *, append: bool, operator: bool = False) -> Plan:
    """The plan of one decision run; its result is the contract, and whether the gate is closed.

    ``RefusedError`` where the catalog denies it.
    """
    readable_state(here)
    gates = [todo for todo in here.snapshot.state.todos if todo.task_class == "user_gate" and todo.status != "done"]
    named = [todo for todo in gates if todo.todo_id == answer.gate_id]
    matches = len(named) or open_gate_rows(here, answer.gate_id)
    todo = named[0] if named else None
    approved = sense(answer.decision) == "approve" or answer.settles
    contract = _contract(here, answer, todo, approved)
    document = {
        "decision_kind": KIND,
        "step": "append" if append else "preview",
        "surface": "cli",
        "actor": decider(here.caller, operator),
        "contract": contract,
        "target": {
            "matches": matches,
            "near": [] if matches else get_close_matches(answer.gate_id, [each.todo_id for each in gates], n=2),
        },
        "effect": {"rows": 1, "rewrites": False},
    }
    allow(judge, "decision_write", document)
    row, edits = _run(here, answer, contract, approved)
    if todo is not None:
        edits = [*_summary(here, judge, todo, answer, approved, row["generated_at"]), *edits]
    result = {name: value for name, value in contract.items() if not isinstance(value, dict)}
    result |= {"gate_closed": approved, "generated_at": row["generated_at"]}
    if approved:
        result["reread"] = list(REREAD)
    if todo is not None and todo.blocks_agent:
        result["blocks_agent"] = todo.blocks_agent
    outcome = "which closes it" if approved else "which stays open"
    return Plan(f"Record {answer.decision} for the gate {answer.gate_id}, {outcome}", result, edits)


def _contract(here: Ground, answer: Answer, todo: Todo | None, approved: bool) -> Json:
    state = "the goal state stays as it is"
    if todo is not None:
        state = f"{todo.todo_id} becomes done" if approved else f"{todo.todo_id} stays open and notes the answer"
    contract: Json = {
        "decision_kind": KIND,
        "goal_id": here.goal.goal_id,
        "target_ref": answer.gate_id,
        "decision": answer.decision,
        "reason_summary": answer.reason_summary,
        "source_of_truth": SOURCES[KIND],
        "write_effect": f"appends one operator_gate run; {state}; every earlier row stays as it is",
        "project_agent_visibility": VISIBILITY,
    }
    if answer.follow_up:
        contract["follow_up"] = answer.follow_up
    if sense(answer.decision) != "refuse" or answer.settles:
        contract[RESUME] = {
            "schema_version": "operator_gate_resume_contract_v0",
            "gate_id": answer.gate_id,
            "reread": list(REREAD),
            "fresh_state_check": "loopx quota should-run",
            "grants": "nothing by itself: the receiver acts only on what the fresh check allows",
        }
    return contract


def _run(here: Ground, answer: Answer, contract: Json, approved: bool) -> tuple[Json, list[Edit]]:
    gate = {
        "schema_version": "operator_gate_v0",
        "gate_id": answer.gate_id,
        "decision": answer.decision,
        "reason_summary": answer.reason_summary,
        "gate_closed": approved,
    }
    fields: Json = {
        "agent_id": None,  # a person's row counts for every lane
        "progress_scope": GOAL,
        KIND: gate | ({"follow_up": answer.follow_up} if answer.follow_up else {}),
        RESUME: contract.get(RESUME),
    }
    advice = f"Read the state again, then go on with what {answer.gate_id} held."
    if not approved:
        advice = f"Leave alone what {answer.gate_id} covers: its owner answered {answer.decision}."
    note = {name.replace("_", " ").capitalize(): value for name, value in contract.items() if isinstance(value, str)}
    if fields[RESUME]:
        note["Read again before acting"] = ", ".join(REREAD)
    payload = {"decision_write_contract_v0": {name: value for name, value in contract.items() if name != RESUME}}
    return new_row(here, CLASSIFICATION, advice, fields, payload, note)


def _summary(here: Ground, judge: Judge, todo: Todo, answer: Answer, approved: bool, time: str) -> list[Edit]:
    """The gate's todo with a summary of the decision; done where it lets work go on."""
    text, now = edit(here), iso(here.caller.now)
    changes: dict[str, str | None] = {"decision": answer.decision, "decision_ref": time, "updated_at": now}
    if approved:
        document = {
            "operation": "complete",
            "actor": {"kind": "operator"},
            "goal": goal_part(here.goal),
            "todo": todo_part(todo, decided=True),
            "completion": {"evidence": f"operator_gate run of {time}", "trivial": True},
        }
        allow(judge, "todo_transition", document)
        changes |= {"status": "done", "completed_at": now}
        text.set_mark(todo, "done")
    text.set_metadata(todo, changes)
    return draft(here, text).plan("", {}).edits
