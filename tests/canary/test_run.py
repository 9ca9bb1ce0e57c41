"""Running a plan: what passes, fails, is late or writes is told, with what it means."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

import pytest

from loopx_policy.canary.expand import Item
from loopx_policy.canary.outcome import Outcome, Problem, Ran
from loopx_policy.canary.outside import Machine
from loopx_policy.canary.plan import Gap, Plan, Planned
from loopx_policy.canary.reports import junit, sarif
from loopx_policy.canary.run import Terms, run_plan
from loopx_policy.canary.shapes import Check, Name, Runs
from loopx_policy.catalog_cache import load_catalog
from loopx_policy.catalog_source.findings import Mark
from loopx_policy.engine.catalog import Catalog

from .conftest import ROOT, Git


@lru_cache(maxsize=1)
def catalog() -> Catalog:
    return load_catalog()


def name(text: str) -> Name:
    return Name.placed(text, Mark("checks.yaml"))


def check(title: str, runs: Runs, *, alone: bool = False) -> Planned:
    made = Check(name(title), runs, name("cheap"), 100, f"{title} means harm.", alone=alone)
    return Planned(Item(title, made, runs, 100, (), frozenset()), "hot", [], [])


def pytests(title: str, *paths: str, alone: bool = False) -> Planned:
    return check(title, Runs(pytest=tuple(map(name, paths))), alone=alone)


def command(title: str, *words: str, exit: int = 0) -> Planned:
    return check(title, Runs(command=tuple(map(name, words)), exit=exit))


def fixtures(title: str, *patterns: str) -> Planned:
    return check(title, Runs(fixtures=tuple(map(name, patterns))))


def lint(title: str) -> Planned:
    return check(title, Runs(lint=True))


def plan(*checks: Planned) -> Plan:
    return Plan([], [], [], list(checks), [], {}, [Gap("lamp.c", "no surface represents this file", ("all",))], [], [])


Go = Callable[..., Ran]


@pytest.fixture
def go(tmp_path: Path) -> Go:
    """Runs checks in ``tmp_path``."""

    def run(*checks: Planned, budget: float = 0.0, jobs: int = 2, state: tuple[str, ...] = ()) -> Ran:
        environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path.parent), "GIT_DIR": "/nowhere"}
        environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        terms = Terms(time.monotonic, jobs, budget, state)
        machine = Machine(sys.executable, environ, str(tmp_path))
        return run_plan(plan(*checks), machine, catalog(), terms, lambda planned, outcome: None)

    return run


def statuses(ran: Ran) -> list[tuple[str, str]]:
    return [(outcome.planned.item.id, outcome.status) for outcome in ran.outcomes]


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def fixture_of(pattern: str, change: str = "", to: str = "") -> str:
    source = next(path for path in sorted((ROOT / "fixtures" / pattern).glob("*.yaml")))
    text = source.read_text(encoding="utf-8")
    assert change in text
    return text.replace(change, to, 1) if change else text


def test_checks_pass_and_fail_in_the_order_of_the_plan(go: Go, tmp_path: Path) -> None:
    write(tmp_path / "test_good.py", "def test_it(): assert True\n")
    write(tmp_path / "test_bad.py", "def test_it(): assert 1 == 2\n")
    ran = go(pytests("bad", "test_bad.py"), pytests("good", "test_good.py"), command("help", "--version"))
    assert statuses(ran) == [("bad", "failed"), ("good", "passed"), ("help", "passed")]
    assert not ran.ok
    (problem,) = ran.outcomes[0].problems
    assert problem.file == "test_bad.py"
    assert "test_bad.py::test_it" in problem.text
    assert "1 == 2" in ran.outcomes[0].output


def test_a_command_has_to_end_with_its_exit_code(go: Go) -> None:
    ran = go(command("refused", "no-such-command", exit=2), command("wrong", "no-such-command"))
    assert statuses(ran) == [("refused", "passed"), ("wrong", "failed")]
    assert ran.outcomes[1].problems[0].text == "It ended with the exit code 2, not 0."


def test_fixtures_are_judged_and_a_failure_is_told_at_its_line(go: Go, tmp_path: Path) -> None:
    for path in (ROOT / "fixtures" / "GR-paused").glob("*.yaml"):
        write(tmp_path / "fixtures" / "GR-paused" / path.name, path.read_text(encoding="utf-8"))
    assert go(fixtures("paused", "GR-paused")).ok
    changed = next(
        path for path in (tmp_path / "fixtures" / "GR-paused").glob("*.yaml") if "mode: skip" in path.read_text()
    )
    changed.write_text(changed.read_text().replace("mode: skip", "mode: user_gate", 1))
    ran = go(fixtures("paused", "GR-paused"))
    assert statuses(ran) == [("paused", "failed")]
    (problem,) = ran.outcomes[0].problems
    assert problem.file == f"fixtures/GR-paused/{changed.name}"
    line = changed.read_text().split("\n")[problem.line - 1]
    assert "user_gate" in line
    assert "wanted user_gate, found skip" in problem.text


def test_what_no_fixture_covers_any_more_fails(go: Go, tmp_path: Path) -> None:
    write(tmp_path / "fixtures" / "GR-paused" / "a.yaml", fixture_of("GR-paused"))
    ran = go(fixtures("throttled", "GR-throttled"), fixtures("paused", "GR-paused"))
    assert statuses(ran)[0] == ("throttled", "failed")
    assert "GR-throttled" in ran.outcomes[0].problems[0].text


def test_a_tree_without_fixtures_cannot_be_judged(go: Go) -> None:
    assert statuses(go(fixtures("paused", "GR-paused"))) == [("paused", "error")]


def test_what_has_no_time_left_is_not_run_and_no_pass(go: Go, tmp_path: Path) -> None:
    write(tmp_path / "test_slow.py", "import time\ndef test_it(): time.sleep(60)\n")
    start = time.monotonic()
    ran = go(pytests("slow", "test_slow.py"), pytests("later", "test_slow.py"), budget=2.0, jobs=1)
    assert statuses(ran) == [("slow", "not_run"), ("later", "not_run")]
    assert not ran.ok
    assert time.monotonic() - start < 30


def test_what_a_late_check_started_ends_with_it(go: Go, tmp_path: Path) -> None:
    mark = tmp_path / "still_there"
    child = f"import time,pathlib; time.sleep(6); pathlib.Path({str(mark)!r}).touch()"
    write(
        tmp_path / "test_slow.py",
        f"import subprocess, sys\ndef test_it(): subprocess.run([sys.executable, '-c', {child!r}])\n",
    )
    go(pytests("slow", "test_slow.py"), budget=3.0)
    time.sleep(5)
    assert not mark.exists()


def test_checks_run_beside_each_other_but_one_that_must_be_alone(go: Go, tmp_path: Path) -> None:
    meet = "import pathlib, time\ndef test_it():\n    pathlib.Path(__file__).with_name({own!r}).touch()\n"
    meet += "    other = pathlib.Path(__file__).with_name({other!r})\n    end = time.monotonic() + 20\n"
    meet += "    while not other.exists():\n        assert time.monotonic() < end\n        time.sleep(0.05)\n"
    write(tmp_path / "test_a.py", meet.format(own="a", other="b"))
    write(tmp_path / "test_b.py", meet.format(own="b", other="a"))
    write(tmp_path / "test_last.py", "import pathlib\ndef test_it(): assert pathlib.Path('a').exists()\n")
    ran = go(pytests("last", "test_last.py", alone=True), pytests("a", "test_a.py"), pytests("b", "test_b.py"))
    assert statuses(ran) == [("last", "passed"), ("a", "passed"), ("b", "passed")]


def test_tests_leave_nothing_in_the_tree(go: Go, git: Git, tmp_path: Path) -> None:
    text = "from hypothesis import given, strategies as st\n@given(st.integers())\ndef test_it(n): assert n < 5\n"
    write(tmp_path / "test_it.py", text)
    ran = go(pytests("it", "test_it.py"))
    assert statuses(ran) == [("it", "failed")]
    assert ran.changed == []
    assert sorted(path.name for path in tmp_path.iterdir()) == [".git", "test_it.py"]


def test_a_run_that_writes_fails_and_names_what(go: Go, git: Git, tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", ".loopx/\n")
    write(tmp_path / ".loopx" / "index.jsonl", "{}\n")
    write(
        tmp_path / "test_it.py",
        "def test_it():\n    open('.loopx/index.jsonl', 'a').write('x')\n    open('new', 'w')\n",
    )
    git("add", "-A")
    git("commit", "-q", "-m", "x")
    ran = go(pytests("it", "test_it.py"), state=(str(tmp_path / ".loopx"),))
    assert statuses(ran) == [("it", "passed")]
    assert ran.changed == [".loopx/index.jsonl", "new"]
    assert not ran.ok


def sample() -> Ran:
    bad = Outcome(
        pytests("bad", "test_bad.py"),
        "failed",
        problems=[Problem("test_bad.py::test_it: a < b & \x07", "test_bad.py", 3)],
        output="\x1b[31mFAILED",
    )
    wrong = Outcome(command("wrong", "no-such-command"), "failed", problems=[Problem("It ended with 2, not 0.")])
    good, late = Outcome(pytests("good", "test_good.py"), "passed", 1234), Outcome(lint("late"), "not_run")
    gap = Gap("lamp.c", "no surface represents this file", ("all",))
    return Ran([good, bad, wrong, late], [gap], ["docs/a b.md"], 2000)


def test_junit_tells_every_check_and_whether_something_was_written() -> None:
    suite = ElementTree.fromstring(junit(sample()))[0]
    wanted = {"tests": "5", "failures": "3", "errors": "0", "skipped": "1"}
    assert {key: suite.get(key) for key in wanted} == wanted
    kinds = {case.get("name"): [child.tag for child in case if child.tag != "system-out"] for case in suite}
    assert kinds == {
        "good": [],
        "bad": ["failure"],
        "wrong": ["failure"],
        "late": ["skipped"],
        "nothing_is_written": ["failure"],
    }
    failure = suite.find("testcase[@name='bad']/failure")
    assert failure is not None
    assert failure.get("message") == "bad means harm."
    assert "test_bad.py::test_it" in (failure.text or "")


def test_sarif_tells_each_problem_at_its_place_and_gaps_as_notes() -> None:
    (run,) = sarif(sample(), "changed.py")["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    found = []
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        (location,) = result["locations"]
        found.append((result["ruleId"], result["level"], location["physicalLocation"]["artifactLocation"]["uri"]))
    assert found == [
        ("bad", "error", "test_bad.py"),
        ("wrong", "error", "changed.py"),
        ("late", "warning", "changed.py"),
        ("nothing_is_written", "error", "docs/a%20b.md"),
        ("gap", "note", "lamp.c"),
    ]
