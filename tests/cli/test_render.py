"""What people see: the word that an answer comes to, and the look of it on a terminal."""

from __future__ import annotations

import os
import pty
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.cli import screen
from loopx_policy.cli.render import point
from loopx_policy.cli.render.look import cell, clean
from loopx_policy.cli.render.verdict import verdict
from loopx_policy.cli.request import Result
from loopx_policy.engine.catalog import Mode

MODES = load_catalog().modes
WORDS = {
    (True, True): "RUN",
    (True, False): "RUN, NO DELIVERY",
}


def decision(mode: Mode, state: str = "eligible", asked: bool = False, told: bool = False) -> dict[str, Any]:
    """As much of a decision as its word depends on."""
    return {
        "state": state,
        "interaction_contract": {
            "user_channel": {"action_required": asked, "notify": "NOTIFY" if told else "DONT_NOTIFY"},
            "agent_channel": {
                "must_attempt": mode.must_attempt,
                "delivery_allowed": mode.delivery_allowed,
                "quiet_noop_allowed": mode.quiet_noop_allowed and not asked,
            },
        },
    }


@pytest.mark.parametrize("name", [name for name, mode in MODES.items() if mode.must_attempt])
def test_a_mode_that_must_attempt_says_run_whatever_the_user_is_told(name: str) -> None:
    mode = MODES[name]
    for asked in (True, False):
        said = verdict(decision(mode, asked=asked, told=asked)).word
        assert said == WORDS[mode.must_attempt, mode.delivery_allowed]


@pytest.mark.parametrize("name", [name for name, mode in MODES.items() if not mode.must_attempt])
def test_a_mode_that_must_not_work_never_says_run(name: str) -> None:
    mode = MODES[name]
    assert verdict(decision(mode, asked=True, told=True)).word == "ASK"
    assert verdict(decision(mode, told=True)).word == "TELL"
    assert verdict(decision(mode)).word == ("QUIET" if mode.quiet_noop_allowed else "STOP")
    assert verdict(decision(mode, state="paused")).word == "PAUSED"
    assert verdict(decision(mode, state="blocked_health", told=True)).word == "BLOCKED"


def test_text_from_a_file_cannot_steer_a_terminal_or_a_table() -> None:
    assert clean("a\x1b[2J\tb\r\nc\x9b") == "a�[2J b c�"
    assert cell("a|b <i> `c`") == "a\\|b &lt;i> 'c'"


LINT = {
    "ok": False,
    "files": 2,
    "findings": [
        {"at": "rules/a.yaml:3:1", "rule": "odd", "severity": "error", "message": "Wrong | here.", "suggestion": ""},
        {"at": "rules/b.yaml:1:1", "rule": "so-so", "severity": "warning", "message": "Could be.", "suggestion": ""},
    ],
}
FIXTURES = {
    "ok": False,
    "passed": 1,
    "failed": 1,
    "errors": ["IP-001/c.yaml:2: The key 'gvien' is unknown."],
    "missing": ["case:IP-002.x"],
    "outcomes": [
        {"fixture": "IP-001/a.yaml", "name": "", "passed": True, "error": "", "differences": []},
        {
            "fixture": "IP-001/b.yaml",
            "name": "near",
            "passed": False,
            "error": "",
            "differences": [{"at": "a.yaml:7", "field": "mode", "wanted": "skip", "found": "user_gate"}],
        },
    ],
}


@pytest.mark.parametrize("view, data, said", [
    ("catalog_lint", LINT, ["1 error and 1 warning in 2 files", "rules/a.yaml:3:1", "so-so", "Could be."]),
    ("catalog_test", FIXTURES, ["1 passed, 1 failed", "IP-001/b.yaml", "mode: wanted skip, found user_gate", "gvien"]),
])  # fmt: skip
@pytest.mark.parametrize("form", ["rich", "markdown"])
def test_a_failed_check_names_each_finding(view: str, data: dict[str, Any], said: list[str], form: str) -> None:
    out = screen.draw(Result(data, view), form)
    assert all(text in out for text in said)


def on_terminal(arguments: list[str], cwd: Path, home: Path, **variables: str) -> str:
    """What the program writes to a real terminal of 80 columns."""
    pid, master = pty.fork()
    if pid == 0:  # pragma: no cover
        os.chdir(cwd)
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "xterm-256color", "COLUMNS": "80"}
        os.execve(sys.executable, [sys.executable, "-m", "loopx_policy", *arguments], environment | variables)
    parts = []
    while True:
        try:
            part = os.read(master, 65_536)
        except OSError:  # the way Linux tells that the other side is gone
            break
        if not part:
            break
        parts.append(part)
    os.waitpid(pid, 0)
    os.close(master)
    return b"".join(parts).decode().replace("\r\n", "\n")


COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.mark.filterwarnings("ignore:.*forkpty.*:DeprecationWarning")
@pytest.mark.parametrize("command", ["quota should-run --agent-id builder", "explain --agent-id builder", "quota plan"])
def test_a_terminal_gets_colour_and_frames_within_its_width(command: str, demo_project: Path, home: Path) -> None:
    out = on_terminal(command.split(), demo_project, home)
    assert COLOUR.search(out)
    plain = COLOUR.sub("", out)
    assert "\x1b" not in plain
    assert [line for line in plain.splitlines() if len(line) > 80 and "$ loopx" not in line] == []
    assert "RUN" in plain


@pytest.mark.filterwarnings("ignore:.*forkpty.*:DeprecationWarning")
def test_a_terminal_that_wants_no_colour_gets_none(demo_project: Path, home: Path) -> None:
    out = on_terminal(["quota", "should-run", "--agent-id", "builder"], demo_project, home, NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", out)
    assert "╭" in out


@pytest.mark.filterwarnings("ignore:.*forkpty.*:DeprecationWarning")
def test_help_on_a_terminal_tells_the_defaults(demo_project: Path, home: Path) -> None:
    out = COLOUR.sub("", on_terminal(["quota", "should-run", "--help"], demo_project, home, COLUMNS="140"))
    assert "(default: the only one of the registry)" in out


def test_that_no_case_decided_a_point_is_said_once() -> None:
    data = {"point": "lease_claim", "pattern": "", "case": "", "kind": ""}
    assert point.about(data) == "lease_claim"
    assert point.about({**data, "pattern": "IP-016", "case": "taken"}) == "lease_claim, by IP-016.taken"
