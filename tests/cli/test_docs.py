"""The program documents itself: every command has help, and docs/cli.md says what the program says."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.cli import reference
from loopx_policy.cli.options import GLOBAL

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = dict(reference.commands())


def test_docs_cli_is_what_the_program_generates() -> None:
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == reference.document()


def test_the_commands_are_those_that_are_promised() -> None:
    promised = (ROOT / "tests" / "cli" / "promised_commands.txt").read_text(encoding="utf-8").split("\n")
    assert set(COMMANDS) == {line for line in promised if line}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_has_help(name: str) -> None:
    command: Any = COMMANDS[name]
    assert len(command.help) > 20
    for parameter in command.params:
        if "--help" not in parameter.opts:
            assert len(parameter.help) > 10, parameter.opts


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_the_global_options(name: str) -> None:
    flags = {flag for parameter in COMMANDS[name].params for flag in parameter.opts}
    assert {option.flag for option in GLOBAL} <= flags


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md"])
def test_commands_shown_in_a_guide_parse(file: str) -> None:
    from loopx_policy.cli.app import parse

    shown = [line.strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines()]
    found = [line for line in shown if line.startswith(("loopx ", ".venv/bin/loopx "))]
    assert found
    for line in found:
        words = shlex.split(line.partition("#")[0])[1:]
        assert not isinstance(parse(words), int), line
