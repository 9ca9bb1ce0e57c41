"""Hints from what people said: the newest word on a subject holds, its strength decays, and the owner may edit it.

Derived anew for each turn from the rows that the decision reads anyway; only the edits are stored. At most
``hint_active`` of them have an effect, so that none works unseen.
"""

from __future__ import annotations

from typing import Any

from loopx_policy.facts.view import View
from loopx_policy.hints.hint import AVOID, DAY, PREFER, SOURCES, STRENGTHS, Hint, Json, hint_id
from loopx_policy.hints.signals import EVIDENCE, RETIRED, SURFACE_LOOP, UNVALIDATED, Heard, Signal, listen
from loopx_policy.model import Run
from loopx_policy.records import field, record, replace
from loopx_policy.text import cut, public

ACTIVE, RESTING, EXPIRED, OVER = "active", "resting", "expired", "retired"
_KINDS = {SURFACE_LOOP: "evidence_kinds", UNVALIDATED: "validation_kinds", EVIDENCE: "evidence_kinds"}
"""The parameter with the kinds of work that a pattern asks for."""
_WORDS = {
    SURFACE_LOOP: "Prefer work that ends in validated evidence to another step on the surface",
    UNVALIDATED: "Prefer work that brings the validation that earlier runs lacked",
    EVIDENCE: "Prefer work that ends in validated evidence, as the praised run did",
}
LONGEST_DAYS, TEXT = 365, 280
"""Bounds of an owner's edit: days of life, and bytes of its words."""
REFS = 3
"""Sources that a hint names."""


@record
class Hints:
    """The hints of one caller, strongest first. ``ended`` are expired or retired; ``unused`` is feedback that puts
    nothing in order, with the reason.
    """

    active: list[Hint] = field(default_factory=list)
    resting: list[Hint] = field(default_factory=list)
    ended: list[Hint] = field(default_factory=list)
    unused: list[tuple[Json, str]] = field(default_factory=list)

    @property
    def every(self) -> list[Hint]:
        return [*self.active, *self.resting, *self.ended]


def derive(view: View) -> Hints:
    """The hints of the caller's goal as they stand at the snapshot's time."""
    heard = listen(view)
    found = Hints(unused=heard.unused)
    if not heard.signals and not heard.edits:
        return found
    now, life = view.snapshot.now, view.figure("hint_life_days", 30)
    by_subject: dict[str, list[Signal]] = {}
    for signal in heard.signals:
        if signal.at <= now:  # what is dated ahead of the clock has not been said yet
            by_subject.setdefault(signal.subject, []).append(signal)
    living: list[Hint] = []
    seen: set[str] = set()
    for subject, signals in by_subject.items():
        hint = _hint(view, subject, signals, heard, life)
        seen.add(hint.hint_id)
        (living if hint.standing == ACTIVE else found.ended).append(hint)
    for key in heard.edits:
        edited = None if key in seen else _kept(view, key, heard)
        if edited is not None:
            (living if edited.standing == ACTIVE else found.ended).append(edited)
    living.sort(key=lambda hint: (-STRENGTHS.index(hint.strength), hint.confidence, -int(hint.since), hint.hint_id))
    most = view.figure("hint_active", 3)
    found.active = living[:most]
    found.resting = [replace(hint, standing=RESTING) for hint in living[most:]]
    return found


