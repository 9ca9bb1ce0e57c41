"""Who holds what: watches, the work of others, spare todos, and the claims that fill the visibility lanes."""

from __future__ import annotations

from loopx_policy.prove.realise.frontier import HIGHER, Frontier
from loopx_policy.prove.realise.scene import OTHER, PRIMARY, Json, Scene, UnrealisableError, todo

REPLACEMENT = "todo_replacement"
"""The done todo that took the place of others."""


def add_watches_and_others(scene: Scene) -> None:
    """Monitors, and advancement todos that other agents hold."""
    due, unscheduled = scene.count("monitors.due"), scene.count("monitors.unscheduled")
    watching = scene.count("monitors.watching")
    for number in range(max(watching, due + unscheduled) if scene.full("monitors.watching") else watching):
        when = "-1h" if number < due else None if number < due + unscheduled else "+1h"
        entry = todo("m", number + 1, "Watch the buoy", task_class="continuous_monitor", next_due_at=when)
        if number == 0 and scene.record["evidence.handle"]:
            entry["target_key"] = "buoy_01"
        scene.monitors.append(entry)
    held = [PRIMARY] * scene.count("others.primary") + [OTHER] * scene.count("others.side")
    scene.others = [todo("o", number + 1, "Paint the crane", claimed_by=name) for number, name in enumerate(held)]


def room_of(scene: Scene, frontier: Frontier, cap: int) -> int:
    """How many todos the fuller lane has: ``cap`` are shown and the rest is hidden. At least that many where
    ``lanes.hidden`` stands at its maximum.
    """
    room = cap + scene.count("lanes.hidden")
    if not scene.full("lanes.hidden"):
        return room
    return max(room, len(scene.frontier) + len(scene.monitors), len(scene.others) + len(frontier.must))


def add_spare(scene: Scene, frontier: Frontier, room: int) -> None:
    """Blocked todos, the first of which outranks the selected one if nothing else does, and open ones of no pile."""
    scene.stuck = [todo("z", n + 1, "Mend the winch", status="blocked") for n in range(scene.count("todos.blocked"))]
    if scene.record["frontier.outranked"] and not frontier.outranks:
        if not scene.stuck:
            raise UnrealisableError("Nothing outranks the selected todo.")
        scene.stuck[0]["text"] = f"{HIGHER} Mend the winch"
    piles = (*people(scene), scene.frontier, scene.monitors, scene.others, scene.stuck)
    number = scene.count("todos.open") - sum(map(len, piles))
    if scene.full("todos.open"):
        live = scene.count("handoffs.stale") + scene.count("handoffs.blocking")
        number = max(number, live + (room if scene.count("lanes.hidden") else 0))
    if number < 0:
        raise UnrealisableError("More todos lie in the piles than are open.")
    scene.spare = [todo("y", n + 1, "Count the ropes", status="blocked", claimed_by=OTHER) for n in range(number)]


def people(scene: Scene) -> tuple[list[Json], ...]:
    """What waits for persons; the pile that is most readily written into the agents' list first."""
    return scene.actions_elsewhere, scene.gates_elsewhere, scene.actions, scene.gates


def claim(scene: Scene, frontier: Frontier, room: int) -> None:
    """Claim todos so that the fuller of the two lanes is as full as the record says.

    An open todo of an agent stands in the lane of held or in that of unheld work.
    """
    hidden = scene.count("lanes.hidden")
    able = [*frontier.able, *(scene.monitors if scene.cast.me else [])]
    must, held = len(frontier.must), len(scene.others)
    total = len(scene.frontier) + len(scene.monitors)
    least, most = max(must, total - room), min(must + len(able), room - held)
    if least > most:
        raise UnrealisableError("The lanes are too full.")
    filling: list[Json] = []
    claims, claimed = least, False
    if hidden:
        claims, filling, claimed = _filled(scene, room, held, total, least, most)
    for entry in (*frontier.must, *able[: claims - must]):
        entry["claimed_by"] = scene.cast.me
    for entry in filling:
        _into_the_lane(scene, entry, claimed)


