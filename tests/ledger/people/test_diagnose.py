"""The evidence for now: what is decided, wrong, stale or unread, and what blocks each todo with its command."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

from loopx_policy.cli.entry import parse
from tests.ledger.people.conftest import GATE, RUN, Harbor

PARK = """\
- [-] [P2] Measure the tide again
  <!-- loopx:todo todo_id=todo_parked status=deferred resume_when=todo_done:todo_importer -->
- [ ] [P2] Wait for the supplier
  <!-- loopx:todo todo_id=todo_stuck status=blocked reason=the%20supplier%20is%20silent -->
- [ ] [P2] Write the report
  <!-- loopx:todo todo_id=todo_infra status=open required_write_scopes=infra/** -->
- [ ] [P3] Watch the tide table
  <!-- loopx:todo todo_id=todo_watch task_class=continuous_monitor cadence=1d last_checked_at=2026-12-01T08:00:00Z -->

## Next Action
"""


def diagnosis(harbor: Harbor, agent: str = "builder") -> Any:
    return harbor.ask("diagnose", "--agent-id", agent)


def todos(data: Any) -> dict[str, tuple[bool, str]]:
    return {todo["todo_id"]: (todo["runnable"], todo["why"]) for todo in data["todos"]}


def test_every_unfinished_todo_says_what_blocks_it(harbor: Harbor) -> None:
    harbor.edit("## Next Action\n", PARK)
    found = todos(diagnosis(harbor))
    assert found["todo_importer"] == (True, "")
    for todo_id, named in (
        ("todo_parked", "todo_importer"),
        ("todo_stuck", "the supplier is silent"),
        ("todo_manual", "writer holds it"),
        ("todo_watch", "watch"),
        (GATE, "a person has to decide"),
        ("todo_publish", GATE),
        ("todo_compare", "benchmark_runner"),
        ("todo_infra", "infra/**"),
    ):
        assert not found[todo_id][0]
        assert named in found[todo_id][1]


def test_a_done_todo_is_no_evidence_of_now(harbor: Harbor) -> None:
    harbor.edit("todo_id=todo_manual status=open", "todo_id=todo_manual status=done")
    assert "todo_manual" not in todos(diagnosis(harbor))


def test_its_decision_is_that_of_should_run(harbor: Harbor) -> None:
    decision, asked = diagnosis(harbor)["decision"], harbor.decision()
    assert decision["lead"] == asked["lead"]
    assert decision["facts_digest"] == asked["facts_digest"]


def test_broken_state_is_told_first_and_ends_with_3(harbor: Harbor) -> None:
    harbor.edit(" blocks_agent=builder", "")
    ran = harbor.loopx("--format", "json", "diagnose", "--agent-id", "builder")
    assert ran.code == 3
    assert ran.json["problems"][0]["breaks_contract"]
    assert GATE in ran.json["problems"][0]["message"]


@pytest.mark.parametrize(
    ("todo_id", "end", "stale"),
    [
        ("todo_manual", "2026-12-01T08:00:00Z", True),
        ("todo_manual", "2026-12-01T10:00:00Z", False),
        ("todo_gone", "2026-12-01T10:00:00Z", True),
    ],
)
def test_leases_without_effect_are_named(harbor: Harbor, todo_id: str, end: str, stale: bool) -> None:
    lease = {"todo_id": todo_id, "owner": "writer", "acquired_at": "2026-12-01T07:00:00Z", "expires_at": end}
    folder = harbor.folder / "task-leases"
    folder.mkdir()
    (folder / f"{todo_id}.json").write_text(json.dumps(lease), encoding="utf-8")
    assert [each["todo_id"] for each in diagnosis(harbor)["leases"]] == ([todo_id] if stale else [])


def test_a_reward_is_unread_until_the_agent_records_something(harbor: Harbor) -> None:
    words = ("--decision", "stop_route", "--reward", "negative", "--reason-summary", "it drifts")
    harbor.ask("reward", "--run-generated-at", RUN, *words, "--execute")
    assert [each["run"] for each in diagnosis(harbor)["overlays"]] == [RUN]
    harbor.append(generated_at="2026-12-01T09:30:00Z", agent_id="builder")
    assert diagnosis(harbor)["overlays"] == []


def test_what_is_owed_is_named(harbor: Harbor) -> None:
    harbor.append(generated_at="2026-12-01T08:10:00Z", lesson={"id": "lesson_7", "rule": "run remotely"})
    harbor.append(generated_at="2026-12-01T08:20:00Z", dreaming_proposal={"title": "a second quay"})
    owed = {each["what"]: each["text"] for each in diagnosis(harbor)["owed"]}
    assert owed["lesson_7"] == "run remotely"
    assert owed["2026-12-01T08:20:00Z"] == "a second quay"


def commands(data: Any) -> set[str]:
    groups = [data["todos"], data["leases"], data["overlays"], data["owed"]]
    return {each["command"] for group in groups for each in group}


@pytest.mark.parametrize("agent", ["builder", "writer"])
def test_every_command_runs_as_printed(harbor: Harbor, agent: str) -> None:
    harbor.edit("## Next Action\n", PARK)
    harbor.append(generated_at="2026-12-01T08:10:00Z", lesson={"id": "lesson_7", "rule": "run remotely"})
    harbor.append(generated_at="2026-12-01T08:20:00Z", dreaming_proposal={"title": "a second quay"})
    words = ("--decision", "stop_route", "--reward", "negative", "--reason-summary", "it drifts")
    harbor.ask("reward", "--run-generated-at", RUN, *words, "--execute", at="2026-12-01T09:00:00Z")
    found = commands(diagnosis(harbor, agent))
    assert len(found) > 4
    for command in found:
        program, *arguments = shlex.split(command)
        assert program == "loopx"
        assert not isinstance(parse(arguments), int)
        ran = harbor.loopx(*arguments)
        assert ran.code == 0, command + ran.err


@pytest.mark.parametrize("wanted", ["rich", "markdown"])
def test_people_read_what_programs_read(harbor: Harbor, wanted: str) -> None:
    ran = harbor.loopx("--format", wanted, "diagnose", "--agent-id", "builder", COLUMNS="120")
    assert ran.code == 0
    for word in ("todo_publish", "todo_compare", "benchmark_runner", "writer holds it"):
        assert word in ran.out
