"""What holds for every state file: no line is lost, no line is read twice, nothing raises."""

from __future__ import annotations

from urllib.parse import quote

from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.model import State
from loopx_policy.project.grammar import STATUSES, TASK_CLASSES
from loopx_policy.project.state import parse_state, state_of

PIECES = [
    "## Agent Todo",
    "## User Todo",
    "## Todo Archive",
    "## Next Action",
    "## Notes",
    "# Title",
    "---",
    "- [ ] [P1] one",
    "- [x] two",
    "- [-] three",
    "- [ ]",
    "- bullet todo_a01",
    "  more text",
    "\tmore",
    "",
    "   ",
    "prose",
    "  <!-- loopx:todo todo_id=todo_a01 status=open -->",
    "  <!-- loopx:todo status=done mood=x -->",
    "<!-- loopx:todo status=nope -->",
    "  <!-- loopx:todo broken",
    "  <!-- other -->",
    "* [ ] four",
    "### User Todo",
    "```",
    "~~~~ sh",
    "  ~~~",
]
LINES = st.lists(
    st.sampled_from(PIECES) | st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=20)
)
WORDS = st.text("abcdefgh ", min_size=1, max_size=20).map(str.strip).filter(bool)


def spans(state: State) -> list[tuple[int, int]]:
    return sorted((todo.line, todo.last_line) for todo in state.todos + state.archived)


@given(LINES)
def test_every_line_is_part_of_one_todo_or_of_none(lines: list[str]) -> None:
    state = parse_state("\n".join(lines), file="S.md")
    taken: set[int] = set()
    for first, last in spans(state):
        span = set(range(first, last + 1))
        assert 1 <= first <= last <= len(lines)
        assert not span & taken
        assert lines[first - 1].startswith("- [")
        assert all(line[:1] in ("", " ", "\t", "<") for line in lines[first:last])
        taken |= span
    # Outside the spans there is no todo left in a todo list.
    section = ""
    for number, line in enumerate(lines, 1):
        if line.startswith("## "):
            section = line
        if number not in taken and ("Todo" in section) and line.startswith(("- [ ] ", "- [x] ", "- [-] ")):
            fences = [line for line in lines[:number] if line.strip().startswith(("```", "~~~"))]
            assert lines[0] == "---" or fences  # front matter, or a block of code
    for problem in state.problems:
        assert problem.at.startswith(("S.md:", "todos["))
        assert problem.message.endswith(".")


@given(st.binary(max_size=200))
def test_no_bytes_raise(data: bytes) -> None:
    state = state_of(b"## Agent Todo\n" + data, file="S.md")
    assert state.readable or state.problems


@given(LINES)
def test_line_ends_do_not_matter(lines: list[str]) -> None:
    text = "\n".join(lines)
    assert parse_state(text.replace("\n", "\r\n"), file="S.md") == parse_state(text, file="S.md")


PLAIN = [piece for piece in PIECES if "`" not in piece and "~" not in piece and piece != "---"]


@given(st.lists(st.sampled_from(PLAIN)), st.lists(st.sampled_from(PLAIN), max_size=6), st.lists(st.sampled_from(PLAIN)))
def test_a_block_of_code_is_prose(before: list[str], code: list[str], after: list[str]) -> None:
    for fence in ("```", "~~~", "`````"):
        marked = parse_state("\n".join([*before, f"{fence}sh", *code, fence, *after]), file="S.md")
        prose = parse_state("\n".join([*before, "prose", *["prose" for _ in code], "prose", *after]), file="S.md")
        assert (marked.todos, marked.archived, marked.next_actions) == (prose.todos, prose.archived, prose.next_actions)
        assert {p.at for p in marked.problems if p.breaks_contract} == {
            p.at for p in prose.problems if p.breaks_contract
        }


TODOS = st.fixed_dictionaries(
    {
        "status": st.sampled_from(STATUSES),
        "task_class": st.sampled_from(TASK_CLASSES),
        "claimed_by": st.sampled_from(["me", "you@host"]),
        "note": st.text(min_size=1, max_size=30),
        "target_key": st.text(min_size=1, max_size=10),
        "cadence": st.sampled_from(["30m", "2h"]),
        "required_write_scopes": st.sampled_from(["src/**", "a,b"]),
    },
)


@given(
    st.lists(st.tuples(WORDS, st.lists(WORDS, max_size=2), TODOS, st.integers(1, 8), st.randoms(use_true_random=False)))
)
def test_what_is_written_by_the_grammar_is_read_back(
    parts: list[tuple[str, list[str], dict[str, str], int, object]],
) -> None:
    out = ["## Agent Todo", ""]
    for number, (text, more, meta, step, rng) in enumerate(parts):
        out.append(f"- [ ] {text}")
        pairs = [f"{key}={quote(value, safe='')}" for key, value in meta.items()]
        rng.shuffle(pairs)  # type: ignore[attr-defined]
        pairs.insert(0, f"todo_id=todo_{number:03}")
        comments = [f"  <!-- loopx:todo {' '.join(pairs[i : i + step])} -->" for i in range(0, len(pairs), step)]
        block = comments + [f"  {line}" for line in more]
        rng.shuffle(block)  # type: ignore[attr-defined]
        continued = [line.strip() for line in block if "loopx" not in line]
        meta["text"] = " ".join([text, *continued])
        out += block
    state = parse_state("\n".join(out), file="S.md")
    assert state.problems == []
    assert len(state.todos) == len(parts)
    for todo, (_, _, meta, _, _) in zip(state.todos, parts, strict=True):
        for key, value in meta.items():
            wanted: object = value
            if key == "cadence":
                wanted = {"30m": 30, "2h": 120}[value]
            elif key == "required_write_scopes":
                wanted = tuple(value.split(","))
            assert getattr(todo, key) == wanted
