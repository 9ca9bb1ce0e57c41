"""The caller's frontier: runnable todos, blocked ones, and the order in which they are taken."""

from __future__ import annotations

from dataclasses import dataclass

from loopx_policy.prove.realise.palette import Judge, Kinds, Needs
from loopx_policy.prove.realise.people import SCOPE
from loopx_policy.prove.realise.scene import OTHER, Json, Scene, UnrealisableError, todo
from loopx_policy.prove.realise.sorting import OUTSIDE, PURE, sort_blocked

SELECTED, HIGHER, LOWER = "[P1]", "[P0]", "[P2]"
NEED_WORDS = {"bridge": "benchmark_runner", "owner": "network", "unsupported": "tide_oracle"}
FORBIDDEN, SHARED = "infra/**", "docs/**"
REPAIRED = "worker_bridge"
LINKED = "todo_linked"
"""The id of a todo that a gate names as its unblock target."""


@dataclass(slots=True)
class Exact:
    """One candidate that has to be in the frontier just so."""

    needs: Needs
    kinds: Kinds
    mine: bool


@dataclass(slots=True)
class Frontier:
    """``must`` have to be the caller's own, ``able`` may be; ``outranks`` tells whether one of them does so."""

    must: list[Json]
    able: list[Json]
    outranks: bool


def add_frontier(scene: Scene, judge: Judge, exact: Exact | None = None) -> Frontier:
    """The todos of the frontier, in file order: what is outside and comes first, what runs, the rest."""
    palette = judge.palette(scene.record)
    late = exact is not None and exact.kinds == PURE and not exact.mine
    # What nobody holds comes before a selected todo of the caller only where Next Action names it.
    late = late and scene.record["frontier.selected_claim"] == "mine" and scene.record["frontier.first"] == OUTSIDE
    blocked = sort_blocked(scene, exact.kinds if exact else None, late and not scene.record["next_action.present"])
    runnable = scene.count("frontier.runnable")
    for kinds in [*blocked, *([frozenset[str]()] if runnable else [])]:
        if kinds not in palette:
            shown = " and ".join(sorted(kinds)) or "runnable"
            raise UnrealisableError(f"No todo of this turn is {shown}.", fix="The candidate rules say otherwise.")
    outside_first = scene.record["frontier.first"] == OUTSIDE
    higher = _higher(scene, blocked)
    entries: list[Json] = []
    for number, kinds in enumerate(blocked):
        leading = outside_first and number == 0
        mark = HIGHER if number == higher else SELECTED if leading else LOWER
        entries.append(_todo(scene, number, palette[kinds], mark, repairs=leading))
    repairs = scene.count("frontier.repairs")
    ready = [
        _todo(scene, len(blocked) + n, palette[frozenset()], LOWER if n else SELECTED, repairs=n < repairs)
        for n in range(runnable)
    ]
    special = _exactly(scene, entries, ready, blocked, exact) if exact else None
    scene.frontier = entries[:1] + ready + entries[1:] if outside_first else ready + entries
    named = _named(scene, ready, entries if outside_first else [])
    must, able = _claims(scene, ready, list(zip(entries, blocked, strict=True)), named)
    if special is not None and exact is not None:
        must = [entry for entry in must if entry is not special] + ([special] if exact.mine else [])
        able = [entry for entry in able if entry is not special]
    return Frontier(must, able, higher is not None)


def _higher(scene: Scene, blocked: list[Kinds]) -> int | None:
    """Which blocked todo outranks the selected one, by its place; None where none has to or none can."""
    if not scene.record["frontier.outranked"]:
        return None
    able = [number for number, kinds in enumerate(blocked) if kinds - {"leased"}]
    firm = [number for number in able if blocked[number] != PURE]
    if scene.record["frontier.first"] == OUTSIDE:
        return able[0] if able else None
    if firm:
        return firm[0]
    movable = bool(scene.record["next_action.present"]) or scene.record["frontier.selected_claim"] == "mine"
    return able[0] if able and movable else None


