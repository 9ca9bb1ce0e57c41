"""What the site needs beside mkdocs: a front page, links that leave docs/, and diagrams as pictures.

Diagrams are drawn by Mermaid itself, from npm, in Chromium. Where one of the two is missing they stay text, and the
build says so; ``LOOPX_SITE_DIAGRAMS=no`` asks for that. One that Mermaid cannot read fails the build.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import posixpath
import re
import shutil
import subprocess
from html import escape
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".site-cache"
MERMAID = "mermaid@11"
FENCE = re.compile(r"^```mermaid\n(.*?)^```$", re.M | re.S)
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
FRONT = {"index.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
"""Pages of the site that stand at the top of the repository."""
log = logging.getLogger("mkdocs.hooks")
drawn: dict[str, str] = {}


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The catalog after what stands in the file: its overviews, then a section of families and one of patterns."""
    below = ROOT / "docs" / "catalog"

    def pages(folder: str) -> list[dict[str, str]]:
        found = sorted((below / folder).glob("*.md"))
        return [{_title(path): str(path.relative_to(ROOT / "docs"))} for path in found]

    catalog = [*pages(""), {"Families": pages("families")}, {"Patterns": pages("patterns")}]
    assert config.nav is not None
    config.nav.insert(3, {"The catalog": catalog})
    return config


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.readline().removeprefix("#").strip()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Take in the pages from the top, and draw every diagram once."""
    for name, source in FRONT.items():
        files.append(File.generated(config, name, content=(ROOT / source).read_text(encoding="utf-8")))
    texts = [page.content_string for page in files.documentation_pages()]
    drawn.update(draw(sorted({found for text in texts for found in FENCE.findall(text)})))
    for text, svg in drawn.items():
        files.append(File.generated(config, f"diagrams/{mark(text)}.svg", content=svg))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links by where their target is on the site, and diagrams by their pictures."""
    place = page.file.src_uri
    at = posixpath.dirname(place)
    return FENCE.sub(lambda fence: _picture(fence[1], place), LINK.sub(lambda link: _link(link, place, at), markdown))


def _link(link: re.Match[str], place: str, at: str) -> str:
    """A link to a page of the site stays one; what lies elsewhere in the repository is named and not linked."""
    text, target, anchor = link[1], link[2], link[3] or ""
    if "://" in target or target.startswith("mailto:"):
        return link[0]
    top = place in FRONT
    path = posixpath.normpath(target if top else posixpath.join("docs", at, target))
    pages = {source: name for name, source in FRONT.items()}
    if path in pages:
        return f"[{text}]({posixpath.relpath(pages[path], at or '.')}{anchor})"
    if path.startswith("docs/"):
        return f"[{text}]({posixpath.relpath(path[5:], at or '.')}{anchor})"
    if not (ROOT / path).exists():
        raise PluginError(f"{place} links to {target}, and there is no {path}.")
    return f"`{path}`" if text.strip("`") == path else f"{text} (`{path}`)"


def _picture(text: str, place: str) -> str:
    if text not in drawn:
        return f'<pre class="mermaid-text"><code>{escape(text)}</code></pre>'
    source = posixpath.relpath(f"diagrams/{mark(text)}.svg", posixpath.dirname(place) or ".")
    return f"![Diagram: {escape(_words(text))}]({source})"


def _words(text: str) -> str:
    """What a diagram says, for those who cannot see it: the labels in it."""
    labels = re.findall(r'"([^"]+)"|:\s*([^\n]+)$', text, re.M)
    return "; ".join(dict.fromkeys(" ".join(filter(None, pair)).replace("]", ")").replace("[", "(") for pair in labels))


def mark(text: str) -> str:
    """The name of a diagram: a digest of what it says."""
    return hashlib.sha256(f"{MERMAID}\n{text}".encode()).hexdigest()[:16]


def draw(texts: list[str]) -> dict[str, str]:
    """SVG by text; nothing where the means are not there."""
    CACHE.mkdir(exist_ok=True)
    missing = [text for text in texts if not (CACHE / f"{mark(text)}.svg").exists()]
    if missing and not _draw(missing):
        return {}
    files = {text: CACHE / f"{mark(text)}.svg" for text in texts}
    return {text: file.read_text(encoding="utf-8") for text, file in files.items() if file.exists()}


def _draw(texts: list[str]) -> bool:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if os.environ.get("LOOPX_SITE_DIAGRAMS") == "no" or not chromium or not shutil.which("npm"):
        log.info("Diagrams stay text: they are drawn where npm and chromium are installed.")
        return False
    try:
        from playwright.sync_api import Error as PlaywrightError
        from playwright.sync_api import sync_playwright
    except ImportError:
        log.info("Diagrams stay text: the package playwright is not installed.")
        return False
    script = CACHE / "node_modules" / "mermaid" / "dist" / "mermaid.min.js"
    if not script.exists():
        command = [
            "npm",
            "install",
            "--prefix",
            str(CACHE),
            "--no-save",
            "--no-audit",
            "--no-fund",
            "--silent",
            MERMAID,
        ]
        if subprocess.run(command, check=False).returncode:
            log.info("Diagrams stay text: npm could not install %s.", MERMAID)
            return False
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.add_script_tag(path=str(script))
        page.evaluate(
            "mermaid.initialize({startOnLoad: false, theme: 'neutral', htmlLabels: false, "
            "flowchart: {htmlLabels: false}, deterministicIds: true})"
        )
        for text in texts:
            try:
                found = page.evaluate(f"mermaid.render('d{mark(text)}', {json.dumps(text)})")
            except PlaywrightError as error:
                said = "\n".join(str(error).splitlines()[:4])
                log.warning("Mermaid cannot read a diagram (%s):\n%s", said, text)  # strict: fails the build
                continue
            (CACHE / f"{mark(text)}.svg").write_text(found["svg"], encoding="utf-8")
        browser.close()
    return True
