"""One hint in the shape of ``replan_hint_v0``: which kind of work goes before or after its equals, why, until when."""

from __future__ import annotations

from typing import Any

from loopx_policy.digests import hex16
from loopx_policy.model import Todo
from loopx_policy.project.times import iso
from loopx_policy.records import record

Json = dict[str, Any]
SCHEMA = "replan_hint_v0"
PREFER = "prefer_candidate"
AVOID = "avoid_candidate"
STRENGTHS = ("weak", "medium", "strong")
ADVANCEMENT = "advancement_task"
SOURCES = ("human_reward", "operator_gate", "correction", "run", "todo")
"""What a hint may rest on."""
DAY = 24 * 60 * 60
BOUNDARY = {
    "may_reorder_candidates": True,
    "may_override_user_gate": False,
    "may_override_claim": False,
    "may_override_scope": False,
    "may_override_capability_gate": False,
}
"""What any hint may do. No hint has other values: the schema admits none."""


def hint_id(goal_id: str, subject: str) -> str:
    """The id of a goal's hint about one subject: the same for as long as people speak of the same thing."""
    return f"hint_{hex16([goal_id.encode(), subject.encode()])[:10]}"


@record(frozen=True)
class Hint:
    """A hint as it stands now.

    ``action_kinds`` are compared with a todo's ``action_kind``; ``strength`` is what decay has left of it.
    ``standing`` is ``active``, ``resting`` (stronger ones take the places), ``expired`` or ``retired``. ``since`` and
    ``until`` are seconds since the epoch; ``days`` is its life counted from ``since``. ``sources`` are references, as
    ``{"kind": "human_reward", "run_generated_at": ...}``, newest first.
    """

    hint_id: str
    goal_id: str
    kind: str
    action_kinds: tuple[str, ...]
    anti_pattern: str
    summary: str
    strength: str
    confidence: str
    sources: tuple[Json, ...]
    since: int
    days: int
    standing: str
    rewritten: bool = False

    @property
    def until(self) -> int:
        return self.since + self.days * DAY

    def weight(self, todo: Todo) -> int:
        """By how much it moves a todo towards the front of its equals; 0 where it does not speak of it."""
        if todo.action_kind not in self.action_kinds or todo.task_class != ADVANCEMENT:
            return 0
        weight = 1 + STRENGTHS.index(self.strength)
        return weight if self.kind == PREFER else -weight

    def to_dict(self) -> Json:
        """``replan_hint_v0`` (``catalog/schemas/replan_hint.schema.json``)."""
        document: Json = {
            "schema_version": SCHEMA,
            "hint_id": self.hint_id,
            "goal_id": self.goal_id,
            "standing": self.standing,
            "source_refs": list(self.sources),
            "hint_kind": self.kind,
            "summary": self.summary,
            "applies_to": {"task_class": ADVANCEMENT, "action_kinds": list(self.action_kinds)},
        }
        if self.anti_pattern:
            document["anti_pattern"] = self.anti_pattern
        return document | {
            "strength": self.strength,
            "confidence": self.confidence,
            "recorded_at": iso(int(self.since)),
            "expires_after_days": self.days,
            "expires_at": iso(int(self.until)),
            "hard_gate": False,
            "boundary": dict(BOUNDARY),
        }


def source_name(source: Json) -> str:
    """How a message names a source: the run's time or the todo's id."""
    return str(source.get("todo_id") or source.get("run_generated_at") or source["kind"])
