"""Rules that a project adds withhold and oblige, grant nothing, and are never left out in silence.

Seed: combination (deny overrides, nothing grants; added rules may withhold only). Issue: overlays.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.catalog_source.added import BLOCKS
from loopx_policy.decide import Evaluation, Policy
from loopx_policy.decision import build
from loopx_policy.fixtures import load_folder
from loopx_policy.fixtures.shape import TURNS
from loopx_policy.workshop.bench import situations

from .conftest import Run

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
HEAD = """\
id: ACME-001
name: Release freeze
summary: While a freeze is on, nothing is delivered.
"""
FREEZE = (
    HEAD
    + """\
decides: [turn]
withholds:
  - {id: frozen, what: delivery, when: {todos.open: {gte: 1}}}
"""
)
TELL = (
    HEAD
    + """\
decides: [turn]
obligations:
  - {id: notes, kind: user, when: {todos.open: {gte: 1}}, text: write the release notes}
"""
)
BLOCK = (
    HEAD
    + """\
decides: [candidate]
candidate:
  - {id: hold, when: {}, verdict: blocked, blocks: leased, reason: the freeze holds it}
"""
)
LEAD = (
    HEAD
    + """\
decides: [turn]
turn:
  cases:
    - id: go
      when: {}
      stratum: integrity
      mode: bounded_delivery
      state: eligible
      reason: go on
"""
)
PERMIT = BLOCK.replace("verdict: blocked, blocks: leased", "verdict: runnable")
ALLOW = (
    HEAD
    + """\
decides: [quota_spend]
points:
  quota_spend:
    - {id: free, when: {}, verdict: allow, reason: spend as you like}
