"""A hint retired or rewritten by the owner: one row of the run index, and nothing else changes.

Source: the contract of reward-style hints. Hints are derived; only what their owner makes of them is stored. What was
said before a retirement orders nothing any more, and what is said after it speaks anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ..errors import UsageError
from ..hints.derive import LONGEST_DAYS, TEXT
from ..hints.hint import AVOID, PREFER, STRENGTHS, Hint
from ..hints.signals import RETIRED, REWRITTEN
from .documents import change_part
from .places import Ground
from .run_rows import GOAL, new_row
from .write import Judge, Plan, allow

Json = dict[str, Any]
SCHEMA: Final = "replan_hint_edit_v0"


@dataclass(slots=True, frozen=True)
class Rewrite:
    """What the owner makes of a hint; an empty field leaves what it says now. ``days`` count from the rewrite."""

    summary: str = ""
    effect: str = ""
    action_kinds: tuple[str, ...] = ()
    strength: str = ""
    days: int = 0


EFFECTS: Final = {"prefer": PREFER, "avoid": AVOID}
"""The words of the command line for what a hint does."""


def retire(here: Ground, judge: Judge, hint: Hint, reason: str, *, operator: bool = False) -> Plan:
    """End a hint for what has been said so far."""
    _allow(here, judge, {"reason": reason}, operator)
    if hint.standing == "retired":
        return Plan(f"Retire {hint.hint_id}, which is retired", {"hint_id": hint.hint_id, "standing": "retired"})
    edit = {"schema_version": SCHEMA, "hint_id": hint.hint_id, "reason_summary": " ".join(reason.split())}
    advice = f"Take candidates without {hint.hint_id}: its owner retired it."
    row, edits = _row(here, RETIRED, advice, edit)
    result = {"hint_id": hint.hint_id, "standing": "retired", "generated_at": row["generated_at"]}
    return Plan(f"Retire {hint.hint_id}", result, edits)


def rewrite(here: Ground, judge: Judge, hint: Hint, wanted: Rewrite, reason: str, *, operator: bool = False) -> Plan:
    """Put the owner's words in the place of a hint; they hold until they expire, or are retired or rewritten."""
    if wanted == Rewrite():
        raise UsageError(
            "Nothing is named that shall change.", fix="Name it, as --strength weak or --expires-after-days 7."
        )
    if wanted.effect and wanted.effect not in EFFECTS:
        raise UsageError(f"--effect {wanted.effect[:40]} is unknown.", fix=f"Use --effect {' or '.join(EFFECTS)}.")
    if wanted.strength and wanted.strength not in STRENGTHS:
        raise UsageError(f"--strength {wanted.strength[:40]} is unknown.", fix=f"Use {', '.join(STRENGTHS)}.")
    if not 0 <= wanted.days <= LONGEST_DAYS:
        raise UsageError(f"A hint lasts from 1 to {LONGEST_DAYS} days.", fix="Choose --expires-after-days accordingly.")
    if len(wanted.summary.encode()) > TEXT or len(wanted.summary.splitlines()) > 1:
        raise UsageError("The summary is no short line.", fix=f"Say it in one line of {TEXT} bytes.")
    texts = {"summary": wanted.summary, "reason": reason, "action_kinds": list(wanted.action_kinds)}
    _allow(here, judge, texts, operator)
    edit: Json = {
        "schema_version": SCHEMA,
        "hint_id": hint.hint_id,
        "hint_kind": EFFECTS[wanted.effect] if wanted.effect else hint.kind,
        "action_kinds": list(wanted.action_kinds or hint.action_kinds),
        "strength": wanted.strength or hint.strength,
        "expires_after_days": wanted.days or hint.days,
        "source_refs": list(hint.sources),
        "reason_summary": " ".join(reason.split()),
    }
    if wanted.summary or not (wanted.effect or wanted.action_kinds):
        edit["summary"] = wanted.summary or hint.summary
    if hint.anti_pattern:
        edit["anti_pattern"] = hint.anti_pattern
    advice = f"Take candidates with {hint.hint_id} as its owner rewrote it."
    row, edits = _row(here, REWRITTEN, advice, edit)
    result = {"hint_id": hint.hint_id, "standing": "active", "generated_at": row["generated_at"]}
    shown = ("hint_kind", "action_kinds", "strength", "expires_after_days", "summary")
    return Plan(f"Rewrite {hint.hint_id}", result | {name: edit[name] for name in shown if name in edit}, edits)


def _allow(here: Ground, judge: Judge, texts: Json, operator: bool) -> None:
    allow(judge, "goal_change", {"operation": "edit_hint", **change_part(here, operator), "texts": texts})


def _row(here: Ground, classification: str, advice: str, edit: Json) -> tuple[Json, list[Any]]:
    fields: Json = {"agent_id": None, "progress_scope": GOAL, "replan_hint": edit}
    note = {"Hint": edit["hint_id"], "Why": edit["reason_summary"], "Says": edit.get("summary", "")}
    return new_row(here, classification, advice, fields, {}, note)