def _todo(scene: Scene, number: int, needs: Needs, mark: str, repairs: bool = False) -> Json:
    entry = todo(
        "a",
        number + 1,
        f"{mark} Count the bollards of pier {number + 1}",
        **needs_of(needs),
        target_capabilities=[REPAIRED] if repairs else [],
    )
    if needs.leased:
        scene.leases.append({"todo_id": entry["todo_id"], "owner": OTHER, "expires_at": "+1h"})
    return entry


def needs_of(needs: Needs) -> Json:
    """The fields of a todo that its needs show in."""
    return {
        "required_capabilities": [word for need, word in NEED_WORDS.items() if getattr(needs, need)],
        "required_write_scopes": [FORBIDDEN] if needs.outside else [],
        "required_decision_scopes": [SCOPE] if needs.covered else [],
    }


def _named(scene: Scene, ready: list[Json], outside: list[Json]) -> list[Json]:
    """What Next Action names: the selected todo that nobody holds, and what is outside and comes before it."""
    if not scene.record["next_action.present"]:
        return []
    if scene.record["frontier.selected_claim"] != "unclaimed":
        scene.bullets += [f"Go on with {entry['todo_id']}" for entry in outside[:1]]
        return []
    named = [*outside[:1], *ready[:1]]
    scene.bullets += [f"Go on with {entry['todo_id']}" for entry in named]
    return named


def _claims(
    scene: Scene, ready: list[Json], blocked: list[tuple[Json, Kinds]], named: list[Json]
) -> tuple[list[Json], list[Json]]:
    """Todos that have to be the caller's own for the selection to be what it is, and those that may be."""
    if not scene.cast.me:
        return [], []
    selected, first = scene.record["frontier.selected_claim"], scene.record["frontier.first"]
    leading = [entry for entry, _ in blocked[:1]] if first == OUTSIDE else []
    # What is only outside the boundary must not overtake the selected todo.
    firm = [entry for entry, kinds in blocked if kinds != PURE or named or first != "runnable"]
    if selected == "mine":
        must = [*([] if scene.record["next_action.present"] else leading), *ready[:1]]
        higher = [entry for entry, kinds in blocked if kinds == PURE and entry["text"].startswith(HIGHER)]
        rest = [*ready[1:], *(entry for entry, _ in blocked)]
        kept = rest if first == OUTSIDE else [entry for entry in rest if entry not in higher]
        return must, [entry for entry in kept if entry not in must]
    if selected == "unclaimed":
        free = ready[1:] if named else []
        return [], [*free, *(entry for entry in firm if entry not in named)]
    return [], [entry for entry, _ in blocked]


def _exactly(scene: Scene, entries: list[Json], ready: list[Json], blocked: list[Kinds], exact: Exact) -> Json:
    """Give the todo that has to be there exactly its needs."""
    needs = exact.needs
    if exact.kinds not in blocked and not (ready and not exact.kinds):
        raise UnrealisableError("No todo of the frontier can be the one that is asked for.")
    if exact.kinds:
        entry = entries[len(blocked) - 1 - blocked[::-1].index(exact.kinds)]
    else:
        selected = scene.record["frontier.selected_claim"] == ("mine" if exact.mine else "unclaimed")
        entry = ready[0 if selected else -1]
    scene.leases = [lease for lease in scene.leases if lease["todo_id"] != entry["todo_id"]]
    if needs.linked:
        entry["todo_id"] = LINKED
    for name, value in needs_of(needs).items():
        entry.pop(name, None)
        if value:
            entry[name] = value
    if needs.decides and not needs.covered:
        entry["required_decision_scopes"] = ["resource:goal:paint"]
    if needs.safety != "unstated":
        entry["safety_class"] = needs.safety
    if needs.overlapping:
        entry["required_write_scopes"] = [*entry.get("required_write_scopes", []), SHARED]
        scene.write_scope.append(SHARED)
        scene.leases.append({"todo_id": "todo_held", "owner": OTHER, "expires_at": "+1h", "write_scopes": [SHARED]})
    if needs.leased or needs.own_lease:
        owner = OTHER if needs.leased else scene.cast.me
        scene.leases.append({"todo_id": entry["todo_id"], "owner": owner, "expires_at": "+1h"})
    return entry