"""
)
REPAIR = BLOCK.replace("leased", "lacks_bridge")
ASKED = ("--format", "json", "quota", "should-run", "--agent-id", "builder")


def add(project: Path, text: str, name: str = "ACME-001-freeze.yaml") -> Path:
    folder = project / ".loopx" / "rules"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def channel(answer: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = answer["interaction_contract"]["agent_channel"]
    return found


def test_an_added_gate_withholds_a_delivery(loopx: Run, project: Path) -> None:
    before = loopx(*ASKED, cwd=project)
    assert channel(before.json)["delivery_allowed"] is True
    add(project, FREEZE)
    after = loopx(*ASKED, cwd=project)
    assert after.json["reason"].startswith("ACME-001.frozen withholds delivery")
    assert channel(after.json)["delivery_allowed"] is False
    assert after.json["should_run"] is False
    assert after.json["interaction_contract"]["cli_channel"]["spend_after_validation"] is False
    assert after.json["catalog_digest"] != before.json["catalog_digest"]
    assert len(after.out.encode()) <= 2_048


def test_it_holds_from_any_folder_of_the_project_and_for_every_question(loopx: Run, project: Path) -> None:
    add(project, FREEZE)
    (project / "docs").mkdir()
    assert channel(loopx(*ASKED, cwd=project / "docs").json)["delivery_allowed"] is False
    told = loopx("--format", "json", "explain", "--agent-id", "builder", cwd=project)
    assert "ACME-001.frozen" in told.out
    (turn,) = [
        turn
        for turn in loopx("--format", "json", "quota", "plan", cwd=project).json["turns"]
        if turn["agent_id"] == "builder"
    ]
    assert turn["should_run"] is False


def test_an_added_obligation_is_told(loopx: Run, project: Path) -> None:
    add(project, TELL)
    answer = loopx(*ASKED, cwd=project).json
    assert "write the release notes" in answer["interaction_contract"]["user_channel"]["reason"]
    assert channel(answer)["delivery_allowed"] is True
    detailed = loopx(*ASKED, "--detail", cwd=project).json
    assert "ACME-001.notes" in [duty["id"] for duty in detailed["obligations"]]


def test_an_added_block_takes_a_todo_out_of_the_frontier(loopx: Run, project: Path) -> None:
    before = channel(loopx(*ASKED, cwd=project).json)["candidates"]
    add(project, BLOCK)
    after = channel(loopx(*ASKED, cwd=project).json)["candidates"]
    assert len(after) < len(before)
    assert "ACME-001.hold" in loopx("--format", "json", "explain", "--agent-id", "builder", cwd=project).out


@pytest.mark.parametrize("text", [LEAD, PERMIT, ALLOW, REPAIR], ids=["lead", "permit", "allow", "repair"])
def test_a_rule_that_would_grant_is_refused_with_its_place(loopx: Run, project: Path, text: str) -> None:
    add(project, text)
    refused = loopx(*ASKED, cwd=project)
    assert refused.code == 3
    assert refused.json["kind"] == "catalog"
    assert refused.json["at"].startswith(".loopx/rules/ACME-001-freeze.yaml:")
    assert "only withholds" in refused.json["error"]
    lint = loopx("--format", "json", "catalog", "lint", cwd=project)
    assert lint.code == 1
    assert "added-grants" in {finding["rule"] for finding in lint.json["findings"]}


@pytest.mark.parametrize("name", ["IP-001", "GR-idle", "acme-1", "ACME"])
def test_an_id_without_a_namespace_of_its_own_is_refused(loopx: Run, project: Path, name: str) -> None:
    add(project, FREEZE.replace("ACME-001", name))
    refused = loopx(*ASKED, cwd=project)
    assert refused.code == 3
    assert ".loopx/rules/ACME-001-freeze.yaml:1:5" in refused.out


@pytest.mark.parametrize(
    "text", [FREEZE.replace("todos.open", "todos.opn"), "id: [", ""], ids=["a misspelt fact", "no YAML", "empty"]
)
def test_a_broken_added_rule_is_an_error_and_never_skipped(loopx: Run, project: Path, text: str) -> None:
    add(project, text)
    broken = loopx(*ASKED, cwd=project)
    assert broken.code == 3
    assert broken.json["at"].startswith(".loopx/rules/ACME-001-freeze.yaml")


def test_a_folder_that_is_none_is_an_error(loopx: Run, project: Path) -> None:
    (project / ".loopx" / "rules").symlink_to(project / "nowhere")
    assert loopx(*ASKED, cwd=project).code == 3
    assert loopx("--rules", "nowhere", *ASKED, cwd=project).code == 3


def test_folders_that_are_named_add_up_with_each_other_and_with_the_projects(loopx: Run, project: Path) -> None:
    shutil.move(add(project, FREEZE), project / "frozen")
    add(project, TELL.replace("ACME-001", "ACME-002"), "ACME-002-tell.yaml")
    shutil.copytree(project / ".loopx" / "rules", project / "told")
    plain = loopx(*ASKED, cwd=project).json
    assert channel(plain)["delivery_allowed"] is True
    both = loopx(*ASKED, "--rules", "frozen", cwd=project).json
    assert channel(both)["delivery_allowed"] is False
    assert "write the release notes" in both["interaction_contract"]["user_channel"]["reason"]
    shutil.rmtree(project / ".loopx" / "rules")
    for named in (("--rules", "frozen", *ASKED, "--rules", "told"), ("--rules", "frozen", "--rules=told", *ASKED)):
        again = loopx(*named, cwd=project).json["interaction_contract"]
        for channel_of in ("mode", "user_channel", "agent_channel"):
            assert again[channel_of] == both["interaction_contract"][channel_of]


def test_the_commands_of_an_answer_name_the_folders_again(loopx: Run, project: Path) -> None:
    shutil.move(add(project, FREEZE), project / "my rules")
    answer = loopx(*ASKED, "--rules", "my rules", cwd=project).json
    proposed = answer["interaction_contract"]["cli_channel"]["next_cli_actions"]
    assert proposed
    assert all("--rules 'my rules'" in command for command in proposed)


def test_in_a_repository_its_rules_hold_also_where_its_registry_is_elsewhere(loopx: Run, project: Path) -> None:
    add(project, FREEZE)
    elsewhere = project.parent / "elsewhere.json"
    document = json.loads((project / ".loopx" / "registry.json").read_text(encoding="utf-8"))
    for goal in document["goals"]:
        goal["repo"] = str(project)
    elsewhere.write_text(json.dumps(document), encoding="utf-8")
    inner = project / "docs"
    inner.mkdir(exist_ok=True)
    for place in (project, inner):
        held = loopx(*ASKED, "--registry", str(elsewhere), cwd=place).json
        assert channel(held)["delivery_allowed"] is False
        assert "ACME-001" in held["reason"]
    assert channel(loopx(*ASKED, "--registry", str(elsewhere), cwd=project.parent).json)["delivery_allowed"] is True


def test_they_are_listed_shown_and_linted(loopx: Run, project: Path) -> None:
    add(project, FREEZE)
    assert "ACME-001" in loopx("catalog", "list", cwd=project).out
    shown = loopx("--format", "json", "catalog", "show", "ACME-001", cwd=project)
    assert shown.json["file"] == ".loopx/rules/ACME-001-freeze.yaml"
    assert loopx("catalog", "lint", cwd=project).code == 0
    assert "ACME-001" not in loopx("catalog", "list").out


def test_a_snapshot_is_no_project_and_takes_only_the_folders_that_are_named(loopx: Run, project: Path) -> None:
    document = loopx("--format", "json", "snapshot", "export", "--agent-id", "builder", cwd=project).out
    folder = add(project, FREEZE)
    asked = ("--format", "json", "quota", "should-run", "--snapshot", "-")
    assert channel(loopx(*asked, cwd=project, stdin=document).json)["delivery_allowed"] is True
    named = loopx("--rules", str(folder), *asked, cwd=project, stdin=document)
    assert channel(named.json)["delivery_allowed"] is False


def test_their_compiled_form_is_kept_and_follows_their_content(project: Path, tmp_path: Path) -> None:
    folder, cache = str(add(project, FREEZE)), tmp_path / "cache"
    first = load_catalog(overlays=[folder], cache_dir=str(cache))
    assert [file.name for file in cache.iterdir() if first.digest in file.name]
    assert load_catalog(overlays=[folder], cache_dir=str(cache)).digest == first.digest
    add(project, TELL)
    second = load_catalog(overlays=[folder], cache_dir=str(cache))
    assert second.digest != first.digest
    assert "ACME-001.frozen" not in {item.key for item in second.withholdings}


@pytest.mark.parametrize("kind", BLOCKS)
def test_whatever_is_blocked_in_addition_no_fixture_is_granted_more(tmp_path: Path, kind: str) -> None:
    """Each turn of the shipped fixtures, with every candidate blocked: delivery and spending only disappear."""
    text = BLOCK.replace("leased", kind)
    (tmp_path / "ACME-001.yaml").write_text(text, encoding="utf-8")
    shipped = load_catalog()
    stricter = Policy(load_catalog(overlays=[str(tmp_path)]))
    fixtures, _ = load_folder(str(FIXTURES))
    turns = [fixture for fixture in fixtures if fixture.point in TURNS]
    number = 0
    for situation in situations(shipped, turns):
        assert isinstance(situation.behind, Evaluation)
        before, now = build(situation.behind).mode, stricter.decide(situation.behind.snapshot).mode
        assert now.delivery_allowed <= before.delivery_allowed, situation.label
        assert now.spend_after_validation <= before.spend_after_validation, situation.label
        number += 1
    assert number > 300


def test_the_example_of_the_documentation_is_accepted(loopx: Run, project: Path) -> None:
    page = (FIXTURES.parent / "docs" / "added-rules.md").read_text(encoding="utf-8")
    add(project, page.partition("```yaml\n")[2].partition("```")[0])
    lint = loopx("--format", "json", "catalog", "lint", cwd=project)
    assert lint.json["findings"] == []
    assert channel(loopx(*ASKED, cwd=project).json)["delivery_allowed"] is True
