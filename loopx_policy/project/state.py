"""The active goal state: Markdown to ``State``, with the line of every todo.

One pass over the lines. What is neither a todo, nor metadata, nor a Next Action bullet is left alone.
Source: the grammar of the active goal state.

Defaults of ``task_class``: an agent todo without one is an ``advancement_task``, or a
``continuous_monitor`` where its marker says so (``[P1-monitor]``); a user todo keeps the empty string.
"""

from __future__ import annotations

import gc
import os
import re
import stat
from collections.abc import Sequence
from typing import Any, Final

from ..model import NextAction, Problem, Role, State, Todo
from .contract import check_contract
from .metadata import TODO_ID_BIT, Token, read_token
from .todo_text import RANKS, default_class, derived_id, ids_in, priority_of

STATE_LIMIT: Final = 32 * 1024 * 1024
"""Bytes of the largest state file that is read."""

USER_HEADINGS: Final = ("user todo", "owner review reading queue", "owner reading queue")
AGENT_HEADINGS: Final = ("agent todo", "codex todo", "project agent todo")
ARCHIVE_HEADINGS: Final = ("todo archive", "work archive", "completed archive", "completed work")

_MARKS: Final = {
    mark + end: status
    for mark, status in ((" ]", "open"), ("x]", "done"), ("X]", "done"), ("-]", "deferred"))
    for end in ("", " ", "\t")
}
_LARGE: Final = 200_000
_MEMO_LIMIT: Final = 20_000
_USUAL: Final = "<!-- loopx:todo todo_id=todo_"
_ID: Final = "abcdefghijklmnopqrstuvwxyz0123456789_-"
_INDENT_FIX: Final = "Write it as <!-- loopx:todo key=value --> on an indented line of its own below its todo."


def read_state(path: str, *, file: str, agents: Sequence[str] = (), limit: int = STATE_LIMIT) -> State:
    """The state in ``path``; ``file`` is the name shown to people. Never raises on a bad file."""
    try:
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            return _unreadable(file, "is a folder, not a file", "Point state_file at the Markdown file.")
        if not stat.S_ISREG(status.st_mode):
            return _unreadable(file, "is not a regular file", "Point state_file at the Markdown file.")
        if status.st_size > limit:
            said = f"has {status.st_size} bytes, more than the {limit} that are read"
            return _unreadable(file, said, "Move finished todos to an archive file.")
        with open(path, "rb") as stream:
            data = stream.read(limit + 1)
    except FileNotFoundError:
        return _unreadable(file, "does not exist", "Create it, or correct state_file in the registry.")
    except (OSError, ValueError) as error:
        said = f"cannot be read ({getattr(error, 'strerror', None) or 'bad name'})"
        return _unreadable(file, said, "Correct its permissions or its place.")
    return state_of(data, file=file, agents=agents, limit=limit)


def state_of(data: bytes, *, file: str, agents: Sequence[str] = (), limit: int = STATE_LIMIT) -> State:
    """The state in the bytes of a file; ``readable`` is false where they are no state."""
    if len(data) > limit:
        return _unreadable(
            file, f"has more than the {limit} bytes that are read", "Move finished todos to an archive file."
        )
    if b"\0" in data:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        return _unreadable(file, "is binary, not Markdown", "Restore it from version control.", line)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return _unreadable(file, "is not UTF-8", "Save it as UTF-8.", line)
    if not text.strip("\ufeff \t\r\n"):
        return _unreadable(file, "is empty", "Restore it from version control, or write its sections anew.")
    return parse_state(text, file=file, agents=agents)


def parse_state(text: str, *, file: str = "", agents: Sequence[str] = ()) -> State:
    """The state in ``text``: todos, archived todos, Next Action bullets, and every problem.

    ``agents`` are the goal's registered agents, for the contract of user gates.
    """
    state = State(file=file)
    if text[:1] == "\ufeff":
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    # A large state makes hundreds of thousands of objects, none of them garbage: the collector would
    # only walk them over and over.
    pause = len(text) > _LARGE and gc.isenabled()
    if pause:
        gc.disable()
    try:
        _Pass(state, file).run(text.split("\n"))
        state.problems += check_contract(state.todos, agents, file, state.archived)
    finally:
        if pause:
            gc.enable()
    return state


Plan = tuple[int, Sequence[tuple[str, Any]]]


