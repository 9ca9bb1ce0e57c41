"""Themes: each pulls the weights of a project towards one kind of interesting state.

Without them almost every random goal has something runnable, and the states where nothing is, where a
handoff hangs or where only watches are left would hardly occur. A theme only shifts weights: every
project may contain anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def _none() -> Mapping[str, int]:
    return {}


@dataclass(frozen=True, slots=True)
class Leaning:
    """Changes to base weights, and percentages. The base weights stand beside their building function."""

    theme: str
    agents: Mapping[str, int] = field(default_factory=_none)
    awake: Mapping[str, int] = field(default_factory=_none)
    cwd: Mapping[str, int] = field(default_factory=_none)
    size: Mapping[str, int] = field(default_factory=_none)
    kind: Mapping[str, int] = field(default_factory=_none)
    status: Mapping[str, int] = field(default_factory=_none)
    claim: Mapping[str, int] = field(default_factory=_none)
    due: Mapping[str, int] = field(default_factory=_none)
    resume: Mapping[str, int] = field(default_factory=_none)
    users: Mapping[str, int] = field(default_factory=_none)
    gate: Mapping[str, int] = field(default_factory=_none)
    user_status: Mapping[str, int] = field(default_factory=_none)
    next_action: Mapping[str, int] = field(default_factory=_none)
    history: Mapping[str, int] = field(default_factory=_none)
    segments: Mapping[int, int] = field(default_factory=dict)
    compute: Mapping[str, int] = field(default_factory=_none)
    slots: Mapping[str, int] = field(default_factory=_none)
    wait: float = 9
    floor: float = 25
    authority: float = 20
    capabilities: float = 18
    scopes: float = 26
    decisions: float = 16
    safety: float = 16
    leases: float = 12
    links: float = 6
    rollout: float = 15
    broken: float = 3


_NO_DELIVERY = {"advancement": 6, "handoff": 3}
_PARKED = {"open": 6, "blocked": 6, "deferred": 30, "done": 40}

THEMES: tuple[tuple[Leaning, int], ...] = (
    (Leaning("plain", broken=0), 10),
    (
        Leaning(
            "gate",
            users={"none": 2, "one": 40, "two": 40, "three": 12},
            decisions=45,
            user_status={"open": 90},
            kind={"monitor": 8},
        ),
        14,
    ),
    (
        Leaning(
            "action",
            users={"none": 0, "one": 60, "two": 30},
            gate={"action": 900},
            size={"none": 35, "few": 40},
            kind=_NO_DELIVERY,
        ),
        4,
    ),
    (Leaning("quota", compute={"zero": 24, "half": 20}, slots={"none": 20, "few": 60}, history={"spends": 60}), 8),
    (Leaning("identity", agents={"none": 0, "one": 20}, awake={"nobody": 40, "stranger": 40}), 5),
    (
        Leaning(
            "workspace",
            agents={"none": 0, "one": 10},
            awake={"nobody": 1, "stranger": 1, "side": 80},
            cwd={"primary": 35, "plain": 20, "unrelated": 20},
        ),
        6,
    ),
    (Leaning("declared", wait=85, users={"none": 150}), 6),
    (
        Leaning(
            "scope",
            scopes=85,
            authority=60,
            capabilities=4,
            decisions=4,
            size={"none": 0, "few": 60},
            status={"open": 92},
            users={"none": 80},
        ),
        8,
    ),
    (
        Leaning(
            "capability",
            capabilities=100,
            scopes=6,
            decisions=4,
            size={"none": 0, "few": 70},
            status={"open": 92},
            users={"none": 80},
            claim={"other": 5},
            kind={"monitor": 3, "handoff": 2, "blocker": 2},
            leases=2,
        ),
        8,
    ),
    (
        Leaning(
            "watch",
            kind={"advancement": 3, "monitor": 90, "handoff": 1, "blocker": 1, "unclassed": 0},
            users={"none": 85},
            due={"future": 60, "past": 25},
            history={"polls": 60},
            next_action={"prose": 40},
        ),
        9,
    ),
    (
        Leaning(
            "handoff",
            agents={"none": 0, "one": 2},
            kind={"advancement": 6, "handoff": 70, "monitor": 8},
            status={"open": 25, "blocked": 15, "done": 40, "deferred": 6},
            users={"none": 85},
            links=30,
        ),
        8,
    ),
    (
        Leaning(
            "deferred",
            status=_PARKED,
            resume={"done": 60},
            users={"none": 80},
            kind={"advancement": 80, "handoff": 4, "monitor": 4},
            rollout=45,
        ),
        8,
    ),
    (
        Leaning(
            "others",
            agents={"none": 0, "one": 4},
            claim={"other": 90, "nobody": 3, "me": 3},
            status={"open": 80},
            kind={"handoff": 3},
            users={"none": 85},
            leases=40,
        ),
        7,
    ),
    (
        Leaning(
            "idle",
            wait=28,
            size={"none": 60, "few": 40},
            status={"open": 8, "blocked": 8, "done": 70, "deferred": 14},
            resume={"done": 5},
            users={"none": 85},
            next_action={"prose": 45},
            links=15,
        ),
        7,
    ),
    (
        Leaning(
            "history",
            segments={0: 0, 1: 20, 2: 30, 3: 30, 4: 20},
            history={"acks": 40, "stall": 30, "filler": 12, "lesson": 14},
            users={"none": 80},
        ),
        9,
    ),
    (
        Leaning(
            "outcome",
            floor=95,
            claim={"other": 12},
            history={"surface": 200},
            segments={0: 0, 1: 50, 2: 30},
            size={"none": 0},
            status={"open": 85},
            users={"none": 80},
        ),
        7,
    ),
    (
        Leaning(
            "lease",
            leases=100,
            claim={"other": 8},
            size={"none": 0, "few": 90},
            status={"open": 120},
            users={"none": 100},
            kind={"advancement": 200},
            scopes=8,
            capabilities=4,
        ),
        6,
    ),
    (
        Leaning(
            "crowd",
            size={"none": 0, "few": 0, "several": 5, "many": 95},
            status={"open": 200},
            kind={"advancement": 150},
        ),
        3,
    ),
    (Leaning("broken", broken=100, users={"none": 25, "one": 45, "two": 25}, agents={"none": 8}), 11),
)
