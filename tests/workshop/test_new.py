"""New rule files, what lint mends in them, and the watch."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from loopx_policy.catalog_files import default_folder, read_sources
from loopx_policy.catalog_source.findings import PAGE, RULES
from loopx_policy.catalog_source.lint import lint
from loopx_policy.cli.answers import catalog_watch
from loopx_policy.cli.request import Globals
from loopx_policy.fixtures.load import load
from loopx_policy.workshop.fix import fixed
from loopx_policy.workshop.skeleton import skeleton
from tests.cli.conftest import Run, home, loopx, project

__all__ = ["home", "loopx", "project"]
ROOT = Path(__file__).parent.parent.parent


def lay(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def findings(folder: Path) -> dict[str, str]:
    """Rule and message of what is found in the files below a folder, beside the shipped rules."""
    found = lint(read_sources([default_folder("rules"), str(folder / "rules")]))
    return {f"{each.rule} {each.at.rsplit(':', 2)[1]}": each.message for each in found if "IP-030" in each.at}


@pytest.mark.parametrize("title", ["Release freeze", "Freeze: who, when?", 'A "freeze"', "Ähm"])
def test_a_new_pattern_has_nothing_wrong_but_what_is_to_be_filled_in(tmp_path: Path, title: str) -> None:
    files = skeleton("IP-030", title.replace('"', ""), "work_routing")
    lay(tmp_path, files)
    (tmp_path / "catalog").symlink_to(default_folder("catalog"))
    found = findings(tmp_path)
    (rule,) = [text for name, text in files.items() if name.startswith("rules/")]
    lines = [number for number, line in enumerate(rule.splitlines(), 1) if "FILL IN" in line]
    assert list(found) == [f"fill-in {number}" for number in lines]
    assert all(message.startswith("Fill in ") for message in found.values())
    assert yaml.safe_load(rule)["name"] == title.replace('"', "")


def test_each_finding_names_a_page_that_explains_it() -> None:
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    assert [rule for rule in RULES if f'<a id="{rule}"></a>' not in page] == []


def test_a_rule_of_a_project_is_new_decides_and_its_fixture_passes(loopx: Run, project: Path) -> None:
    made = loopx("--format", "json", "catalog", "new", "ACME-001", "--title", "Freeze", cwd=project)
    assert made.code == 0
    assert made.json["files"] == [".loopx/rules/ACME-001-freeze.yaml", ".loopx/fixtures/ACME-001/tell.yaml"]
    assert load(str(project / made.json["files"][1]), "tell.yaml").covers == "ACME-001.tell"
    asked = ("--format", "json", "quota", "should-run", "--agent-id", "builder", "--detail")
    assert "ACME-001.tell" in loopx(*asked, cwd=project).out
    test = loopx("catalog", "test", "--fixtures", ".loopx/fixtures", "--pattern", "ACME-001", cwd=project)
    assert test.code == 0
    lint_ = loopx("--format", "json", "catalog", "lint", cwd=project)
    assert {finding["rule"] for finding in lint_.json["findings"]} == {"fill-in"}
    assert {finding["page"] for finding in lint_.json["findings"]} == {f"{PAGE}#fill-in"}
    again = loopx("catalog", "new", "ACME-001", "--title", "Freeze", cwd=project)
    assert again.code == 2
    assert "taken" in again.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("IP-001", "--family", "work_routing"), "The id IP-001 is taken."),
        (("IP-030", "--family", "work_routnig"), "Did you mean work_routing?"),
        (("IP-030",), "Name one of work_routing"),
        (("freeze",), "freeze is no id."),
    ],
)
def test_an_id_or_a_family_that_cannot_be_is_refused(
    loopx: Run, project: Path, arguments: tuple[str, ...], said: str
) -> None:
    refused = loopx("catalog", "new", *arguments, "--title", "Freeze", cwd=project)
    assert refused.code == 2
    assert said in refused.err


SHIPPED = sorted(Path(default_folder("rules")).glob("*/*.yaml"))


@pytest.mark.parametrize("path", SHIPPED[::6], ids=lambda path: path.stem)
def test_mending_restores_what_a_shipped_file_says(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    head, _, rest = text.partition("\n")
    keys = [number for number, line in enumerate(rest.splitlines()) if line[:1].isalpha()]
    lines = rest.splitlines(keepends=True)
    swapped = "".join(lines[keys[-1] :] + lines[: keys[-1]])
    assert fixed(f"{head}\n{swapped}", {"key-order"}) == text
    assert fixed(rest, {"modeline"}) == text
    assert fixed(text, set()) == text


def test_the_decides_list_is_made_of_what_the_file_has() -> None:
    text = "id: X\ndecides: [turn]\ncandidate: []\nwithholds: []\npoints: {quota_spend: []}\n"
    assert "decides: [candidate, turn, quota_spend]\n" in fixed(text, {"wrong-decides"})


def test_lint_mends_added_rules_on_disk(loopx: Run, project: Path) -> None:
    folder = project / ".loopx" / "rules"
    folder.mkdir()
    file = folder / "ACME-001.yaml"
    file.write_text(
        "name: Freeze\nid: ACME-001\nsummary: All rests.\ndecides: [candidate]\n"
        "withholds:\n  - {id: all, what: delivery, when: {}}\n"
    )
    assert loopx("catalog", "lint", cwd=project).code == 1
    assert loopx("catalog", "lint", "--fix", cwd=project).code == 0
    assert file.read_text().startswith("id: ACME-001\nname: Freeze\n")
    assert "decides: [turn]\n" in file.read_text()


def test_each_round_of_the_watch_is_told_at_once_and_a_mistake_ends_only_its_round(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    rule = project / ".loopx" / "rules" / "ACME-001.yaml"
    rule.parent.mkdir()
    sound = skeleton("ACME-001", "Freeze", "")
    lay(project / ".loopx", {name: text for name, text in sound.items() if name.startswith("fixtures/")})
    text = sound["rules/ACME-001-freeze.yaml"].replace("FILL IN", "Done")
    rule.write_text(text)
    saves: list[str] = []

    def changes() -> Iterator[str]:
        while saves:
            rule.write_text(saves.pop(0))
            yield "saved"

    saves += ["id: [", text]
    told = catalog_watch.rounds(Globals(), ".loopx/fixtures", ("ACME-001",), changes())
    assert [(each.view, each.exit_code) for each in (next(told), next(told), next(told))] == [
        ("catalog_test", 0),
        ("catalog_lint", 1),
        ("catalog_test", 0),
    ]


@pytest.mark.slow
def test_the_watch_of_a_real_process_answers_a_save_of_a_real_file(project: Path) -> None:
    rule = project / ".loopx" / "rules" / "ACME-001-freeze.yaml"
    sound = skeleton("ACME-001", "Freeze", "")
    lay(project / ".loopx", sound)
    text = sound["rules/ACME-001-freeze.yaml"].replace("FILL IN", "Done")
    rule.write_text(text)
    words = ["--format", "json", "catalog", "watch", "--fixtures", ".loopx/fixtures", "--pattern", "ACME-001"]
    command = [sys.executable, "-m", "loopx_policy", *words]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as program:
        try:
            assert program.stdout is not None
            first = json.loads(program.stdout.readline())
            rule.write_text("id: [")
            second = json.loads(program.stdout.readline())
            rule.write_text(text)
            third = json.loads(program.stdout.readline())
        finally:
            program.send_signal(signal.SIGINT)
            assert program.wait(30) == 130
    assert "findings" not in first
    assert second["findings"][0]["at"].startswith(".loopx/rules/ACME-001-freeze.yaml")
    assert third == first
