"""Surgery on the text of a goal state: a command changes the lines that it names, and no other byte.

Each slot holds one line of the file with its end, addressed by the line numbers that the parser gave, however many
changes are made. Line ends, tabs, trailing spaces and metadata that nobody knows stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import quote

from ..errors import StateError
from ..model import Role, State, Todo
from ..project.lines import AGENT_HEADINGS, ARCHIVE_HEADINGS, USER_HEADINGS, outside_code

MARKS = {"open": " ", "done": "x", "deferred": "-", "blocked": " "}
HEADINGS: dict[Role, str] = {"user": "User Todo", "agent": "Agent Todo"}
ARCHIVES: dict[Role, str] = {"user": "User Todo Archive", "agent": "Agent Todo Archive"}
_COMMENT = re.compile(r"<!--\s*loopx:todo(?=\s|-->)(.*?)-->")
_SAFE = "!#$&'()*+,/:;=?@[]~|"
"""Printable characters that a metadata value keeps; ``%``, ``<``, ``>``, quotes, blanks and the rest are encoded."""


def encode_value(value: str) -> str:
    """A metadata value: percent-encoded, so that it has no blank and cannot end its comment."""
    return quote(value, safe=_SAFE)


def comment(metadata: Mapping[str, str]) -> str:
    """A metadata comment with these keys, in this order."""
    return "<!-- loopx:todo " + " ".join(f"{key}={encode_value(value)}" for key, value in metadata.items()) + " -->"


def front_value(value: str) -> str:
    """A value of the front matter, in quotes where YAML would take it for something else than a text."""
    if value[:1] not in tuple("\"'[]{}&*!|>%@`#-?:,") and ": " not in value and " #" not in value and value[-1:] != ":":
        return value
    mark = '"' if not set('"\\') & set(value) else "'" if "'" not in value else '"'
    return f"{mark}{value}{mark}"


def one_line(text: str) -> str:
    """A todo's text as it may stand after its mark."""
    return " ".join(text.split())


