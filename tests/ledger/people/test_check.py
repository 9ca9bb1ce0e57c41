"""``loopx check``: each kind of fault is found with its place, and --fix mends what is mechanical.

Issue: contract errors, torn lines, duplicate ids, stale leases, unscoped gates, pending journals, public safety.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopx_policy import safe_text
from loopx_policy.check.findings import RULES
from loopx_policy.check.paths import scan_file
from loopx_policy.ledger.edits import Append, Replace
from loopx_policy.ledger.files import stage
from tests.cli.conftest import Run
from tests.ledger.people.conftest import GATE, Harbor

STRUCTURE = json.loads((Path(__file__).parent / "sarif_structure.json").read_text(encoding="utf-8"))
EXPIRED = {"todo_id": "todo_manual", "owner": "writer", "expires_at": "2026-12-01T08:00:00Z"}


def check(harbor: Harbor, *arguments: str) -> Any:
    """The JSON answer; the exit code must say whether anything is left."""
    ran = harbor.loopx("--format", "json", "check", *arguments)
    assert ran.code == (1 if ran.json["findings"] else 0), ran.err
    return ran.json


def found(harbor: Harbor, *arguments: str) -> list[tuple[str, str]]:
    """``(rule, file:line)`` of all findings."""
    return [(each["rule"], f"{each['file']}:{each['line']}") for each in check(harbor, *arguments)["findings"]]


def tear(harbor: Harbor) -> None:
    with harbor.index.open("ab") as stream:
        stream.write(b'{"generated_at": "2026-12-01T08:')


def lease(harbor: Harbor, **lease: str) -> Path:
    path = harbor.folder / "task-leases" / f"{lease['todo_id']}.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"acquired_at": "2026-12-01T07:00:00Z", **lease}), encoding="utf-8")
    return path


def unscope(harbor: Harbor) -> None:
    harbor.edit(" blocks_agent=builder", "")


def twin(harbor: Harbor) -> None:
    harbor.edit("todo_id=todo_manual", "todo_id=todo_compare")


def archived_twin(harbor: Harbor) -> None:
    text = "\n## Agent Todo Archive\n\n- [x] Old\n  <!-- loopx:todo todo_id=todo_manual status=done -->\n"
    harbor.state_file.write_text(harbor.state() + text, encoding="utf-8")


def break_class(harbor: Harbor) -> None:
    harbor.edit(" task_class=user_gate", "")
    harbor.edit("- [ ] [P0] May", "- [ ] [P0] Will")


def same_time(harbor: Harbor) -> None:
    harbor.append(generated_at="2026-12-01T07:00:00Z", json_path="runs/other.json")


def journal(harbor: Harbor, killed: bool = True) -> None:
    """What a writer leaves that was killed after its journal appeared."""
    state = harbor.state_file.read_bytes()
    folder = harbor.folder / ".ledger"
    folder.mkdir(exist_ok=True)
    staged = stage(str(harbor.state_file), state.replace(b"[P2] Describe", b"[P2] Explain"))
    entries = [{"kind": "replace", "path": str(harbor.state_file), "staged": staged}]
    if killed:
        data = {"schema_version": "loopx_journal_v0", "edits": entries}
        (folder / "journal.json").write_text(json.dumps(data), encoding="utf-8")


@pytest.mark.parametrize(
    ("harm", "rule", "at"),
    [
        (break_class, "contract", "STATE.md:10"),
        (unscope, "unscoped-gate", "STATE.md:10"),
        (twin, "duplicate-id", "STATE.md:25"),
        (archived_twin, "duplicate-id", "STATE.md:25"),
        (same_time, "duplicate-id", "runs/index.jsonl:4"),
        (tear, "torn-line", "runs/index.jsonl:4"),
        (tear, "unterminated-line", "runs/index.jsonl:4"),
        (lambda harbor: lease(harbor, **EXPIRED), "expired-lease", "task-leases/todo_manual.json:0"),
        (
            lambda harbor: lease(harbor, todo_id="todo_gone", owner="writer", expires_at="2026-12-01T10:00:00Z"),
            "stale-lease",
            "task-leases/todo_gone.json:0",
        ),
        (journal, "pending-journal", ".ledger/journal.json:0"),
        (lambda harbor: journal(harbor, killed=False), "leftover-file", ".STATE.md.loopx-staged:0"),
        (
            lambda harbor: harbor.edit("todo_id=todo_manual", "todo_id=todo_manual updated_at=2027-01-01"),
            "state",
            "STATE.md:25",
        ),
    ],
)
def test_each_fault_is_found_with_its_place(
    harbor: Harbor, harm: Callable[[Harbor], object], rule: str, at: str
) -> None:
    harm(harbor)
    assert (rule, at) in found(harbor)


def test_a_sound_project_has_no_finding(harbor: Harbor) -> None:
    assert found(harbor) == []


def test_a_broken_registry_is_a_finding_too(harbor: Harbor) -> None:
    registry = harbor.project / ".loopx" / "registry.json"
    registry.write_text('{\n"goals": [}', encoding="utf-8")
    assert found(harbor) == [("contract", "registry.json:2")]


def test_a_gate_that_breaks_the_contract_is_told_once(harbor: Harbor) -> None:
    unscope(harbor)
    assert [rule for rule, _ in found(harbor)] == ["unscoped-gate"]


def test_fix_mends_what_is_mechanical_and_leaves_the_rest(harbor: Harbor) -> None:
    unscope(harbor)
    tear(harbor)
    path = lease(harbor, **EXPIRED)
    journal(harbor, killed=False)
    index = harbor.index.read_bytes()
    answer = check(harbor, "--fix")
    assert sorted(each["rule"] for each in answer["mended"]) == ["expired-lease", "leftover-file", "unterminated-line"]
    assert [each["rule"] for each in answer["findings"]] == ["unscoped-gate", "torn-line"]
    assert harbor.index.read_bytes() == index + b"\n"
    assert not path.exists()
    assert not (harbor.project / ".STATE.md.loopx-staged").exists()


def test_fix_finishes_a_write_that_was_killed(harbor: Harbor) -> None:
    journal(harbor)
    answer = check(harbor, "--fix")
    assert [each["rule"] for each in answer["mended"]] == ["pending-journal"]
    assert "[P2] Explain the importer" in harbor.state()
    assert found(harbor) == []


def test_a_dry_run_shows_the_mending_and_changes_nothing(harbor: Harbor) -> None:
    tear(harbor)
    lease(harbor, **EXPIRED)
    before = harbor.files()
    answer = check(harbor, "--fix", "--dry-run")
    assert harbor.files() == before
    assert answer["mended"] == []
    assert "task-leases/todo_manual.json" in answer["diff"]


def test_after_the_fix_the_next_row_stands_on_a_line_of_its_own(harbor: Harbor) -> None:
    tear(harbor)
    check(harbor, "--fix")
    harbor.append(generated_at="2026-12-01T08:30:00Z")
    assert json.loads(harbor.index.read_text(encoding="utf-8").splitlines()[-1])["classification"] == "delivery"
    assert ("torn-line", "runs/index.jsonl:4") in found(harbor)


def test_a_lease_that_still_holds_is_left_alone(harbor: Harbor) -> None:
    path = lease(harbor, todo_id="todo_manual", owner="writer", expires_at="2026-12-01T10:00:00Z")
    check(harbor, "--fix")
    assert path.exists()


def test_an_unreadable_journal_is_told_and_never_thrown_away(harbor: Harbor) -> None:
    (harbor.folder / ".ledger").mkdir()
    path = harbor.folder / ".ledger" / "journal.json"
    path.write_text("{", encoding="utf-8")
    assert ("contract", ".ledger/journal.json:0") in found(harbor, "--fix")
    assert path.exists()
    assert "journal" in harbor.refused("todo", "claim", "--todo-id", "todo_compare", "--agent-id", "builder", code=3)


TEXT = "A harmless line.\ntoken: ghp_{}\nsee /home/ann/x\n".format("a1B2" * 9)


def test_a_private_line_is_named_by_file_line_and_pattern_and_never_shown(harbor: Harbor) -> None:
    (harbor.project / "notes.md").write_text(TEXT, encoding="utf-8")
    for wanted in ("json", "markdown", "rich"):
        ran = harbor.loopx("--format", wanted, "check", "notes.md")
        assert ran.code == 1
        assert "ghp_" not in ran.out
        assert "ann" not in ran.out
    assert found(harbor, "notes.md") == [("public-safety", "notes.md:2"), ("public-safety", "notes.md:3")]
    assert "local_path" in check(harbor, "notes.md")["findings"][1]["message"]


def test_folders_are_looked_through_and_tools_own_are_not(harbor: Harbor) -> None:
    for name in ("docs/deep/a.md", "docs/node_modules/b.md", "docs/c.bin", "docs/skip/d.md"):
        path = harbor.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((b"\0" if name.endswith(".bin") else b"") + TEXT.encode())
    assert {at for _, at in found(harbor, "docs", "--exclude", "skip")} == {"docs/deep/a.md:2", "docs/deep/a.md:3"}


def test_a_path_that_does_not_exist_is_a_slip(harbor: Harbor) -> None:
    assert "nowhere.md" in harbor.refused("check", "nowhere.md", code=2)


def test_texts_are_checked_without_a_project_too(loopx: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text(TEXT, encoding="utf-8")
    ran = loopx("--format", "json", "check", "notes.md", cwd=tmp_path)
    assert ran.code == 1
    assert len(ran.json["findings"]) == 2
    assert loopx("check", cwd=tmp_path).code == 3


def test_a_dry_run_alone_is_a_slip(harbor: Harbor) -> None:
    assert "--fix" in harbor.refused("check", "--dry-run", code=2)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.sampled_from(["plain words", "see /home/ann/x", "10.0.0.7", "token=ghp_x1y2z3", ""]), max_size=8)
)
def test_the_scan_finds_exactly_the_lines_that_the_one_check_refuses(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "text"
    path.write_text("\n".join(lines), encoding="utf-8")
    wanted = [number for number, line in enumerate(lines, 1) if safe_text.hits(line)]
    assert [finding.line for finding in scan_file(str(path))] == wanted


def test_sarif_has_the_published_structure(harbor: Harbor) -> None:
    unscope(harbor)
    tear(harbor)
    lease(harbor, **EXPIRED)
    name = "ä note.md"
    (harbor.project / name).write_text(TEXT, encoding="utf-8")
    ran = harbor.loopx("check", "--sarif", name)
    assert ran.code == 1
    document = json.loads(ran.out)
    jsonschema.Draft202012Validator(STRUCTURE, format_checker=jsonschema.FormatChecker()).validate(document)
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert rules == list(RULES)
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] == RULES[result["ruleId"]].level
    uris = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in run["results"]}
    assert "%C3%A4%20note.md" in uris
    assert len(run["results"]) == len(check(harbor, name)["findings"])


def test_a_clean_sarif_is_an_empty_run(harbor: Harbor) -> None:
    ran = harbor.loopx("check", "--sarif")
    assert ran.code == 0
    assert json.loads(ran.out)["runs"][0]["results"] == []


@pytest.mark.parametrize("wanted", ["rich", "markdown"])
def test_people_read_what_programs_read(harbor: Harbor, wanted: str) -> None:
    unscope(harbor)
    ran = harbor.loopx("--format", wanted, "check", COLUMNS="120")
    assert ran.code == 1
    for word in ("STATE.md:10", GATE, "unscoped-gate", "blocks_agent"):
        assert word in ran.out


def test_an_empty_line_only_ends_a_torn_one(tmp_path: Path) -> None:
    from loopx_policy.ledger.journal import commit

    torn, whole = tmp_path / "torn.jsonl", tmp_path / "whole.jsonl"
    torn.write_bytes(b'{"a"')
    whole.write_bytes(b"{}\n")
    (tmp_path / ".ledger").mkdir()
    commit(str(tmp_path), [Append(str(torn), b""), Append(str(whole), b""), Replace(str(tmp_path / "x"), None, b"x")])
    assert torn.read_bytes() == b'{"a"\n'
    assert whole.read_bytes() == b"{}\n"