def _hint(view: View, subject: str, signals: list[Signal], heard: Heard, life: int) -> Hint:
    """The hint of a subject from its signals, newest first: those of the newest sense until the first of the other."""
    goal_id = view.snapshot.goal.goal_id
    key = hint_id(goal_id, subject)
    edit = _latest_edit(heard, key, view.snapshot.now)
    if edit is not None and not edit[2]:
        kept = _rewritten(view, key, edit[0], edit[1], life, [signal.source for signal in signals])
        if kept is not None:
            return kept
    retired_at = edit[0] if edit is not None and edit[2] else None
    fresh = [signal for signal in signals if retired_at is None or signal.at > retired_at]
    told = fresh or signals
    same = [told[0]]
    for signal in told[1:]:
        if signal.favour != told[0].favour:
            break
        if view.snapshot.now < signal.at + life * DAY:
            same.append(signal)
    explicit = any(signal.explicit for signal in same)
    base = "strong" if explicit and len({str(signal.source) for signal in same}) > 1 else "medium"
    since, name = same[0].at, subject.partition(":")[2]
    is_pattern = subject.startswith("pattern:")
    kind = PREFER if is_pattern or same[0].favour else AVOID
    sources: list[Json] = []
    for signal in same:
        if signal.source not in sources:
            sources.append(signal.source)
    strength = _decayed(base, view.snapshot.now, since, life)
    standing = OVER if retired_at is not None and not fresh else EXPIRED if strength is None else ACTIVE
    return Hint(
        hint_id=key,
        goal_id=goal_id,
        kind=kind,
        action_kinds=view.words(_KINDS[name]) if is_pattern else (name,),
        anti_pattern=name if is_pattern and name != EVIDENCE else "",
        summary=_WORDS[name] + "." if is_pattern else _summary(kind, name),
        strength=strength or STRENGTHS[0],
        confidence="explicit" if explicit else "repeated",
        sources=tuple(sources[:REFS]),
        since=since,
        days=life,
        standing=standing,
    )


def _summary(kind: str, action_kind: str) -> str:
    name = cut(public(action_kind), 120)
    if kind == PREFER:
        return f"Among equal todos, {name} work goes first: people praised it or asked for it."
    return f"Among equal todos, {name} work goes last: people corrected it or refused it."


def _decayed(base: str, now: int, since: int, days: int) -> str | None:
    """What is left of a strength: a step less after each third of its life, never less than weak; none at its end."""
    if now >= since + days * DAY:
        return None
    step = STRENGTHS.index(base)
    for third in (1, 2):
        if now >= since + days * DAY * third // 3:
            step -= 1
    return STRENGTHS[max(0, step)]


def _latest_edit(heard: Heard, key: str, now: int) -> tuple[int, Run, bool] | None:
    """The newest edit that is not dated ahead: its time, its row, and whether it retires the hint."""
    for at, row in heard.edits.get(key, ()):
        if at <= now:
            return at, row, row.classification == RETIRED
    return None


def _kept(view: View, key: str, heard: Heard) -> Hint | None:
    """A rewritten hint whose sources are no longer among the rows that a decision reads."""
    edit = _latest_edit(heard, key, view.snapshot.now)
    if edit is None or edit[2]:
        return None
    return _rewritten(view, key, edit[0], edit[1], view.figure("hint_life_days", 30), [])


def _rewritten(view: View, key: str, at: int, row: Run, life: int, sources: list[Json]) -> Hint | None:
    """The hint in its owner's words; ``None`` where they cannot be read."""
    edit = row.raw["replan_hint"]
    kind, kinds, strength = edit.get("hint_kind"), _texts(edit.get("action_kinds")), edit.get("strength")
    days = edit.get("expires_after_days", life)
    if kind not in (PREFER, AVOID) or not kinds or strength not in STRENGTHS:
        return None
    if type(days) is not int or not 1 <= days <= LONGEST_DAYS:
        return None
    left = _decayed(strength, view.snapshot.now, at, days)
    summary = edit.get("summary")
    return Hint(
        hint_id=key,
        goal_id=view.snapshot.goal.goal_id,
        kind=kind,
        action_kinds=kinds,
        anti_pattern=pattern if isinstance(pattern := edit.get("anti_pattern"), str) and pattern in _KINDS else "",
        summary=cut(
            public(summary) if isinstance(summary, str) and summary else _summary(kind, ", ".join(kinds)), TEXT
        ),
        strength=left or STRENGTHS[0],
        confidence="explicit",
        sources=tuple((_refs(edit.get("source_refs")) or sources)[:REFS]),
        since=at,
        days=days,
        standing=ACTIVE if left else EXPIRED,
        rewritten=True,
    )


def _refs(value: Any) -> list[Json]:
    """The references of an edit that are references: a kind, and one run or todo."""
    found = [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []
    return [
        one
        for one in found
        if one.get("kind") in SOURCES
        and len(one) == 2
        and isinstance(one.get("todo_id", one.get("run_generated_at")), str)
    ]


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(one for one in value if isinstance(one, str) and one) if isinstance(value, list) else ()
