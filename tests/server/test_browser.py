"""The dashboard in a real browser: dry-run, append and refresh, and what holds where one of them cannot be done."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.ledger.people.conftest import RUN, Harbor
from tests.server.conftest import REWARD, WRITE, Serve, Server
from tests.server.test_page import contrast

pytestmark = pytest.mark.slow

# A machine without a network outside: nothing that the browser does for itself may try to reach one.
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAME = """(() => { const at = document.activeElement;
  return at.getAttribute('aria-label') || at.textContent.trim().slice(0, 40) || at.name || ''; })()"""
DESKTOP, PHONE = (1200, 800), (390, 844)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    found = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
    )
    if not found and not os.environ.get("CI"):
        pytest.skip("no Chromium is installed (apt install chromium)")
    assert found, "CI has no Chromium"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=found, args=QUIET)
        yield launched
        launched.close()


TEXTS = """() => {
  const ground = (each) => {
    for (; each; each = each.parentElement) {
      const found = getComputedStyle(each).backgroundColor;
      if (found !== "rgba(0, 0, 0, 0)" && found !== "transparent") return found;
    }
    return "rgb(255, 255, 255)";
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const at = node.parentElement;
    if (!node.textContent.trim() || !at.checkVisibility() || at.closest("option, meter, button[disabled]")) continue;
    found.push([node.textContent.trim().slice(0, 40), getComputedStyle(at).color, ground(at)]);
  }
  return found;
}"""
"""Every visible text with its colour and that of the ground behind it."""


class Visitor:
    """Opens pages; a request to elsewhere, an error of a script or a word on the console fails the test."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self._browser = browser
        self._folder = folder
        self.faults: list[str] = []
        self.foreseen: list[str] = []

    def open(self, server: Server, size: tuple[int, int] = DESKTOP, **options: Any) -> Page:
        context = self._browser.new_context(viewport={"width": size[0], "height": size[1]}, **options)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: self.faults.append(message.text))
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", lambda request: self._asks(request.url, server))
        page.goto(server.url)
        return page

    def _asks(self, url: str, server: Server) -> None:
        if not url.startswith(server.url):
            self.faults.append(url)

    def picture(self, page: Page, name: str) -> None:
        page.screenshot(path=self._folder / f"{name}.png", full_page=True)

    def left(self) -> list[str]:
        """Faults that no test has foreseen."""
        return [fault for fault in self.faults if not any(part in fault for part in self.foreseen)]


@pytest.fixture
def visitor(browser: Browser, tmp_path: Path) -> Iterator[Visitor]:
    """Pictures go to ``LOOPX_PICTURES``, else to where the test's other files go."""
    folder = Path(os.environ.get("LOOPX_PICTURES") or tmp_path / "pictures")
    folder.mkdir(parents=True, exist_ok=True)
    visitor = Visitor(browser, folder)
    yield visitor
    for context in browser.contexts:
        context.close()
    assert visitor.left() == []


def check(page: Page) -> None:
    """Fill the form in and ask for a dry-run."""
    page.get_by_label("positive").check()
    page.get_by_label("Reason, in one public-safe line").fill(REWARD["reason_summary"])
    page.get_by_role("button", name="Dry-run check").click()


def result(page: Page) -> Any:
    return page.locator(".result")


def append_button(page: Page) -> Any:
    return page.get_by_role("button", name="Append reward overlay")


def test_dry_run_append_refresh(harbor: Harbor, serve: Serve, visitor: Visitor) -> None:
    lines = len(harbor.rows())
    page = visitor.open(serve(WRITE))
    expect(append_button(page)).to_be_hidden()
    check(page)
    expect(result(page)).to_contain_text("nothing was written")
    expect(append_button(page)).to_be_visible()
    expect(page.locator(".confirm")).to_contain_text("appends one compact human_reward row to the selected run index")
    assert len(harbor.rows()) == lines
    visitor.picture(page, "previewed")
    append_button(page).click()
    expect(result(page)).to_contain_text("One human_reward row was appended")
    expect(page.get_by_role("row", name=RUN)).to_contain_text("positive")
    expect(page.get_by_role("row", name=RUN)).to_contain_text(REWARD["reason_summary"])
    expect(append_button(page)).to_be_hidden()
    expect(page.get_by_role("button", name="Dry-run check")).to_be_focused()
    assert len(harbor.rows()) == lines + 1
    assert harbor.rows()[-1]["human_reward"]["reward"] == "positive"
    visitor.picture(page, "appended")


