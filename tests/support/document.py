"""The active goal state as a document of parts, and its text. Rewording works on the parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

SectionKind = Literal["user", "agent", "archive", "next", "foreign"]

PROSE_KEYS = ("note", "reason", "evidence")
"""Metadata that is free text."""


@dataclass(slots=True)
class TodoPart:
    """One todo as written.

    ``meta`` holds the metadata in order, values not yet encoded. ``per_comment`` says how many keys stand
    in one comment (0: all), ``early`` whether the comments precede the continuation lines. ``plain``
    leaves characters unencoded that the grammar does not need encoded.
    """

    text: str
    mark: str = " "
    priority: str = ""
    more: list[str] = field(default_factory=list)
    meta: dict[str, str] = field(default_factory=dict)
    per_comment: int = 0
    early: bool = True
    plain: bool = False
    hyphens: bool = False

    @property
    def todo_id(self) -> str:
        return self.meta.get("todo_id", "")

    @property
    def status(self) -> str:
        return self.meta.get("status") or {" ": "open", "-": "deferred"}.get(self.mark, "done")

    @property
    def is_open(self) -> bool:
        return self.status == "open"

    def lines(self) -> Iterator[str]:
        yield f"- [{self.mark}] {self.priority}{' ' if self.priority else ''}{self.text}"
        if self.early:
            yield from self._comments()
        for line in self.more:
            yield f"  {line}"
        if not self.early:
            yield from self._comments()

    def _comments(self) -> Iterator[str]:
        pairs = [self._pair(key, value) for key, value in self.meta.items()]
        step = self.per_comment or len(pairs) or 1
        for start in range(0, len(pairs), step):
            yield f"  <!-- loopx:todo {' '.join(pairs[start : start + step])} -->"

    def _pair(self, key: str, value: str) -> str:
        name = key.replace("_", "-") if self.hyphens else key
        return f"{name}={quote(value, safe='/:*,;|@+' if self.plain else '')}"


@dataclass(slots=True)
class BulletPart:
    """One bullet of ``## Next Action``: prose, with todo ids inside."""

    text: str
    todo_ids: list[str] = field(default_factory=list)
    ids_first: bool = False

    def lines(self) -> Iterator[str]:
        ids = " ".join(f"`{todo_id}`" for todo_id in self.todo_ids)
        parts = [ids, self.text] if self.ids_first else [self.text, ids]
        yield "- " + " ".join(part for part in parts if part)


@dataclass(slots=True)
class SectionPart:
    """A ``## `` section. ``lead`` are lines before the first todo or bullet: prose, each its own line."""

    heading: str
    kind: SectionKind
    lead: list[str] = field(default_factory=list)
    todos: list[TodoPart] = field(default_factory=list)
    bullets: list[BulletPart] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        yield f"## {self.heading}"
        yield ""
        for line in self.lead:
            yield line
            yield ""
        for todo in self.todos:
            yield from todo.lines()
        for bullet in self.bullets:
            yield from bullet.lines()
        if self.todos or self.bullets:
            yield ""


@dataclass(slots=True)
class Document:
    """The whole state. ``objective`` is free text; ``front`` the other lines of the front matter."""

    objective: str = ""
    front: dict[str, str] = field(default_factory=dict)
    title: str = "Active Goal State"
    sections: list[SectionPart] = field(default_factory=list)
    crlf: bool = False
    ends_with_newline: bool = True

    def of(self, kind: SectionKind) -> list[TodoPart]:
        """The todos of all sections of that kind."""
        return [todo for section in self.sections if section.kind == kind for todo in section.todos]

    @property
    def todos(self) -> list[TodoPart]:
        """The active todos, the users' first."""
        return [*self.of("user"), *self.of("agent")]

    def bullets(self) -> list[BulletPart]:
        return [bullet for section in self.sections for bullet in section.bullets]

    def text(self) -> str:
        end = "\r\n" if self.crlf else "\n"
        whole = end.join(self._lines())
        return whole + end if self.ends_with_newline else whole

    def _lines(self) -> Iterator[str]:
        if self.front:
            yield "---"
            for key, value in self.front.items():
                yield f"{key}: {value}"
            if self.objective:
                yield f'objective: "{self.objective}"'
            yield "---"
            yield ""
        yield f"# {self.title}"
        yield ""
        for section in self.sections:
            yield from section.lines()
