"""How many todos of a frontier are blocked in which ways, as the counts of a record say it."""

from __future__ import annotations

from loopx_policy.prove.realise.palette import Kinds
from loopx_policy.prove.realise.scene import Scene, UnrealisableError

COUNTS = {
    "gated": "frontier.gated",
    "lacks_bridge": "frontier.need_bridge",
    "lacks_owner": "frontier.need_owner",
    "lacks_unsupported": "frontier.need_unsupported",
    "leased": "frontier.leased",
    "unprojected": "frontier.unprojected",
}
OUTSIDE = "unprojected"
PURE: Kinds = frozenset([OUTSIDE])


def sort_blocked(scene: Scene, wanted: Kinds | None, apart: bool = False) -> list[Kinds]:
    """The blocks of each todo that does not run; one that is only outside the boundary and comes first stands first.

    ``wanted`` is a set of blocks that one of them has to have, another one than the first where ``apart``. Raises
    :class:`UnrealisableError` where the counts leave no room.
    """
    counts = {kind: scene.count(fact) for kind, fact in COUNTS.items()}
    left = scene.count("frontier.open") - scene.count("frontier.runnable")
    fixed: list[Kinds] = []
    first = scene.record["frontier.first"]
    if first == OUTSIDE:
        fixed.append(PURE)
    if wanted and (apart or wanted not in fixed):
        fixed.append(wanted)
    for kinds in fixed:
        left -= 1
        for kind in kinds:
            counts[kind] -= 1
    if scene.full("frontier.open"):
        left = max(left, *counts.values())
    if left < 0 or any(number < 0 or number > left for number in counts.values()):
        raise UnrealisableError("The frontier has more blocks than todos.")
    return fixed + (_apart(counts, left) if first == "none" else _mixed(scene, counts, left))


def _apart(counts: dict[str, int], left: int) -> list[Kinds]:
    """No todo is only outside the boundary: all other blocks are dealt out first."""
    slots = _deal({kind: number for kind, number in counts.items() if kind != OUTSIDE}, left)
    for number in range(counts[OUTSIDE]):
        slots[number].add(OUTSIDE)
    return _filled(slots)


def _mixed(scene: Scene, counts: dict[str, int], left: int) -> list[Kinds]:
    slots = _deal(counts, left)
    # What outranks the selected todo and is outside the boundary must not come first, so it is blocked in another way.
    if scene.record["frontier.outranked"] and scene.record["frontier.first"] == "runnable":
        pure = [slot for slot in slots if slot == {OUTSIDE}]
        several = [slot for slot in slots if len(slot - {OUTSIDE}) > 1 and OUTSIDE not in slot]
        if not any(OUTSIDE in slot and len(slot) > 1 for slot in slots) and pure and several:
            kind = sorted(several[0])[0]
            several[0].discard(kind)
            pure[0].add(kind)
    return _filled(slots)


def _deal(counts: dict[str, int], left: int) -> list[set[str]]:
    """Blocks dealt round: each todo gets one as long as there are enough, and none gets a block twice."""
    slots: list[set[str]] = [set() for _ in range(left)]
    place = 0
    for kind, number in counts.items():
        for _ in range(number):
            slots[place % left].add(kind)
            place += 1
    return slots


def _filled(slots: list[set[str]]) -> list[Kinds]:
    if not all(slots):
        raise UnrealisableError("The frontier has todos that nothing blocks and that do not run.")
    return [frozenset(slot) for slot in slots]
