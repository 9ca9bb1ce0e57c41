"""A broken thing in a project is never read as nothing there: exit code 3, no work, and a person told where."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Ran, Run

Edit = Callable[[str, str], None]


def ask(loopx: Run, project: Path, *more: str, **options: Any) -> Ran:
    return loopx("--format", "json", "quota", "should-run", "--agent-id", "builder", *more, cwd=project, **options)


def told(ran: Ran) -> str:
    """What a person is told of a broken contract; nothing may run."""
    answer = json.loads(ran.out)
    contract = answer["interaction_contract"]
    assert (ran.code, contract["mode"]) == (3, "health_blocked")
    assert contract["user_channel"]["notify"] == "NOTIFY"
    assert not contract["agent_channel"]["must_attempt"]
    return str(contract["user_channel"]["reason"])


def runtime(project: Path) -> Path:
    return project.parent / "runtime" / "goals" / "harbor"


def file_for_folder(place: Path) -> None:
    place.rmdir()
    place.write_text("")


LEASES: dict[str, tuple[Callable[[Path], object], str]] = {
    "half a file": (lambda place: (place / "todo_importer.json").write_text("{"), "todo_importer.json"),
    "a link to nothing": (lambda place: (place / "todo_importer.json").symlink_to("gone"), "todo_importer.json"),
    "another todo": (
        lambda place: (place / "todo_manual.json").write_text('{"todo_id": "todo_importer", "owner": "writer"}'),
        "todo_manual.json",
    ),
    "an odd name": (
        lambda place: (place / "lease-1.json").write_text('{"todo_id": "todo_importer", "owner": "writer"}'),
        "lease-1.json",
    ),
    "a file for a folder": (file_for_folder, "task-leases"),
}


@pytest.mark.parametrize("kind", LEASES)
def test_leases_that_cannot_be_read_are_not_free_todos(loopx: Run, project: Path, kind: str) -> None:
    place = runtime(project) / "task-leases"
    place.mkdir()
    assert ask(loopx, project).json["interaction_contract"]["agent_channel"]["selected_todo_id"] == "todo_importer"
    make, name = LEASES[kind]
    make(place)
    assert name in told(ask(loopx, project))


def test_a_lease_with_an_unreadable_scope_keeps_others_off_every_file(loopx: Run, project: Path) -> None:
    place = runtime(project) / "task-leases"
    place.mkdir()
    lease = {"owner": "writer", "expires_at": "2026-12-01T10:00:00Z", "write_scopes": ["docs/**", "/runner"]}
    (place / "todo_manual.json").write_text(json.dumps(lease))
    agent = ask(loopx, project).json["interaction_contract"]["agent_channel"]
    assert agent["selected_todo_id"] is None
    assert "leased by writer" in {entry["todo_id"]: entry["why"] for entry in agent["blocked"]}["todo_importer"]


def test_a_write_scope_that_takes_paths_away_is_not_ignored(loopx: Run, project: Path, edit: Edit) -> None:
    edit('"runner/**"', '"runner/**",\n          "!runner/keys/**"')
    assert "'!runner/keys/**'" in told(ask(loopx, project))


@pytest.mark.parametrize("tail", [', "x": NaN}\n', ', "x": "\udcff"}\n', "", ', "x": "' + "y" * 2**21 + '"}\n'])
def test_a_damaged_spending_is_still_spent(loopx: Run, project: Path, edit: Edit, tail: str) -> None:
    edit('"slot_minutes": 60', '"allowed_slots": 2')
    assert ask(loopx, project).json["should_run"]
    index = runtime(project) / "runs" / "index.jsonl"
    spent = '{"generated_at": "2026-12-01T08:30:00Z", "goal_id": "harbor", "classification": "quota_slot_spent"'
    index.write_bytes(index.read_bytes() + (spent + tail).encode("utf-8", "surrogateescape"))
    answer = ask(loopx, project).json
    assert (answer["interaction_contract"]["mode"], answer["reason"].count("2 of 2")) == ("quota_throttled", 1)
    assert "1 of them may have spent a slot" in loopx("doctor", cwd=project).out


def test_a_registry_that_is_a_folder_is_not_stepped_over_for_an_outer_project(loopx: Run, project: Path) -> None:
    inner = project / "inner"
    (inner / ".loopx" / "registry.json").mkdir(parents=True)
    ran = ask(loopx, inner)
    assert (ran.code, ran.json["at"], ran.json["kind"]) == (3, "registry.json", "state")
    assert "is a folder" in ran.json["error"]


@pytest.mark.parametrize(
    "old, new, said",
    [
        ("required_write_scopes=runner/** -->", "claimed_by=writer -->", "claimed_by is given more than once"),
        ("required_decision_scopes=", "required_decision_scope=", "perhaps required_decision_scopes"),
        ("blocks_agent=builder", "block-agent=builder", "perhaps blocks_agent"),
    ],
)
def test_a_restriction_is_not_lost_to_a_slip(
    loopx: Run, project: Path, edit: Edit, old: str, new: str, said: str
) -> None:
    edit(old, new)
    found = told(ask(loopx, project))
    assert said in found
    assert "STATE.md:" in found


@pytest.mark.parametrize("name", ["a" * 81, "a" * 2000, "Builder", "builder\n", "`x`"])
def test_an_agent_id_that_is_none_is_a_usage_error_that_names_the_grammar(loopx: Run, project: Path, name: str) -> None:
    document = loopx("snapshot", "export", cwd=project).out
    for command in (
        ["quota", "should-run"],
        ["quota", "should-run", "--snapshot", "-"],
        ["explain"],
        ["status"],
        ["heartbeat-prompt"],
    ):
        ran = loopx("--format", "json", *command, "--agent-id", name, cwd=project, stdin=document)
        assert (ran.code, ran.json["kind"]) == (2, "usage"), command
        assert "at most 80 characters" in ran.json["fix"]
    assert ask(loopx, project, "--agent-id", "a" * 80).code == 0


def test_an_agent_id_that_is_none_is_a_mistake_in_a_snapshot(loopx: Run, project: Path) -> None:
    document = json.loads(loopx("snapshot", "export", cwd=project).out) | {"agent": "a" * 2000}
    ran = loopx("--format", "json", "quota", "should-run", "--snapshot", "-", cwd=project, stdin=json.dumps(document))
    assert (ran.code, ran.json["kind"]) == (3, "state")
    assert ran.json["at"].endswith("$.agent")


@pytest.mark.parametrize(
    "when", ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "9998-12-31T23:00:00-02:00"]
)
def test_a_time_beyond_all_time_is_a_malformed_time_wherever_it_stands(
    loopx: Run, project: Path, edit: Edit, when: str
) -> None:
    place = runtime(project)
    (place / "task-leases").mkdir()
    index = place / "runs" / "index.jsonl"
    row = {"generated_at": when, "classification": "quota_slot_spent", "goal_id": "harbor"}
    index.write_text(index.read_text() + json.dumps(row) + "\n")
    (place / "rollout-event-log.jsonl").write_text(
        json.dumps({"event_kind": "pr_merged", "recorded_at": when, "repo": "acme/quay", "number": 7}) + "\n"
    )
    assert ask(loopx, project).code == 0
    (place / "task-leases" / "todo_manual.json").write_text(json.dumps({"owner": "writer", "expires_at": when}))
    assert "todo_manual.json" in told(ask(loopx, project))
    (place / "task-leases" / "todo_manual.json").unlink()
    edit("required_capabilities=benchmark_runner", f"next_due_at={when} expires_at={when} last_checked_at={when}")
    assert "next_due_at" in told(ask(loopx, project))
    edit('"slot_minutes": 60', f'"next_eligible_at": "{when}"')
    assert "next_eligible_at" in told(ask(loopx, project))
    for command in (["doctor"], ["status"], ["explain", "--agent-id", "builder"], ["snapshot", "export"]):
        assert loopx("--format", "json", *command, cwd=project).code in (0, 1, 3)


SHAPES = {
    "another level": ("### Agent Todo\n\n- [ ] [P0] Dredge\n", "begins no section"),
    "another marker": ("## Agent Todo\n\n\n* [ ] [P0] Dredge\n", "A line looks like a todo but is none"),
    "another section": ("## Plan\n\n\n- [ ] [P0] Dredge\n", "'Plan' is no todo list"),
}


@pytest.mark.parametrize("kind", SHAPES)
def test_todos_that_are_none_are_shown_wherever_a_person_looks(loopx: Run, project: Path, kind: str) -> None:
    text, said = SHAPES[kind]
    (project / "STATE.md").write_text(f"# Harbor\n\n{text}")
    assert ask(loopx, project).json["interaction_contract"]["agent_channel"]["counts"]["candidates"] == 0
    for command in (
        ["--format", "markdown", "doctor"],
        ["--format", "markdown", "quota", "should-run", "--agent-id", "builder"],
        ["--format", "rich", "quota", "should-run", "--agent-id", "builder"],
        ["--format", "json", "quota", "should-run", "--agent-id", "builder", "--detail"],
    ):
        out = " ".join(loopx(*command, cwd=project).out.split())
        assert f"STATE.md:{3 if 'level' in kind else 6}" in out, command
        assert said in out, command


@pytest.mark.parametrize(
    "change, said",
    [
        (lambda text: text.replace("\n", "\r"), "carriage return"),
        (lambda text: text.replace("] [P1] Make the tide table importer reject impossible heights", "] "), "no text"),
        (lambda text: text.replace("## User Todo", "```\n\n## User Todo"), "does not end"),
        (lambda text: text.replace("runner/** -->", "runner/**"), "does not end with -->"),
    ],
)
def test_state_that_would_be_lost_breaks_the_contract(
    loopx: Run, project: Path, change: Callable[[str], str], said: str
) -> None:
    file = project / "STATE.md"
    file.write_bytes(change(file.read_text()).encode())
    found = told(ask(loopx, project))
    assert said in found
    assert "STATE.md:" in found


def test_an_example_in_a_block_of_code_is_no_work(loopx: Run, project: Path, edit: Edit) -> None:
    edit("## Next Action\n", "```\n- [ ] [P0] Delete the archive\n```\n\n## Next Action\n")
    counts = ask(loopx, project).json["interaction_contract"]["agent_channel"]["counts"]
    assert counts["candidates"] == 3


def test_a_merge_of_tomorrow_resumes_nothing_today(loopx: Run, project: Path, edit: Edit) -> None:
    edit("required_capabilities=benchmark_runner", "resume_when=pr_merged:acme/quay#7")

    def candidates(when: str) -> int:
        event = {"event_kind": "pr_merged", "recorded_at": when, "details": {"repo": "acme/quay", "number": 7}}
        (runtime(project) / "rollout-event-log.jsonl").write_text(json.dumps(event) + "\n")
        agent = ask(loopx, project).json["interaction_contract"]["agent_channel"]
        return int(agent["counts"]["candidates"])

    assert candidates("2026-12-02T09:00:00Z") == 2
    assert candidates("2026-12-01T08:00:00Z") == 3
