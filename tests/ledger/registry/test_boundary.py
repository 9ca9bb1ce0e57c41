"""``boundary approve | revoke``: IP-006's structured approvals, from the command to the turn that they permit."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .conftest import REGISTRY, Site

APPROVE = ("boundary", "approve", "--write-scope", "infra/**", "--provenance", "review of 1 December")


def mode(site: Site, agent: str = "writer", **more: Any) -> str:
    decision = site.ask("quota", "should-run", "--agent-id", agent, **more)
    found: str = decision["interaction_contract"]["mode"]
    return found


@pytest.fixture
def leading(site: Site) -> Site:
    """The writer leads, so that no worktree is asked of it."""
    site.registry.write_text(REGISTRY.replace('"primary_agent": "builder"', '"primary_agent": "writer"'))
    return site


def test_an_approval_widens_the_boundary_until_its_end(leading: Site) -> None:
    site = leading
    assert mode(site) == "boundary_projection_repair"
    site.owner(*APPROVE, "--expires-at", "+2h")
    (entry,) = site.entry["coordination"]["checkpointed_boundary_authority"]
    assert entry == {
        "schema_version": "checkpointed_boundary_authority_v0",
        "write_scope": "infra/**",
        "decision": "approve",
        "status": "active",
        "source": "operator_decision",
        "provenance": "review of 1 December",
        "recorded_at": "2026-12-01T09:00:00Z",
        "expires_at": "2026-12-01T11:00:00Z",
    }
    assert mode(site) == "bounded_delivery"
    later = site.loopx(
        "--format", "json", "quota", "should-run", "--goal-id", "harbor", "--agent-id", "writer",
        "--now", "2026-12-01T11:00:00Z", now=False,
    )  # fmt: skip
    assert later.json["interaction_contract"]["mode"] == "boundary_projection_repair"


def test_a_revoked_approval_stays_on_record_and_grants_nothing(leading: Site) -> None:
    site = leading
    site.owner(*APPROVE)
    data = site.owner("boundary", "revoke", "--write-scope", "infra/**", "--reason", "the works are over")
    assert data["result"] == {"write_scope": ["infra/**"], "approvals": 1, "still_allowed": []}
    (entry,) = site.entry["coordination"]["checkpointed_boundary_authority"]
    assert (entry["status"], entry["revoked_at"]) == ("revoked", "2026-12-01T09:00:00Z")
    assert (entry["decision"], entry["provenance"]) == ("approve", "review of 1 December")
    assert mode(site) == "boundary_projection_repair"
    (shown,) = site.ask("goal", "show")["approvals"]
    assert shown["rejected"] == "status is revoked"


def test_each_scope_is_an_entry_of_its_own(site: Site) -> None:
    site.owner(*APPROVE, "--write-scope", "ops/*.sh")
    entries = site.entry["coordination"]["checkpointed_boundary_authority"]
    assert [entry["write_scope"] for entry in entries] == ["infra/**", "ops/*.sh"]
    site.owner("boundary", "revoke", "--write-scope", "infra/**")
    entries = site.entry["coordination"]["checkpointed_boundary_authority"]
    assert [entry["status"] for entry in entries] == ["revoked", "active"]


def test_what_is_still_allowed_otherwise_is_told(site: Site) -> None:
    site.owner("boundary", "approve", "--write-scope", "docs/a.md", "--provenance", "talk")
    data = site.owner("boundary", "revoke", "--write-scope", "docs/a.md")
    assert data["result"]["still_allowed"] == ["docs/a.md"]


def test_an_approval_of_several_scopes_is_not_taken_back_in_part(site: Site) -> None:
    """Other programs write several scopes into one entry."""
    entry = {"schema_version": "checkpointed_boundary_authority_v0", "write_scope": ["a/**", "b/**"]}
    entry |= {"decision": "approve", "status": "active", "source": "x", "recorded_at": "2026-11-01T00:00:00Z"}
    old = '"primary_agent": "builder",'
    site.registry.write_text(REGISTRY.replace(old, f'{old} "checkpointed_boundary_authority": [{json.dumps(entry)}],'))
    revoke = ("boundary", "revoke", "--operator", "--execute", "--write-scope", "a/**")
    assert "Name b/** too" in site.refused(*revoke, code=2)
    site.ask(*revoke, "--write-scope", "b/**")
    assert site.entry["coordination"]["checkpointed_boundary_authority"][0]["status"] == "revoked"


@pytest.mark.parametrize("caller", [("--agent-id", "builder"), ("--agent-id", "writer")])
def test_no_agent_approves_or_revokes(site: Site, caller: tuple[str, ...]) -> None:
    assert "IP-006.widened_by_agent" in site.refused(*APPROVE, *caller, "--execute")
    site.owner(*APPROVE)
    revoke = ("boundary", "revoke", "--write-scope", "infra/**")
    assert "IP-006.widened_by_agent" in site.refused(*revoke, *caller, "--execute")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--write-scope", "infra/**"), "IP-006.approval_without_source"),
        (("--provenance", "talk"), "IP-006.approval_of_nothing"),
        (("--write-scope", "infra/**", "--provenance", "talk", "--expires-at", "-1h"), "IP-006.approval_over"),
        (("--write-scope", "infra/**", "--provenance", "see http://10.0.0." + "7/wiki"), "GR-owner.private_text"),
    ],
)
def test_the_owner_too_is_refused_by_rules(site: Site, options: tuple[str, ...], said: str) -> None:
    assert said in site.refused("boundary", "approve", *options, "--operator", "--execute")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("approve", "--write-scope", "/etc/**", "--provenance", "x"), "is not relative"),
        (("approve", "--write-scope", "a/**", "--provenance", "x", "--expires-at", "tomorrow"), "is no time"),
        (
            ("approve", "--write-scope", "a/**", "--provenance", "x", "--expires-at", "2026-12-24T00:00:00"),
            "no time zone",
        ),
        (("revoke", "--write-scope", "docs/**"), "--remove-write-scope"),
        (("revoke", "--write-scope", "lib/**"), "Approved: nothing"),
    ],
)
def test_a_slip_is_a_usage_error_that_helps(site: Site, options: tuple[str, ...], said: str) -> None:
    assert said in site.refused("boundary", *options, "--operator", "--execute", code=2)