class StateText:
    """The text of a goal state under the knife; ``state`` is what the parser made of the same bytes."""

    def __init__(self, data: bytes, state: State) -> None:
        self._slots = _lines(data.decode("utf-8"))
        self._state = state
        self._end = next((_end(line) for line in self._slots if _end(line)), "\n")

    def to_bytes(self) -> bytes:
        return "".join(self._slots).encode("utf-8")

    def set_mark(self, todo: Todo, status: str) -> None:
        """The checkbox of a todo."""
        line = self._slots[todo.line - 1]
        at = line.index("- [") + 3
        self._slots[todo.line - 1] = line[:at] + MARKS[status] + line[at + 1 :]

    def set_metadata(self, todo: Todo, changes: Mapping[str, str | None]) -> None:
        """Set keys of a todo, or take them out (``None``). A todo without a written id gets its id written down."""
        wanted = dict(changes)
        if not self._written(todo, "todo_id"):
            wanted = {"todo_id": todo.todo_id, **wanted}
        comments = self._comments(todo)
        for number in reversed(comments):
            line = self._slots[number]
            self._slots[number] = _COMMENT.sub(lambda found: _rewritten(found, wanted), line)
        added = {key: value for key, value in wanted.items() if value is not None}
        if not added:
            return
        if comments:
            last = comments[-1]
            line = self._slots[last]
            at = [found.end() for found in _COMMENT.finditer(line)][-1] - len("-->")
            words = " ".join(f"{key}={encode_value(value)}" for key, value in added.items())
            self._slots[last] = line[:at].rstrip(" \t") + f" {words} " + line[at:]
        else:
            self._insert_after(todo.last_line - 1, f"{self._indent(todo)}{comment(added)}")

    def set_text(self, todo: Todo, text: str) -> None:
        """The wording of a todo; lines that continued the old wording go."""
        line = self._slots[todo.line - 1]
        end = _end(line)
        head = line[: line.index("]") + 1]
        self._slots[todo.line - 1] = f"{head} {one_line(text)}{end}"
        for number in range(todo.line, todo.last_line):
            if not _COMMENT.search(self._slots[number]) and self._slots[number].strip():
                self._slots[number] = ""

    def add(self, role: Role, text: str, metadata: Mapping[str, str], status: str = "open") -> None:
        """A new todo at the end of the first list of its role; the list is made where there is none."""
        lines = [f"- [{MARKS[status]}] {one_line(text)}", f"  {comment(metadata)}"]
        self._add_block(self._list_end(role, archive=False), HEADINGS[role], lines)

    def archive(self, todo: Todo) -> None:
        """Move a todo, as it stands, to the end of the archive of its role."""
        block = [self._slots[number] for number in range(todo.line - 1, todo.last_line)]
        for number in range(todo.line - 1, todo.last_line):
            self._slots[number] = ""
        lines = "".join(block).splitlines()
        self._add_block(self._list_end(todo.role, archive=True), ARCHIVES[todo.role], lines)

    def set_next_actions(self, bullets: Sequence[str]) -> None:
        """The bullets under Next Action, all of them."""
        found = self._section(lambda heading: heading.lower().startswith("next action"))
        written = [f"- {one_line(bullet)}" for bullet in bullets]
        if found is None:
            if written:
                self._add_block(None, "Next Action", written)
            return
        start, stop = found
        kept = [number for number in range(start + 1, stop) if self._slots[number].strip()]
        for number in kept:
            self._slots[number] = ""
        if kept:
            self._insert_after(kept[0], *written)
        elif written:
            self._add_block(start, "Next Action", written)

    def set_front(self, key: str, value: str) -> None:
        """One line of the front matter, which is made where there is none."""
        line = f"{key}: {front_value(one_line(value))}"
        if self._slots and self._slots[0].rstrip() == "---":
            for number in range(1, len(self._slots)):
                text = self._slots[number].rstrip()
                if text == "---":
                    self._slots[number] = line + self._end + self._slots[number]
                    return
                if text.partition(":")[0].strip() == key and not text[:1].isspace():
                    self._slots[number] = line + _end(self._slots[number])
                    return
            raise StateError("The front matter has no closing --- line.", at=f"{self._state.file}:1", fix="Close it.")
        head = f"---{self._end}{line}{self._end}---{self._end}{self._end}"
        first = self._slots[0] if self._slots else ""
        mark = "\ufeff" if first.startswith("\ufeff") else ""
        self._slots[:1] = [mark + head + first.removeprefix("\ufeff")]

    def set_only_line(self, heading: str, old: str, new: str) -> None:
        """The line of a section that says what ``old`` says and nothing else; any other section stays as it is."""
        found = self._section(lambda said: said.lower() == heading)
        spoken = [number for number in range(found[0] + 1, found[1]) if self._slots[number].strip()] if found else []
        if len(spoken) == 1 and old and self._slots[spoken[0]].strip() == old:
            self._slots[spoken[0]] = one_line(new) + _end(self._slots[spoken[0]])

    def _comments(self, todo: Todo) -> list[int]:
        """The slots of a todo's metadata lines."""
        return [number for number in range(todo.line, todo.last_line) if _COMMENT.search(self._slots[number])]

    def _written(self, todo: Todo, key: str) -> bool:
        return any(
            _key(word) == key
            for number in self._comments(todo)
            for found in _COMMENT.finditer(self._slots[number])
            for word in found[1].split()
        )

    def _indent(self, todo: Todo) -> str:
        """The indentation of what stands below a todo."""
        for number in range(todo.line, todo.last_line):
            text = self._slots[number]
            if text.strip() and text[0] in " \t":
                return text[: len(text) - len(text.lstrip(" \t"))]
        return "  "

    def _section(self, test: object) -> tuple[int, int] | None:
        """Slots of the heading and of the end of the first section whose heading passes."""
        assert callable(test)
        for start, stop, heading in self._sections():
            if test(heading):
                return start, stop
        return None

    def _sections(self) -> list[tuple[int, int, str]]:
        free = outside_code(self._slots)
        starts = [
            number
            for number, (line, live) in enumerate(zip(self._slots, free, strict=True))
            if live and line[:3] == "## "
        ]
        stops = [*starts[1:], len(self._slots)]
        return [(start, stop, self._slots[start][3:].strip()) for start, stop in zip(starts, stops, strict=True)]

    def _list_end(self, role: Role, *, archive: bool) -> int | None:
        """The slot after which a new item of this list goes."""

        def fits(heading: str) -> bool:
            lowered = heading.lower()
            user = any(name in lowered for name in USER_HEADINGS)
            if any(name in lowered for name in ARCHIVE_HEADINGS):
                return archive and user == (role == "user")
            agent = any(name in lowered for name in AGENT_HEADINGS)
            return not archive and (user if role == "user" else agent and not user)

        found = self._section(fits)
        if found is None:
            return None
        start, stop = found
        listed = self._state.archived if archive else self._state.todos
        last = [todo.last_line for todo in listed if start < todo.line <= stop]
        return (max(last) - 1) if last else start

    def _add_block(self, after: int | None, heading: str, lines: Sequence[str]) -> None:
        if after is None:
            tail = "".join(self._slots)
            gap = [""] if tail.strip() and not tail.endswith(("\n\n", "\r\n\r\n")) else []
            self._insert_after(len(self._slots) - 1, *gap, f"## {heading}", "", *lines)
        elif self._slots[after].startswith("## "):
            blank = after + 1 < len(self._slots) and not self._slots[after + 1].strip()
            self._insert_after(after + 1 if blank else after, *([] if blank else [""]), *lines)
        else:
            self._insert_after(after, *lines)

    def _insert_after(self, number: int, *lines: str) -> None:
        """Lines after a slot. A last line without an end gets one, and the file then ends as it did."""
        if not lines:
            return
        if number < 0:
            self._slots.append("")
            number = 0
        slot = self._slots[number]
        if slot and not _end(slot):
            self._slots[number] = slot + self._end + self._end.join(lines)
        else:
            self._slots[number] = slot + "".join(line + self._end for line in lines)


def _lines(text: str) -> list[str]:
    """Lines with their ends; only line feeds end a line."""
    parts = text.split("\n")
    return [part + "\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _end(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""


def _key(word: str) -> str:
    return word.partition("=")[0].replace("-", "_")


def _rewritten(found: re.Match[str], wanted: dict[str, str | None]) -> str:
    """A comment with the wanted values in the place of the old ones; what was set is taken out of ``wanted``."""
    out: list[str] = []
    for part in re.split(r"(\s+)", found[1]):
        key = _key(part)
        if not part.strip() or key not in wanted:
            out.append(part)
            continue
        value = wanted[key]
        if value is not None:
            out.append(f"{part.partition('=')[0]}={encode_value(value)}")
            wanted[key] = None
        elif out and not out[-1].strip():
            out.pop()
    return f"<!-- loopx:todo{''.join(out)}-->" if "".join(out).strip() else found[0][:0]
