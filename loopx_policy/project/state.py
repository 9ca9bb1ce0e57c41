"""The active goal state: Markdown to ``State``, with the line of every todo.

One pass over the lines. What is neither a todo, nor metadata, nor a Next Action bullet is left alone; what only looks
like one is reported with its line. Source: the grammar of the active goal state.

Defaults of ``task_class``: an agent todo without one is an ``advancement_task``, or a
``continuous_monitor`` where its marker says so (``[P1-monitor]``); a user todo keeps the empty string.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from loopx_policy.collector import Paused

from ..model import NO_PRIORITY, NextAction, Problem, Role, State, Todo
from .contract import check_contract
from .files import open_regular, reason
from .lines import (
    MARKS,
    Remarks,
    closes_fence,
    comments,
    front_value_at,
    is_box,
    is_bullet,
    is_metadata,
    is_open_box,
    looks_like_state,
    opens_block,
    opens_fence,
    section_of,
)
from .metadata import MISPLACED, TODO_ID_BIT, UNCLOSED, Token, conflict, read_token
from .todo_text import RANKS, default_class, derived_id, ids_in, priority_of

STATE_LIMIT: Final = 32 * 1024 * 1024
"""Bytes of the largest state file that is read."""

_LARGE: Final = 200_000
_MEMO_LIMIT: Final = 20_000
_USUAL: Final = "<!-- loopx:todo todo_id=todo_"
_ID: Final = "abcdefghijklmnopqrstuvwxyz0123456789_-"


def read_state(path: str, *, file: str, agents: Sequence[str] = (), limit: int = STATE_LIMIT) -> State:
    """The state in ``path``; ``file`` is the name shown to people. Never raises on a bad file."""
    try:
        with open_regular(path) as stream:
            data = stream.read(limit + 1)
    except FileNotFoundError:
        return _unreadable(file, "does not exist", "Create it, or correct state_file in the registry.")
    except IsADirectoryError:
        return _unreadable(file, "is a folder, not a file", "Point state_file at the Markdown file.")
    except (OSError, ValueError) as error:
        return _unreadable(file, f"cannot be read ({reason(error)})", "Correct its permissions or its place.")
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
        hidden = re.search(r"\r[ \t]*(?:- \[|## |<!--)", text)
        if hidden:
            line = text.count("\n", 0, hidden.start()) + 1
            state.problems.append(Problem(_HIDDEN, f"{file}:{line}", "Save the file with line feeds as line ends."))
    with Paused(len(text) > _LARGE):
        _Pass(state, file).run(text.split("\n"))
        state.problems += check_contract(state.todos, agents, file, state.archived)
    return state


Plan = tuple[int, Sequence[tuple[str, Any]]]


class _Pass:
    """The one pass over the lines of a state file, and what it keeps on the way."""

    __slots__ = ("bare", "bullets", "continued", "file", "memo", "numbers", "remarks", "state", "troubles")

    def __init__(self, state: State, file: str) -> None:
        self.state = state
        self.file = file
        self.numbers: dict[int, list[int]] = {id(state.todos): [], id(state.archived): []}
        self.continued: list[tuple[Todo, list[str]]] = []
        self.troubles: list[tuple[Todo, int, Token]] = []
        self.bullets: list[tuple[int, list[str]]] = []
        self.remarks = Remarks(file)
        self.bare: list[Todo] = []
        self.memo: dict[str, Token] = {}

    def run(self, lines: list[str]) -> None:
        remarks = self.remarks
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
        fence, inner, code, lost = "", False, 0, False
        stray: list[int] = []
        for number, line in enumerate(lines[start:] if start else lines, start + 1):
            if fence:
                words = line.strip()
                if not words:
                    continue
                if not inner or line[0] in " \t":
                    if closes_fence(fence, words):
                        fence = ""
                    else:
                        lost = lost or looks_like_state(line)
                    if inner and todo is not None and more is not None:
                        more.append(words)
                        todo.last_line = number
                    continue
                # The todo is over, and with it the block of code inside it.
                remarks.unclosed(fence, code, lost)
                fence = ""
            mark = line[:1]
            if (
                mark == "-"
                and target is not None
                and line[:3] == "- ["
                and (status := MARKS.get(line[3:6])) is not None
            ):
                body = line[6:].strip()
                rank = RANKS.get(body[:4])
                if rank is None:
                    rank = priority_of(body)
                todo = Todo("", role, body, number, number, section, order, rank, status)
                target.append(todo)
                if len(body) < 13 and body[-1:] in ("", "]") and target is active:
                    self.bare.append(todo)
                numbers.append(count)
                order += 1
                count += 1
                mask = 0
                more = None
                if "loopx:todo" in body:
                    self.troubles.append((todo, number, MISPLACED))
            elif mark == " " or mark == "\t" or (todo is not None and line[:4] == "<!--" and "loopx:todo" in line):
                words = line.strip()
                if not words:
                    continue
                if todo is None:
                    if bullets:
                        self._next_action(number, words, True)
                    elif "loopx:todo" in words:
                        remarks.lost_comment(number, target is active)
                    elif words[0] in "`~<" and line[:4].strip() and (fence := opens_block(words)):
                        inner, code, lost = False, number, False
                    elif words[0] == "#":
                        remarks.odd_heading(number, words)
                    elif target is not None and is_box(words):
                        remarks.box(number)
                    elif target is None and is_open_box(words):
                        stray.append(number)
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
                if is_metadata(words):
                    mask = self._metadata(todo, number, words, mask)
                    continue
                if more is None:
                    more = [todo.text]
                    self.continued.append((todo, more))
                more.append(words)
                if words[0] in "`~#":
                    fence = opens_fence(words)
                    inner, code, lost = True, number, False
                    remarks.odd_heading(number, words)
                if "loopx:todo" in words:
                    self.troubles.append((todo, number, MISPLACED))
            elif not mark:
                continue
            elif mark == "#" and line[:3] == "## ":
                if stray:
                    remarks.stray(stray, section)
                    stray = []
                section = line[3:].strip()
                kind, role = section_of(section)
                todo, bullets = None, kind == "next_action"
                target = active if kind == "todos" else archived if kind == "archive" else None
                if target is not None:
                    numbers = self.numbers[id(target)]
                    order, count = len(target), 1
            else:
                todo = None
                if bullets:
                    self._next_action(number, line, False)
                if mark == "#":
                    remarks.odd_heading(number, line)
                elif mark in "`~<":
                    fence = opens_block(line.strip())
                    inner, code, lost = False, number, False
                elif target is not None and is_box(line):
                    remarks.box(number)
                elif target is None and not bullets and is_open_box(line):
                    stray.append(number)
                if line[:4] == "<!--" and "loopx:todo" in line:
                    remarks.lost_comment(number, target is active)
        if fence:
            remarks.unclosed(fence, code, lost)
        if stray:
            remarks.stray(stray, section)
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
        body, whole = comments(words)
        if not whole:
            ends = "-->" in words[words.rfind("<!--") :]
            self.troubles.append((todo, number, MISPLACED if ends else UNCLOSED))
        for word in body.split():
            token = self._token(word)
            if token.field:
                if mask & token.bit and getattr(todo, token.field) != token.value:
                    self.troubles.append((todo, number, conflict(token.key, True)))
                setattr(todo, token.field, token.value)
            elif not token.bit and token.key:
                if todo.extra.get(token.key, token.value) != token.value:
                    self.troubles.append((todo, number, conflict(token.key, False)))
                todo.extra[token.key] = token.value
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
            key, colon, _ = line.partition(":")
            if colon and key and not key[0].isspace() and key[0] != "#":
                self.state.front[key.strip()] = front_value_at(lines, number)[0]
        self.state.front.clear()
        self.remarks.say(1, "The front matter has no closing --- line and is ignored.")
        return 1

    def _next_action(self, number: int, line: str, indented: bool) -> None:
        words = line.strip()
        head, _, rest = words.partition(" ")
        if is_bullet(head) and not (indented and self.bullets):
            self.bullets.append((number, [rest.strip()]))
        elif indented and self.bullets:
            self.bullets[-1][1].append(words)
        elif words and words[:4] != "<!--":
            self.remarks.say(number, "A line under Next Action is no bullet and is not read.")

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
        state.problems += self.remarks.problems
        history = {id(todo) for todo in state.archived} if self.troubles else frozenset()
        for todo, line, token in self.troubles:
            # A status that cannot be read may hide an open todo, so it always counts as one.
            settled = (todo.status == "done" and token.about != "status") or id(todo) in history
            breaks = token.bad and not settled
            said = f"{todo.todo_id}: {token.trouble}."
            if token.bit and token.bad and token.key == "todo_id":
                said = f"{token.trouble}; until it is, the todo counts as {todo.todo_id}."
            state.problems.append(Problem(said, f"{file}:{line}", token.fix, todo.todo_id, breaks))
        for todo in self.bare:
            words = todo.text if todo.priority == NO_PRIORITY else todo.text.partition("]")[2]
            if not words.strip() and todo.status != "done":
                fix = "Say what is to be done, or remove it."
                said = f"{todo.todo_id} has no text."
                state.problems.append(Problem(said, f"{file}:{todo.line}", fix, todo.todo_id))
        known = {todo.todo_id for todo in state.todos} if self.bullets else frozenset[str]()
        for line, parts in self.bullets:
            text = " ".join(parts).strip()
            if text:
                state.next_actions.append(NextAction(text, line, ids_in(text, known)))


def _unreadable(file: str, said: str, fix: str, line: int = 0) -> State:
    at = f"{file}:{line}" if line else file
    return State(file=file, readable=False, problems=[Problem(f"The state file {said}.", at, fix)])


_HIDDEN: Final = "A carriage return without a line feed stands before what looks like state, which is not read."
