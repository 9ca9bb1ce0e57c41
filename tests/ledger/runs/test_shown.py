"""What people see of a write and of a refusal."""

from __future__ import annotations

import pytest

from .conftest import BUILDER, Harbor

REFRESH = ("refresh-state", "--agent-id", BUILDER, "--classification", "basin_charted")


@pytest.mark.parametrize("form", ["rich", "markdown"])
def test_a_long_row_is_shown_in_part(harbor: Harbor, form: str) -> None:
    out = harbor.loopx(*REFRESH, "--format", form).out
    assert "basin_charted" in out
    assert "more characters" in out
    assert "facts_digest" not in out


def test_json_has_the_whole_change(harbor: Harbor) -> None:
    assert "facts_digest" in harbor.ask(*REFRESH)["diff"]


def test_a_refusal_with_several_reasons_asks_for_all_of_them(harbor: Harbor) -> None:
    said = harbor.refused("lease", "claim", "--todo-id", "todo_basin", "--agent-id", BUILDER)
    assert "Pass a TTL in minutes; pass --idempotency-key." in said
