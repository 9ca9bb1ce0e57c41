"""Goal states as texts, with everything that people and programs leave in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

from loopx_policy.model import State, Todo
from loopx_policy.project.state import state_of
from loopx_policy.records import as_dict

AGENTS = ("builder", "writer")
HEADINGS = (
    "Agent Todo",
    "Codex Todo",
    "User Todo",
    "User Todo / Owner Review Reading Queue",
    "Project Agent Todo (lane)",
)
ARCHIVES = ("Agent Todo Archive", "Completed Work", "User Todo Archive")
FOREIGN = ("Notes", "Links", "Objective", "Decisions of März")
TEXTS = ("[P0] Mend the slip", "[P1-monitor] Watch  the tide", "Prüfe die Köder 🐟", "plain", "[x] odd", "a\tb", "")
LINES = (
    "prose", "  indented prose", "\ttabbed", "", "   ", "### Lane", "* [ ] no todo", "<!-- by hand -->", "| a | b |",
    "> quoted", "- plain bullet", "text with trailing blanks   ", "1. numbered", "Straße – ñ",
    "```\n## Agent Todo\n- [ ] an example\n  <!-- loopx:todo todo_id=todo_example -->\n```",
    "~~~~\n~~~\n- [ ] code\n~~~~",
    "<!-- put aside:\n\n## Agent Todo\n- [ ] an old one\n  <!-- loopx:todo todo_id=todo_old\n-->",
    "  <!--\n- [x] another\n  --> and prose",
)  # fmt: skip
BELOW = (
    "  more words", "\tmore by tab", "", "  ", "    - nested", "  <!-- another comment -->", "  trailing  ", "  ```",
    "  ```\n  <!-- loopx:todo claimed_by=nobody -->\n\n  ```",
)  # fmt: skip
METADATA = {
    "status": ("open", "done", "blocked", "deferred"),
    "task_class": ("advancement_task", "continuous_monitor", "blocker", "user_gate", "user_action"),
    "claimed_by": AGENTS,
    "blocks_agent": AGENTS,
    "required_write_scopes": ("src/**", "a/**,b/**"),
    "note": ("a%20note", "50%25", "%C3%BC", ""),
    "x_mood": ("calm%20sea", "a=b", ""),
    "x-Estimate": ("3h",),
    "next_due_at": ("2026-12-01T10:00:00Z",),
}  # fmt: skip
OBJECTIVES = ((), ("objective: Ebbe: und Flut",), ("objective: >-", "  Ebbe", "", "  und: Flut"))
SPELLINGS = (
    "<!-- loopx:todo {} -->", "<!--loopx:todo {}-->", "<!--  loopx:todo\t{}   -->", "<!-- loopx:todo {} --> ",
)  # fmt: skip


def _some(chance: Random, values: Sequence[str], most: int) -> list[str]:
    return [chance.choice(values) for _ in range(chance.randint(0, most))]


def _comment_lines(chance: Random, todo_id: str) -> list[str]:
    """Metadata as somebody wrote it: any number of lines, any spelling that the reader takes."""
    keys = chance.sample(sorted(METADATA), chance.randint(0, 4))
    words = [f"{key}={chance.choice(METADATA[key])}" for key in keys]
    if todo_id:
        words.insert(chance.randint(0, len(words)), f"todo_id={todo_id}")
    words = [word.replace("_", "-", 1) if chance.random() < 0.2 else word for word in words]
    lines = []
    while words:
        count = chance.randint(1, len(words))
        indent = chance.choice(("  ", "\t", "    ", ""))
        lines.append(indent + chance.choice(SPELLINGS).format(" ".join(words[:count])))
        words = words[count:]
    if len(lines) > 1 and chance.random() < 0.2:
        lines = [lines[0] + lines[1].strip(), *lines[2:]]
    return lines


def _todo(chance: Random, number: int) -> list[str]:
    todo_id = f"todo_{number:03}" if chance.random() < 0.75 else ""
    below = _comment_lines(chance, todo_id) if todo_id or chance.random() < 0.8 else []
    for line in _some(chance, BELOW, 2):
        below.insert(chance.randint(0, len(below)), line)
    return [f"- [{chance.choice(' xX-')}] {chance.choice(TEXTS)}{chance.choice(('', ' ', '  '))}", *below]


def state_bytes(chance: Random, todos: int = 0) -> bytes:
    """The bytes of a readable goal state, with at least so many todos."""
    lines: list[str] = []
    if chance.random() < 0.5:
        lines += ["---", "status: active", *chance.choice(([], ["owner: 'me'"], ["# note", "odd line"]))]
        lines += [*chance.choice(OBJECTIVES), "---", ""]
    elif chance.random() < 0.5:
        lines += ["# Goal", ""]
    number = 0
    every = (*HEADINGS, *HEADINGS, *ARCHIVES, *FOREIGN, "Next Action", "Next Action (lane)")
    sections = _some(chance, every, 6) + ([chance.choice(HEADINGS)] if todos else [])
    for place, heading in enumerate(sections):
        lines += [f"## {heading}{chance.choice(('', ' '))}", *_some(chance, ("", "prose", "  "), 2)]
        if heading.startswith("Next"):
            bullets = ("- go", "* todo_001 first", "  more", "- ", "prose between", "  - nested", "2) x")
            lines += _some(chance, bullets, 4)
        elif heading not in FOREIGN:
            for _ in range(chance.randint(todos if place == len(sections) - 1 else 0, 3)):
                lines += [*_todo(chance, number), *_some(chance, ("", "prose between", "### part"), 1)]
                number += 1
        lines += _some(chance, LINES, 3)
    kind = chance.choice(("\n", "\n", "\r\n", "mixed"))
    lines = [part for line in lines for part in line.split("\n")]
    ends = [chance.choice(("\n", "\r\n")) if kind == "mixed" else kind for _ in lines]
    text = "".join(line + end for line, end in zip(lines, ends, strict=True))
    if chance.random() < 0.25:
        text = text.rstrip("\r\n")
    text = text if text.strip() else "# Goal\n"
    return (("\ufeff" if chance.random() < 0.2 else "") + text).encode()


def texts(todos: int = 0) -> st.SearchStrategy[bytes]:
    """Goal states with at least so many todos. From a seed each: drawn choice by choice, they cost too much."""
    return st.integers(0, 2**32 - 1).map(lambda seed: state_bytes(Random(seed), todos))


def read(data: bytes) -> State:
    """What the program reads in a state."""
    state = state_of(data, file="STATE.md", agents=AGENTS)
    assert state.readable, state.problems
    return state


@dataclass
class Meaning:
    """A state without the places of its parts: what an edit is meant to change, and nothing else."""

    front: dict[str, str]
    todos: list[dict[str, object]]
    archived: list[dict[str, object]]
    next_actions: list[str]


def meaning(data: bytes) -> Meaning:
    """The meaning of a state's bytes."""
    state = read(data)
    return Meaning(
        dict(state.front),
        [fields(todo) for todo in state.todos],
        [fields(todo) for todo in state.archived],
        [action.text for action in state.next_actions],
    )


def fields(todo: Todo) -> dict[str, object]:
    """A todo without its place in the file."""
    return {name: value for name, value in as_dict(todo).items() if name not in ("line", "last_line", "order")}


def lines(data: bytes) -> list[bytes]:
    """The lines of a text with their ends."""
    return data.split(b"\n")
