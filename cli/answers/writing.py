"""What every writing command shares: who writes, the judge, and the decision that holds afterwards."""

from __future__ import annotations

import os
from collections.abc import Callable
from shlex import quote
from typing import Any

from loopx_policy.budget import fit
from loopx_policy.decide import Policy
from loopx_policy.decide_point import decide_point
from loopx_policy.engine.catalog import Catalog
from loopx_policy.ledger.places import Caller, Ground
from loopx_policy.ledger.write import Judge, Order, Outcome, Plan, perform
from loopx_policy.model import Snapshot
from loopx_policy.observe import Observer
from loopx_policy.records import field, record

from ..request import Globals, Result
from .goals import near, neutral, snapshot_of
from .inputs import moment
from .policy import load
from .quota import awake
from .should_run import UNDER, exit_code

Data = dict[str, Any]


@record(frozen=True)
class Writer:
    """The options that every writing command takes."""

    options: Globals
    goal_id: str | None = None
    agent_id: str | None = None
    available_capability: tuple[str, ...] = ()
    execute: bool = False
    key: str = ""
    extra: dict[str, str] = field(default_factory=dict)

    def caller(self, catalog: Catalog) -> Caller:
        return Caller(
            cwd=os.getcwd(),
            env=os.environ,
            now=moment(self.options),
            goal_id=self.goal_id,
            registry=self.options.registry or None,
            runtime_root=self.options.runtime_root or None,
            agent_id=self.agent_id,
            capabilities=self.available_capability,
            neutral=neutral(catalog),
        )

    def words(self) -> dict[str, str]:
        """What was typed, for the commands that a refusal proposes: all of it, and without who asks."""
        goal = [("--goal-id", self.goal_id)]
        who = [("--agent-id", self.agent_id), *(("--available-capability", name) for name in self.available_capability)]
        cwd = os.getcwd()
        where = [
            ("--registry", near(self.options.registry, cwd)),
            ("--runtime-root", near(self.options.runtime_root, cwd)),
            *(("--rules", near(folder, cwd)) for folder in self.options.rules),
        ]
        return {"flags": _typed(*goal, *who, *where), "place_flags": _typed(*goal, *where)}


def _typed(*given: tuple[str, str | None]) -> str:
    return "".join(f" {name} {quote(value)}" for name, value in given if value)


Planner = Callable[[Ground, Judge], Plan]
Observing = Callable[[Ground, Judge, Observer], Plan]


def write(
    writer: Writer, command: str, request: Data, plan: Planner, *, registry: bool = False, remembered: bool = True
) -> Result:
    """Preview or carry out one write; the answer ends with the decision that now holds."""

    def unobserved(here: Ground, judge: Judge, observer: Observer) -> Plan:
        del observer
        return plan(here, judge)

    return observed(writer, command, request, unobserved, registry=registry, remembered=remembered)


def observed(
    writer: Writer,
    command: str,
    request: Data,
    plan: Observing,
    *,
    registry: bool = False,
    remembered: bool = True,
) -> Result:
    """``write`` for a step that rests on a decision: it is told what was decided.

    The decision before the write is ``remembered`` with it, unless the write leaves the turn's leave as it is.
    """
    catalog = load(writer.options)
    policy = Policy(catalog)
    observer = Observer(policy)
    judge = judge_of(writer, catalog)
    order = Order(command, request, writer.execute, writer.key, registry)
    keeper = observer if remembered else None
    outcome = perform(writer.caller(catalog), order, lambda here: plan(here, judge, observer), keeper)
    return answered(writer, policy, outcome)


def judge_of(writer: Writer, catalog: Catalog) -> Judge:
    """Asks a decision point on behalf of this writer: the commands that it proposes carry the writer's options."""
    words = writer.words()

    def judge(point: str, document: Data) -> Any:
        return decide_point(catalog, point, document, words)

    return judge


def answered(writer: Writer, policy: Policy, outcome: Outcome) -> Result:
    """The answer of a write, with the decision that now holds; a goal that is only previewed has none yet.

    A person is told what holds for the goal's first agent, since nobody asks for a turn of their own.
    """
    data = outcome.to_dict()
    if outcome.command == "goal init" and not outcome.written:
        return Result(data | {"decision": None, "decision_exit_code": 0}, "written")
    snapshot = outcome.snapshot or snapshot_of(
        writer.options, policy.catalog, outcome.goal_id, writer.agent_id, writer.available_capability
    )
    decision = policy.decide(onlooker(snapshot, outcome.result))
    data["decision"] = fit(decision.to_dict(), UNDER)
    data["decision_exit_code"] = exit_code(decision)
    return Result(data, "written")


def onlooker(snapshot: Snapshot, about: Data | None = None) -> Snapshot:
    """The snapshot as a person looks at it who names no agent: as the one that something is about, else the primary."""
    goal = snapshot.goal
    if snapshot.invocation.agent_id is not None or not goal.agents:
        return snapshot
    named = [(about or {}).get(key) for key in ("blocks_agent", "agent_id")]
    agent = next((str(name) for name in [*named, goal.primary_agent] if name in goal.agents), goal.agents[0])
    return awake(snapshot, agent)
