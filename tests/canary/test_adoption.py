"""What a project can take over: the workflow, the hooks and the example of the guide, as they are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from loopx_policy.canary import audit, names
from loopx_policy.cli import demo

from .conftest import ROOT, data_in, shipped_data

WORKFLOW = ROOT / "docs" / "adopt" / "loopx-canary.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
GUIDE = (ROOT / "docs" / "canary.md").read_text(encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one commit, on a branch whose next change is staged: a word of its active state."""
    root: Path = demo.build(tmp_path, False, int(time.time()))

    def git(*words: str) -> None:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True, timeout=30)

    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-q", "-m", "x")
    git("checkout", "-q", "-b", "topic")
    state = root / "STATE.md"
    state.write_text(state.read_text().replace("Describe the importer", "Describe the tide importer"))
    git("add", "-A")
    return root


def shell(command: str, project: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command as a workflow or a hook runs it, with this program first on the path."""
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    home = project.parents[1] / "canary_home"  # shared, so that the catalog is compiled once
    environ = {"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **variables}
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", command],
        cwd=project,
        env=environ,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_the_workflow_is_one_that_github_accepts() -> None:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(WORKFLOW)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_may_write_nothing_and_has_a_limit_of_time() -> None:
    document = yaml.safe_load(WORKFLOW.read_text())
    assert document["permissions"] == {"contents": "read"}
    assert all(job["timeout-minutes"] for job in document["jobs"].values())


def test_the_steps_of_the_workflow_do_what_they_say_in_a_project(project: Path, tmp_path: Path) -> None:
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["canary"]["steps"]
    commands = [step["run"] for step in steps if "loopx " in step.get("run", "")]
    assert len(commands) == 2
    summary = tmp_path / "summary.md"
    for command in commands:
        done = shell(command, project, BASE="main", RUNNER_TEMP=str(tmp_path), GITHUB_STEP_SUMMARY=str(summary))
        assert done.returncode == 0, done.stdout + done.stderr
    assert "goals_are_sound" in summary.read_text()
    for name in ("loopx-canary.xml", "loopx-canary.sarif"):
        assert "goals_are_sound" in (tmp_path / name).read_text()


def test_the_workflow_fails_where_the_state_is_broken(project: Path, tmp_path: Path) -> None:
    state = project / "STATE.md"
    state.write_text(state.read_text().replace("status=open", "status=opne", 1))
    command = yaml.safe_load(WORKFLOW.read_text())["jobs"]["canary"]["steps"][-2]["run"]
    done = shell(command, project, BASE="main", RUNNER_TEMP=str(tmp_path))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "goals_are_sound" in (tmp_path / "loopx-canary.sarif").read_text()


def hooks() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load(HOOKS.read_text())
    return found


def test_the_hooks_are_ones_that_pre_commit_accepts() -> None:
    clientlib = pytest.importorskip("pre_commit.clientlib")
    assert [hook["id"] for hook in clientlib.load_manifest(str(HOOKS))] == ["loopx-canary", "loopx-canary-audit"]


@pytest.mark.parametrize("hook", hooks(), ids=lambda hook: hook["id"])
def test_the_entry_of_a_hook_passes_on_a_sound_commit(project: Path, hook: dict[str, Any]) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file() and ".git" not in path.parts}
    done = shell(hook["entry"], project)
    assert done.returncode == 0, done.stdout + done.stderr
    assert before == {path: path.read_bytes() for path in before}


def test_the_hook_stops_a_commit_that_breaks_the_state(project: Path) -> None:
    state = project / "STATE.md"
    state.write_text(state.read_text().replace("status=open", "status=opne", 1))
    (entry,) = [hook["entry"] for hook in hooks() if hook["id"] == "loopx-canary"]
    done = shell(entry, project)
    assert done.returncode == 1
    assert "breaks its contract" in " ".join(done.stdout.split())


def test_the_example_of_the_guide_can_be_read_beside_the_shipped_data() -> None:
    example = next(text for text in re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL) if "surfaces:" in text)
    data, report = data_in(example)
    assert {finding.rule for finding in report.findings} == {"canary-name"}  # what only the shipped data declares
    shipped = shipped_data()
    assert set(data.surfaces).isdisjoint(shipped.surfaces)
    assert {check.tier for check in data.checks.values()} <= set(shipped.tiers)


def test_the_guide_explains_every_kind_of_finding() -> None:
    anchors = re.findall(r'<a id="([a-z-]+)"></a>`([a-z-]+)`', GUIDE)
    assert [name for name, shown in anchors if name != shown] == []
    assert sorted(name for name, _ in anchors) == sorted({**names.RULES, **audit.RULES})


def test_the_guide_names_every_archetype_and_profile() -> None:
    data = shipped_data()
    for name in (*data.archetypes, *data.profiles):
        assert f"`{name}`" in GUIDE, name
