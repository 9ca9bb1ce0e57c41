"""How a line of the state file looks (headings, boxes, bullets, code fences, metadata comments), and remarks on it.

What lies in a code fence is an example and no state, as in any Markdown; a comment puts
aside what lies in it. Source: the grammar of the active goal state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Literal

from ..model import Problem, Role

USER_HEADINGS: Final = ("user todo", "owner review reading queue", "owner reading queue")
AGENT_HEADINGS: Final = ("agent todo", "codex todo", "project agent todo")
ARCHIVE_HEADINGS: Final = ("todo archive", "work archive", "completed archive", "completed work")

INDENT_FIX: Final = "Write it as <!-- loopx:todo key=value --> on an indented line of its own below its todo."

MARKS: Final = {
    mark + end: status
    for mark, status in ((" ]", "open"), ("x]", "done"), ("X]", "done"), ("-]", "deferred"))
    for end in ("", " ", "\t")
}
"""What stands after ``- [`` in the line of a todo, and the status that it means."""

COMMENT: Final = r"<!--\s*loopx:todo(?=\s|-->)(.*?)-->"
"""A metadata comment as a regular expression; its one group holds the ``key=value`` tokens."""

Section = Literal["todos", "archive", "next_action", "other"]


def section_of(heading: str) -> tuple[Section, Role]:
    """What a section with this heading holds, and whose todos these are."""
    lowered = heading.lower()
    user = any(name in lowered for name in USER_HEADINGS)
    role: Role = "user" if user else "agent"
    if any(name in lowered for name in ARCHIVE_HEADINGS):
        return "archive", role
    if user or any(name in lowered for name in AGENT_HEADINGS):
        return "todos", role
    return "next_action" if lowered.startswith("next action") else "other", role


def heading_in(line: str) -> str:
    """The text of a heading of whatever level and place; empty where the line is none."""
    words = line.strip()
    return words.lstrip("#").strip() if words[:1] == "#" else ""


def front_value_at(lines: Sequence[str], number: int) -> tuple[str, int]:
    """The value of the key on a line of the front matter, on one line, and the number of the line after it.

    It may go on below, indented, as YAML folds it (``>``, ``|``, quotes, or plainly). What hangs below a key without a
    value, such as a list, belongs to it and is not read.
    """
    value = lines[number].partition(":")[2].strip()
    last = number
    below: list[str] = []
    for at in range(number + 1, len(lines)):
        words = lines[at].strip()
        if words and lines[at][0] not in " \t":
            break
        if words:
            below.append(words)
            last = at
    if below and value:
        block = value[0] in ">|" and not value[1:].strip("+-0123456789")
        value = " ".join(below if block else [value, *below])
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    return value, last + 1


def opens_fence(words: str) -> str:
    """The fence that a line without its indentation opens; empty where it opens none."""
    if words[:3] not in ("```", "~~~"):
        return ""
    rest = words.lstrip(words[0])
    return "" if words[0] == "`" and "`" in rest else words[: len(words) - len(rest)]


def opens_block(words: str) -> str:
    """The fence, or ``<!--``, with which a line begins a block of code or a comment that goes on below.

    Empty where it begins neither. Metadata that lacks its end is no such comment: it hides nothing but itself.
    """
    if words[:4] == "<!--":
        return "" if "-->" in words or "loopx:todo" in words else "<!--"
    return opens_fence(words)


def closes_fence(fence: str, words: str) -> bool:
    """Whether a line without its indentation closes this fence, or this comment.

    The end of metadata ends no comment around it: whoever puts todos aside puts their metadata aside with them.
    """
    if fence == "<!--":
        return "-->" in re.sub(COMMENT, "", words)
    return len(words) >= len(fence) and not words.strip(fence[0])


def outside_code(lines: Iterable[str]) -> Iterator[bool]:
    """For each line of a state file, without its end, whether it is no part of a block of code or of a long comment."""
    fence, inner, todo = "", False, False
    kind: Section = "other"
    for line in lines:
        words = line.strip()
        indented = line[:1] in (" ", "\t")
        if fence and (not inner or not words or indented):
            fence = "" if closes_fence(fence, words) else fence
            yield False
            continue
        # An indented block ends with the todo that it belongs to.
        fence = ""
        if indented:
            if todo or (kind != "next_action" and line[:4].strip() and "loopx:todo" not in words):
                # What is indented below a todo is its own, comments too: one that lacks its end hides no metadata.
                fence, inner = (opens_fence if todo else opens_block)(words), todo
        elif line[:3] == "## ":
            kind, todo = section_of(line[3:])[0], False
        elif line[:3] == "- [" and kind in ("todos", "archive") and line[3:6] in MARKS:
            todo = True
        elif words and not (todo and is_metadata(line)):
            fence, inner, todo = opens_block(words), False, False
        yield not fence


def looks_like_state(line: str) -> bool:
    """Whether a line would be read, were it not in a block of code."""
    if line[:3] == "## ":
        return section_of(line[3:])[0] != "other"
    return line[:3] == "- [" or "loopx:todo" in line


def is_box(line: str) -> bool:
    """Whether a line that is no todo was probably meant as one."""
    rest = line[1:].lstrip() if line[:1] in ("-", "*", "+") else ""
    return rest[:1] == "[" and rest.find("]") in (1, 2)


def is_open_box(line: str) -> bool:
    """Whether a line has an empty box of any list marker."""
    return line[:1] in ("-", "*", "+") and line[1:].lstrip()[:4].rstrip() == "[ ]"


def is_bullet(word: str) -> bool:
    return word in ("-", "*", "+") or (word[-1:] in (".", ")") and word[:-1].isdigit() and len(word) <= 10)


def is_metadata(words: str) -> bool:
    """Whether a line below a todo, without its indentation, is metadata rather than text."""
    return words[:4] == "<!--" and "loopx:todo" in words


def comments(words: str) -> tuple[str, bool]:
    """The tokens of all metadata comments of a line, and whether the line is nothing but such comments."""
    bodies: list[str] = []

    def take(match: re.Match[str]) -> str:
        bodies.append(match[1])
        return ""

    rest = re.sub(COMMENT, take, words)
    return " ".join(bodies), not rest.strip()


class Remarks:
    """What is said about lines that belong to no todo, in the order of the file."""

    __slots__ = ("file", "problems")

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []

    def say(self, line: int, message: str, fix: str = "", breaks: bool = False) -> None:
        self.problems.append(Problem(message, f"{self.file}:{line}", fix, "", breaks))

    def lost_comment(self, line: int, breaks: bool) -> None:
        self.say(line, "A loopx:todo comment belongs to no todo.", INDENT_FIX, breaks)

    def box(self, line: int) -> None:
        fix = "Begin it with '- [ ] ', '- [x] ' or '- [-] ' at the start of the line."
        self.say(line, "A line looks like a todo but is none.", fix)

    def stray(self, lines: list[int], section: str) -> None:
        """Empty boxes in a section that is no todo list."""
        many = f"{len(lines)} lines look like todos" if len(lines) > 1 else "A line looks like a todo"
        place = f"the section {section[:60]!r}" if section else "what comes before the first section"
        fix = "Move what is one below a heading such as '## Agent Todo' or '## User Todo'."
        self.say(lines[0], f"{many}, but {place} is no todo list.", fix)

    def odd_heading(self, line: int, words: str) -> None:
        """A heading of a todo list that is written in another way."""
        heading = heading_in(words)
        if heading and section_of(heading)[0] != "other":
            said = f"The heading {heading[:60]!r} begins no section, since it does not begin with '## '."
            self.say(line, said, "Begin it with '## ' at the start of the line.")

    def unclosed(self, fence: str, line: int, lost: bool) -> None:
        """A code fence or comment without its end; ``lost`` is whether something that looks like state stands in it."""
        said = f"The {'comment' if fence == '<!--' else 'block of code'} that begins here does not end"
        said += ", and what looks like state in it is not read." if lost else "."
        fix = "Close it with -->." if fence == "<!--" else "Close it with the marks that open it."
        self.say(line, said, fix, lost)
