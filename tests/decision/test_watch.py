"""A warm answer is the last one for as long as nothing has changed, and never a stale one."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide import Policy
from loopx_policy.decision import Decision
from loopx_policy.model import Snapshot
from loopx_policy.project.reader import read_project
from loopx_policy.project.times import iso
from loopx_policy.watch import Watch

NOW = 1_796_126_400
HOUR = 3600
LATER = 3_600_000_000_000
"""Added to the clock so that files count as old: how young ones are treated has tests of its own."""
GRAIN = 0.012
"""Seconds within which a file system may give two changes the same time."""
BUOY = "Watch the buoy| task_class=continuous_monitor target_key=b"


class Disk:
    """A project whose asker stands in a folder of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.here = root / "harbor" / "deck"
        self.here.mkdir(parents=True)
        self.registry = root / ".loopx" / "registry.json"
        self.home = root / "runtime" / "goals" / "harbor"
        self.goal: dict[str, Any] = {"id": "harbor", "status": "active", "repo": ".", "state_file": "STATE.md"}
        self.todos: dict[str, str] = {"todo_a01": "[P1] Sweep the quay"}
        self.set({"coordination": {"registered_agents": ["builder", "mason"], "write_scope": ["**"]}})
        self.write_state()

    def set(self, keys: dict[str, Any]) -> None:
        self.goal |= keys
        self.registry.parent.mkdir(exist_ok=True)
        data = {"schema_version": "0.1", "common_runtime_root": "runtime", "goals": [self.goal]}
        self.registry.write_text(json.dumps(data))

    def write_state(self) -> None:
        lines = ["---", "status: active", "objective: harbor", "---", "", "## Agent Todo", ""]
        for name, words in self.todos.items():
            text, _, metadata = words.partition("|")
            lines += [f"- [ ] {text}", f"  <!-- loopx:todo todo_id={name} status=open{metadata} -->"]
        (self.root / "STATE.md").write_text("\n".join(lines) + "\n")

    def todo(self, name: str, words: str) -> None:
        self.todos[name] = words
        self.write_state()

    def row(self, **keys: Any) -> None:
        runs = self.home / "runs"
        runs.mkdir(parents=True, exist_ok=True)
        with (runs / "index.jsonl").open("a") as file:
            file.write(json.dumps({"goal_id": "harbor", **keys}) + "\n")

    def lease(self, expires: int) -> None:
        folder = self.home / "task-leases"
        folder.mkdir(parents=True, exist_ok=True)
        lease = {"schema_version": "task_lease_v0", "todo_id": "todo_a01", "owner": "mason", "expires_at": iso(expires)}
        (folder / "todo_a01.json").write_text(json.dumps({**lease, "write_scope": ["quay/**"]}))

    def read(self, now: int) -> Snapshot:
        return read_project(
            goal_id=None, registry=None, runtime_root=None, cwd=str(self.here), env={}, now=now, agent_id="builder",
            capabilities=(), neutral=frozenset({"quota_slot_spent"}),
        )  # fmt: skip


Step = Callable[[Disk], None]


def spend(disk: Disk) -> None:
    disk.row(generated_at=iso(NOW), classification="quota_slot_spent", agent_id="builder", quota_event={"slots": 1})


def swap_in_place(disk: Disk) -> None:
    """Another file of the same size with the same time of change takes the state's place."""
    state = disk.root / "STATE.md"
    if not state.is_file():
        return
    before = state.stat()
    other = disk.root / "STATE.new"
    other.write_bytes(state.read_bytes().replace(b"[ ]", b"[x]").replace(b"status=open", b"status=done"))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(state)


def lose_state(disk: Disk) -> None:
    (disk.root / "STATE.md").unlink(missing_ok=True)


def hide_state(disk: Disk) -> None:
    """A link to nothing where the state was."""
    lose_state(disk)
    (disk.root / "STATE.md").symlink_to("gone.md")


def restore_state(disk: Disk) -> None:
    lose_state(disk)
    disk.write_state()


