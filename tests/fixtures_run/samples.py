"""A right fixture, to break in one place at a time, and how to run one file."""

from __future__ import annotations

from pathlib import Path

from loopx_policy.errors import LoopxError
from loopx_policy.fixtures import Outcome, Runner, load_folder

GOOD = """\
covers: GR-paused.paused
seed: A goal with a compute share of zero is paused.
given:
  now: 2026-12-01T12:00:00Z
  goal: {id: harbor, write_scope: ["**"], quota: {compute: 0}}
  todos: [{todo_id: todo_a01, text: Chart the basin}]
expect: {mode: skip, state: paused, notify: DONT_NOTIFY}
near_misses:
  - name: half a share is left
    change: {goal.quota.compute: 0.5}
    expect: {mode: bounded_delivery, selected: todo_a01, candidates: [todo_a01]}
"""

BLOCKED = """\
covers: IP-021.lacks_bridge
seed: A todo whose bridge is missing does not run.
given:
  now: 2026-12-01T12:00:00Z
  agent: ann
  goal: {id: harbor, agents: [ann, bo], write_scope: ["**"]}
  todos: [{todo_id: todo_a01, text: Chart the basin, required_capabilities: [benchmark_runner]}]
expect: {blocked: {todo_a01: [IP-021.lacks_bridge]}}
near_misses:
  - name: the bridge is there
    change: {capabilities: [benchmark_runner]}
    expect: {blocked: {}}
"""

POINT = """\
point: plan_writeback
covers: IP-018.nothing_promised
seed: What promises no work needs no writeback.
given:
  connected: true
  items: [{kind: remark, summary: the tide is low}]
expect: {verdict: allow, case: IP-018.nothing_promised}
near_misses:
  - name: it promises work
    change: {items.0.kind: agent_work}
    expect: {verdict: deny, case: IP-018.unwritten}
"""


def swap(old: str, new: str, text: str = GOOD) -> str:
    """``text`` with a passage replaced that stands in it once."""
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
    return text.replace(old, new)


def line_of(passage: str, text: str) -> int:
    """The line in which a passage first begins."""
    return text[: text.index(passage)].count("\n") + 1


def write(folder: Path, text: str, name: str = "GR-paused/one.yaml") -> None:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def run(runner: Runner, folder: Path, text: str) -> list[Outcome]:
    """The outcomes of one file."""
    write(folder, text)
    fixtures, errors = load_folder(str(folder))
    assert [str(error) for error in errors] == []
    return runner.run(fixtures[0])


def unread(folder: Path, text: str) -> LoopxError:
    """What is said of a file that cannot be read."""
    write(folder, text)
    fixtures, errors = load_folder(str(folder))
    assert fixtures == []
    (error,) = errors
    return error
