"""An agent that is refused is told how to ask: the command runs as printed, and the owner sees the question."""

from __future__ import annotations

import shlex
from urllib.parse import unquote

import pytest

from .conftest import Site

PERHAPS = {
    "approve": ("boundary", "approve", "--write-scope", "infra/**", "--provenance", "talk"),
    "set the scope": ("goal", "set", "--add-write-scope", "infra/**"),
    "register": ("agent", "register", "third"),
    "unregister": ("agent", "unregister", "writer"),
    "quota": ("quota", "set", "--compute", "0.5"),
    "pause": ("quota", "pause"),
    "resume": ("quota", "resume"),
    "burst": ("quota", "burst", "--allowed-slots", "40", "--until", "+1h"),
    "objective": ("goal", "set", "--objective", "Another"),
}


@pytest.mark.parametrize("agent", ["builder", "writer"])
@pytest.mark.parametrize("words", PERHAPS.values(), ids=PERHAPS)
def test_the_owner_is_asked_by_the_command_of_the_refusal(site: Site, words: tuple[str, ...], agent: str) -> None:
    err = site.refused(*words, "--agent-id", agent, "--execute")
    ran = site.loopx(*shlex.split(err.partition("Accepted: loopx ")[2]))
    assert ran.code == 0, ran.err
    asked = [todo for todo in site.ask("todo", "list")["todos"] if todo["role"] == "user"]
    assert len(asked) == 2, "the gate that was there, and the question"
    assert site.ask("quota", "should-run", "--agent-id", agent)["interaction_contract"]["mode"] != "health_blocked"


def test_a_question_about_a_write_scope_is_a_gate_of_that_scope(site: Site) -> None:
    err = site.refused(*PERHAPS["approve"], "--agent-id", "writer", "--execute")
    site.loopx(*shlex.split(err.partition("Accepted: loopx ")[2]))
    metadata = unquote(site.state.partition("May infra/** be written?")[2].partition("## ")[0])
    wanted = ("task_class=user_gate", "blocks_agent=writer", "decision_scope=write_scope:goal:infra/**")
    assert [word for word in wanted if word not in metadata.split()] == []


def test_a_goal_without_agents_asks_too(site: Site) -> None:
    quay = Site(site.project, site.program, "quay")
    err = quay.refused(*PERHAPS["approve"], "--execute")
    ran = quay.loopx(*shlex.split(err.partition("Accepted: loopx ")[2]))
    assert ran.code == 0, ran.err