class _Pass:
    """The one pass over the lines of a state file, and what it keeps on the way."""

    __slots__ = ("bullets", "continued", "file", "memo", "numbers", "prose", "state", "troubles")

    def __init__(self, state: State, file: str) -> None:
        self.state = state
        self.file = file
        self.numbers: dict[int, list[int]] = {id(state.todos): [], id(state.archived): []}
        self.continued: list[tuple[Todo, list[str]]] = []
        self.troubles: list[tuple[Todo, int, Token]] = []
        self.bullets: list[tuple[int, list[str]]] = []
        self.prose: list[tuple[int, str, bool]] = []
        self.memo: dict[str, Token] = {}

    def run(self, lines: list[str]) -> None:
        start = self._front_matter(lines)
        active, archived = self.state.todos, self.state.archived
        plans: dict[str, Plan] = {}
        target: list[Todo] | None = None
        numbers: list[int] = []
        role: Role = "agent"
        section = ""
        bullets = False
        todo: Todo | None = None
        more: list[str] | None = None
        order = count = mask = 0
        for number, line in enumerate(lines[start:] if start else lines, start + 1):
            mark = line[:1]
            if (
                mark == "-"
                and target is not None
                and line[:3] == "- ["
                and (status := _MARKS.get(line[3:6])) is not None
            ):
                body = line[6:].strip()
                rank = RANKS.get(body[:4])
                if rank is None:
                    rank = priority_of(body)
                todo = Todo("", role, body, number, number, section, order, rank, status)
                target.append(todo)
                numbers.append(count)
                order += 1
                count += 1
                mask = 0
                more = None
                if "loopx:todo" in body:
                    self.troubles.append((todo, number, _MISPLACED))
            elif mark == " " or mark == "\t" or (todo is not None and line[:4] == "<!--" and "loopx:todo" in line):
                words = line.strip()
                if not words:
                    continue
                if todo is None:
                    if bullets:
                        self._next_action(number, words, True)
                    elif "loopx:todo" in words:
                        self.prose.append((number, _LOST, target is active))
                    continue
                todo.last_line = number
                # Nearly every todo has one comment that begins with its id, and few of the rest differ:
                # what the rest of such a comment sets is remembered as a whole.
                if words[:29] == _USUAL and words[-3:] == "-->" and not mask:
                    name, _, rest = words[29:-3].partition(" ")
                    if 3 <= len(name) <= 64 and not name.strip(_ID):
                        plan = plans.get(rest)
                        if plan is None:
                            if len(plans) >= _MEMO_LIMIT:
                                plans.clear()
                            plan = plans[rest] = self._plan(rest)
                        mask = plan[0]
                        if mask:
                            todo.todo_id = "todo_" + name
                            for field, value in plan[1]:
                                setattr(todo, field, value)
                            continue
                if words[:4] == "<!--" and "loopx:todo" in words:
                    mask = self._metadata(todo, number, words, mask)
                    continue
                if more is None:
                    more = [todo.text]
                    self.continued.append((todo, more))
                more.append(words)
                if "loopx:todo" in words:
                    self.troubles.append((todo, number, _MISPLACED))
            elif not mark:
                continue
            elif mark == "#" and line[:3] == "## ":
                section = line[3:].strip()
                lowered = section.lower()
                todo, target, bullets = None, None, False
                user = any(heading in lowered for heading in USER_HEADINGS)
                if any(heading in lowered for heading in ARCHIVE_HEADINGS):
                    target, role = archived, "user" if user else "agent"
                elif user or any(heading in lowered for heading in AGENT_HEADINGS):
                    target, role = active, "user" if user else "agent"
                else:
                    bullets = lowered.startswith("next action")
                if target is not None:
                    numbers = self.numbers[id(target)]
                    order, count = len(target), 1
            else:
                todo = None
                if bullets:
                    self._next_action(number, line, False)
                elif target is not None and _almost(line):
                    self.prose.append((number, _NEARLY, False))
                if line[:4] == "<!--" and "loopx:todo" in line:
                    self.prose.append((number, _LOST, target is active))
        self._finish()

    def _plan(self, rest: str) -> Plan:
        """The known keys of a comment and the fields that they set; ``(0, ())`` where it takes a closer look."""
        mask = TODO_ID_BIT
        sets = []
        for word in rest.split():
            token = self._token(word)
            if not token.field or token.trouble is not None or mask & token.bit:
                return 0, ()
            mask |= token.bit
            sets.append((token.field, token.value))
        return mask, sets

    def _metadata(self, todo: Todo, number: int, words: str, mask: int) -> int:
        """Read all metadata comments of a line into the todo; return the mask of the keys seen so far."""
        body, whole = _comments(words)
        if not whole:
            self.troubles.append((todo, number, _MISPLACED))
        for word in body.split():
            token = self._token(word)
            if token.field:
                setattr(todo, token.field, token.value)
            elif not token.bit and token.key:
                todo.extra[token.key] = token.value
            if mask & token.bit:
                self.troubles.append((todo, number, _repeated(token.key)))
            mask |= token.bit
            if token.trouble is not None:
                self.troubles.append((todo, number, token))
        return mask

    def _token(self, word: str) -> Token:
        token = self.memo.get(word)
        if token is None:
            if len(self.memo) >= _MEMO_LIMIT:
                self.memo.clear()
            token = self.memo[word] = read_token(word)
        return token

    def _front_matter(self, lines: list[str]) -> int:
        """Read ``---`` ... ``---`` at the head of the file; return the index of the first line after it."""
        if lines[0].rstrip() != "---":
            return 0
        for number in range(1, len(lines)):
            line = lines[number].rstrip()
            if line == "---":
                return number + 1
            if line[:3] == "## ":
                break
            key, colon, value = line.partition(":")
            if colon and key and not key[0].isspace() and key[0] != "#":
                value = value.strip()
                if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'":
                    value = value[1:-1]
                self.state.front[key.strip()] = value
        self.state.front.clear()
        self.prose.append((1, "The front matter has no closing --- line and is ignored.", False))
        return 1

    def _next_action(self, number: int, line: str, indented: bool) -> None:
        words = line.strip()
        head, _, rest = words.partition(" ")
        if _is_bullet(head) and not (indented and self.bullets):
            self.bullets.append((number, [rest.strip()]))
        elif indented and self.bullets:
            self.bullets[-1][1].append(words)
        elif words and words[:4] != "<!--":
            self.prose.append((number, "A line under Next Action is no bullet and is not read.", False))

    def _finish(self) -> None:
        state, file = self.state, self.file
        for todo, parts in self.continued:
            todo.text = " ".join(parts).strip()
        for todos in (state.todos, state.archived):
            numbers = self.numbers[id(todos)]
            for todo in todos:
                if not todo.task_class:
                    todo.task_class = default_class(todo.role, todo.text)
                if not todo.todo_id:
                    todo.todo_id = derived_id(todo.role, todo.section, numbers[todo.order], todo.text)
        for line, message, breaks in self.prose:
            fix = _INDENT_FIX if message is _LOST else _BULLET_FIX if message is _NEARLY else ""
            state.problems.append(Problem(message, f"{file}:{line}", fix, "", breaks))
        history = {id(todo) for todo in state.archived} if self.troubles else frozenset()
        for todo, line, token in self.troubles:
            # A status that cannot be read may hide an open todo, so it always counts as one.
            settled = (todo.status == "done" and token.key != "status") or id(todo) in history
            fix = "Correct it." if token.bad else _INDENT_FIX if token is _MISPLACED else ""
            breaks = token.bad and not settled
            state.problems.append(
                Problem(f"{todo.todo_id}: {token.trouble}.", f"{file}:{line}", fix, todo.todo_id, breaks)
            )
        known = {todo.todo_id for todo in state.todos} if self.bullets else frozenset[str]()
        for line, parts in self.bullets:
            text = " ".join(parts).strip()
            if text:
                state.next_actions.append(NextAction(text, line, ids_in(text, known)))


