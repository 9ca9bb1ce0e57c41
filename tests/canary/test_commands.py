"""``loopx canary`` as people type it."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.cli.edge import perform
from loopx_policy.cli.entry import parse

from .conftest import ROOT, Git


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Loopx = Callable[..., Said]


@pytest.fixture
def loopx(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Loopx:
    home = tmp_path_factory.getbasetemp() / "canary_home"
    home.mkdir(exist_ok=True)

    def run(*words: str, cwd: Path = ROOT) -> Said:
        streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
        with monkeypatch.context() as patch:
            patch.setenv("HOME", str(home))
            patch.setenv("COLUMNS", "100")
            patch.chdir(cwd)
            patch.setattr(sys, "stdout", streams[0])
            patch.setattr(sys, "stderr", streams[1])
            code = perform(parse, list(words))
        texts = []
        for stream in streams:
            stream.flush()
            buffer = stream.buffer
            assert isinstance(buffer, io.BytesIO)
            texts.append(buffer.getvalue().decode())
        return Said(code, *texts)

    return run


GATES = ("--changed-file", "loopx_policy/facts/gates.py")


def test_a_plan_says_what_is_run_why_and_what_a_failure_means(loopx: Loopx) -> None:
    said = loopx("canary", "plan", *GATES)
    assert said.code == 0
    text = " ".join(said.out.split())
    assert "4 checks" in text
    assert "HOT PATH" in text
    assert "loopx catalog test --pattern IP-004" in text
    assert "why: loopx_policy/facts/gates.py sets actions.elsewhere" in text
    assert "if it fails: The pattern decides otherwise" in text
    assert "used by loopx_policy/facts/frontier.py too" in text
    assert all(len(line) <= 100 for line in said.out.splitlines())


def test_a_plan_as_json_and_as_markdown_has_the_same_checks(loopx: Loopx) -> None:
    data = loopx("--format", "json", "canary", "plan", *GATES).json
    assert data["patterns"] == ["GR-waiting", "IP-002", "IP-003", "IP-004"]
    page = loopx("--format", "markdown", "canary", "plan", *GATES).out
    for check in data["checks"]:
        assert f"| {check['id']} |" in page


def test_a_gap_tells_what_was_tried_and_what_to_do(loopx: Loopx) -> None:
    text = " ".join(loopx("canary", "plan", "--changed-file", "lighthouse/lamp.c").out.split())
    assert "lighthouse/lamp.c: no surface represents this file" in text
    assert "loopx quota should-run, which shows" in text
    assert "build nothing before that" in text


def test_with_nothing_said_git_is_asked(loopx: Loopx, git: Git, tmp_path: Path) -> None:
    (tmp_path / "new.py").write_text("")
    data = loopx("--format", "json", "canary", "plan", cwd=tmp_path).json
    assert [(each["path"], each["status"]) for each in data["touched"]] == [("new.py", "untracked")]


def test_a_base_is_a_word_after_the_option(loopx: Loopx, git: Git, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    git("add", "-A")
    git("commit", "-q", "-m", "x")
    git("checkout", "-q", "-b", "topic")
    (tmp_path / "b").write_text("1")
    git("add", "-A")
    git("commit", "-q", "-m", "x")
    data = loopx("--format", "json", "canary", "plan", "--from-git-diff", "main", cwd=tmp_path).json
    assert [each["path"] for each in data["touched"]] == ["b"]
    assert loopx("canary", "plan", "main", cwd=tmp_path).code == 2


@pytest.mark.parametrize(
    "words, told",
    [
        (("--surface", "sceens"), "screens"),
        (("--changed-file", "/etc/hostname"), "no file of the tree"),
        (("--tree", "nowhere/at/all"), "no folder"),
        (("--from-git-diff", "no-such-branch"), "no commit"),
    ],
)
def test_a_wrong_name_is_one_sentence(loopx: Loopx, words: tuple[str, ...], told: str) -> None:
    said = loopx("canary", "plan", *words)
    assert said.code == 2
    assert told in said.err
    assert len(said.err.splitlines()) == 1


def test_a_run_shows_each_check_and_writes_its_reports(loopx: Loopx, tmp_path: Path) -> None:
    reports = [("json", "a.json"), ("junit", "a.xml"), ("sarif", "a.sarif"), ("text", "a.md")]
    options = [word for kind, name in reports for word in ("--report", f"{kind}:{tmp_path / name}")]
    said = loopx("canary", "run", "--pattern", "IP-021", *options)
    assert said.code == 0, said.out + said.err
    assert "1 passed, 0 failed" in said.out
    assert "Tree and state are as they were." in said.out
    assert json.loads((tmp_path / "a.json").read_text())["ok"] is True
    assert 'name="pattern_fixtures:IP-021"' in (tmp_path / "a.xml").read_text()
    assert json.loads((tmp_path / "a.sarif").read_text())["runs"][0]["results"] == []
    assert "1 passed" in (tmp_path / "a.md").read_text()


def test_a_run_that_fails_has_the_exit_code_1_and_says_what_it_means(loopx: Loopx, tmp_path: Path) -> None:
    own = tmp_path / ".loopx" / "canary.yaml"
    own.parent.mkdir()
    own.write_text(
        "surfaces:\n  - {id: berths, meaning: Berths, path: cold, needs: [product_readiness], paths: ['a']}\n"
        "checks:\n  - id: berth\n    runs: {command: [nonsense]}\n    archetypes: [product_readiness]\n"
        "    surfaces: [berths]\n    tier: cheap\n    milliseconds: 900\n    failure: Berths are taken.\n"
    )
    said = loopx("canary", "run", "--changed-file", "a", "--tree", str(tmp_path))
    assert said.code == 1
    assert "this means: Berths are taken." in said.out
    assert "exit code 2, not 0" in said.out


def test_a_gap_fails_a_run_only_where_that_is_asked_for(loopx: Loopx, tmp_path: Path) -> None:
    words = ("canary", "run", "--changed-file", "a", "--tree", str(tmp_path))
    assert loopx(*words).code == 0
    said = loopx(*words, "--fail-on-gap")
    assert said.code == 1
    assert "a: no surface represents this file" in said.out


@pytest.mark.parametrize("report", ["xml:a", "junit", "junit:", "junit:nowhere/at/all/a.xml"])
def test_a_report_that_cannot_be_written_is_told_before_anything_is_run(loopx: Loopx, report: str) -> None:
    assert loopx("canary", "run", "--pattern", "IP-021", "--report", report).code == 2


def test_an_audit_lists_patterns_surfaces_and_profiles(loopx: Loopx) -> None:
    said = loopx("canary", "audit")
    assert said.code == 0, said.out
    for word in ("IP-021", "turn_facts", "control_plane_refactor"):
        assert word in said.out


def test_an_audit_of_drift_has_the_exit_code_1(loopx: Loopx, tmp_path: Path) -> None:
    own = tmp_path / ".loopx" / "canary.yaml"
    own.parent.mkdir()
    own.write_text("surfaces:\n  - {id: berths, meaning: Berths, path: cold, paths: ['berths/**'], why: none}\n")
    said = loopx("canary", "audit", "--tree", str(tmp_path))
    assert said.code == 1
    assert f"{os.path.join('.loopx', 'canary.yaml')}:2" in said.out
    (tmp_path / "berths").mkdir()
    (tmp_path / "berths" / "a").write_text("")
    assert loopx("canary", "audit", "--tree", str(tmp_path)).code == 0


def test_broken_data_is_told_at_its_place_by_every_command(loopx: Loopx, tmp_path: Path) -> None:
    own = tmp_path / ".loopx" / "canary.yaml"
    own.parent.mkdir()
    own.write_text("surfaces:\n  - {id: berths, meaning: Berths, path: warm, paths: ['a'], why: none}\n")
    said = loopx("canary", "plan", "--tree", str(tmp_path), "--changed-file", "a")
    assert said.code == 3
    assert "canary.yaml:2:" in said.err
    assert "canary.yaml:2:" in loopx("canary", "audit", "--tree", str(tmp_path)).out


def test_lint_reads_the_canary_data_too(loopx: Loopx) -> None:
    files = loopx("--format", "json", "catalog", "lint").json["files"]
    assert files > len(list((ROOT / "rules").rglob("*.yaml"))) + len(list((ROOT / "catalog").glob("*.yaml"))) + 10
