"""Running a plan: the cheapest first, processes beside each other, nothing written, and nothing after its time.

Checks in the program itself share one thread; each process is waited for by another. A check that must be alone waits
for all others. What had no time left was not run, which is no pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock

from loopx_policy.canary.guard import look
from loopx_policy.canary.inside import Inside, OutOfTime
from loopx_policy.canary.outcome import Outcome, Problem, Ran
from loopx_policy.canary.outside import Machine, Running
from loopx_policy.canary.plan import Plan, Planned
from loopx_policy.engine.catalog import Catalog
from loopx_policy.errors import LoopxError
from loopx_policy.records import record

Tell = Callable[[Planned, Outcome | None], None]
"""Called where a check starts (``None``) and where it has ended; from several threads, one at a time."""


@record(frozen=True)
class Terms:
    """``budget`` is in seconds, 0 for none; ``clock`` counts seconds; ``state`` are places that must not change."""

    clock: Callable[[], float]
    jobs: int = 1
    budget: float = 0.0
    state: tuple[str, ...] = ()


def run_plan(plan: Plan, machine: Machine, catalog: Catalog, terms: Terms, tell: Tell) -> Ran:
    """Run every check of a plan, and look whether the tree and the state are as they were."""
    before = look(machine.root, terms.state)
    start = terms.clock()
    runner = _Run(machine, catalog, terms, tell)
    outcomes = runner.all(plan.checks)
    took = terms.clock() - start
    changed = before.differences(look(machine.root, terms.state))
    return Ran(outcomes, list(plan.gaps), changed, round(took * 1000))


class _Run:
    def __init__(self, machine: Machine, catalog: Catalog, terms: Terms, tell: Tell) -> None:
        self._machine = machine
        self._terms = terms
        self._tell = tell
        self._telling = Lock()
        self._end = terms.clock() + terms.budget if terms.budget else None
        self._inside = Inside(machine.root, catalog, self._hurry)
        self._open: set[Running] = set()
        self._stopped = False

    def all(self, checks: Sequence[Planned]) -> list[Outcome]:
        """The outcomes in the order of the plan."""
        done: dict[str, Outcome] = {}
        together = [each for each in checks if not each.item.check.alone]
        with ThreadPoolExecutor(max(1, self._terms.jobs)) as pool:
            try:
                waiting = [pool.submit(self._one, each) for each in together if _is_process(each)]
                done |= {each.item.id: self._one(each) for each in together if not _is_process(each)}
                done |= _gathered(waiting)
                done |= {each.item.id: self._one(each) for each in checks if each.item.check.alone}
            except BaseException:
                self._stop()
                raise
        return [done[each.item.id] for each in checks]

    def _one(self, planned: Planned) -> Outcome:
        start = self._terms.clock()
        if self._stopped or self._left() == 0:
            outcome = Outcome(planned, "not_run")
        else:
            self._say(planned, None)
            outcome = self._process(planned) if _is_process(planned) else self._here(planned)
            outcome.milliseconds = round((self._terms.clock() - start) * 1000)
        self._say(planned, outcome)
        return outcome

    def _here(self, planned: Planned) -> Outcome:
        try:
            problems = self._inside.run(planned.item)
        except OutOfTime:
            return Outcome(planned, "not_run")
        except LoopxError as error:
            return Outcome(planned, "error", problems=[Problem(str(error))])
        return Outcome(planned, "failed" if problems else "passed", problems=problems)

    def _process(self, planned: Planned) -> Outcome:
        try:
            running = Running(planned.item, self._machine)
        except OSError as error:
            return Outcome(planned, "error", problems=[Problem(f"It cannot be started: {error.strerror}.")])
        self._open.add(running)
        try:
            ended = running.wait(self._left())
        finally:
            self._open.discard(running)
        if ended.late:
            return Outcome(planned, "not_run", output=ended.output)
        if ended.problems:
            return Outcome(planned, "failed", problems=ended.problems, output=ended.output)
        return Outcome(planned, "passed")

    def _left(self) -> float | None:
        """Seconds that are left; None where there is no budget."""
        return None if self._end is None else max(0.0, self._end - self._terms.clock())

    def _hurry(self) -> None:
        if self._left() == 0:
            raise OutOfTime

    def _say(self, planned: Planned, outcome: Outcome | None) -> None:
        with self._telling:
            self._tell(planned, outcome)

    def _stop(self) -> None:
        self._stopped = True
        for running in list(self._open):
            running.stop()


def _gathered(waiting: Iterable[Future[Outcome]]) -> dict[str, Outcome]:
    return {outcome.planned.item.id: outcome for outcome in (future.result() for future in waiting)}


def _is_process(planned: Planned) -> bool:
    return bool(planned.item.runs.pytest or planned.item.runs.command)
