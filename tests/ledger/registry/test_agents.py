"""``agent register | unregister | list``: who may work on a goal, and as what."""

from __future__ import annotations

from typing import Any

import pytest

from .conftest import REGISTRY, STATE, Site

DATED = REGISTRY.replace("2026-11-30", "2026-12-01")


def test_a_new_agent_stands_at_the_end_of_the_list(site: Site) -> None:
    data = site.owner("agent", "register", "third", "--scope", "the  manual\nunder docs/")
    assert '["builder", "writer", "third"]' in site.text
    assert site.entry["coordination"]["agent_profiles"] == {"third": {"scope": "the manual under docs/"}}
    assert data["result"]["breaks_contract"] == []
    listed = site.ask("agent", "list")["agents"]
    assert [(agent["agent_id"], agent["role"], agent["handoff"]) for agent in listed] == [
        ("builder", "primary", True),
        ("writer", "side", False),
        ("third", "side", False),
    ]
    assert [agent["holds"] for agent in listed] == [[], ["todo_wall"], []]
    assert listed[2]["scope"] == "the manual under docs/"


def test_primary_and_handoff_are_set_by_name(site: Site) -> None:
    data = site.owner("agent", "register", "writer", "--primary")
    assert data["result"]["previous_primary_agent"] == "builder"
    assert site.text == DATED.replace('"primary_agent": "builder"', '"primary_agent": "writer"')
    site.owner("agent", "register", "builder", "--handoff")
    assert site.entry["coordination"]["side_agent_handoff_agent"] == "builder"


def test_registering_again_changes_nothing(site: Site) -> None:
    data = site.owner("agent", "register", "writer")
    assert (data["written"], site.text, site.events()) == (False, REGISTRY, [])


def test_agents_written_as_objects_get_another_object(site: Site) -> None:
    site.registry.write_text(REGISTRY.replace('["builder", "writer"]', '[{"name": "builder"}, {"id": "writer"}]'))
    site.owner("agent", "register", "third")
    assert '[{"name": "builder"}, {"id": "writer"}, {"id": "third"}]' in site.text


def test_the_second_agent_of_a_goal_makes_unscoped_gates_an_error_that_is_told_before(site: Site) -> None:
    alone = REGISTRY.replace('"registered_agents": ["builder", "writer"], ', '"registered_agents": ["builder"], ')
    site.registry.write_text(alone)
    (site.project / "STATE.md").write_text(STATE.replace(" blocks_agent=builder", "").replace("claimed_by=writer ", ""))
    assert site.ask("agent", "register", "builder", "--operator")["result"]["breaks_contract"] == []
    preview = site.ask("agent", "register", "writer", "--operator")
    (warning,) = preview["result"]["breaks_contract"]
    assert warning.startswith("STATE.md:10: Open user gate todo_gate01")
    assert "blocks_agent" in warning
    for form in ("rich", "markdown"):
        shown = site.loopx("agent", "register", "writer", "--operator", "--format", form, "--goal-id", "harbor").out
        assert "todo_gate01" in shown
    site.owner("agent", "register", "writer")
    ran = site.loopx("--format", "json", "quota", "should-run", "--goal-id", "harbor", "--agent-id", "builder")
    assert ran.json["interaction_contract"]["mode"] == "health_blocked"


@pytest.mark.parametrize("name", ["Writer", "-x", "a b", "x" * 81, "9lives", ""])
def test_what_is_no_agent_id_is_a_usage_error(site: Site, name: str) -> None:
    site.refused("agent", "register", "--operator", "--execute", "--", name, code=2)


@pytest.mark.parametrize("caller", [("--agent-id", "builder"), ("--agent-id", "writer")])
@pytest.mark.parametrize("step", [("register", "third"), ("unregister", "writer"), ("register", "writer", "--primary")])
def test_an_agent_registers_and_dismisses_nobody(site: Site, caller: tuple[str, ...], step: tuple[str, ...]) -> None:
    assert "IP-019.agents_by_agent" in site.refused("agent", *step, *caller, "--execute")


def test_who_holds_work_is_awaited_or_leads_does_not_leave(site: Site) -> None:
    err = site.refused("agent", "unregister", "writer", "--operator", "--execute")
    assert "IP-019.leaves_work" in err
    assert "todo_wall" in err
    command = err.partition("Accepted: loopx ")[2].split()
    assert site.loopx(*command).code == 0
    site.owner("agent", "unregister", "writer")
    assert site.entry["coordination"]["registered_agents"] == ["builder"]


def test_an_agent_that_a_gate_names_stays(site: Site) -> None:
    site.owner("agent", "register", "writer", "--primary")
    assert "todo_gate01" in site.refused("agent", "unregister", "builder", "--operator", "--execute")


def test_the_command_that_a_refusal_names_is_accepted(site: Site) -> None:
    (site.project / "STATE.md").write_text(STATE.replace(" blocks_agent=builder", " blocks_agent=writer"))
    err = site.refused("agent", "unregister", "builder", "--operator", "--execute")
    assert "IP-019.leaves_the_lead" in err
    assert site.loopx(*err.partition("Accepted: loopx ")[2].split()).code == 0
    site.owner("agent", "unregister", "builder")
    coordination = site.entry["coordination"]
    assert (coordination["registered_agents"], coordination["primary_agent"]) == (["writer"], "writer")


def test_leaving_takes_the_roles_along_and_keeps_the_profile(site: Site) -> None:
    site.owner("agent", "register", "third", "--handoff", "--scope", "docs")
    site.owner("agent", "unregister", "third")
    coordination: dict[str, Any] = site.entry["coordination"]
    assert "side_agent_handoff_agent" not in coordination
    assert coordination["registered_agents"] == ["builder", "writer"]
    assert coordination["agent_profiles"] == {"third": {"scope": "docs"}}


def test_an_unknown_agent_suggests_the_nearest(site: Site) -> None:
    assert "Did you mean writer?" in site.refused("agent", "unregister", "writr", "--operator", "--execute", code=2)