def nearer_registry(disk: Disk) -> None:
    """Another goal's registry, nearer to where the asker stands."""
    folder = disk.root / "harbor" / ".loopx"
    folder.mkdir(exist_ok=True)
    goal = {"id": "lighthouse", "status": "active", "repo": ".", "state_file": "STATE.md"}
    data = {"schema_version": "0.1", "common_runtime_root": "runtime", "goals": [goal]}
    (folder / "registry.json").write_text(json.dumps(data))


def farther_registry(disk: Disk) -> None:
    (disk.root / "harbor" / ".loopx" / "registry.json").unlink(missing_ok=True)


def checkout(disk: Disk) -> None:
    """The asker's folder becomes another repository's."""
    for part in ("objects", "refs"):
        (disk.here / ".git" / part).mkdir(parents=True, exist_ok=True)
    (disk.here / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def end_lease(disk: Disk) -> None:
    (disk.home / "task-leases" / "todo_a01.json").unlink(missing_ok=True)


STEPS: list[Step] = [
    spend, swap_in_place, lose_state, hide_state, restore_state, nearer_registry, farther_registry, checkout, end_lease,
    lambda disk: disk.lease(NOW + HOUR),
    lambda disk: disk.lease(NOW + 2 * HOUR),
    lambda disk: disk.todo("todo_m01", f"{BUOY} next_due_at={iso(NOW + HOUR)}"),
    lambda disk: disk.todo("todo_m01", f"{BUOY} cadence=30m"),
    lambda disk: disk.todo("todo_a01", "[P1] Sweep the quay| claimed_by=mason"),
    lambda disk: disk.todo("todo_a01", "[P1] Sweep the quay| claimed_by=builder"),
    lambda disk: disk.set({"quota": {"compute": 0}}),
    lambda disk: disk.set({"quota": {"compute": 1, "allowed_slots": 1, "window_hours": 1}}),
    lambda disk: disk.set({"quota": {"compute": 1, "next_eligible_at": iso(NOW + HOUR)}}),
    lambda disk: disk.set({"waiting_on": "user"}),
    lambda disk: disk.set({"waiting_on": "none"}),
]  # fmt: skip
TIMES = st.sampled_from([-HOUR, -1, 0, 1, 60, HOUR - 1, HOUR, HOUR + 1, 2 * HOUR])


@pytest.fixture(scope="module")
def policy() -> Policy:
    return Policy(load_catalog())


def content(decision: Decision) -> dict[str, Any]:
    return {key: value for key, value in decision.to_dict().items() if key != "decided_at"}


def asked(watch: Watch, now: int) -> dict[str, Any] | str:
    try:
        return content(watch.decide(now, time.time_ns() + LATER))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@given(st.lists(st.one_of(st.sampled_from(STEPS), TIMES), min_size=3, max_size=14))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_interleaving_of_changes_and_times_gives_a_stale_answer(
    policy: Policy, tmp_path_factory: pytest.TempPathFactory, steps: list[Step | int]
) -> None:
    disk = Disk(tmp_path_factory.mktemp("harbor"))
    watch, now = Watch(policy, disk.read), NOW
    for step in steps:
        if isinstance(step, int):
            now = NOW + step
        else:
            time.sleep(GRAIN)
            step(disk)
        assert asked(watch, now) == asked(Watch(policy, disk.read), now)
        assert asked(watch, now) == asked(Watch(policy, disk.read), now)


@pytest.fixture
def disk(tmp_path: Path) -> Disk:
    return Disk(tmp_path)


def old(disk: Disk) -> int:
    """A time of the clock at which all files are old."""
    return time.time_ns() + LATER


def test_an_unchanged_project_is_read_once(policy: Policy, disk: Disk) -> None:
    watch = Watch(policy, disk.read)
    first = watch.decide(NOW, old(disk))
    assert all(watch.decide(NOW + second, old(disk)) is first for second in range(100))
    assert watch.read_again == 1
    assert first.should_run


def test_what_others_do_in_the_folders_above_is_no_change_of_the_project(policy: Policy, tmp_path: Path) -> None:
    place = tmp_path / "busy" / "harbor"
    place.mkdir(parents=True)
    disk = Disk(place)
    watch = Watch(policy, disk.read)
    first = watch.decide(NOW, old(disk))
    for number in range(5):
        (place.parent / f"other{number}").write_text("x")
        assert watch.decide(NOW, old(disk)) is first
    assert watch.read_again == 1


def test_a_checkout_that_appears_above_is_a_change(policy: Policy, tmp_path: Path) -> None:
    place = tmp_path / "above" / "harbor"
    place.mkdir(parents=True)
    disk = Disk(place)
    watch = Watch(policy, disk.read)
    first = watch.decide(NOW, old(disk))
    (place.parent / ".git").mkdir()
    assert watch.decide(NOW, old(disk)) is not first


def test_what_was_read_while_it_was_young_is_read_again(policy: Policy, disk: Disk) -> None:
    """Two writes within one tick of the file system's clock leave the same times; nothing young is trusted."""
    watch = Watch(policy, disk.read)
    for number in range(20):
        disk.todo("todo_a01", f"[P1] Sweep| claimed_by={('builder', 'mason_1')[number % 2]}")
        assert watch.decide(NOW, time.time_ns()).should_run is (number % 2 == 0)
    watch.decide(NOW, time.time_ns())
    assert watch.read_again == 21


def test_a_due_time_ends_an_answer_to_the_second(policy: Policy, disk: Disk) -> None:
    del disk.todos["todo_a01"]
    disk.todo("todo_m01", f"{BUOY} next_due_at={iso(NOW + HOUR)}")
    watch = Watch(policy, disk.read)
    quiet = watch.decide(NOW, old(disk))
    assert not quiet.should_run
    assert watch.decide(NOW + HOUR - 1, old(disk)) is quiet
    assert watch.read_again == 1
    due = watch.decide(NOW + HOUR, old(disk))
    assert due.should_run
    assert watch.decide(NOW + 9 * HOUR, old(disk)) is due
    assert watch.decide(NOW, old(disk)).should_run is False


@given(st.lists(st.integers(-2, 40 * 24 * 4), min_size=2, max_size=12))
@settings(max_examples=40, deadline=None)
def test_a_hint_decays_and_ends_though_nothing_changes_on_disk(
    policy: Policy, tmp_path_factory: pytest.TempPathFactory, quarters: list[int]
) -> None:
    disk = Disk(tmp_path_factory.mktemp("fed"))
    disk.todos = {
        "todo_a01": "[P1] Sweep| action_kind=docs_pass",
        "todo_a02": "[P1] Measure| action_kind=run_eval",
        "todo_a03": "[P1] Draw| action_kind=implement",
    }
    disk.write_state()
    for number, (kind, reward) in enumerate((("run_eval", "positive"), ("docs_pass", "negative"))):
        said = {"reward": reward, "recorded_at": iso(NOW + number * 40 * HOUR)}
        disk.row(generated_at=iso(NOW - 9 + number), classification="done", action_kind=kind, human_reward=said)
    watch = Watch(policy, disk.read)
    for quarter in quarters:
        now = NOW + quarter * 6 * HOUR
        assert asked(watch, now) == asked(Watch(policy, disk.read), now)


def test_a_hint_ends_to_the_second_in_a_warm_answer(policy: Policy, disk: Disk) -> None:
    disk.todos = {"todo_a01": "[P1] Sweep| action_kind=docs_pass", "todo_a02": "[P1] Measure| action_kind=run_eval"}
    disk.write_state()
    disk.row(generated_at=iso(NOW), classification="done", action_kind="run_eval", human_reward={"reward": "positive"})
    watch, end = Watch(policy, disk.read), NOW + 30 * 24 * HOUR
    assert watch.decide(NOW, old(disk)).selected == "todo_a02"
    assert watch.decide(end - 1, old(disk)).selected == "todo_a02"
    assert watch.decide(end, old(disk)).selected == "todo_a01"


def test_an_error_is_told_again_and_again_until_it_is_mended(policy: Policy, disk: Disk) -> None:
    disk.registry.write_text("{")
    watch = Watch(policy, disk.read)
    assert str(asked(watch, NOW)).startswith("StateError")
    assert str(asked(watch, NOW)).startswith("StateError")
    disk.set({})
    assert watch.decide(NOW, old(disk)).should_run
