"""The documentation as a site: it builds with one command, its links lead somewhere, and it needs no network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
NEEDED = (
    "mkdocs.yml",
    "docs",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "scripts",
    "rules",
    "catalog",
    "fixtures",
    "LICENSE",
)
FENCE = re.compile(r"^```mermaid\n(.*?)^```$", re.M | re.S)

pytestmark = pytest.mark.slow


def build(place: Path, diagrams: str = "no") -> subprocess.CompletedProcess[str]:
    """``make site`` in a copy."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build"],
        cwd=place,
        env={**os.environ, "LOOPX_SITE_DIAGRAMS": diagrams, "PYTHONWARNINGS": "default", "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def copied(place: Path) -> Path:
    for name in NEEDED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, place / name)
    return place


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = copied(tmp_path_factory.mktemp("site"))
    done = build(place)
    assert done.returncode == 0, done.stderr
    return place / "site"


class Page(HTMLParser):
    """The ids of a page, where it leads to, and what it loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.ids.add(value)
            elif name == "href" and tag == "a" and value:
                self.links.append(value)
            elif (name == "src" or (name == "href" and tag == "link")) and value:
                self.loads.append(value)


def pages(site: Path) -> Iterator[tuple[Path, Page]]:
    for path in sorted(site.rglob("*.html")):
        yield path, Page(path)


def test_every_page_of_docs_and_of_the_catalog_is_on_the_site(site: Path) -> None:
    wanted = {path.relative_to(ROOT / "docs").with_suffix("") for path in (ROOT / "docs").rglob("*.md")}
    # A README is the front page of its folder.
    wanted = {path.with_name("index") if path.name == "README" else path for path in wanted}
    there = {path.relative_to(site).with_suffix("") for path in site.rglob("*.html")}
    assert wanted <= there


def test_every_link_leads_to_a_page_and_to_a_place_on_it(site: Path) -> None:
    known = dict(pages(site))
    checked = 0
    for path, page in known.items():
        if path.name == "404.html":
            continue  # its links are those of a server's root
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), (path, link)
            if parts.fragment and target in known:
                assert unquote(parts.fragment) in known[target].ids, (path, link)
            checked += 1
    assert checked > 1000


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    for path, page in pages(site):
        for loaded in page.loads:
            assert not urlsplit(loaded).netloc, (path, loaded)


def test_a_link_that_leads_nowhere_fails_the_build_and_is_named(tmp_path: Path) -> None:
    place = copied(tmp_path)
    with (place / "docs" / "hints.md").open("a", encoding="utf-8") as file:
        file.write("\nSee [there](nowhere.md) and [here](ledger.md#no-such-heading).\n")
    done = build(place)
    assert done.returncode != 0
    assert "nowhere.md" in done.stderr
    assert "no-such-heading" in done.stderr


def test_every_diagram_is_drawn_where_its_means_are_there(tmp_path: Path) -> None:
    if not shutil.which("npm") or not (shutil.which("chromium") or shutil.which("chromium-browser")):
        pytest.skip("npm or chromium is not installed")
    place = copied(tmp_path)
    done = build(place, diagrams="yes")
    assert done.returncode == 0, done.stderr  # a diagram that Mermaid cannot read fails the build
    if "could not install" in done.stderr:
        pytest.skip("npm cannot install Mermaid here")
    texts = {found for path in (ROOT / "docs").rglob("*.md") for found in FENCE.findall(path.read_text("utf-8"))}
    assert len(texts) > 30
    assert len(list((place / "site" / "diagrams").glob("*.svg"))) == len(texts)
    assert not any("mermaid-text" in path.read_text("utf-8") for path in (place / "site").rglob("*.html"))
