"""``loopx catalog docs``: the catalog for people, made from the rule files."""

from __future__ import annotations

import os

from loopx_policy.catalog_files import default_folder
from loopx_policy.catalog_source.compile import build
from loopx_policy.catalog_source.laws import load_laws
from loopx_policy.errors import CatalogError
from loopx_policy.fixtures.load import load_folder
from loopx_policy.workshop.pages import Pages, broken_links, linked_files, stale, write_pages

from ..request import Globals, Result
from .catalog import loaded


def docs(options: Globals, out: str, check: bool) -> Result:
    """``{files: [path], broken: [link]}``: what was written, or with ``check`` what is not current (exit code 1)."""
    pages, broken = made(options, out)
    if check:
        changed = sorted([path for path, text in pages.items() if _text(out, path) != text] + stale(out, pages))
    else:
        changed = write_pages(out, pages)
    data = {
        "schema_version": "loopx_catalog_docs_v0",
        "what": "not current" if check else "written",
        "pages": len(pages),
        "files": [os.path.join(out, path) for path in changed],
        "broken": broken,
        "next": [f"loopx catalog docs --out {out}"] if check and changed else [],
    }
    return Result(data, "catalog_files", 1 if broken or (check and changed) else 0)


def made(options: Globals, out: str) -> tuple[dict[str, str], list[str]]:
    """The pages for a folder, and their links that lead nowhere. ``CatalogError`` where a rule is wrong."""
    found = loaded(options)
    fatal = [finding for finding in found.report.sorted() if finding.fatal]
    if fatal:
        raise CatalogError(fatal[0].message, at=fatal[0].at, fix="`loopx catalog lint` lists all mistakes.")
    top = os.path.dirname(os.path.abspath(default_folder("rules")))
    shown = os.path.join(top, "fixtures")
    inside = os.path.isdir(shown) and os.path.abspath(out).startswith(top + os.sep)
    fixtures = load_folder(shown)[0] if os.path.isdir(shown) else []
    up = os.path.relpath(top, out).replace(os.sep, "/") + "/" if inside else ""
    pages = Pages(found, load_laws(build(found, "")), fixtures, up).all()
    present = [path for path in linked_files(pages) if os.path.exists(os.path.abspath(os.path.join(out, path)))]
    return pages, broken_links(pages, present)


def _text(folder: str, path: str) -> str | None:
    try:
        with open(os.path.join(folder, path), encoding="utf-8") as file:
            return file.read()
    except OSError:
        return None
