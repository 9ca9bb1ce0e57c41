"""Commands that answers and refusals print can be typed as they stand."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import yaml

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.cli.app import parse
from loopx_policy.messages import fill

ROOT = Path(__file__).parents[3]
CATALOG = load_catalog()
PLACEHOLDERS = yaml.safe_load((ROOT / "catalog" / "parameters.yaml").read_text(encoding="utf-8"))["placeholders"]
EXAMPLES = {name: entry["example"] for name, entry in PLACEHOLDERS.items()} | {"context_flags": ""}
POINTS = ("quota_spend", "state_refresh", "lease_claim")
PRINTED = [action for mode in CATALOG.modes.values() for action in mode.cli_actions] + [
    case.command for point in POINTS for case in CATALOG.cases[point] if case.command
]


@pytest.mark.parametrize("template", sorted(set(PRINTED)))
def test_a_printed_command_is_understood(template: str) -> None:
    command = fill(template, EXAMPLES)
    assert "{" not in command
    program, *words = shlex.split(command)
    assert program == "loopx"
    assert not isinstance(parse(words), int)
