"""Small invented rules over the shipped facts, and fixtures for them."""

from __future__ import annotations

from pathlib import Path

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.engine.catalog import Case, Catalog, Obligation
from loopx_policy.engine.conditions import AllOf, Compare
from loopx_policy.fixtures import load_folder
from loopx_policy.records import replace
from loopx_policy.workshop.bench import Situation, situations

POINT = "plan_writeback"
LOOSE = AllOf((Compare("plan.connected", "eq", True), Compare("plan.unwritten", "gte", 1)))
RULES = (
    Case("IP-101", "loose", POINT, LOOSE, verdict="deny", reason="{unwritten} stands nowhere", requires=("write it",)),
    Case("IP-101", "sound", POINT, AllOf(()), verdict="allow", reason="nothing is in the way"),
)
TURN = (
    Case(
        "IP-102", "paused", "turn", Compare("quota.paused", "eq", True), stratum="paused", mode="skip",
        effective_action="skip", state="paused", reason="it rests",
    ),
    Case(
        "IP-102", "deliver", "turn", Compare("frontier.runnable", "gte", 1), stratum="delivery",
        mode="bounded_delivery", effective_action="normal_run", state="eligible", reason="{selected} is runnable",
    ),
)  # fmt: skip
CANDIDATE = (
    Case(
        "IP-103", "networked", "candidate", Compare("capability.lacks_owner", "eq", True), verdict="blocked",
        blocks="lacks_owner", reason="it needs the owner",
    ),
    Case("IP-103", "free", "candidate", AllOf(()), verdict="runnable", reason="nothing is in the way"),
)  # fmt: skip
CLAIM = Obligation(
    "IP-102", "claim", "agent", Compare("frontier.selected_claim", "eq", "unclaimed"), "claim it", ("delivery",)
)

PLAN = """\
point: plan_writeback
covers: IP-101.loose
seed: What an answer promises stands somewhere.
given:
  connected: true
  items: [{kind: agent_work, summary: survey the quay, written: []}]
expect: {verdict: deny, case: IP-101.loose, requires: [write it]}
near_misses:
  - name: it is written down
    change: {items.0.written: [next_action]}
    expect: {verdict: allow, case: IP-101.sound}
"""
ELSEWHERE = """\
  - name: the goal is not connected
    change: {connected: false}
    expect: {verdict: allow, case: IP-101.sound}
"""
ALSO = """\
  - name: it promises work of a goal that is not connected
    change: {items.0.kind: agent_work, connected: false}
    expect: {verdict: allow}
"""
REMARK = """\
point: plan_writeback
covers: IP-101.sound
seed: A remark promises nothing.
given:
  items: [{kind: remark, summary: the tide is low}]
expect: {verdict: allow, case: IP-101.sound}
near_misses:
  - name: it promises work
    change: {items.0.kind: agent_work}
    expect: {verdict: deny}
"""
REST = """\
covers: IP-102.paused
seed: A paused goal rests, whatever could be done.
given:
  now: 2026-12-01T12:00:00Z
  agent: ann
  goal: {id: harbor, agents: [ann], quota: {compute: 0}}
  todos: [{todo_id: todo_a01, text: Chart the basin}]
expect: {lead: IP-102.paused, mode: skip, state: paused}
near_misses:
  - name: it goes on
    change: {goal.quota.compute: 1}
    expect: {lead: IP-102.deliver, mode: bounded_delivery, selected: todo_a01, obligation_kinds: {IP-102.claim: agent}}
"""
NETWORK = """\
point: candidate
covers: IP-103.networked
seed: What needs the owner waits for the owner.
given:
  now: 2026-12-01T12:00:00Z
  agent: ann
  goal: {id: harbor, agents: [ann]}
  todos: [{todo_id: todo_a01, text: Chart the basin, required_capabilities: [network]}]
expect: {selected: null, blocked: {todo_a01: [IP-103.networked]}}
near_misses:
  - name: the owner gave it
    change: {capabilities: [network]}
    expect: {selected: todo_a01, blocked: {}}
"""


def invented(*cases: Case, obligations: tuple[Obligation, ...] = ()) -> Catalog:
    """A catalog with these rules and no others, over the shipped facts, modes and strata."""
    shipped = load_catalog()
    by_point = {point: tuple(case for case in cases if case.point == point) for point in shipped.points}
    return replace(shipped, cases=by_point, obligations=obligations, withholdings=(), shards={})


def answered(catalog: Catalog, folder: Path, *texts: str) -> list[Situation]:
    """The situations of fixtures that are written to a folder."""
    for number, text in enumerate(texts):
        covered = text.partition("covers: ")[2][:6]
        (folder / covered).mkdir(exist_ok=True)
        (folder / covered / f"f{number}.yaml").write_text(text, encoding="utf-8")
    fixtures, errors = load_folder(str(folder))
    assert [str(error) for error in errors] == []
    return situations(catalog, fixtures)
