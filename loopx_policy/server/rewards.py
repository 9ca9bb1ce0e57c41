"""One request about a reward: judged by the policy, previewed or appended by the ledger, answered compactly.

Seed: dashboard reward write boundary (preview handshake, request shape); the direct-write contract.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any, Final, Protocol

from ..errors import ConflictError, LoopxError, RefusedError
from ..facts.points.decision_write import PAYLOAD, REQUEST
from ..ledger.places import Caller
from ..ledger.reward import Channel, Reward, append_reward, contract_of, document_of
from ..ledger.write import Judge, Order, Verdict, perform
from ..records import record
from ..text import public
from .body import Problem
from .settings import bare

Json = dict[str, Any]
STATUS: Final[Mapping[str, int]] = {"forbidden": 403, "stale": 409, "rejected": 422}
"""What the kind of a denial is in HTTP."""
SAID: Final[Mapping[str, str]] = {"run_generated_at": "run_generated_at|target_ref|(?<!dry-)run"}
"""What the rules call a field of the request, where it is not its name: they speak of gates and terminals too."""
SHOWN: Final = ("decision_kind", "goal_id", "target_ref", *PAYLOAD, "source_of_truth", "write_effect")
SHOWN_LAST: Final = ("project_agent_visibility", "preview_id", "recorded_at")
SCHEMAS: Final = {False: "reward_dry_run_v0", True: "reward_append_v0"}


class Desk(Protocol):
    """What the server is given to work on."""

    def goal_ids(self) -> Collection[str]:
        """The goals of the registry."""
        ...

    def caller(self, goal_id: str) -> Caller:
        """A person who writes about one goal now."""
        ...

    def judge(self, goal_id: str) -> Judge:
        """Asks a decision point; commands that it proposes name the goal."""
        ...


@record(frozen=True)
class Answer:
    """A status and the JSON that goes with it."""

    status: int
    data: Json


def consider(desk: Desk, server: Json, body: Json | Problem, *, append: bool) -> Answer:
    """Preview a reward, or append the one that was previewed; ``server`` says where the request comes from."""
    origin = desk.judge("")("decision_write", bare(server, append=append))
    if origin.kind == "forbidden" or not origin.facts["server.json"]:
        return denied(origin)
    if isinstance(body, Problem):
        return Answer(body.status, _refusal(body.message, body.fix, "rejected", "", [body.field]))
    try:
        return _consider(desk, server, body, append)
    except LoopxError as error:
        status = 503 if isinstance(error, ConflictError) else 500
        return Answer(status, _refusal(public(error.message), public(error.fix), error.kind, "", []))


def _consider(desk: Desk, server: Json, body: Json, append: bool) -> Answer:
    given = {name: body[name] if isinstance(body.get(name), str) else "" for name in REQUEST}
    goal_id = given.pop("goal_id")
    reward = Reward(**given)
    # Goal and run are never implied: what is left out is judged as empty.
    request = {"goal_id": "", "run_generated_at": "", **body}
    channel = Channel(append, "browser", request=request, server=server)
    ask = desk.judge(goal_id)
    if goal_id not in desk.goal_ids():
        document = document_of(contract_of(goal_id, reward), reward, channel, {"kind": "operator"}, {"matches": 0})
        return denied(ask("decision_write", document), "goal_id")
    said: list[Verdict] = []

    def judge(point: str, document: Json) -> Verdict:
        said.append(ask(point, document))
        return said[-1]

    order = Order("reward", request, append)
    try:
        outcome = perform(desk.caller(goal_id), order, lambda here: append_reward(here, judge, reward, channel))
    except (RefusedError, ConflictError):
        if not said or not said[-1].kind:
            raise
        return denied(said[-1])
    shown = {name: outcome.result[name] for name in (*SHOWN, *SHOWN_LAST) if name in outcome.result}
    return Answer(200, {"schema_version": SCHEMAS[append], "ok": True, "appended": outcome.written, **shown})


def denied(verdict: Verdict, *also: str) -> Answer:
    """A denial of the policy: its status, its case and reason, and the fields that it speaks of, and ``also`` these."""
    needs = "; ".join(verdict.requires)
    said = f"{verdict.reason} {needs}".lower()
    fields = [name for name in REQUEST if name in also or re.search(rf"\b(?:{SAID.get(name, name)})\b", said)]
    fix = f"{needs[:1].upper()}{needs[1:]}." if needs else ""
    data = _refusal(f"{verdict.case}: {verdict.reason}", fix, verdict.kind, verdict.case, fields)
    return Answer(STATUS[verdict.kind], data | {"command": verdict.command})


def _refusal(message: str, fix: str, kind: str, case: str, fields: list[str]) -> Json:
    data = {"ok": False, "appended": False, "error": message, "fix": fix, "kind": kind, "case": case}
    return data | {"fields": fields}
