"""The dashboard as HTML. Everything that somebody wrote is escaped: todo texts are anybody's."""

from __future__ import annotations

import os
import shlex
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..errors import LoopxError
from ..text import public

Json = dict[str, Any]
FOLDER: Final = os.path.join(os.path.dirname(os.path.abspath(__file__)), "assets")
KINDS: Final = {"icon.svg": "image/svg+xml", "page.css": "text/css", "page.js": "text/javascript"}


def _read(name: str) -> bytes:
    with open(os.path.join(FOLDER, name), "rb") as file:
        return file.read()


ASSETS: Final = {name: (kind, _read(name)) for name, kind in KINDS.items()}
"""Files that the page refers to: content type and content by name."""

_TEMPLATES = Environment(
    loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
)
_TEMPLATES.filters["shell"] = lambda word: shlex.quote(str(word))


def _unbroken(command: str) -> Markup:
    """A command whose words break nowhere but between them, since a flag that is cut in two cannot be read."""
    return Markup(" ").join(Markup("<span>{}</span>").format(word) for word in str(command).split(" "))


_TEMPLATES.filters["unbroken"] = _unbroken


def page(data: Json, may: Json) -> str:
    """The whole page; ``may`` are the capabilities of the server."""
    return _TEMPLATES.get_template("page.html").render(data, may=may, waiting=_waiting(data["goals"]))


def broken_page(error: LoopxError) -> str:
    """The page of a project that cannot be read."""
    said = {"message": public(error.message), "at": public(error.at), "fix": public(error.fix)}
    return _TEMPLATES.get_template("broken.html").render(said)


def _waiting(goals: list[Json]) -> int:
    """How many things wait for a person."""
    return sum(len(goal["packet"][part]) for goal in goals for part in ("pending", "requests", "proposals", "problems"))
