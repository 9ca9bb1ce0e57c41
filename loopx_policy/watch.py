"""Warm answers: the last decision again, for as long as nothing that it rests on has changed.

A decision depends on files, on the catalog and on the time. Of the files, a mark of everything that was looked at is
kept (device, inode, size, both times of change); of the time, the span within which every comparison comes out alike.
A repeat compares the marks and the span, and reads and decides anew where one differs. It never trusts what was read
while a file was younger than two seconds, since a file system may give two changes the same time.
"""

from __future__ import annotations

from collections.abc import Callable

from loopx_policy.decide import Evaluation, Policy
from loopx_policy.decision import Decision, build
from loopx_policy.model import Snapshot
from loopx_policy.moment import Moment, Span
from loopx_policy.project.looks import Mark, Watched, latest, unchanged
from loopx_policy.records import record

YOUNG = 2_000_000_000
"""Nanoseconds after its last change during which a file may change again without its times showing it."""


@record
class _Kept:
    """A decision, the times for which it holds, and the marks of what it was read from."""

    decision: Decision
    span: Span
    marks: dict[str, Mark]


class Watch:
    """One question, asked again and again. Not for several threads at once.

    Parameters
    ----------
    policy: the policy that decides, as it was loaded; changed rule files need a new ``Watch``
    read:   the snapshot at a time in seconds since the epoch, as ``partial(read_project, cwd=..., ...)`` gives it;
            everything else that it depends on (folder, environment, agent) must stay what it was
    """

    __slots__ = ("_kept", "_policy", "_read", "evaluation", "read_again")

    evaluation: Evaluation
    """What stands behind the last decision."""

    def __init__(self, policy: Policy, read: Callable[[int], Snapshot]) -> None:
        self._policy = policy
        self._read = read
        self._kept: _Kept | None = None
        self.read_again = 0
        """How often the project was read; for tests and for the curious."""

    def decide(self, now: int, clock: int) -> Decision:
        """The decision at ``now`` (seconds since the epoch); the same object as before where nothing has changed.

        ``clock`` is what the clock of the file system says, in nanoseconds since the epoch (``time.time_ns()``). The
        ``decided_at`` of a repeated decision is when it was made. Errors as ``read`` raises them; none is kept.
        """
        kept = self._kept
        if kept is not None and now in kept.span and unchanged(kept.marks):
            return kept.decision
        self._kept = None
        self.read_again += 1
        span = Span()
        with Watched() as marks:
            snapshot = self._read(Moment(now, span))
        self.evaluation = self._policy.evaluate(snapshot)
        decision = build(self.evaluation)
        if latest(marks) + YOUNG <= clock:
            self._kept = _Kept(decision, span, marks)
        return decision
