"""One registry entry to a typed ``Goal``.

An entry with a mistake fails closed: the mistake is reported, and the typed value allows nothing (no
quota, no write scope) in place of the default. Source: registry.json.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..model import Authority, Goal, Json, OutcomeFloor, Quota
from . import grammar
from .times import parse_time

Path = tuple[str | int, ...]

Report = Callable[[Path, str, bool], None]
"""Called with the path of a mistake inside an entry, one sentence, and whether it breaks the contract."""


class _Fields:
    """Typed access to one JSON object of an entry. ``null`` reads as absent; a wrong type is reported."""

    __slots__ = ("broken", "data", "path", "report")

    def __init__(self, data: Json, path: Path, report: Report) -> None:
        self.data = data
        self.path = path
        self.report = report
        self.broken = False

    def wrong(self, key: str, wanted: str, breaks: bool = True) -> None:
        self.broken = self.broken or breaks
        name = ".".join(str(part) for part in (*self.path, key))
        self.report((*self.path, key), f"{name} must be {wanted}.", breaks)

    def text(self, key: str) -> str:
        value = self.data.get(key)
        if value is None or isinstance(value, str):
            return value or ""
        self.wrong(key, "a text")
        return ""

    def flag(self, key: str, default: bool) -> bool:
        value = self.data.get(key)
        if value is None or isinstance(value, bool):
            return default if value is None else value
        self.wrong(key, "true or false")
        return default

    def number(self, key: str, default: float, test: Callable[[float], bool], wanted: str) -> float:
        value = self.data.get(key)
        if value is None:
            return default
        if isinstance(value, (int, float)) and not isinstance(value, bool) and test(value):
            return float(value)
        self.wrong(key, wanted)
        return default

    def count(self, key: str, least: int) -> int | None:
        value = self.data.get(key)
        if value is None or (isinstance(value, int) and not isinstance(value, bool) and least <= value <= 10**9):
            return value
        self.wrong(key, f"a whole number from {least} up")
        return None

    def time(self, key: str, breaks: bool = True) -> int | None:
        value = self.data.get(key)
        if value is None:
            return None
        time = parse_time(value) if isinstance(value, str) else None
        if time is None:
            self.wrong(key, "an ISO 8601 time", breaks)
        return time[0] if time else None

    def texts(self, key: str, breaks: bool = True) -> tuple[str, ...]:
        value = self.data.get(key)
        if value is None:
            return ()
        if isinstance(value, list) and all(isinstance(item, str) and item for item in value):
            return tuple(dict.fromkeys(value))
        self.wrong(key, "a list of texts", breaks)
        return ()

    def sub(self, key: str, breaks: bool = True) -> _Fields:
        value = self.data.get(key)
        inner = _Fields(value if isinstance(value, dict) else {}, (*self.path, key), self.report)
        if value is not None and not isinstance(value, dict):
            self.wrong(key, "an object", breaks)
            inner.broken = True
        return inner

    def drop(self, key: str, items: Sequence[str], test: Callable[[str], Any], what: str) -> tuple[str, ...]:
        """The items that pass; the others are reported and allow nothing."""
        kept: dict[str, None] = {}
        for item in items:
            value = test(item)
            if value:
                kept[value if isinstance(value, str) else item] = None
            else:
                self.report((*self.path, key), f"{key} has {item[:60]!r}, which is no {what} and is not used.", False)
        return tuple(kept)

    def globs(self, key: str, items: Sequence[str]) -> tuple[str, ...]:
        """The globs that may be written. Where one of them is to be taken away, none may: there is no such thing."""
        for item in items:
            if item.lstrip()[:1] == "!":
                said = f"{key} has {item[:60]!r}, but globs cannot be taken away; nothing may be written."
                self.report((*self.path, key), said, True)
                return ()
        return self.drop(key, items, grammar.is_glob, "relative glob")


def typed_goal(entry: Json, report: Report) -> Goal:
    """The typed view of one registry entry. Never raises; mistakes go to ``report``."""
    top = _Fields(entry, (), report)
    adapter = top.sub("adapter")
    shared = top.sub("coordination")
    repair = top.sub("control_plane").sub("self_repair")
    agents = _agents(shared)
    primary = shared.text("primary_agent")
    if primary and not grammar.is_agent_id(primary):
        report((*shared.path, "primary_agent"), f"primary_agent {primary[:60]!r} is no agent id.", True)
        primary = ""
    elif primary and agents and primary not in agents:
        report((*shared.path, "primary_agent"), f"primary_agent {primary[:60]!r} is no registered agent.", False)
    handoff = shared.text("side_agent_handoff_agent")
    if handoff and agents and handoff not in agents:
        said = f"side_agent_handoff_agent {handoff[:60]!r} is no registered agent; handoffs go to the primary agent."
        report((*shared.path, "side_agent_handoff_agent"), said, False)
        handoff = ""
    owned = shared.texts("available_capabilities")
    return Goal(
        goal_id=entry["id"],
        status=top.text("status"),
        domain=top.text("domain"),
        repo=top.text("repo"),
        state_file=top.text("state_file"),
        adapter_kind=adapter.text("kind"),
        adapter_status=adapter.text("status"),
        agents=agents,
        primary_agent=primary,
        handoff_agent=handoff,
        write_scope=shared.globs("write_scope", shared.texts("write_scope")),
        capabilities=shared.drop("available_capabilities", owned, grammar.capability, "capability"),
        claim_ttl_minutes=shared.count("claim_ttl_minutes", 1),
        authority=_authorities(shared),
        quota=_quota(top),
        waiting_on=top.text("waiting_on"),
        attention_status=top.text("attention_status"),
        recommended_action=top.text("recommended_action"),
        outcome_floor=_outcome_floor(top.sub("execution_profile")),
        self_repair_enabled=repair.flag("enabled", False),
        allow_health_blocker_repair=repair.flag("allow_health_blocker_repair", False),
        allow_waiting_projection_repair=repair.flag("allow_waiting_projection_repair", False),
        side_agent_worktree_required=top.sub("workspace_guard_policy").flag(
            "side_agent_independent_worktree_required", True
        ),
        raw=entry,
    )


def _agents(shared: _Fields) -> tuple[str, ...]:
    value = shared.data.get("registered_agents")
    if value is None:
        return ()
    if not isinstance(value, list):
        shared.wrong("registered_agents", "a list of agents")
        return ()
    agents: dict[str, None] = {}
    for number, item in enumerate(value):
        if isinstance(item, dict):
            item = item.get("id") or item.get("agent_id") or item.get("name")
        path = (*shared.path, "registered_agents", number)
        if not isinstance(item, str) or not item:
            shared.report(path, "A registered agent must be a text or an object with id, agent_id or name.", True)
        elif not grammar.is_agent_id(item):
            said = f"The registered agent {item[:60]!r} is no agent id (a-z, then a-z, 0-9 and _.:@-, at most 80)."
            shared.report(path, said, True)
        else:
            agents[item] = None
    return tuple(agents)


def _authorities(shared: _Fields) -> tuple[Authority, ...]:
    """The checkpointed authorities. A broken one stays, for diagnostics, and can never be fresh."""
    key = "checkpointed_boundary_authority"
    value = shared.data.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        shared.wrong(key, "a list of objects")
        return ()
    found = []
    for number, item in enumerate(value):
        entry = _Fields(item if isinstance(item, dict) else {}, (*shared.path, key, number), _quiet(shared.report))
        if not isinstance(item, dict):
            shared.report(entry.path, f"Entry {number + 1} of {key} must be an object; it authorises nothing.", False)
        scope = entry.data.get("write_scope")
        globs = (scope,) if isinstance(scope, str) else entry.texts("write_scope", False)
        expires = entry.time("expires_at", False)
        if expires is None and entry.data.get("expires_at") is not None:
            expires = 0
        found.append(
            Authority(
                write_scope=entry.globs("write_scope", globs),
                source=entry.text("source") or entry.text("provenance"),
                decision=entry.text("decision"),
                status=entry.text("status"),
                schema_version=entry.text("schema_version"),
                recorded_at=entry.time("recorded_at", False),
                expires_at=expires,
            )
        )
    return tuple(found)


def _quiet(report: Report) -> Report:
    return lambda path, message, breaks: report(path, message, False)


def _quota(top: _Fields) -> Quota:
    quota = top.sub("quota")
    compute = quota.number("compute", 1.0, lambda n: 0 <= n <= 1, "a number from 0 to 1")
    window = quota.number("window_hours", 24.0, lambda n: 0 < n <= 87_600, "a number of hours above 0")
    slot = quota.number("slot_minutes", 1.0, lambda n: 0.001 <= n <= 5_256_000, "a number of minutes above 0")
    explicit = quota.count("allowed_slots", 0)
    next_eligible = quota.time("next_eligible_at")
    if quota.broken:
        return Quota(compute=0.0, allowed_slots=0)
    allowed = default_slots(compute, window, slot) if explicit is None else explicit
    return Quota(compute, window, slot, allowed, next_eligible, *_burst(quota))


def _burst(quota: _Fields) -> tuple[int | None, int | None]:
    """Slots and end of a burst. One that is not whole grants nothing; the quota below it holds."""
    if quota.data.get("burst") is None:
        return None, None
    burst = quota.sub("burst", False)
    burst.report = _quiet(burst.report)
    slots, until = burst.count("allowed_slots", 0), burst.time("until", False)
    for key, value in (("allowed_slots", slots), ("until", until)):
        if value is None and burst.data.get(key) is None:
            burst.wrong(key, "given; without it the burst grants nothing", False)
    return (slots, until) if slots is not None and until is not None else (None, None)


def slots_at(quota: Quota, now: int) -> int:
    """The slots of the window as allowed at ``now``."""
    if quota.burst_slots is None or quota.burst_until is None or quota.burst_until <= now:
        return quota.allowed_slots
    return max(quota.allowed_slots, quota.burst_slots)


def default_slots(compute: float, window_hours: float, slot_minutes: float) -> int:
    """window x 60 / slot minutes x compute, rounded down (a rounding error of floats does not cost a slot)."""
    return math.floor(window_hours * 60 / slot_minutes * compute + 1e-6)


def _outcome_floor(profile: _Fields) -> OutcomeFloor | None:
    if profile.data.get("outcome_floor") is None:
        return None
    floor = profile.sub("outcome_floor")
    return OutcomeFloor(
        surface_streak_threshold=floor.count("surface_streak_threshold", 1) or 3,
        must_advance=floor.texts("must_advance"),
        avoid=floor.texts("avoid"),
        outcome_markers=floor.texts("outcome_markers"),
    )
