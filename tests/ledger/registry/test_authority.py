"""``authority register``: a source contract goes where IP-011 says, and the material stays where it is."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
import yaml

from .conftest import REGISTRY, Site

ANSWERS = {
    "title": "Quay survey method",
    "kind": "design_doc",
    "topic": "survey",
    "freshness": "autumn",
    "owner-review": "not needed",
    "read-access": "granted",
    "conflict-rule": "the newer source governs",
}
LISTED = """\
# What governs what.
version: 1
project_materials:
  - material_id: tide-tables   # old but good
    title: Tide tables
topic_authority:
- {topic: tides, material_id: tide-tables}

owners: [harbor master]
"""


def words(**changes: str | None) -> list[str]:
    given = ANSWERS | {name.replace("_", "-"): value for name, value in changes.items()}
    return [word for name, value in given.items() if value is not None for word in (f"--{name}", value)]


def register(site: Site, **changes: str | None) -> Any:
    return site.ask("authority", "register", *words(**changes), "--agent-id", "writer", "--execute")


def track(site: Site, text: str = LISTED, *, tracked: bool = True) -> None:
    file = site.project / "docs" / "meta" / "DOC_REGISTRY.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    call = ["git", "-C", str(site.project), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    subprocess.run([*call, "init", "-q"], check=True)
    if tracked:
        subprocess.run([*call, "add", "docs"], check=True)


def listed(site: Site) -> str:
    return (site.project / "docs" / "meta" / "DOC_REGISTRY.yaml").read_text(encoding="utf-8")


def test_without_a_document_registry_the_goal_s_entry_takes_it(site: Site) -> None:
    data = register(site)
    assert data["result"]["registered_in"] == "authority_registry"
    kept = site.entry["authority_registry"]
    (material,) = kept["project_materials"]
    assert {name: material[name.replace("-", "_")] for name in ANSWERS} == ANSWERS
    assert (material["registered_by"], material["recorded_at"]) == ("writer", "2026-12-01T09:00:00Z")
    assert kept["topic_authority"] == [
        {"topic": "survey", "material_id": "quay-survey-method", "conflict_rule": "the newer source governs"}
    ]


def test_a_tracked_document_registry_gets_lines_and_keeps_all_others(site: Site) -> None:
    track(site)
    data = register(site)
    assert data["result"]["registered_in"] == "docs/meta/DOC_REGISTRY.yaml"
    assert site.text == REGISTRY
    text = listed(site)
    added = [line for line in text.splitlines() if line not in LISTED.splitlines()]
    assert len(added) == len(ANSWERS) + len(("material_id", "recorded_at", "registered_by")) + 3
    assert [line for line in text.splitlines() if line in LISTED.splitlines()] == LISTED.splitlines()
    read = yaml.safe_load(text)
    assert read["project_materials"][1]["title"] == "Quay survey method"
    assert read["topic_authority"][1]["material_id"] == "quay-survey-method"
    assert site.events()[0]["details"]["command"] == "authority register"


def test_an_untracked_document_registry_is_left_alone(site: Site) -> None:
    track(site, tracked=False)
    assert register(site)["result"]["registered_in"] == "authority_registry"
    assert listed(site) == LISTED


def test_a_document_registry_outside_of_the_project_is_left_alone(site: Site) -> None:
    track(site)
    file = site.project / "docs" / "meta" / "DOC_REGISTRY.yaml"
    outside = site.project.parent / "elsewhere.yaml"
    file.rename(outside)
    file.symlink_to(outside)
    assert register(site)["result"]["registered_in"] == "authority_registry"
    assert outside.read_text(encoding="utf-8") == LISTED
    assert file.is_symlink()


def test_a_preview_changes_nothing(site: Site) -> None:
    track(site)
    before = site.files()
    data = site.ask("authority", "register", *words(), "--agent-id", "writer")
    assert "+  - material_id:" in data["diff"]
    assert site.files() == before


def test_the_owning_project_has_to_be_named(site: Site) -> None:
    alone = json.loads(REGISTRY)
    del alone["goals"][1]
    site.registry.write_text(json.dumps(alone))
    before = site.files()
    ran = site.loopx("authority", "register", *words(), "--agent-id", "writer", "--execute")
    assert ran.code == 4
    assert "IP-011.unknown_project" in ran.err
    assert "--goal-id" in ran.err
    assert site.files() == before


@pytest.mark.parametrize(
    ("changes", "case"),
    [
        ({"topic": None}, "IP-011.incomplete"),
        ({"title": "Quay survey, https://docs.example.org/d/7"}, "IP-011.raw_material"),
        ({"freshness": "see /home/" + "ann/survey.pdf"}, "IP-011.private_text"),
        ({"conflict_rule": "word " * 80}, "IP-011.quoted"),
    ],
)
def test_what_would_store_the_material_or_leave_questions_open_is_refused(
    site: Site, changes: dict[str, str | None], case: str
) -> None:
    err = site.refused("authority", "register", *words(**changes), "--agent-id", "writer", "--execute")
    assert case in err


def test_an_agent_that_the_goal_does_not_register_is_refused(site: Site) -> None:
    for caller in ((), ("--agent-id", "stranger")):
        assert "IP-019.unknown_agent" in site.refused("authority", "register", *words(), *caller, "--execute")


@pytest.mark.parametrize("tracked", [True, False])
def test_a_second_source_of_a_topic_needs_the_owner_unless_it_says_what_it_replaces(site: Site, tracked: bool) -> None:
    if tracked:
        track(site, "")
    register(site)
    second = {"title": "Quay survey by drone", "topic": "Survey"}
    err = site.refused("authority", "register", *words(**second), "--agent-id", "writer", "--execute")
    assert "IP-011.conflict" in err
    register(site, **second, supersedes="quay-survey-method")
    third = {"title": "Quay survey by boat", "supersedes": "quay-survey-method"}
    err = site.refused("authority", "register", *words(**third), "--agent-id", "writer", "--execute")
    assert "IP-011.conflict" in err


def test_the_same_name_is_not_given_twice(site: Site) -> None:
    register(site)
    again = words(topic="other")
    assert "--material-id" in site.refused("authority", "register", *again, "--agent-id", "writer", "--execute", code=5)


def test_topics_kept_as_a_mapping_stay_one(site: Site) -> None:
    old = '"state_file": "STATE.md",'
    kept = '{"topic_authority": {"tides": "tide-tables"}}'
    site.registry.write_text(REGISTRY.replace(old, f'{old} "authority_registry": {kept},'))
    register(site)
    assert set(site.entry["authority_registry"]["topic_authority"]) == {"tides", "survey"}
    assert "IP-011.conflict" in site.refused(
        "authority", "register", *words(title="Tides", topic="tides"), "--agent-id", "writer", "--execute"
    )


def test_a_layout_that_takes_no_line_is_told_with_the_entry_to_write(site: Site) -> None:
    track(site, "{project_materials: [], topic_authority: []}\n")
    err = site.refused("authority", "register", *words(), "--agent-id", "writer", "--execute", code=3)
    assert "docs/meta/DOC_REGISTRY.yaml" in err
    assert "Quay survey method" in err
