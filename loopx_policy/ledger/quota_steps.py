"""``quota set | pause | resume | burst``: what a goal may spend, changed by its owner.

A pause keeps the compute that it takes away (``quota.paused``), so that resuming gives back the bytes that stood
there. A burst stands beside the quota (``quota.burst``) and never in its place: readers that know it count its slots
until its time, all others go on with the smaller figure, and nothing has to be undone when it ends.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import UsageError
from ..project.times import iso
from .documents import change_part
from .places import Ground
from .registry_text import RegistryText
from .write import Judge, Plan, allow

Json = dict[str, Any]
COMPUTE = ("quota", "compute")
PAUSED = ("quota", "paused")
BURST = ("quota", "burst")
CLEARED = ("allowed_slots", "next_eligible_at", "burst")
"""Keys of the quota that ``--clear`` takes out."""


def set_quota(
    here: Ground, judge: Judge, wanted: Mapping[str, float | int], clear: Sequence[str] = (), *, operator: bool = False
) -> Plan:
    """Set ``compute`` (above 0), ``window_hours``, ``slot_minutes``, ``allowed_slots`` and ``next_eligible_at``.

    The last one is seconds since the epoch; ``clear`` has names of ``CLEARED``.
    """
    for name in clear:
        if name not in CLEARED:
            raise UsageError(f"--clear does not know {name[:60]}.", fix=f"Use {', '.join(CLEARED)}.")
        if name in wanted:
            raise UsageError(f"{name} is set and cleared at once.", fix="Keep one of the two.")
    if not wanted and not clear:
        raise UsageError("Nothing is named that shall change.", fix="Name a setting, as --allowed-slots 24.")
    if wanted.get("compute") == 0:
        raise UsageError("A compute of 0 is a pause.", fix="Use loopx quota pause: it keeps what to return to.")
    _allow(here, judge, "set_quota", operator)
    text = RegistryText(here)
    for name, value in wanted.items():
        text.put("quota", name, value=iso(int(value)) if name == "next_eligible_at" else _plain(name, value))
    if "compute" in wanted:
        text.remove(*PAUSED)
    for name in clear:
        text.remove("quota", name)
    quota = text.get("quota") or {}
    result: Json = {name: quota[name] for name in wanted}
    if clear:
        result["cleared"] = list(clear)
    return Plan(f"Set {', '.join((*wanted, *clear))} of the quota of {here.goal.goal_id}", result, text.edits())


def pause(here: Ground, judge: Judge, *, reason: str = "", operator: bool = False) -> Plan:
    """Set compute to 0 and keep what it was."""
    _allow(here, judge, "pause", operator, {"reason": reason})
    text = RegistryText(here)
    if is_paused(text):
        return Plan(f"Pause {here.goal.goal_id}, which is paused", {"compute": 0})
    was = text.get(*COMPUTE)
    kept: Json = {} if was is None else {"compute": was}
    kept["recorded_at"] = iso(here.caller.now)
    if reason:
        kept["reason"] = " ".join(reason.split())
    text.put(*COMPUTE, value=0)
    text.put(*PAUSED, value=kept)
    return Plan(f"Pause {here.goal.goal_id}", {"compute": 0, "returns_to": 1 if was is None else was}, text.edits())


def resume(here: Ground, judge: Judge, *, operator: bool = False) -> Plan:
    """Give a paused goal the compute back that it had."""
    _allow(here, judge, "resume", operator)
    text = RegistryText(here)
    if not is_paused(text):
        return Plan(f"Resume {here.goal.goal_id}, which is not paused", {"compute": here.goal.quota.compute})
    kept = text.get(*PAUSED)
    if not isinstance(kept, dict):
        raise UsageError(
            f"Nothing says what compute {here.goal.goal_id} had before it was 0.",
            fix="Set it: loopx quota set --compute 1 --operator --execute",
        )
    if "compute" in kept:
        text.put(*COMPUTE, value=kept["compute"])
    else:
        text.remove(*COMPUTE)
    text.remove(*PAUSED)
    return Plan(f"Resume {here.goal.goal_id}", {"compute": kept.get("compute", 1)}, text.edits())


def burst(here: Ground, judge: Judge, slots: int, until: int, *, reason: str = "", operator: bool = False) -> Plan:
    """Allow ``slots`` in the window until a time (seconds since the epoch); then the quota below holds again."""
    normal = here.goal.quota.allowed_slots
    asked = {"burst": {"slots": slots, "allowed_slots": normal, "until": until}}
    _allow(here, judge, "burst", operator, {"reason": reason}, asked)
    text = RegistryText(here)
    entry: Json = {"allowed_slots": slots, "until": iso(until), "recorded_at": iso(here.caller.now)}
    if reason:
        entry["reason"] = " ".join(reason.split())
    text.put(*BURST, value=entry)
    result = {"allowed_slots": slots, "until": iso(until), "returns_to": normal}
    return Plan(f"Allow {here.goal.goal_id} {slots} slots until {iso(until)}", result, text.edits())


def is_paused(text: RegistryText) -> bool:
    """Whether the entry says a compute of 0; a broken quota closes a goal too, and is no pause."""
    compute = text.get(*COMPUTE)
    return isinstance(compute, (int, float)) and not isinstance(compute, bool) and compute <= 0


def _allow(
    here: Ground, judge: Judge, operation: str, operator: bool, texts: Json | None = None, more: Json | None = None
) -> None:
    document = {"operation": operation, **change_part(here, operator), "texts": texts or {}, **(more or {})}
    allow(judge, "goal_change", document)


def _plain(name: str, value: float | int) -> float | int:
    """A number as people write it: 12, not 12.0."""
    if not math.isfinite(value):
        raise UsageError(f"--{name.replace('_', '-')} {value} is no number.", fix="Give a number.")
    return int(value) if value == int(value) else value