def test_without_the_flag_there_is_nothing_to_append_with(harbor: Harbor, serve: Serve, visitor: Visitor) -> None:
    before = harbor.files()
    page = visitor.open(serve())
    check(page)
    expect(result(page)).to_contain_text("Appending is switched off here")
    expect(append_button(page)).to_be_hidden()
    expect(page.locator(".draft")).to_contain_text("--reward positive --reason-summary 'comparable")
    assert harbor.files() == before
    visitor.picture(page, "disabled")


def test_a_preview_that_another_writer_made_stale_is_not_appended(
    harbor: Harbor, serve: Serve, visitor: Visitor
) -> None:
    visitor.foreseen.append("409 (Conflict)")
    page = visitor.open(serve(WRITE))
    check(page)
    expect(append_button(page)).to_be_visible()
    harbor.append(generated_at="2026-12-01T08:30:00Z")
    before = harbor.index.read_bytes()
    append_button(page).click()
    expect(result(page)).to_contain_text("Stale preview")
    expect(append_button(page)).to_be_hidden()
    expect(page.get_by_role("row", name="2026-12-01T08:30:00Z")).to_be_visible()
    assert harbor.index.read_bytes() == before
    visitor.picture(page, "stale")


def test_what_is_changed_after_the_dry_run_has_to_be_checked_again(
    harbor: Harbor, serve: Serve, visitor: Visitor
) -> None:
    page = visitor.open(serve(WRITE))
    check(page)
    expect(append_button(page)).to_be_visible()
    page.get_by_label("negative").check()
    expect(append_button(page)).to_be_hidden()
    expect(result(page)).to_contain_text("check it again")


def test_a_private_reason_is_refused_with_its_field(serve: Serve, visitor: Visitor) -> None:
    visitor.foreseen.append("422")
    page = visitor.open(serve(WRITE))
    page.get_by_label("positive").check()
    page.get_by_label("Reason, in one public-safe line").fill("see /home/ann/notes.md")
    page.get_by_role("button", name="Dry-run check").click()
    expect(result(page)).to_contain_text("reason_summary looks private")
    expect(append_button(page)).to_be_hidden()


