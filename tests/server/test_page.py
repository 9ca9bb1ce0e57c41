"""The dashboard as it is served: what stands on it, in which order, and that nobody's words become markup."""

from __future__ import annotations

import re
import shlex
from html.parser import HTMLParser

import pytest

from tests.ledger.people.conftest import GATE, RUN, Harbor
from tests.server.conftest import Serve, Server

VOID = {"meta", "link", "input", "br"}
MEAN = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'{{ 7*7 }}&amp;"


class Page(HTMLParser):
    """Tags with their attributes, the text, and the commands; an element that is left open is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.commands: list[str] = []
        self._open: list[str] = []
        self._command = False
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "code" and "tabindex" in dict(attrs):
            self._command = True
            self.commands.append("")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag == "code":
            self._command = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._command:
            self.commands[-1] += data


def opened(server: Server) -> Page:
    reply = server.get("/")
    assert reply.status == 200
    return Page(reply.body.decode())


def test_what_waits_for_a_person_stands_first_with_its_commands(target: Server) -> None:
    page = opened(target)
    assert (
        page.text.index("1 thing needs you") < page.text.index("May the berth tariffs") < page.text.index("Decisions")
    )
    first = shlex.split(page.commands[0])
    assert first[:4] == ["loopx", "operator-gate", "--goal-id", "harbor"]
    assert first[first.index("--gate-id") + 1] == GATE
    assert "--execute" not in first


def test_the_page_tells_turns_with_evidence_lanes_runs_and_quota(target: Server) -> None:
    text = " ".join(opened(target).text.split())
    for said in ("May run", "IP-003.fallback", "gates.open", "STATE.md:10", "1 of 24 spent", "Held by writer", RUN):
        assert said in text


def test_without_a_question_the_page_says_that_nothing_waits(harbor: Harbor, serve: Serve) -> None:
    harbor.ask("operator-gate", "--gate-id", GATE, "--decision", "approve", "--reason-summary", "known", "--execute")
    assert "Nothing needs you" in opened(serve()).text


def test_an_action_of_a_person_has_the_command_that_ends_it(harbor: Harbor, serve: Serve) -> None:
    harbor.edit("task_class=user_gate blocks_agent=builder", "task_class=user_action")
    harbor.edit("  <!-- loopx:todo decision_scope=public_claim:goal:berth_tariffs -->\n", "")
    assert any(command.startswith("loopx todo complete") for command in opened(serve()).commands)


def test_every_command_without_execute_runs_as_printed_and_changes_nothing(harbor: Harbor, reading: Server) -> None:
    before = harbor.files()
    commands = [shlex.split(command) for command in opened(reading).commands if command]
    assert len(commands) > 10
    for words in commands:
        if "--execute" not in words:
            ran = harbor.loopx(*words[1:])
            assert ran.code == 0, (words, ran.err)
    assert harbor.files() == before


def test_nobody_s_words_become_markup(harbor: Harbor, serve: Serve) -> None:
    plain = opened(serve())
    harbor.edit("May the berth tariffs be published on the public page?", MEAN)
    harbor.edit("Describe the importer in the manual", MEAN)
    harbor.edit("Keep the harbor's berth planner honest.", MEAN)
    harbor.append(generated_at="2026-12-01T08:00:00Z", recommended_action=MEAN, delivery_outcome=MEAN)
    page = opened(serve())
    assert [tag for tag, _ in page.tags if tag in ("script", "img")] == ["script"]
    assert not [name for _, attrs in page.tags for name in attrs if name.startswith("on") or name == "style"]
    assert page.text.count("{{ 7*7 }}") >= 4
    assert "49" not in page.text
    assert {tag for tag, _ in page.tags} == {tag for tag, _ in plain.tags} | {"p"}


def test_private_words_and_paths_stay_in_the_project(harbor: Harbor, serve: Serve) -> None:
    secret = "ghp_abcdefghijklmnopqrstuvwx12345"
    harbor.edit("Describe the importer in the manual", f"Copy /home/ann/notes.md with {secret}")
    harbor.append(generated_at="2026-12-01T08:00:00Z", recommended_action=f"use {secret} at db.internal")
    server = serve()
    for path in ("/", "/status.json"):
        said = server.get(path).body.decode()
        for private in (secret, "/home/ann", "db.internal", str(harbor.project.parent)):
            assert private not in said
    assert "(private)" in server.get("/").body.decode()


def test_each_control_has_a_label_and_each_id_is_there_once(target: Server) -> None:
    page = opened(target)
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    labelled = {attrs["for"] for tag, attrs in page.tags if tag == "label" and "for" in attrs}
    for tag, attrs in page.tags:
        if tag in ("select", "meter") or (tag == "input" and attrs.get("type") != "radio"):
            assert attrs["id"] in labelled
    for _, attrs in page.tags:
        for name in ("aria-labelledby", "aria-describedby"):
            assert attrs.get(name) is None or attrs[name] in ids


@pytest.mark.parametrize("path", ["/", "/page.css", "/page.js", "/icon.svg", "/status.json"])
def test_nothing_runs_or_loads_from_elsewhere(target: Server, path: str) -> None:
    reply = target.get(path)
    assert reply.status == 200
    policy = reply.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    assert "*" not in policy
    assert reply.headers["x-content-type-options"] == "nosniff"
    if path != "/icon.svg":
        assert not re.search(r"https?://", reply.body.decode())


def test_a_project_that_cannot_be_read_has_a_page_that_says_so(harbor: Harbor, reading: Server) -> None:
    (harbor.project / ".loopx" / "registry.json").write_text("{", encoding="utf-8")
    reply = reading.get("/")
    assert reply.status == 500
    assert "cannot be read" in Page(reply.body.decode()).text
    assert str(harbor.project.parent) not in reply.body.decode()
    assert reading.get("/status.json").status == 500


def contrast(one: str, other: str) -> float:
    """WCAG's contrast of two colours as #rrggbb or #rgb."""

    def light(colour: str) -> float:
        digits = colour[1:] if len(colour) == 7 else "".join(each * 2 for each in colour[1:])
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_text_colour_has_contrast_aa_on_every_ground_in_both_schemes(target: Server) -> None:
    style = target.get("/page.css").body.decode()
    schemes = [
        dict(re.findall(r"--([\w-]+): (#[0-9a-f]{3,6})", block))
        for block in re.findall(r":root \{(.*?)\}", style, re.S)
    ]
    assert len(schemes) == 2
    for scheme in schemes:
        for ink in ("ink", "dim", "link", "ask", "go", "bad"):
            for ground in ("ground", "paper", "ask-ground", "code"):
                assert contrast(scheme[ink], scheme[ground]) >= 4.5, (ink, ground)
        assert contrast(scheme["paper"], scheme["link"]) >= 4.5
