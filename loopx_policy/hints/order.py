"""Hints as the last step of ordering: only among runnable equals, and with the lead already fixed.

What is runnable, and what the turn's facts are, has been decided when this runs. A hint permutes the places that
runnable todos of one rank hold between them; no other todo moves, and no fact changes but in the order of its evidence.
"""

from __future__ import annotations

from loopx_policy.facts import frontier
from loopx_policy.facts.frontier import Candidate, rank
from loopx_policy.facts.record import Record
from loopx_policy.facts.turn import Turn
from loopx_policy.hints.derive import derive
from loopx_policy.hints.hint import Hint
from loopx_policy.records import record


@record(frozen=True)
class Effect:
    """What hints did to a turn: the ids of the runnable todos as they would stand without them and as they stand, and
    the hints that speak of a todo that changed its place. ``leading`` is the strongest of those for the todo now first
    or against the one that was; none where the same one stays first.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    because: tuple[Hint, ...]
    leading: Hint | None

    @property
    def moved_lead(self) -> bool:
        """Whether another todo comes first than would without hints."""
        return self.before[0] != self.after[0]


def apply(turn: Turn) -> Effect | None:
    """Put runnable equals of the turn's frontier in order; ``None`` where nothing moves."""
    active = derive(turn.view).active
    if not active:
        return None
    found = turn.frontier
    before = found.runnable
    after = reorder(found.candidates, active, turn.view.identity == "primary")
    if after == found.candidates:
        return None
    found.candidates = after
    again = Record()
    frontier.project(turn.view, found, turn.gates, again)
    turn.record.evidence.update(again.evidence)
    now = found.runnable
    moved = [new.todo for old, new in zip(before, now, strict=True) if old is not new]
    because = tuple(hint for hint in active if any(hint.weight(todo) for todo in moved))
    first, was = now[0].todo, before[0].todo
    for_it = (hint for hint in because if hint.weight(first) > 0 or hint.weight(was) < 0)
    leading = next(for_it, None) if first is not was else None
    ids = [tuple(candidate.todo.todo_id for candidate in order) for order in (before, now)]
    return Effect(ids[0], ids[1], because, leading)


def reorder(candidates: list[Candidate], active: list[Hint], primary: bool) -> list[Candidate]:
    """The candidates with runnable equals put in order by the hints' weight; a law: each stays within its rank."""
    places: dict[tuple[bool, bool, int, bool, bool], list[int]] = {}
    for place, candidate in enumerate(candidates):
        if candidate.verdict.runnable:
            places.setdefault(rank(candidate, primary)[:-1], []).append(place)
    ordered = list(candidates)
    for group in places.values():
        if len(group) > 1:
            equals = [candidates[place] for place in group]
            equals.sort(key=lambda candidate: -sum(hint.weight(candidate.todo) for hint in active))
            for place, candidate in zip(group, equals, strict=True):
                ordered[place] = candidate
    return ordered
