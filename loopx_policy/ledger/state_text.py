"""Surgery on the text of a goal state: a command changes the lines that it names, and no other byte.

A todo whose id is not written down gets it written where a change would give it another: when it is changed or
moved itself, or when one before it in its list goes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from ..model import Role, State, Todo
from ..project.lines import closes_fence, is_metadata, opens_fence, section_of
from .comments import appended, comments, rewritten, written
from .state_lines import end_of, one_line
from .state_prose import StateProse

MARKS: Final = {"open": " ", "done": "x", "deferred": "-", "blocked": " "}
HEADINGS: Final[dict[Role, str]] = {"user": "User Todo", "agent": "Agent Todo"}
ARCHIVES: Final[dict[Role, str]] = {"user": "User Todo Archive", "agent": "Agent Todo Archive"}


class StateText(StateProse):
    """The text of a goal state under the knife; ``state`` is what the parser made of the same bytes."""

    def __init__(self, data: bytes, state: State) -> None:
        super().__init__(data, state.file)
        self._state = state

    def set_mark(self, todo: Todo, status: str) -> None:
        """The checkbox of a todo."""
        line = self.lines[todo.line - 1]
        self.lines[todo.line - 1] = f"- [{MARKS[status]}]{line[line.index(']') + 1 :]}"

    def set_text(self, todo: Todo, text: str) -> None:
        """The wording of a todo; lines that continued the old wording go."""
        self.set_metadata(todo, {})
        line = self.lines[todo.line - 1]
        self.lines[todo.line - 1] = f"{line[: line.index(']') + 1]} {one_line(text)}{end_of(line)}"
        kept = {number for number, more in self._places(todo) if more < 0}
        self.gone.update(
            number for number in range(todo.line, todo.last_line) if self._says(number) and number not in kept
        )

    def set_metadata(self, todo: Todo, changes: Mapping[str, str | None]) -> None:
        """Set keys of a todo, or take them out (``None``). A todo without a written id gets its id written down."""
        places = self._places(todo)
        lines = [self._at(place) for place in places]
        wanted = dict(changes)
        if written(lines).get("todo_id") != todo.todo_id:
            wanted = {"todo_id": todo.todo_id, **wanted}
        changed, new = rewritten(lines, wanted)
        for place, line in zip(reversed(places), reversed(changed), strict=True):
            self._put(place, line)
        if new:
            self._add_metadata(todo, new)

    def add(
        self, role: Role, text: str, metadata: Mapping[str, str], status: str = "open", *, section: str = ""
    ) -> None:
        """A new todo at the end of a list of its role: of that heading, or the first; made where there is none."""
        lines = self.ended([f"- [{MARKS[status]}] {one_line(text)}", *comments(metadata)])
        self._add_to_list(archive=False, role=role, lines=lines, section=section)

    def archive(self, todos: Sequence[Todo]) -> None:
        """Move todos, as they stand, to the ends of the archives of their roles. No id changes by it."""
        self._pin_after(todos)
        moved: dict[Role, list[str]] = {}
        for todo in todos:
            self.set_metadata(todo, {})
            lines = moved.setdefault(todo.role, [])
            for number in range(todo.line - 1, todo.last_line):
                if number not in self.gone:
                    lines.append(self.lines[number])
                    self.gone.add(number)
                lines += self.own.pop(number, ())
        for role, lines in moved.items():
            ended = [line if end_of(line) else line + self.end for line in lines]
            self._add_to_list(archive=True, role=role, lines=ended)

    def metadata(self, todo: Todo) -> dict[str, str]:
        """The metadata of a todo as it is written, percent encoding undone."""
        return written([self._at(place) for place in self._places(todo)])

    def is_written(self, todo: Todo) -> bool:
        """Whether the id of a todo stands in its metadata; else it is derived."""
        return self.metadata(todo).get("todo_id") == todo.todo_id

    def _places(self, todo: Todo) -> list[tuple[int, int]]:
        """The metadata lines of a todo: the number of a line, and -1 or the number of a line inserted after it."""
        places = []
        fence = ""
        for number in range(todo.line - 1, todo.last_line):
            words = self.lines[number].strip()
            if fence and self.lines[number][:1] in (" ", "\t", "\r", "\n"):
                fence = "" if closes_fence(fence, words) else fence
            elif number >= todo.line and number not in self.gone:
                fence = opens_fence(words)
                if is_metadata(words):
                    places.append((number, -1))
            places += [(number, more) for more in range(len(self.own.get(number, ())))]
        return places

    def _at(self, place: tuple[int, int]) -> str:
        number, more = place
        return self.lines[number] if more < 0 else self.own[number][more]

    def _put(self, place: tuple[int, int], line: str | None) -> None:
        number, more = place
        if more >= 0:
            self.own[number][more : more + 1] = [] if line is None else [line]
        elif line is None:
            self.gone.add(number)
        else:
            self.lines[number] = line

    def _add_metadata(self, todo: Todo, metadata: Mapping[str, str]) -> None:
        places = self._places(todo)
        number, more = places[-1] if places else (todo.line - 1, -1)
        line = appended(self._at(places[-1]), metadata) if places else None
        if line is not None:
            self._put(places[-1], line)
            return
        end = end_of(self.lines[number]) or self.end
        new = [line + end for line in comments(metadata, self._indent(todo))]
        self.own.setdefault(number, [])[more + 1 : more + 1] = new

    def _indent(self, todo: Todo) -> str:
        """The indentation of what stands below a todo."""
        for number in range(todo.line, todo.last_line):
            line = self.lines[number]
            if line.strip() and line[0] in " \t":
                return line[: len(line) - len(line.lstrip(" \t"))]
        return "  "

    def _says(self, number: int) -> bool:
        return bool(self.lines[number].strip())

    def _pin_after(self, todos: Collection[Todo]) -> None:
        """Write down the ids that would change, since they count how many todos stand before theirs."""
        leaving = {todo.line for todo in todos}
        first: dict[tuple[Role, str], int] = {}
        for todo in todos:
            place = (todo.role, todo.section)
            first[place] = min(todo.line, first.get(place, todo.line))
        for todo in self._state.todos:
            after = first.get((todo.role, todo.section), todo.line)
            if todo.line > after and todo.line not in leaving and not self.is_written(todo):
                self.set_metadata(todo, {})

    def _add_to_list(self, *, archive: bool, role: Role, lines: Sequence[str], section: str = "") -> None:
        """Lines at the end of a todo list; an empty list takes them too, and where there is none, it is made."""
        listed = [todo for todo in (self._state.archived if archive else self._state.todos) if todo.role == role]
        heading = section if any(todo.section == section for todo in listed) else listed[0].section if listed else ""
        if listed:
            self.insert(max(todo.last_line for todo in listed if todo.section == heading) - 1, lines)
            return
        kind = "archive" if archive else "todos"
        fitting = [each for each in self.sections() if section_of(each[2]) == (kind, role)]
        if fitting:
            start, stop, _ = next((each for each in fitting if each[2] == section), fitting[0])
            self.fill_section(start, stop, lines)
        else:
            self.add_section((ARCHIVES if archive else HEADINGS)[role], lines)
