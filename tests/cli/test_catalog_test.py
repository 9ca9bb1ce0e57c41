"""``loopx catalog test``: what it says of fixtures, in each format, and how it exits."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fixtures_run.samples import GOOD, swap, write

from .conftest import Run

TEST = ("catalog", "test", "--fixtures")


def test_fixtures_that_hold_pass_by_pattern(loopx: Run, tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    command = (*TEST, str(tmp_path), "--allow-missing")
    assert loopx(*command).code == 0
    for form in ("rich", "markdown"):
        out = loopx(*command, "--format", form).out
        assert "2 passed, 0 failed" in out
        assert "GR-paused" in out
    data = loopx(*command, "--format", "json").json
    assert (data["ok"], data["passed"], data["failed"], data["errors"]) == (True, 2, 0, [])
    assert [outcome["name"] for outcome in data["outcomes"]] == ["positive", "half a share is left"]


def test_the_folder_is_fixtures_here_unless_one_is_named(loopx: Run, tmp_path: Path) -> None:
    (tmp_path / "fixtures").mkdir()
    write(tmp_path / "fixtures", GOOD)
    assert "2 passed, 0 failed" in loopx("catalog", "test", "--allow-missing", cwd=tmp_path).out


def test_a_failure_exits_1_and_tells_the_field_both_values_and_the_line(loopx: Run, tmp_path: Path) -> None:
    write(tmp_path, swap("mode: skip", "mode: user_gate"))
    for form in ("rich", "markdown"):
        ran = loopx(*TEST, str(tmp_path), "--allow-missing", "--format", form, COLUMNS="200")
        assert (ran.code, ran.err) == (1, "")
        assert "1 passed, 1 failed" in ran.out
        assert "GR-paused/one.yaml:7" in ran.out
        assert "mode: wanted user_gate, found skip" in ran.out
    data = loopx(*TEST, str(tmp_path), "--allow-missing", "--format", "json").json
    assert data["outcomes"][0]["differences"] == [
        {"field": "mode", "wanted": "user_gate", "found": "skip", "at": "GR-paused/one.yaml:7"}
    ]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("mode: skip", "mdoe: skip", "GR-paused/one.yaml:7: mdoe is no known key. Did you mean mode?"),
        ("quota: {compute", "qouta: {compute", "GR-paused/one.yaml:5: qouta is no known key. Did you mean quota?"),
        ("GR-paused.paused", "GR-paused.pausd", "GR-paused/one.yaml:1: No rule has GR-paused.pausd."),
    ],
)
def test_a_slip_exits_3_with_its_line(loopx: Run, tmp_path: Path, old: str, new: str, said: str) -> None:
    write(tmp_path, swap(old, new))
    for form in ("rich", "markdown"):
        ran = loopx(*TEST, str(tmp_path), "--allow-missing", "--format", form, COLUMNS="200")
        assert ran.code == 3
        assert "1 error" in ran.out
        assert said in ran.out
    ran = loopx(*TEST, str(tmp_path), "--allow-missing", "--format", "json")
    assert ran.code == 3
    assert ran.json["errors"][0].startswith(said)


def test_what_has_no_fixture_fails_unless_that_is_allowed(loopx: Run, tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    for more in ((), ("--pattern", "GR-paused")):
        ran = loopx(*TEST, str(tmp_path), *more)
        assert ran.code == 1
        assert "missing" in ran.out
        assert loopx(*TEST, str(tmp_path), *more, "--allow-missing").code == 0
    data = loopx(*TEST, str(tmp_path), "--pattern", "GR-paused", "--format", "json").json
    assert data["missing"] != []
    assert {key.partition(":")[2].partition(".")[0] for key in data["missing"]} == {"GR-paused"}


def test_an_empty_run_is_a_usage_error(loopx: Run, tmp_path: Path) -> None:
    ran = loopx(*TEST, str(tmp_path))
    assert ran.code == 2
    assert "holds no fixture" in ran.err
    assert loopx(*TEST, str(tmp_path / "nowhere")).code == 2
    write(tmp_path, GOOD)
    ran = loopx(*TEST, str(tmp_path), "--pattern", "GR-paused", "--pattern", "IP-021", "--format", "json")
    assert ran.code == 2
