"""What a goal state says beside its todos: its front matter, and the bullets under Next Action."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Final

from ..errors import StateError
from ..project.lines import closes_fence, front_value_at, is_bullet, opens_block, section_of
from .state_lines import StateLines, end_of, one_line

FENCE: Final = "---"
NEXT_ACTION: Final = "Next Action"


def front_value(value: str) -> str:
    """A value of the front matter, in quotes where YAML would take it for something else than a text."""
    if value[:1] not in tuple("\"'[]{}&*!|>%@`#-?:,") and ": " not in value and " #" not in value and value[-1:] != ":":
        return value
    mark = '"' if not set('"\\') & set(value) else "'" if "'" not in value else '"'
    return f"{mark}{value}{mark}"


class StateProse(StateLines):
    """Surgery on front matter and Next Action."""

    def set_front(self, key: str, value: str) -> None:
        """One line of the front matter, which is made where there is none. Of a key given twice, the last counts; a
        value of many lines becomes one of one.
        """
        text = front_value(one_line(value))
        if not self.lines or self.lines[0].rstrip() != FENCE:
            self.head = self.ended([FENCE, f"{key}: {text}", FENCE, ""])
            return
        found, close = self._front(key)
        if found is None:
            self.insert(close - 1, self.ended([f"{key}: {text}"]))
            return
        old, after = front_value_at(self.lines, found)
        if old != one_line(value):
            line = self.lines[found]
            self.lines[found] = f"{line.partition(':')[0]}: {text}{end_of(line)}"
            self.gone.update(range(found + 1, after))

    def set_next_actions(self, bullets: Sequence[str]) -> None:
        """The bullets under Next Action, all of them. Those that stay keep their lines; prose between them stays."""
        wanted = [text for text in map(one_line, bullets) if text]
        old, home = self._bullets()
        if home is None:
            if wanted:
                self.add_section(NEXT_ACTION, self.ended(f"- {text}" for text in wanted))
            return
        start, stop = home
        texts = [text for _, text in old]
        if texts and texts[:1] != wanted[:1] and self.lines[old[0][0][0]][0] in " \t":
            # Only the first bullet may stand indented: behind another one it would be read as its continuation.
            texts[0] = ""
        matcher = SequenceMatcher(None, texts, wanted, autojunk=False)
        for what, first, last, start_new, stop_new in matcher.get_opcodes():
            if what == "equal":
                continue
            for numbers, _ in old[first:last]:
                self.gone.update(numbers)
            lines = self.ended(f"- {text}" for text in wanted[start_new:stop_new])
            if not lines:
                continue
            if old:
                beside = old[first - 1 if first else first][0]
                # Before the first bullet means after the line above it, which is the heading at least.
                self.insert(beside[-1] if first else beside[0] - 1, lines)
            else:
                self.fill_section(start, stop, lines)

    def set_only_line(self, heading: str, old: str, new: str) -> None:
        """The line of a section that says what ``old`` says and nothing else; any other section stays as it is."""
        for start, stop, found in self.sections():
            if found.lower() == heading:
                spoken = [number for number in range(start + 1, stop) if self.lines[number].strip()]
                if len(spoken) == 1 and old and self.lines[spoken[0]].strip() == old:
                    self.lines[spoken[0]] = one_line(new) + end_of(self.lines[spoken[0]])
                return

    def _front(self, key: str) -> tuple[int | None, int]:
        """The line of a key, if there is one, and the line that closes the front matter."""
        found = None
        for number in range(1, len(self.lines)):
            line = self.lines[number].rstrip()
            if line == FENCE:
                return found, number
            if line[:3] == "## ":
                break
            name, colon, _ = line.partition(":")
            if colon and name.strip() == key and not name[0].isspace():
                found = number
        raise StateError("The front matter has no closing --- line.", at=f"{self.file}:1", fix="Close it.")

    def _bullets(self) -> tuple[list[tuple[list[int], str]], tuple[int, int] | None]:
        """Each bullet with text as its lines and its text, as the parser reads it; and the last section for them."""
        found: list[tuple[list[int], list[str]]] = []
        home = None
        for start, stop, heading in self.sections():
            if section_of(heading)[0] != "next_action":
                continue
            home, fence = (start, stop), ""
            for number in range(start + 1, stop):
                line = self.lines[number]
                words = line.strip()
                head, _, rest = words.partition(" ")
                indented = line[:1] in (" ", "\t")
                opened = "" if indented else opens_block(words)
                if fence or opened or not words:
                    fence = "" if fence and closes_fence(fence, words) else fence or opened
                elif is_bullet(head) and not (indented and found):
                    found.append(([number], [rest.strip()]))
                elif indented and found:
                    found[-1][0].append(number)
                    found[-1][1].append(words)
        bullets = [(numbers, one_line(" ".join(parts))) for numbers, parts in found]
        return [bullet for bullet in bullets if bullet[1]], home