def _comments(words: str) -> tuple[str, bool]:
    """The tokens of all metadata comments of a line, and whether the line is nothing but such comments."""
    bodies: list[str] = []

    def take(match: re.Match[str]) -> str:
        bodies.append(match[1])
        return ""

    rest = re.sub(r"<!--\s*loopx:todo(?=\s|-->)(.*?)-->", take, words)
    return " ".join(bodies), not rest.strip()


def _is_bullet(word: str) -> bool:
    return word in ("-", "*", "+") or (word[-1:] in (".", ")") and word[:-1].isdigit() and len(word) <= 10)


def _almost(line: str) -> bool:
    """Whether a line that is no todo was probably meant as one."""
    rest = line[1:].lstrip() if line[0] in "-*+" else ""
    return rest[:1] == "[" and rest.find("]") in (1, 2)


def _repeated(key: str) -> Token:
    return Token(0, "", "", f"{key} is given more than once; the last one counts", False, key)


def _unreadable(file: str, said: str, fix: str, line: int = 0) -> State:
    at = f"{file}:{line}" if line else file
    return State(file=file, readable=False, problems=[Problem(f"The state file {said}.", at, fix)])


_LOST: Final = "A loopx:todo comment belongs to no todo."
_NEARLY: Final = "A line looks like a todo but is none."
_BULLET_FIX: Final = "Begin it with '- [ ] ', '- [x] ' or '- [-] ' at the start of the line."
_MISPLACED: Final = Token(0, "", "", "a loopx:todo comment cannot be read where it stands", True, "")