def test_without_scripts_everything_but_the_append_is_there(serve: Serve, visitor: Visitor) -> None:
    page = visitor.open(serve(WRITE), java_script_enabled=False)
    expect(page.get_by_role("heading", name="1 thing needs you")).to_be_visible()
    expect(page.get_by_text("loopx operator-gate --goal-id harbor").first).to_be_visible()
    expect(page.get_by_text("loopx reward --goal-id harbor").first).to_be_visible()
    expect(page.get_by_text("Without JavaScript a run is judged at a terminal")).to_be_visible()
    for name in ("Dry-run check", "Append reward overlay", "Copy dry-run"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.get_by_text("Settings, as dry-runs").click()
    expect(page.get_by_text("loopx quota pause --goal-id harbor")).to_be_visible()
    visitor.picture(page, "without-scripts")


def test_news_come_in_and_nobody_loses_what_they_are_at(harbor: Harbor, serve: Serve, visitor: Visitor) -> None:
    page = visitor.open(serve(WRITE))
    reason = page.get_by_label("Reason, in one public-safe line")
    reason.fill("half a thought")
    page.get_by_text("Why: IP-003.fallback").click()
    reason.focus()
    harbor.append(generated_at="2026-12-01T08:30:00Z", recommended_action="A new row.")
    harbor.edit("May the berth tariffs be published", "May the berth tariffs be printed")
    expect(page.get_by_text("A new row.")).to_be_visible()
    expect(page.get_by_text("May the berth tariffs be printed").first).to_be_visible()
    expect(reason).to_be_focused()
    expect(reason).to_have_value("half a thought")
    expect(page.get_by_text("gates.open").first).to_be_visible()


def test_what_feedback_changed_is_told_in_words_with_the_commands_to_retire_or_edit_it(
    harbor: Harbor, serve: Serve, visitor: Visitor
) -> None:
    """Seed: reward-style hints, operator surface: effect, sources, end, and one click to retire or edit."""
    for kind in ("docs_pass", "run_eval"):
        harbor.ask("todo", "add", "--role", "agent", "--text", f"[P0] Do {kind}", "--task-class", "advancement_task",
                   "--action-kind", kind, "--agent-id", "builder")  # fmt: skip
    harbor.append(generated_at="2026-12-01T08:00:00Z", delivery_outcome="outcome_progress", action_kind="run_eval")
    harbor.ask("reward", "--run-generated-at", "2026-12-01T08:00:00Z", "--decision", "right_route", "--reward",
               "positive", "--reason-summary", "measured", "--execute")  # fmt: skip
    page = visitor.open(serve(WRITE))
    hints = page.locator("[id$=-hints]")
    expect(hints).to_contain_text("Among equal todos, run_eval work goes first")
    expect(hints).to_contain_text("Medium, until 2026-12-31T09:00:00Z, from 2026-12-01T08:00:00Z")
    retire = hints.get_by_text("loopx hint retire")
    expect(retire).to_be_hidden()
    hints.get_by_text("Retire or edit this hint").click()
    expect(retire).to_be_visible()
    visitor.picture(page, "feedback")
    for shown in (retire, hints.get_by_text("loopx hint rewrite")):
        command = shown.first.text_content()
        assert command is not None
        assert harbor.ask(*shlex.split(command)[1:])["written"] is False
    assert harbor.ask("hint", "list")["hints"] != []


def as_hex(colour: str) -> str:
    """``#rrggbb`` of ``rgb(r, g, b)``."""
    return "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", colour)[:3])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_the_contrast_of_level_aa(serve: Serve, visitor: Visitor, scheme: str) -> None:
    page = visitor.open(serve(WRITE), color_scheme=scheme)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    texts = page.evaluate(TEXTS)
    assert len(texts) > 100
    for text, colour, ground in texts:
        assert contrast(as_hex(colour), as_hex(ground)) >= 4.5, (text, colour, ground)


@pytest.mark.parametrize(
    ("name", "size", "scheme"), [("desktop", DESKTOP, "light"), ("phone", PHONE, "light"), ("dark", PHONE, "dark")]
)
def test_the_pending_decision_is_what_one_sees_first(
    harbor: Harbor, serve: Serve, visitor: Visitor, name: str, size: tuple[int, int], scheme: str
) -> None:
    page = visitor.open(serve(WRITE), size, color_scheme=scheme)
    question = page.get_by_role("heading", name="May the berth tariffs be published").bounding_box()
    command = page.get_by_role("button", name="Copy dry-run").first.bounding_box()
    assert question is not None
    assert command is not None
    assert question["y"] < size[1] / 3
    assert command["y"] + command["height"] < size[1]
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    visitor.picture(page, name)


def test_a_long_word_widens_no_page(harbor: Harbor, serve: Serve, visitor: Visitor) -> None:
    harbor.edit("May the berth tariffs be published on the public page?", "Publish " + "x" * 400)
    harbor.edit("Describe the importer in the manual", "y" * 400)
    page = visitor.open(serve(), (320, 640))
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_every_control_is_reached_with_the_keyboard(serve: Serve, visitor: Visitor) -> None:
    page = visitor.open(serve(WRITE))
    reached: list[str] = []
    for _ in range(80):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(NAME))
    for wanted in (
        "Skip to what needs you",
        "Copy dry-run: Dry-run: approve todo_tariffs",
        "Carry it out",
        "Dry-run check",
    ):
        assert wanted in reached
    assert {"decision", "reason_summary", "follow_up", "reward"} <= set(reached)
