"""``loopx prove`` and ``loopx catalog diff`` at a terminal."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from loopx_policy.prove import space

ROOT = Path(__file__).resolve().parents[2]
EAGER = """\
# yaml-language-server: $schema=../../catalog/schemas/rule.schema.json
id: GR-eager
name: Eager
family: ground
importance: P0
owner: Agent
summary: Work goes on whatever stands in the way.
decides: [turn]
turn:
  cases:
    - id: go
      when: {gates.blanket: {gte: 1}}
      stratum: integrity
      mode: bounded_delivery
      state: eligible
      reason: work goes on
"""


@pytest.fixture
def eager(tmp_path: Path) -> Path:
    """A directory with one rule that grants what nobody may."""
    folder = tmp_path / "more"
    (folder / "ground").mkdir(parents=True)
    (folder / "ground" / "GR-eager.yaml").write_text(EAGER)
    return folder


@pytest.fixture
def revised(tmp_path: Path) -> Path:
    """A repository of rules in git: the first commit is the shipped policy, the second waits for one poll more."""
    repo = tmp_path / "repo"
    repo.mkdir()
    git = ["git", "-C", str(repo), "-c", "user.name=t", "-c", "user.email=t@example.com"]
    for name in ("rules", "catalog"):
        subprocess.run(["cp", "-r", str(ROOT / name), str(repo / name)], check=True)
    subprocess.run([*git, "init", "-q"], check=True)
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-q", "-m", "one"], check=True)
    file = repo / "catalog" / "parameters.yaml"
    file.write_text(file.read_text().replace("dead_monitor_polls: {value: 6", "dead_monitor_polls: {value: 7"))
    subprocess.run([*git, "commit", "-q", "-a", "-m", "two"], check=True)
    return repo


def test_the_shipped_policy_is_proved(loopx: Run) -> None:
    ran = loopx("--format", "json", "prove", "--records", "50")
    assert (ran.code, ran.json["ok"]) == (0, True)
    names = [check["name"] for check in ran.json["checks"]]
    assert names == ["total", "deterministic", "alive", "invariants", "axioms", "faithful"]


def test_a_failed_check_exits_1_and_leaves_a_project_that_explains_itself(
    loopx: Run, process: Run, eager: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "shown"
    ran = loopx("--format", "json", "prove", "--records", "50", "--add-rules", str(eager), "--witnesses", str(folder))
    assert ran.code == 1
    (added,) = [check for check in ran.json["checks"] if check["name"] == "added"]
    finding = next(f for f in added["findings"] if f["subject"] == "added_rules_grant_no_delivery")
    project = finding["witness"]["project"]
    where, _, words = project["command"].partition(" && loopx ")
    again = process(
        *words.split(), "--format", "json", cwd=Path(project["folder"]) / where.removeprefix("cd "), now=False
    )
    assert again.code == 0
    assert again.json["decision"]["lead"] == {"pattern": "IP-004", "case": "blanket"}, (
        "without the added rule a gate leads"
    )
    assert project["happens"]["lead"] == "GR-eager.go"


@pytest.mark.parametrize("form", ["rich", "markdown"])
def test_people_read_what_failed_and_in_which_project(loopx: Run, eager: Path, form: str) -> None:
    ran = loopx("--format", form, "prove", "--records", "50", "--add-rules", str(eager), COLUMNS="200")
    assert ran.code == 1
    for words in ("added_rules_grant_no_delivery", "a gate covers everything", "GR-eager.go leads", "loopx explain"):
        assert words in ran.out


def test_without_the_solver_one_sentence_says_how_to_get_it(loopx: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    space.solver.cache_clear()
    monkeypatch.setitem(__import__("sys").modules, "z3", None)
    for command in (["prove"], ["catalog", "diff", "--semantic"]):
        ran = loopx(*command)
        assert ran.code == 2
        assert "pip install 'loopx-policy[prove]'" in ran.err
    monkeypatch.undo()
    space.solver.cache_clear()


def test_a_diff_of_the_approved_policy_with_the_shipped_one_says_that_no_state_changes(loopx: Run) -> None:
    ran = loopx("catalog", "diff", "--semantic")
    assert ran.code == 0
    assert "no state changes" in ran.out


def test_a_diff_of_revisions_tells_the_states_and_exits_1_for_a_p0_pattern(loopx: Run, revised: Path) -> None:
    ran = loopx("--format", "json", "catalog", "diff", "--semantic", "HEAD~1", "HEAD", cwd=revised)
    assert ran.code == 1
    lead = ran.json["semantic"]["changes"][0]
    assert lead["where"] == ["6 polls in a row came back unchanged; nothing stricter matches"]
    assert lead["witness"]["project"]["before"]["lead"] == "IP-008.dead_monitor"


def test_a_diff_of_a_folder_is_fit_for_a_comment(loopx: Run, revised: Path) -> None:
    ran = loopx("--format", "markdown", "catalog", "diff", "--semantic", "approved", str(revised))
    assert ran.code == 1
    assert "- where: 6 polls in a row came back unchanged; nothing stricter matches" in ran.out
    assert "/tmp" not in ran.out.replace(str(revised), "")


def test_a_diff_without_the_proof_lists_the_entries(loopx: Run, revised: Path) -> None:
    ran = loopx("--format", "json", "catalog", "diff", "HEAD~1", "HEAD", cwd=revised)
    assert ran.code == 0
    assert {"kind": "figure", "key": "dead_monitor_polls", "what": "value", "texts": False} in ran.json["edits"]
    assert ran.json["semantic"] is None


def test_a_version_that_is_none_is_a_usage_error(loopx: Run, tmp_path: Path) -> None:
    ran = loopx("catalog", "diff", "nowhere", cwd=tmp_path)
    assert ran.code == 2
    assert "nowhere is neither" in ran.err