def _filled(scene: Scene, room: int, held: int, total: int, least: int, most: int) -> tuple[int, list[Json], bool]:
    """How many claims, which todos besides, and whether they are held, make the fuller lane just full.

    What fills a lane of unheld work and names the caller is a handoff, so there are no more of these than the record
    counts; what the caller holds itself is none.
    """
    me = scene.cast.me or "nobody"
    asked = [entry for pile in people(scene) for entry in pile]
    named = [entry for entry in asked if entry.get("blocks_agent") == me]
    notes = [entry for entry in asked if entry.get("blocks_agent") != me]
    live = scene.count("handoffs.stale") + scene.count("handoffs.blocking")
    free = [*scene.stuck, *notes, *named[:live], *scene.spare]
    padding = max(0, room - (total - least))
    if padding <= len(free) and not scene.held_lane:
        return least, free[:padding], False
    # A blocked todo of nobody is the caller's where it is held, so it comes last: it could not be a handoff then.
    loose = [*scene.spare, *notes, *named]
    both = [*loose, *(scene.stuck[::-1] if scene.cast.me else [])]
    claims = min(most, max(least, room - held - len(loose)))
    padding = room - held - claims
    if padding > len(both):
        raise UnrealisableError("The lanes are not full enough.")
    return claims, both[:padding], True


def _into_the_lane(scene: Scene, entry: Json, claimed: bool) -> None:
    """Make a todo an open one of an agent: held by whom it may be held by, or by nobody."""
    spare, stuck = entry in scene.spare, entry in scene.stuck
    entry.pop("status", "")
    entry.pop("role", None)
    if spare and not claimed:
        # What nobody holds and lies in no pile is what something else has replaced.
        entry.pop("claimed_by")
        entry["superseded_by"] = REPLACEMENT
    elif spare or stuck:
        entry["task_class"] = "blocker"
    if claimed and not spare:
        own = stuck or (bool(scene.cast.me) and entry.get("blocks_agent") == scene.cast.me)
        entry["claimed_by"] = scene.cast.me if own else OTHER


def add_handoffs(scene: Scene) -> int:
    """Live handoffs, each of them one of the todos that are there; how many of them break the contract.

    What holds nobody else's attention is taken first; a person's todo in the agents' list is the last resort.
    """
    stale, live = scene.count("handoffs.stale"), scene.count("handoffs.stale") + scene.count("handoffs.blocking")
    watches = [entry for entry in scene.monitors if not entry.get("claimed_by")]
    hosts = [*scene.spare, *scene.others, *scene.stuck, *watches, *scene.actions]
    hosts.sort(key=lambda entry: "superseded_by" in entry)  # only stale handoffs are replaced by something
    hosts += scene.gates
    hosts = [entry for entry in hosts if not scene.cast.me or entry.get("claimed_by") != scene.cast.me]
    # A gate in the agents' list that names the caller is a handoff already.
    hosts.sort(key=lambda entry: not (entry.get("blocks_agent") and entry.get("role") != "user"))
    if live > len(hosts):
        raise UnrealisableError("There are more handoffs than todos that could be one.")
    broken = 0
    for number, entry in enumerate(hosts[:live]):
        entry["blocks_agent"] = scene.cast.me
        entry.pop("global_gate", None)
        if entry.pop("role", "agent") == "user":
            entry["status"] = "blocked"  # a person's todo stays in no lane of open work
        if number >= live - stale:
            entry["route_continuation_replan_required"] = True
        if entry.get("task_class") == "user_gate" and scene.record["agent.identity"] == "unknown":
            broken += 1
    for number in range(scene.count("handoffs.cleared")):
        scene.finished.append(todo("h", number + 1, "Review the plan", status="done", blocks_agent=scene.cast.me))
    return broken


def add_parked(scene: Scene) -> None:
    """Deferred todos: those whose condition is met with the done todo that meets it, and those that wait."""
    if any("superseded_by" in entry for entry in scene.spare):
        scene.finished.append({"todo_id": REPLACEMENT, "text": "Count all ropes", "status": "done"})
    for number in range(scene.count("waiting.wakeable")):
        fields = {"status": "deferred", "resume_when": "pr_merged:harbor/cranes#12"}
        scene.parked.append(todo("q", number + 1, "Use the new crane", **fields))
    for number in range(scene.count("waiting.unwakeable")):
        scene.parked.append(todo("r", number + 1, "Think about a lighthouse", status="deferred"))
    mine, theirs = scene.count("deferred.ready"), scene.count("deferred.ready_elsewhere")
    if mine + theirs:
        scene.finished.append(todo("d", 0, "Survey the pier", status="done"))
    for number in range(mine + theirs):
        holder = "" if number < mine else OTHER
        fields = {"status": "deferred", "resume_when": "todo_done:todo_d00", "claimed_by": holder}
        scene.parked.append(todo("p", number + 1, "Repair the pier", **fields))
