"""The pages for people say what the rule files say, link to what is there, and are current in the repository."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loopx_policy.catalog_files import read_sources
from loopx_policy.catalog_source.compile import Loaded, build, load_source
from loopx_policy.catalog_source.laws import load_laws
from loopx_policy.fixtures import load_folder
from loopx_policy.workshop.pages import NOTE, Pages, broken_links, linked_files, stale, write_pages

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "docs" / "catalog"


@pytest.fixture(scope="module")
def loaded() -> Loaded:
    return load_source(read_sources())


@pytest.fixture(scope="module")
def pages(loaded: Loaded) -> dict[str, str]:
    fixtures, _ = load_folder(str(ROOT / "fixtures"))
    return Pages(loaded, load_laws(build(loaded, "")), fixtures, "../../").all()


def test_the_pages_of_the_repository_are_current(pages: dict[str, str]) -> None:
    """Otherwise: loopx catalog docs."""
    assert [path for path, text in pages.items() if (FOLDER / path).read_text(encoding="utf-8") != text] == []
    assert stale(str(FOLDER), pages) == []


def test_every_link_leads_somewhere(pages: dict[str, str]) -> None:
    outside = [path for path in linked_files(pages) if (FOLDER / path).exists()]
    assert broken_links(pages, outside) == []


def test_a_link_that_leads_nowhere_is_found() -> None:
    pages = {"a.md": "[x](b.md) [y](b.md#there) [z](b.md#gone) [w](c.md)", "b.md": "# There\n"}
    assert broken_links(pages) == ["a.md: b.md#gone", "a.md: c.md"]


def test_there_is_a_page_for_each_pattern_and_family_and_it_has_each_of_its_entries(
    pages: dict[str, str], loaded: Loaded
) -> None:
    for bound in loaded.bound:
        page = pages[f"patterns/{bound.rule.id}.md"]
        entries = [case.id for case, _ in bound.cases]
        entries += [duty.id for duty in bound.obligations] + [item.id for item in bound.withholdings]
        assert [name for name in entries if f"`{name}`" not in page] == []
        assert bound.rule.summary.strip() in page
        assert ("```mermaid" in page) is (bound.rule.visual.value.strip() not in ("", "future"))
        assert f"[{bound.rule.id}](../patterns/{bound.rule.id}.md)" in pages[f"families/{bound.rule.family}.md"]


def test_conditions_stand_in_words(pages: dict[str, str]) -> None:
    page = pages["patterns/IP-021.md"]
    assert "Each case of a turn needs that no todo is runnable." in page
    assert "| `lacks_owner` | the todo needs what the owner holds | blocked as lacks_owner |" in page


def test_the_neighbours_are_those_of_the_order(pages: dict[str, str], loaded: Loaded) -> None:
    keys = [case.key for case in loaded.cases["turn"]]
    listed = re.findall(r"^1\. \[([\w.-]+)\]", pages["order.md"], flags=re.M)
    assert listed == keys
    for before, key, after in zip(keys, keys[1:], keys[2:], strict=False):
        page = pages[f"patterns/{key.partition('.')[0]}.md"]
        (row,) = [line for line in page.splitlines() if line.startswith("| [") and f" `{key}` in " in line]
        assert row.startswith(f"| [{before}](")
        assert f"| [{after}](" in row


def test_every_fact_mode_and_state_is_listed(pages: dict[str, str], loaded: Loaded) -> None:
    vocabulary = loaded.vocabulary
    facts = [name for facts in vocabulary.facts.values() for name in facts]
    assert [name for name in facts if f"| `{name}` |" not in pages["facts.md"]] == []
    assert [name for name in vocabulary.modes if f"## {name}\n" not in pages["modes.md"]] == []
    assert [name for name in vocabulary.states if f"| `{name}` |" not in pages["states.md"]] == []


def test_writing_changes_only_what_differs_and_removes_pages_that_are_gone(tmp_path: Path) -> None:
    pages = {"a.md": NOTE + "a\n", "b/c.md": NOTE + "c\n"}
    assert write_pages(str(tmp_path), pages) == ["a.md", "b/c.md"]
    (tmp_path / "mine.md").write_text("not made here\n")
    (tmp_path / "old.md").write_text(NOTE + "old\n")
    (tmp_path / "a.md").write_text(NOTE + "edited\n")
    assert write_pages(str(tmp_path), pages) == ["a.md", "old.md"]
    assert write_pages(str(tmp_path), pages) == []
    assert (tmp_path / "mine.md").exists()
