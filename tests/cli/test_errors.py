"""What goes wrong is one sentence with a fix and an exit code, in text or in JSON, and never a traceback."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from loopx_policy.cli.edge import perform
from loopx_policy.cli.request import Call, Globals, Request, Result
from loopx_policy.errors import ConflictError, LoopxError, RefusedError

from .conftest import Ran, Run

ASK = ("quota", "should-run", "--agent-id", "builder")


def in_text_and_json(loopx: Run, *arguments: str, cwd: Path, stdin: str = "") -> tuple[Ran, Ran]:
    """The same failure twice; it must say the same."""
    text = loopx(*arguments, cwd=cwd, stdin=stdin)
    data = loopx("--format", "json", *arguments, cwd=cwd, stdin=stdin)
    assert text.code == data.code == data.json["exit_code"]
    assert text.out == ""
    assert data.err == ""
    assert text.err.startswith("loopx: ")
    assert text.err.count("\n") == 1
    assert data.json["error"] in text.err
    assert data.json["fix"] in text.err
    assert data.json["fix"]
    assert "Traceback" not in text.err
    return text, data


@pytest.mark.parametrize("arguments", [
    ("quota", "should-run", "--agent-id", ""),
    ("quota", "should-run", "--agent-id="),
    ("explain", "--agent-id", "  "),
    ("status", "--agent-id", ""),
    ("quota", "should-run", "--registry", ""),
    ("heartbeat-prompt", "--goal-id", ""),
    ("quota", "should-run", "--available-capability", ""),
])  # fmt: skip
def test_an_empty_value_is_a_usage_error(loopx: Run, demo_project: Path, arguments: tuple[str, ...]) -> None:
    text, _ = in_text_and_json(loopx, *arguments, cwd=demo_project)
    assert text.code == 2
    assert "is empty." in text.err


@pytest.mark.parametrize("arguments, said", [
    (("quota", "should-run", "--agnt-id", "x"), "--agent-id"),
    (("quota", "should-run", "stray"), "stray"),
    (("quota", "should-run", "--goal-id"), "requires an argument"),
    (("quota", "bogus"), "bogus"),
    (("bogus",), "bogus"),
    (("status", "--limit", "0"), "--limit"),
    (("status", "--limit", "many"), "--limit"),
    (("decide",), "POINT"),
    (("decide", "quota_spent", "--input", "-"), "quota_spend"),
    (("decide", "turn", "--input", "-"), "turn"),
    (("decide", "quota_spend"), "--input"),
    (("quota", "should-run", "--goal-id", "harbour"), "'harbor'"),
    (("heartbeat-prompt", "--goal-id", "harbour"), "harbor"),
    (("heartbeat-prompt", "--agent-id", "stranger"), "builder, writer"),
    (("explain", "--why-not", "bounded_delivry"), "bounded_delivery"),
    (("catalog", "show", "IP-0021"), "IP-021"),
    (("quota", "should-run", "--available-capability", "No Such!"), "capability"),
    (("quota", "should-run", "--registry", "missing.json"), "missing.json"),
    (("quota", "should-run", "--snapshot", "-", "--registry", "x.json"), "exclude each other"),
])  # fmt: skip
def test_a_wrong_command_line_exits_2_and_says_what_to_write(
    loopx: Run, demo_project: Path, arguments: tuple[str, ...], said: str
) -> None:
    text, _ = in_text_and_json(loopx, *arguments, cwd=demo_project)
    assert text.code == 2
    assert said in text.err


@pytest.mark.parametrize("document, said", [
    ("{}", "standard input: $.operation: The field operation is missing."),
    ("[]", "standard input: $: The input is not a mapping."),
    ('{"operation": "spend", "goal": {"goal_id": ""}}', "$.goal.goal_id: The field goal.goal_id is empty."),
    ('{"operation": "spend", "slots": "one"}', "$.slots: The field slots is not a whole number."),
    ('{"operation": "spend", "slotz": 1}', "$.slotz: The field slotz is not known here; did you mean slots?"),
])  # fmt: skip
def test_a_wrong_input_of_a_point_is_told_by_file_and_path(
    loopx: Run, demo_project: Path, document: str, said: str
) -> None:
    text, _ = in_text_and_json(loopx, "decide", "quota_spend", "--input", "-", cwd=demo_project, stdin=document)
    assert text.code == 3
    assert said in text.err
    assert "?." not in text.err
    (schema,) = re.findall(r"See (catalog/schemas/\S+\.json), or (loopx decide .*)\.$", text.err.strip())
    assert (Path(__file__).resolve().parents[2] / schema[0]).is_file()
    assert loopx(*schema[1].split()[1:], cwd=demo_project).code == 0


@pytest.mark.parametrize("command, where", [
    (("explain", "--why-not"), "loopx explain"),
    (("--now", "2026-12-01T09:00:00Z", "quota", "status", "--bogus"), "loopx quota status"),
    (("quota", "bogus"), "loopx quota"),
    (("bogus",), "loopx"),
])  # fmt: skip
def test_help_is_pointed_to_where_the_mistake_is(
    loopx: Run, demo_project: Path, command: tuple[str, ...], where: str
) -> None:
    text, _ = in_text_and_json(loopx, *command, cwd=demo_project)
    assert text.err.endswith(f" See: {where} --help\n")


def test_a_suggestion_ends_as_a_question(loopx: Run, demo_project: Path) -> None:
    text, _ = in_text_and_json(loopx, "quota", "shoud-run", cwd=demo_project)
    assert text.err == "loopx: No such command 'shoud-run'. Did you mean 'should-run'? See: loopx quota --help\n"


@pytest.mark.parametrize("command, name", [(("catalog", "show", ""), "PATTERN"), (("decide", ""), "POINT")])
def test_an_empty_argument_is_called_by_its_own_name(
    loopx: Run, demo_project: Path, command: tuple[str, ...], name: str
) -> None:
    text, _ = in_text_and_json(loopx, *command, cwd=demo_project)
    assert (text.code, text.err) == (2, f"loopx: {name} is empty. Give it a value.\n")


@pytest.mark.parametrize(
    "when, said",
    [
        ("yesterday", "is no time"),
        ("2026-12-01T09:00:00", "has no time zone"),
        ("2026-12-01", "has no time zone"),
        ("0001-01-01T00:00:00+23:59", "is no time"),
        ("9999-12-31T23:59:59-23:59", "is no time"),
        ("9998-12-31T23:59:59-23:59", "is no time"),
    ],
)
def test_a_time_must_be_a_time_with_a_zone(loopx: Run, demo_project: Path, when: str, said: str) -> None:
    ran = loopx(*ASK, "--now", when, cwd=demo_project)
    assert ran.code == 2
    assert said in ran.err
    assert "2026-12-01T09:00:00Z" in ran.err


def test_an_unknown_format_is_a_usage_error(process: Run, demo_project: Path) -> None:
    ran = process(*ASK, "--format", "xml", cwd=demo_project)
    assert ran.code == 2
    assert "json, markdown, rich" in ran.err


def test_no_project_here_says_where_to_go(loopx: Run, tmp_path: Path) -> None:
    text, _ = in_text_and_json(loopx, "quota", "should-run", cwd=tmp_path)
    assert text.code == 3
    assert "--registry" in text.err


def test_a_registry_that_is_no_json_is_told_at_its_line(loopx: Run, project: Path) -> None:
    (project / ".loopx" / "registry.json").write_text('{\n "goals": [,]\n}\n')
    text, data = in_text_and_json(loopx, *ASK, cwd=project)
    assert text.code == 3
    assert data.json["at"] == "registry.json:2"


def test_two_goals_with_one_id_are_told(loopx: Run, project: Path) -> None:
    file = project / ".loopx" / "registry.json"
    registry = json.loads(file.read_text())
    registry["goals"] *= 2
    file.write_text(json.dumps(registry, indent=1))
    text, _ = in_text_and_json(loopx, *ASK, "--goal-id", "harbor", cwd=project)
    assert text.code == 3
    assert "2 goals have the id 'harbor'" in text.err


def test_several_goals_must_be_told_apart(loopx: Run, project: Path) -> None:
    file = project / ".loopx" / "registry.json"
    registry = json.loads(file.read_text())
    registry["goals"].append({**registry["goals"][0], "id": "lighthouse"})
    file.write_text(json.dumps(registry, indent=1))
    for command in (ASK, ("heartbeat-prompt",)):
        text, _ = in_text_and_json(loopx, *command, cwd=project)
        assert text.code == 2
        assert "harbor, lighthouse" in text.err


@pytest.mark.parametrize("content", [None, b"", b"\x00\xff\xfe\x00", b"\xff\xfe not utf-8"])
def test_a_state_file_that_cannot_be_read_is_a_decision_that_exits_3(
    loopx: Run, project: Path, content: bytes | None
) -> None:
    state = project / "STATE.md"
    state.unlink()
    if content is not None:
        state.write_bytes(content)
    ran = loopx("--format", "json", *ASK, cwd=project)
    assert ran.code == 3
    assert ran.json["interaction_contract"]["mode"] == "health_blocked"
    assert ran.json["should_run"] is False


SNAPSHOTS = {
    "not there": (None, "No such file"),
    "empty": ("", "is empty"),
    "not JSON": ('{"goal": }', "snapshot.txt:1: "),
    "not YAML": ("goal: [\n", "snapshot.txt:2: "),
    "a key twice": ('{"goal": 1, "goal": 2}', "stands twice"),
    "a YAML key twice": ("goal: 1\ngoal: 2\n", "snapshot.txt:2: "),
    "a bomb": ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "Anchors and aliases are not read"),
    "a tag": ("a: !!python/object:os.system x\n", "is not read. Write the plain value"),
    "deep": ("[" * 100_000, "nested too deep"),
    "deep YAML": ("- " * 400 + "x", "The nesting is deeper than"),
    "a list": ("[]", "$"),
    "no number": ('{"now": NaN}', "NaN"),
    "against its schema": ('{"schema_version": "loopx_snapshot_v0", "now": 5, "goal": {"id": "g"}}', "$.now"),
}


@pytest.mark.parametrize("kind", SNAPSHOTS)
def test_a_snapshot_that_is_none_is_told_at_its_place(loopx: Run, tmp_path: Path, kind: str) -> None:
    content, said = SNAPSHOTS[kind]
    file = tmp_path / "snapshot.txt"
    if content is not None:
        file.write_text(content)
    text, _ = in_text_and_json(loopx, "quota", "should-run", "--snapshot", "snapshot.txt", cwd=tmp_path)
    assert text.code == 3
    assert said in text.err


@pytest.mark.parametrize(
    "error, code", [(RefusedError("No.", fix="Ask."), 4), (ConflictError("Late.", fix="Look."), 5)]
)
def test_each_kind_of_error_has_its_exit_code(error: LoopxError, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> Result:
        raise error

    assert perform(lambda argv: Call(Globals(), fail), []) == code
    assert capsys.readouterr().err == f"loopx: {error}\n"


def broken(argv: list[str]) -> Request:
    raise RuntimeError(f"line one\nline two {argv}")


def test_an_unexpected_error_is_one_line_with_a_hint(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOOPX_DEBUG", raising=False)
    assert perform(broken, []) == 70
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "internal error: RuntimeError: line one line two" in said
    assert "LOOPX_DEBUG=1" in said


def test_an_unexpected_error_is_json_where_json_was_asked_for(
    capsysbinary: pytest.CaptureFixture[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOOPX_DEBUG", raising=False)
    assert perform(broken, ["--format", "json"]) == 70
    data = json.loads(capsysbinary.readouterr().out)
    assert data["kind"] == "internal"
    assert data["exit_code"] == 70


def test_debugging_shows_where_it_came_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPX_DEBUG", "1")
    with pytest.raises(RuntimeError, match="line one"):
        perform(broken, [])


def test_an_interrupt_is_quiet() -> None:
    def stop() -> Result:
        raise KeyboardInterrupt

    assert perform(lambda argv: Call(Globals(), stop), []) == 130


def pipe(command: str, cwd: Path, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PY": sys.executable}
    return subprocess.run(
        ["bash", "-c", command], cwd=cwd, capture_output=True, text=True, env=environment, timeout=60, check=False
    )


def into_closed_pipe(arguments: list[str], cwd: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Runs the program with a standard output whose reader has left already."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        return subprocess.run(
            [sys.executable, "-m", "loopx_policy", *arguments],
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            env={"PATH": os.environ["PATH"], "HOME": str(home)},
            timeout=60,
            check=False,
        )
    finally:
        os.close(writing)


SPEAKING = [
    "--help",
    "--version",
    "explain --help",
    "explain --agent-id builder",
    "status --format markdown",
    "heartbeat-prompt",
    "--format json quota should-run --agent-id builder",
    "--format json bogus",
]


@pytest.mark.parametrize("command", SPEAKING)
def test_a_reader_that_left_ends_the_program_quietly(demo_project: Path, home: Path, command: str) -> None:
    done = into_closed_pipe(command.split(), demo_project, home)
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("command", SPEAKING)
def test_a_full_disk_is_one_sentence(demo_project: Path, home: Path, command: str) -> None:
    done = pipe(f"$PY -m loopx_policy {command} >/dev/full", demo_project, home)
    assert done.returncode == 74
    assert done.stderr == "loopx: cannot write the answer: No space left on device\n"


@pytest.mark.parametrize("command", SPEAKING)
def test_closed_standard_output_is_told_and_fails(demo_project: Path, home: Path, command: str) -> None:
    done = pipe(f"$PY -m loopx_policy {command} >&-", demo_project, home)
    assert done.returncode == 74
    assert done.stderr == "loopx: cannot write the answer: standard output is closed\n"
    assert pipe(f"$PY -m loopx_policy {command} >&- 2>&-", demo_project, home).returncode == 74


def test_without_standard_output_nothing_is_done(demo_project: Path, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "snapshot.json"
    done = pipe(f"$PY -m loopx_policy snapshot export --output {file} >&-", demo_project, home)
    assert done.returncode == 74
    assert not file.exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("command, code", [("status", 0), ("bogus", 2), ("explain --snapshot missing", 3)])
@pytest.mark.parametrize("to", ["2>/dev/full", "2>&-"])
def test_standard_error_that_takes_nothing_does_not_change_the_exit_code(
    demo_project: Path, home: Path, command: str, code: int, to: str
) -> None:
    assert pipe(f"$PY -m loopx_policy {command} {to}", demo_project, home).returncode == code


def test_a_failed_read_is_not_told_as_a_failed_write(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOOPX_DEBUG", raising=False)

    def read() -> Result:
        raise OSError(5, "Input/output error")

    assert perform(lambda argv: Call(Globals(), read), []) == 70
    assert "cannot write" not in capsys.readouterr().err


@pytest.mark.parametrize("content", [b"torn line\n", b'{"generated_at": "2026-1', b"\xff\xfe\n", b"[]\n"])
def test_torn_lines_of_the_run_index_are_told_and_decide_nothing(loopx: Run, project: Path, content: bytes) -> None:
    want = loopx("--format", "json", *ASK, cwd=project).json
    index = project.parent / "runtime" / "goals" / "harbor" / "runs" / "index.jsonl"
    index.write_bytes(index.read_bytes() + content)
    got = loopx("--format", "json", *ASK, cwd=project)
    assert got.code == 0
    assert got.json["interaction_contract"] == want["interaction_contract"]
    assert "1 torn lines" in loopx("doctor", cwd=project).out


def test_a_misspelt_value_in_the_state_is_told_at_its_line(
    loopx: Run, project: Path, edit: Callable[[str, str], None]
) -> None:
    edit("todo_id=todo_manual status=open", "todo_id=todo_manual status=opened")
    ran = loopx("--format", "json", *ASK, cwd=project)
    assert ran.code == 3
    assert "STATE.md:2" in ran.out
