"""``goal set``: one setting changes, in the state or in the registry, and no other byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from loopx_policy.project.reader import read_project

from .conftest import REGISTRY, STATE, Site

DATE = '"updated_at": "2026-12-01"'
CHANGED = REGISTRY.replace('"updated_at": "2026-11-30"', DATE)


def test_a_preview_shows_the_change_and_leaves_no_trace(site: Site) -> None:
    before = sorted(site.project.rglob("*"))
    data = site.ask("goal", "set", "--objective", "Another one", "--waiting-on", "focus_wait", "--operator")
    assert (data["written"], data["repeated"]) == (False, False)
    assert "-objective: Keep the harbor honest.\n+objective: Another one\n" in data["diff"]
    assert '"waiting_on": "focus_wait"' in data["diff"]
    assert sorted(site.project.rglob("*")) == before
    assert (site.text, site.state) == (REGISTRY, STATE)


def test_the_objective_stands_in_the_front_matter(site: Site) -> None:
    site.owner("goal", "set", "--objective", "Keep: the  harbor\nopen")
    assert site.state == STATE.replace("objective: Keep the harbor honest.", 'objective: "Keep: the harbor open"')
    assert site.text == REGISTRY
    assert site.ask("goal", "show")["objective"] == "Keep: the harbor open"


@pytest.mark.parametrize(
    "old", [">\n  Keep the\n\n  harbor honest.", "|\n  Keep\n  it", "'Keep the\n  harbor'", "Keep\n  it"]
)
def test_an_objective_of_many_lines_is_replaced_whole(site: Site, old: str) -> None:
    (site.project / "STATE.md").write_text(STATE.replace("objective: Keep the harbor honest.", f"objective: {old}"))
    site.owner("goal", "set", "--objective", "Open it")
    assert site.state == STATE.replace("Keep the harbor honest.", "Open it")
    assert site.ask("goal", "show")["objective"] == "Open it"


def test_an_objective_that_a_section_repeats_changes_there_too(site: Site) -> None:
    told = STATE.replace("# Harbor\n", "# Harbor\n\n## Objective\n\nKeep the harbor honest.\n")
    (site.project / "STATE.md").write_text(told)
    site.owner("goal", "set", "--objective", "Open it")
    assert site.state == told.replace("Keep the harbor honest.", "Open it")


def test_next_actions_replace_the_list_and_clear_empties_it(site: Site) -> None:
    site.owner("goal", "set", "--next-action", "todo_wall first", "--next-action", "then ask")
    assert site.state == STATE.replace("- todo_wall\n", "- todo_wall first\n- then ask\n")
    site.owner("goal", "set", "--clear", "next_action")
    assert site.ask("goal", "show")["next_actions"] == []
    assert site.state.endswith("## Diary\n\nNothing of this is for a program.\n")


@pytest.mark.parametrize(
    ("options", "old", "new"),
    [
        (("--add-write-scope", "infra/**"), '"docs/**"]}', '"docs/**",  "infra/**"]}'),
        (("--remove-write-scope", "src/**"), '["src/**",  "docs/**"]', '["docs/**"]'),
        (("--write-scope", "docs/*"), '["src/**",  "docs/**"]', '["docs/*"]'),
        (
            ("--claim-ttl-minutes", "30"),
            '"docs/**"]}',
            '"docs/**"],\n                          "claim_ttl_minutes": 30}',
        ),
    ],
)
def test_only_the_named_place_of_the_registry_changes(site: Site, options: tuple[str, ...], old: str, new: str) -> None:
    site.owner("goal", "set", *options)
    assert site.text == CHANGED.replace(old, new)


def test_what_is_set_is_what_a_reader_finds(site: Site) -> None:
    options = ["--waiting-on", "external_evidence", "--attention-status", "watch", "--recommended-action", "wait"]
    options += ["--outcome-threshold", "4", "--must-advance", "parity", "--avoid", "polish", "--outcome-marker", "run"]
    options += ["--self-repair", "--health-repair", "--no-waiting-repair"]
    site.owner("goal", "set", *options)
    goal = read_goal(site.project)
    assert (goal.waiting_on, goal.attention_status, goal.recommended_action) == ("external_evidence", "watch", "wait")
    floor = goal.outcome_floor
    assert floor is not None
    assert (floor.surface_streak_threshold, floor.must_advance, floor.avoid) == (4, ("parity",), ("polish",))
    assert floor.outcome_markers == ("run",)
    repair = (goal.self_repair_enabled, goal.allow_health_blocker_repair, goal.allow_waiting_projection_repair)
    assert repair == (True, True, False)


def test_clearing_what_was_set_gives_the_old_bytes(site: Site) -> None:
    site.owner("goal", "set", "--waiting-on", "focus_wait", "--attention-status", "blocked")
    assert site.ask("quota", "should-run", "--agent-id", "builder")["state"] != "eligible"
    site.owner("goal", "set", "--clear", "waiting_on", "--clear", "attention_status")
    assert site.text == CHANGED


def test_what_is_set_already_is_not_written_again(site: Site) -> None:
    data = site.owner("goal", "set", "--objective", "Keep the harbor honest.", "--add-write-scope", "src/**")
    assert (data["written"], data["diff"]) == (False, "")
    assert (site.text, site.state, site.events()) == (REGISTRY, STATE, [])


def test_a_repeat_reports_the_first_result(site: Site) -> None:
    first = site.owner("goal", "set", "--add-write-scope", "infra/**", "--idempotency-key", "k1")
    again = site.owner("goal", "set", "--add-write-scope", "infra/**", "--idempotency-key", "k1")
    assert (again["repeated"], again["result"]) == (True, first["result"])
    assert len(site.events()) == 1
    site.refused("goal", "set", "--objective", "x", "--operator", "--execute", "--idempotency-key", "k1", code=5)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "GR-owner.nothing_to_set"),
        (("--objective", "the " + "token: hunter2x9"), "GR-owner.private_text"),
        (("--next-action", "read /home/" + "ann/notes.md"), "GR-owner.private_text"),
    ],
)
def test_the_owner_too_is_refused_by_rules(site: Site, options: tuple[str, ...], said: str) -> None:
    err = site.refused("goal", "set", *options, "--operator", "--execute")
    assert said in err
    assert "hunter2x9" not in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--clear", "waitingon"), "Use waiting_on"),
        (("--clear", "waiting_on", "--waiting-on", "focus_wait"), "Keep one of the two"),
        (("--waiting-on", "Focus Wait"), "is no word"),
        (("--add-write-scope", "../x"), "leaves its folder"),
        (("--remove-write-scope", "doc/**"), "Did you mean docs/**?"),
        (("--write-scope", "a/**", "--add-write-scope", "b/**"), "Keep one of the two"),
    ],
)
def test_a_slip_is_a_usage_error_that_helps(site: Site, options: tuple[str, ...], said: str) -> None:
    assert said in site.refused("goal", "set", *options, "--operator", "--execute", code=2)


def test_an_agent_changes_the_next_action_and_nothing_else(site: Site) -> None:
    site.ask("goal", "set", "--next-action", "todo_wall", "--next-action", "look", "--agent-id", "builder", "--execute")
    assert "- look\n" in site.state
    for options in (("--objective", "x"), ("--waiting-on", "focus_wait"), ("--next-action", "y", "--self-repair")):
        assert "GR-owner.settings_by_agent" in site.refused(
            "goal", "set", *options, "--agent-id", "builder", "--execute"
        )
    mine = ("goal", "set", "--next-action", "mine", "--execute")
    assert "IP-022.route_from_a_lane" in site.refused(*mine, "--agent-id", "writer")
    assert "IP-019.unknown_agent" in site.refused(*mine, "--agent-id", "stranger")
    assert "IP-019.unknown_agent" in site.refused(*mine)
    scope = ("goal", "set", "--add-write-scope", "infra/**", "--agent-id", "builder", "--execute")
    assert "IP-006.widened_by_agent" in site.refused(*scope)


def test_a_mistake_in_the_entry_is_told_and_not_written_over(site: Site) -> None:
    site.registry.write_text(REGISTRY.replace('"quota": {', '"control_plane": "off", "quota": {'))
    err = site.refused("goal", "set", "--self-repair", "--operator", "--execute", code=3)
    assert "control_plane is no object" in err
    assert "registry.json" in err


def test_crlf_and_a_byte_order_mark_stay(site: Site) -> None:
    data = "\ufeff" + REGISTRY.replace("\n", "\r\n")
    site.registry.write_bytes(data.encode("utf-8"))
    site.owner("goal", "set", "--claim-ttl-minutes", "30", "--waiting-on", "focus_wait")
    assert site.text.startswith("\ufeff{\r\n")
    assert "\n" not in site.text.replace("\r\n", "")
    json.loads(site.text[1:])


def test_the_other_goal_is_not_touched(site: Site) -> None:
    quay = Site(site.project, site.program, "quay")
    quay.owner("goal", "set", "--recommended-action", "caf\u00e9")
    assert '{"id": "quay", "repo": ".", "state_file": "QUAY.md", "recommended_action": "caf\\u00e9"}' in site.text
    assert site.text.replace(', "recommended_action": "caf\\u00e9"', "") == CHANGED
    assert site.events() == []
    assert quay.events()[0]["details"]["command"] == "goal set"


def read_goal(project: Path) -> Any:
    return read_project(
        goal_id="harbor",
        registry=None,
        runtime_root=None,
        cwd=str(project),
        env={},
        now=1_796_115_600,
        agent_id=None,
        capabilities=(),
        neutral=(),
    ).goal


def test_what_is_not_utf_8_is_a_usage_error(site: Site) -> None:
    err = site.refused("goal", "set", "--objective", "\udcff", "--operator", "--execute", code=2)
    assert "not UTF-8" in err
