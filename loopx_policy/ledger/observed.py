"""What the ledger is told of decisions: it never asks the engine, so an ``Observer`` comes in from the command line."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from ..model import Snapshot
from ..records import record

Json = dict[str, Any]
Standing = Literal["none", "lane", "goal"]


@record(frozen=True)
class Observation:
    """One caller's turn at one instant.

    ``decision`` is the record of the decision (``loopx_turn_decision_v0``): who asked with which capabilities, the
    mode, its ``turn_kind``, whether it lets a slot be spent, its digests. ``replan`` says whose replan obligation
    is open, and ``own_replan`` whether the lane owes one by its own rows, beside what the goal may owe; ``boundary``
    are the globs that may be written.
    """

    decision: Json
    replan: Standing = "none"
    own_replan: bool = False
    boundary: tuple[str, ...] = ()


@record(frozen=True)
class Watch:
    """A watch as the caller finds it: whether it goes on, whether it is time to look, and the unchanged polls in a row
    of its target."""

    open: bool
    due: bool
    unchanged: int


class Observer(Protocol):
    """Observes the decision that holds for the caller of a snapshot."""

    @property
    def turn_minutes(self) -> int:
        """Minutes for which a decision speaks for its turn."""
        ...

    def look(self, snapshot: Snapshot) -> Observation:
        """What holds for the caller of a snapshot, as of its ``now``."""
        ...

    def watches(self, snapshot: Snapshot) -> dict[str, Watch]:
        """Every watch of the state, by the id of its todo."""
        ...

    def frontier(self, snapshot: Snapshot, at: int) -> Json:
        """The surfaces of the frontier, as they would be at ``at`` with this state."""
        ...
