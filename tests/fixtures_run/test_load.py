"""A fixture file that says something else than it seems to is an error at its line, never a fixture that tests less."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopx_policy.errors import StateError, UsageError
from loopx_policy.fixtures import load_folder
from loopx_policy.fixtures.load import load

from .samples import BLOCKED, GOOD, POINT, line_of, swap, unread, write


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("mode: skip", "mdoe: skip", "Did you mean mode?"),
        ("seed: A goal", "sede: A goal", "Did you mean seed?"),
        ("near_misses:", "near_mises:", "Did you mean near_misses?"),
        ("- name: half", "- nmae: half", "Did you mean name?"),
        ("selected: todo_a01", "seleced: todo_a01", "Did you mean selected?"),
        ("notify: DONT_NOTIFY", "notify: MAYBE", "NOTIFY"),
        ("state: paused", "should_run: 0", "true or false"),
        ("{goal.quota.compute: 0.5}", "{}", "changes something"),
    ],
)
def test_a_slip_is_told_by_the_line_that_has_it(tmp_path: Path, old: str, new: str, told: str) -> None:
    text = swap(old, new)
    error = unread(tmp_path, text)
    assert error.at == f"GR-paused/one.yaml:{line_of(new, text)}"
    assert told in str(error)


@pytest.mark.parametrize(
    "lacking", ["covers: GR-paused.paused\n", "seed: A goal with a compute share of zero is paused.\n"]
)
def test_what_is_lacking_is_named(tmp_path: Path, lacking: str) -> None:
    error = unread(tmp_path, swap(lacking, ""))
    assert f"lacks {lacking.partition(':')[0]}" in str(error)
    assert error.at == "GR-paused/one.yaml:1"


def test_a_near_miss_that_lacks_its_change_is_named(tmp_path: Path) -> None:
    text = swap("    change: {goal.quota.compute: 0.5}\n", "")
    error = unread(tmp_path, text)
    assert "lacks change" in str(error)
    assert error.at == f"GR-paused/one.yaml:{line_of('- name: half', text)}"


@pytest.mark.parametrize(
    "misses",
    [
        "near_misses: []\n",
        "near_misses: [{name: two, change: {goal.quota.compute: 0.5, agent: ann}, expect: {}}]\n",
    ],
)
def test_one_near_miss_at_least_changes_exactly_one_thing(tmp_path: Path, misses: str) -> None:
    start = GOOD.index("near_misses:")
    text = GOOD[:start] + misses
    error = unread(tmp_path, text)
    assert "exactly one thing" in str(error)
    assert error.at == f"GR-paused/one.yaml:{line_of('near_misses', text)}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: [1\n", 2),
        ("a: 1\na: 2\n", 2),
        ("a: &a [1]\nb: *a\n", 1),
        ("--- {}\n--- {}\n", 2),
    ],
)
def test_what_is_no_document_is_told_by_its_line(tmp_path: Path, text: str, line: int) -> None:
    assert unread(tmp_path, text).at == f"GR-paused/one.yaml:{line}"


def test_a_fixture_may_be_json(tmp_path: Path) -> None:
    text = '{"covers": "GR-paused.paused",\n "sede": ""}'
    write(tmp_path, text, "GR-paused/one.json")
    _, (error,) = load_folder(str(tmp_path))
    assert error.at == "GR-paused/one.json:2"


def test_a_file_that_cannot_be_opened_is_told_and_stops_no_other(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    (tmp_path / "GR-paused" / "gone.yaml").symlink_to(tmp_path / "nowhere")
    fixtures, (error,) = load_folder(str(tmp_path))
    assert [fixture.file for fixture in fixtures] == ["GR-paused/one.yaml"]
    assert error.at == "GR-paused/gone.yaml"
    with pytest.raises(StateError):
        load(str(tmp_path / "nowhere"), "nowhere")


def test_the_files_come_in_the_order_of_their_paths(tmp_path: Path) -> None:
    names = ["IP-018/b.yaml", "GR-paused/z.yaml", "IP-018/a.yml", "GR-paused/a.json"]
    for name in names:
        write(tmp_path, GOOD if name.endswith("l") else "{}", name)
    (tmp_path / "GR-paused" / "notes.md").write_text("not a fixture")
    fixtures, errors = load_folder(str(tmp_path))
    assert [fixture.file for fixture in fixtures] == ["GR-paused/z.yaml", "IP-018/a.yml", "IP-018/b.yaml"]
    assert [error.at for error in errors] == ["GR-paused/a.json:1"]


def test_a_pattern_has_the_fixtures_of_its_folder_and_those_of_its_rules_elsewhere(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    write(tmp_path, BLOCKED, "IP-021/a.yaml")
    write(tmp_path, POINT, "IP-021/b.yaml")
    write(tmp_path, "covers: [", "IP-018/torn.yaml")

    def chosen(*patterns: str) -> tuple[list[str], int]:
        fixtures, errors = load_folder(str(tmp_path), patterns)
        return [fixture.file for fixture in fixtures], len(errors)

    assert chosen("IP-021") == (["IP-021/a.yaml", "IP-021/b.yaml"], 0)
    assert chosen("IP-018") == (["IP-021/b.yaml"], 1)
    assert chosen("GR-paused", "IP-018") == (["GR-paused/one.yaml", "IP-021/b.yaml"], 1)
    assert chosen()[0] == ["GR-paused/one.yaml", "IP-021/a.yaml", "IP-021/b.yaml"]


def test_an_empty_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no fixture"):
        load_folder(str(tmp_path))
    with pytest.raises(UsageError, match="There is no folder"):
        load_folder(str(tmp_path / "nowhere"))
    write(tmp_path, GOOD)
    with pytest.raises(UsageError, match=r"holds no fixture of IP-021"):
        load_folder(str(tmp_path), ("GR-paused", "IP-021"))
    with pytest.raises(UsageError) as caught:
        load_folder(str(tmp_path), ("GR-pausd",))
    assert caught.value.fix == "Did you mean GR-paused?"
