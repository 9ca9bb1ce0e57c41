"""The hot path loads nothing that it does not need."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SLOW = {
    "typer",
    "rich",
    "click",
    "yaml",
    "jsonschema",
    "subprocess",
    "argparse",
    "urllib",
    "tempfile",
    "importlib.resources",
}


def modules(*arguments: str, cwd: Path, home: Path) -> tuple[set[str], str]:
    """The modules that a run of Python imports beyond what an empty one does, and its standard output."""

    def imported(*command: str) -> tuple[set[str], str]:
        environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
        full = [sys.executable, "-X", "importtime", *command]
        done = subprocess.run(full, cwd=cwd, capture_output=True, text=True, env=environment, timeout=60, check=True)
        lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
        return {line.rpartition("|")[2].strip() for line in lines}, done.stdout

    found, out = imported("-m", "loopx_policy", *arguments)
    return found - imported("-c", "pass")[0], out


def test_deciding_in_json_imports_no_parser_renderer_yaml_or_schema(demo_project: Path, home: Path) -> None:
    ask = ["--format", "json", "quota", "should-run", "--agent-id", "builder"]
    modules(*ask, cwd=demo_project, home=home)  # the first run compiles the catalog
    found, out = modules(*ask, cwd=demo_project, home=home)
    assert out.startswith('{"schema_version":"loopx_decision_v0"')
    assert {name for name in found if name in SLOW or name.partition(".")[0] in SLOW} == set()
    assert "loopx_policy.safe_text" not in found  # nobody's own text is quoted here


def test_a_claim_in_json_imports_no_parser_and_no_renderer_either(project: Path, home: Path) -> None:
    claim = ["--format", "json", "todo", "claim", "--todo-id", "todo_importer", "--agent-id", "builder"]
    found, out = modules(*claim, cwd=project, home=home)
    assert out.startswith('{"schema_version":"loopx_write_v0"')
    assert {name for name in found if name in SLOW or name.partition(".")[0] in {*SLOW, "dataclasses"}} == set()
    assert "loopx_policy.safe_text" not in found  # nothing is written but an id that is registered


def test_the_same_question_for_people_does_import_them(demo_project: Path, home: Path) -> None:
    found, _ = modules("quota", "should-run", "--agent-id", "builder", cwd=demo_project, home=home)
    assert {"typer", "rich"} <= found
