"""``loopx quota should-run`` on real projects: formats, options, exit codes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from .conftest import Run

ASK = ("quota", "should-run", "--agent-id", "builder")


def test_json_is_one_compact_line_under_two_kilobytes(process: Run, demo_project: Path) -> None:
    ran = process("--format", "json", *ASK, cwd=demo_project)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("\n") == 1
    assert len(ran.out.encode()) < 2_048
    assert ran.json["interaction_contract"]["mode"] == "scoped_user_gate_fallback"
    assert ran.json["interaction_contract"]["agent_channel"]["selected_todo_id"] == "todo_importer"


@pytest.mark.parametrize("placed", [
    ["--format", "json", *ASK],
    ["quota", "--format", "json", *ASK[1:]],
    [*ASK, "--format", "json"],
    [*ASK, "--format=json"],
])  # fmt: skip
def test_a_global_option_works_anywhere(loopx: Run, demo_project: Path, placed: list[str]) -> None:
    want = loopx("--format", "json", *ASK, cwd=demo_project).out
    assert loopx(*placed, cwd=demo_project).out == want


def test_the_same_question_gives_the_same_bytes(process: Run, demo_project: Path) -> None:
    answers = {process("--format", "json", *ASK, "--detail", cwd=demo_project).out for _ in range(2)}
    assert len(answers) == 1


def test_detail_adds_facts_to_every_format(loopx: Run, demo_project: Path) -> None:
    document = loopx("--format", "json", *ASK, "--detail", cwd=demo_project).json
    assert document["facts"]["gates.open"] == 1
    assert document["capability_gate"]
    for form in ("markdown", "rich"):
        assert "gates.open" in loopx(*ASK, "--detail", "--format", form, cwd=demo_project).out
        assert "gates.open" not in loopx(*ASK, "--format", form, cwd=demo_project).out


def test_off_a_terminal_the_answer_is_plain_ascii_in_eighty_columns(process: Run, demo_project: Path) -> None:
    ran = process(*ASK, cwd=demo_project, COLUMNS="80")
    assert ran.out.isascii()
    assert max(len(line) for line in ran.out.splitlines() if not line.lstrip().startswith("$ ")) <= 80
    first = ran.out.splitlines()[0]
    assert first == "== RUN ==  Work now, and deliver."
    assert all(not line.endswith(" ") for line in ran.out.splitlines())


def test_verdict_comes_first_then_user_agent_and_cli_then_the_evidence(loopx: Run, demo_project: Path) -> None:
    out = loopx(*ASK, cwd=demo_project).out
    order = ["RUN", "USER", "AGENT", "CLI", "CANDIDATES", "todo_importer", "BLOCKED", "OBLIGATIONS"]
    places = [re.search(rf"\b{word}\b", out) for word in order]
    assert all(places)
    starts = [place.start() for place in places if place]
    assert starts[:5] == sorted(starts[:5])
    assert "STATE.md:19" in out


def test_forced_colour_adds_nothing_that_plain_text_lacks(loopx: Run, demo_project: Path) -> None:
    plain = loopx(*ASK, cwd=demo_project).out
    coloured = loopx(*ASK, cwd=demo_project, FORCE_COLOR="1", TERM="xterm-256color").out
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured).split() == plain.split()


def test_no_color_wins(loopx: Run, demo_project: Path) -> None:
    out = loopx(*ASK, cwd=demo_project, FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color").out
    assert not re.search(r"\x1b\[(3[0-9]|9[0-9]|38)", out)


def test_markup_and_control_characters_in_a_todo_stay_text(
    loopx: Run, project: Path, edit: Callable[[str, str], None]
) -> None:
    edit("reject impossible heights", "reject [red]\x1b[31mheights[/red] \x07 | <b>`x`</b>")
    for form in ("rich", "markdown"):
        out = loopx(*ASK, "--format", form, cwd=project).out
        assert "[red]" in out
        assert not set(out) & {"\x1b", "\x07"}


def test_a_latin_terminal_gets_an_answer_and_json_stays_utf8(
    process: Run, project: Path, edit: Callable[[str, str], None]
) -> None:
    edit("reject impossible heights", "reject höhen ☃")
    assert "h?hen" in process(*ASK, cwd=project, PYTHONIOENCODING="ascii").out
    ran = process(*ASK, "--format", "json", "--detail", cwd=project, PYTHONIOENCODING="ascii")
    assert ran.code == 0


def test_broken_state_is_decided_printed_and_exits_3(
    process: Run, project: Path, edit: Callable[[str, str], None]
) -> None:
    edit("status=open task_class=user_gate blocks_agent=builder", "status=open task_class=user_gate")
    ran = process("--format", "json", *ASK, cwd=project)
    assert ran.code == 3
    assert ran.json["interaction_contract"]["mode"] == "health_blocked"
    assert "STATE.md:10" in ran.out
    told = process(*ASK, cwd=project)
    assert told.code == 3
    assert told.out.startswith("== BLOCKED ==")


def test_a_pause_is_quiet_and_exits_0(loopx: Run, project: Path, edit: Callable[[str, str], None]) -> None:
    edit('"compute": 1.0', '"compute": 0')
    ran = loopx(*ASK, cwd=project)
    assert ran.code == 0
    assert ran.out.startswith("== PAUSED ==")
    assert "DONT_NOTIFY" in ran.out


def test_an_unregistered_agent_is_a_decision(loopx: Run, demo_project: Path) -> None:
    ran = loopx("--format", "json", "quota", "should-run", "--agent-id", "stranger", cwd=demo_project)
    assert ran.code == 0
    contract = ran.json["interaction_contract"]
    assert contract["mode"] == "automation_prompt_upgrade"
    (remedy,) = contract["cli_channel"]["next_cli_actions"]
    assert loopx(*remedy.split()[1:], cwd=demo_project).code == 0


def test_the_side_agent_must_stand_in_its_own_worktree(loopx: Run, demo_project: Path) -> None:
    ask = ("--format", "json", "quota", "should-run", "--agent-id", "writer")
    here = loopx(*ask, cwd=demo_project).json
    there = loopx(*ask, cwd=demo_project.parent / "manual").json
    assert here["interaction_contract"]["mode"] == "side_agent_workspace_repair"
    assert there["interaction_contract"]["mode"] == "bounded_delivery"


def test_a_capability_given_with_the_question_unblocks_its_todo(loopx: Run, demo_project: Path) -> None:
    without = loopx("--format", "json", *ASK, cwd=demo_project).json
    having = loopx("--format", "json", *ASK, "--available-capability", "benchmark-runner", cwd=demo_project).json

    def blocked(document: dict[str, object]) -> str:
        return json.dumps(document["interaction_contract"]["agent_channel"]["blocked"])  # type: ignore[index]

    assert "todo_compare" in blocked(without)
    assert "todo_compare" not in blocked(having)
