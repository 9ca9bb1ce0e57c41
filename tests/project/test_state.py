"""The Markdown grammar of the active goal state, row by row."""

from __future__ import annotations

import time
from hashlib import sha1
from pathlib import Path

import pytest

from loopx_policy.model import NO_PRIORITY, NextAction, Problem, State
from loopx_policy.project.state import parse_state, read_state, state_of

META = "<!-- loopx:todo todo_id=todo_a01 status=open task_class=advancement_task -->"


def agent(body: str, **options: object) -> State:
    return parse_state(f"## Agent Todo\n\n{body}\n", file="STATE.md", **options)  # type: ignore[arg-type]


def broken(state: State) -> list[str]:
    return [problem.at for problem in state.problems if problem.breaks_contract]


def lint(state: State) -> list[str]:
    return [problem.message for problem in state.problems if not problem.breaks_contract]


@pytest.mark.parametrize(
    "heading, role",
    [
        ("User Todo", "user"),
        ("User Todo / Owner Review Reading Queue", "user"),
        ("OWNER REVIEW READING QUEUE", "user"),
        ("The owner reading queue of today", "user"),
        ("Agent Todo", "agent"),
        ("codex todo", "agent"),
        ("Project Agent Todo (lane 1)", "agent"),
    ],
)
def test_todo_headings(heading: str, role: str) -> None:
    (todo,) = parse_state(f"## {heading}\n- [x] one").todos
    assert (todo.role, todo.section) == (role, heading)


@pytest.mark.parametrize("heading", ["Objective", "Todo", "Notes on users", "Next Action"])
def test_other_headings_hold_no_todos(heading: str) -> None:
    state = parse_state(f"## {heading}\n- [ ] one")
    assert state.todos == state.archived == []


@pytest.mark.parametrize(
    "heading", ["Todo Archive", "Agent Todo Archive", "User work archive", "Completed Archive", "Completed Work"]
)
def test_archive_headings_are_history(heading: str) -> None:
    state = parse_state(f"## {heading}\n- [x] one\n  <!-- loopx:todo todo_id=todo_old status=done -->")
    assert state.todos == []
    assert [todo.todo_id for todo in state.archived] == ["todo_old"]


def test_a_heading_of_another_level_ends_no_section() -> None:
    state = agent("- [ ] one\n### Lane\n- [ ] two\n# Title\n- [ ] three")
    assert [todo.text for todo in state.todos] == ["one", "two", "three"]


@pytest.mark.parametrize("box, status", [("[ ]", "open"), ("[x]", "done"), ("[X]", "done"), ("[-]", "deferred")])
def test_the_checkbox_says_the_status(box: str, status: str) -> None:
    assert agent(f"- {box} one").todos[0].status == status
    assert agent(f"- {box}").todos[0].text == ""


def test_metadata_overrides_the_checkbox() -> None:
    assert agent("- [ ] one\n  <!-- loopx:todo status=blocked -->").todos[0].status == "blocked"
    assert agent("- [x] one\n  <!-- loopx:todo status=open -->").todos[0].status == "open"


@pytest.mark.parametrize(
    "text, priority, task_class",
    [
        *[(f"[P{rank}] one", rank, "advancement_task") for rank in range(5)],
        ("[P1-monitor] one", 1, "continuous_monitor"),
        ("[P1]one", 1, "advancement_task"),
        ("[P5] one", NO_PRIORITY, "advancement_task"),
        ("[p0] one", NO_PRIORITY, "advancement_task"),
        ("[P9-monitor] one", NO_PRIORITY, "advancement_task"),
        ("one [P0]", NO_PRIORITY, "advancement_task"),
        ("[P", NO_PRIORITY, "advancement_task"),
    ],
)
def test_priority_and_default_class_of_an_agent_todo(text: str, priority: int, task_class: str) -> None:
    (todo,) = agent(f"- [ ] {text}").todos
    assert (todo.text, todo.priority, todo.task_class) == (text, priority, task_class)


def test_a_class_in_the_metadata_stands() -> None:
    assert agent("- [ ] [P1-monitor] x\n  <!-- loopx:todo task_class=blocker -->").todos[0].task_class == "blocker"


def test_a_user_todo_without_class_has_none() -> None:
    assert parse_state("## User Todo\n- [x] one").todos[0].task_class == ""


def test_indented_lines_continue_the_text_around_metadata() -> None:
    state = agent(f"- [ ] one\n  two\n  {META}\n\t- three\n\n    four\n\nprose\n  lost")
    (todo,) = state.todos
    assert todo.text == "one two - three four"
    assert (todo.line, todo.last_line) == (3, 8)
    assert todo.todo_id == "todo_a01"
    assert state.problems == []


def test_several_comments_add_up_and_hyphens_are_underscores() -> None:
    state = agent(
        "- [ ] one\n  <!-- loopx:todo todo-id=todo_a01 -->\n"
        "  <!-- loopx:todo claimed-by=me --> <!--loopx:todo note=a%20b-->"
    )
    (todo,) = state.todos
    assert (todo.todo_id, todo.claimed_by, todo.note) == ("todo_a01", "me", "a b")
    assert state.problems == []


@pytest.mark.parametrize(
    "comments, at",
    [
        ("<!-- loopx:todo todo_id=todo_a01 claimed_by=me -->\n  <!-- loopx:todo claimed_by=you -->", "STATE.md:5"),
        ("<!-- loopx:todo todo_id=todo_a01 claimed_by=me claimed-by=you -->", "STATE.md:4"),
        (
            "<!-- loopx:todo claimed-by=me -->\n  more\n  <!-- loopx:todo todo_id=todo_a01 claimed_by=you -->",
            "STATE.md:6",
        ),
        ("<!-- loopx:todo todo_id=todo_a01 --> <!-- loopx:todo todo_id=todo_b01 -->", "STATE.md:4"),
        ("<!-- loopx:todo todo_id=todo_a01 global_gate=true -->\n  <!-- loopx:todo global_gate=no -->", "STATE.md:5"),
        ("<!-- loopx:todo required_write_scopes=a,b required_write_scopes=b,a -->", "STATE.md:4"),
        ("<!-- loopx:todo todo_id=todo_a01 status=open status=done -->", "STATE.md:4"),
    ],
)
def test_a_key_given_twice_with_different_values_breaks_the_contract(comments: str, at: str) -> None:
    state = agent(f"- [ ] one\n  {comments}")
    assert broken(state) == [at]
    assert "is given more than once, with different values" in state.problems[0].message


@pytest.mark.parametrize(
    "comments",
    [
        "<!-- loopx:todo todo_id=todo_a01 claimed_by=me -->\n  <!-- loopx:todo todo_id=todo_a01 claimed-by=me -->",
        "<!-- loopx:todo global_gate=yes global_gate=1 -->",
        "<!-- loopx:todo required_capabilities=cli-bridge required_capabilities=cli_bridge -->",
        "<!-- loopx:todo mood=calm mood=calm -->",
        "<!-- loopx:todo todo_id=todo_a01 -->\n  <!-- loopx:todo claimed_by=me -->\n  <!-- loopx:todo note=x -->",
    ],
)
def test_a_key_given_twice_with_one_meaning_and_other_keys_on_later_lines_are_fine(comments: str) -> None:
    assert agent(f"- [ ] one\n  {comments}").problems == []


def test_two_values_of_a_done_todo_or_of_an_unknown_key_are_only_reported() -> None:
    for body in (
        "- [x] one\n  <!-- loopx:todo claimed_by=me claimed_by=you -->",
        "- [ ] one\n  <!-- loopx:todo mood=calm mood=wild -->",
    ):
        state = agent(body)
        assert broken(state) == []
        assert len(lint(state)) == 1


def test_unknown_keys_are_kept_in_silence() -> None:
    state = agent("- [ ] one\n  <!-- loopx:todo todo_id=todo_a01 mood=calm%20sea -->")
    assert state.todos[0].extra == {"mood": "calm sea"}
    assert state.problems == []


def test_a_slip_in_a_key_that_holds_back_breaks_the_contract_and_names_the_key() -> None:
    state = agent("- [ ] one\n  <!-- loopx:todo todo_id=todo_a01 required_decision_scope=direction:goal:x -->")
    assert state.problems == [
        Problem(
            "todo_a01: unknown metadata key required_decision_scope, perhaps required_decision_scopes.",
            "STATE.md:4",
            "Write required_decision_scopes, or choose a name that is less like it.",
            "todo_a01",
        )
    ]
    assert state.todos[0].extra == {"required_decision_scope": "direction:goal:x"}


def test_a_slip_in_another_key_or_on_a_done_todo_is_only_reported() -> None:
    for body in (
        "- [ ] one\n  <!-- loopx:todo cadense=1h -->",
        "- [x] one\n  <!-- loopx:todo claimed_bi=me -->",
    ):
        state = agent(body)
        assert broken(state) == []
        assert len(lint(state)) == 1
    hidden = agent("- [x] one\n  <!-- loopx:todo statsu=open -->")
    assert broken(hidden) == ["STATE.md:4"]


def test_other_comments_are_text() -> None:
    assert agent("- [ ] one\n  <!-- by hand -->").todos[0].text == "one <!-- by hand -->"


def test_a_derived_id_is_the_digest_of_role_heading_number_and_text() -> None:
    state = parse_state("## Agent Todo\n- [ ] zero\n- [ ] [P1] one\n  two\n## Agent Todo\n- [x] zero")
    assert [todo.todo_id for todo in state.todos] == [
        "todo_" + sha1(source.encode()).hexdigest()[:12]
        for source in ("agent|Agent Todo|1|zero", "agent|Agent Todo|2|[P1] one two", "agent|Agent Todo|1|zero")
    ]


def test_order_counts_over_all_sections() -> None:
    state = parse_state(
        "## Agent Todo\n- [ ] a\n## Todo Archive\n- [x] b\n## User Todo\n- [x] c\n## Codex Todo\n- [ ] d"
    )
    assert [(todo.text, todo.order) for todo in state.todos] == [("a", 0), ("c", 1), ("d", 2)]
    assert [(todo.text, todo.order) for todo in state.archived] == [("b", 0)]


def test_front_matter() -> None:
    state = parse_state(
        '---\nstatus: active\nobjective: "Keep: going"\n# remark\nlist:\n  - x\n---\n## Agent Todo\n- [ ] a'
    )
    assert state.front == {"status": "active", "objective": "Keep: going", "list": ""}
    assert state.todos[0].line == 9


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        (">\n  Keep the\n\n  harbor", "Keep the harbor"),
        ("|-\n\tKeep: the\n\tharbor\n", "Keep: the harbor"),
        ("Keep the\n  harbor", "Keep the harbor"),
        ("'Keep the\n  harbor'", "Keep the harbor"),
        (">= 3 ships", ">= 3 ships"),
        (">", ">"),
    ],
)
def test_a_value_of_many_lines_is_read_as_one(lines: str, value: str) -> None:
    state = parse_state(f"---\nobjective: {lines}\nstatus: active\n---\n## Agent Todo\n- [ ] a")
    assert state.front == {"objective": value, "status": "active"}


def test_a_todo_in_a_comment_is_none() -> None:
    text = (
        "## Agent Todo\n- [ ] a\n  <!-- loopx:todo todo_id=todo_aaa -->\n<!-- put aside\n- [ ] b\n"
        "  <!-- loopx:todo todo_id=todo_bbb -->\n- [ ] c\n--> and [ ] prose\n- [ ] d\n<!-- - [ ] e -->\n- [ ] f\n"
        "  <!-- g\n  <!-- loopx:todo todo_id=todo_fff -->\n## Next Action\n<!--\n- h\n-->\n- i\n"
    )
    state = parse_state(text, file="S.md")
    assert [todo.text.split()[0] for todo in state.todos] == ["a", "d", "f"]
    assert state.todos[-1].todo_id == "todo_fff"
    assert [action.text for action in state.next_actions] == ["i"]


def test_a_comment_without_end_hides_no_todo_in_silence() -> None:
    state = parse_state("## Agent Todo\n<!-- put aside\n- [ ] a\n  <!-- loopx:todo todo_id=todo_aaa\n", file="S.md")
    assert state.todos == []
    said = "The comment that begins here does not end, and what looks like state in it is not read."
    assert state.problems == [Problem(said, "S.md:2", "Close it with -->.", "", True)]


def test_front_matter_without_end_is_ignored_and_reported() -> None:
    state = parse_state("---\nstatus: active\n## Agent Todo\n- [ ] a", file="S.md")
    assert state.front == {}
    assert [todo.line for todo in state.todos] == [4]
    assert state.problems == [
        Problem("The front matter has no closing --- line and is ignored.", "S.md:1", "", "", False)
    ]


def test_next_action_bullets() -> None:
    state = parse_state(
        "## Agent Todo\n- [ ] a\n  <!-- loopx:todo todo_id=todo_a01 -->\n## Next Action\n\n"
        "- First _todo_a01_, then `todo_b02`.\n  And todo_a01 again.\n* second\n1. third\n-\nprose\n"
    )
    assert state.next_actions == [
        NextAction("First _todo_a01_, then `todo_b02`. And todo_a01 again.", 6, ("todo_a01", "todo_b02")),
        NextAction("second", 8),
        NextAction("third", 9),
    ]
    assert lint(state) == ["A line under Next Action is no bullet and is not read."]


@pytest.mark.parametrize("end", ["\r\n", "\n"])
@pytest.mark.parametrize("bom", ["", "\ufeff"])
def test_line_ends_marks_and_tabs_change_nothing(end: str, bom: str) -> None:
    lines = ["---", "status: active", "---", "## Agent Todo", f"- [ ]\tone{''}", "\t" + META, "## Next Action", "- go"]
    state = state_of((bom + end.join(lines)).encode(), file="S.md")
    (todo,) = state.todos
    assert (todo.text, todo.todo_id, todo.line, todo.last_line) == ("one", "todo_a01", 5, 6)
    assert state.front == {"status": "active"}
    assert state.next_actions == [NextAction("go", 8)]
    assert state.problems == []


@pytest.mark.parametrize(
    "body, at",
    [
        ("- [ ] one\n  <!-- loopx:todo status=opne -->", "STATE.md:4"),
        ("- [ ] one\n  <!-- loopx:todo todo_id=todo_a01 claimed_by=Main -->", "STATE.md:4"),
        ("- [x] one\n  <!-- loopx:todo status=finished -->", "STATE.md:4"),
        ("- [ ] one\n  <!-- loopx:todo claimed_by=me", "STATE.md:4"),
        ("- [ ] one <!-- loopx:todo claimed_by=me -->", "STATE.md:3"),
        ("- [ ] one\n  two <!-- loopx:todo claimed_by=me -->", "STATE.md:4"),
        ("- [ ] one\n\nprose\n  <!-- loopx:todo claimed_by=me -->", "STATE.md:6"),
        ("  <!-- loopx:todo claimed_by=me -->", "STATE.md:3"),
        ("<!-- loopx:todo claimed_by=me -->", "STATE.md:3"),
    ],
)
def test_metadata_that_is_lost_breaks_the_contract(body: str, at: str) -> None:
    assert broken(agent(body)) == [at]


@pytest.mark.parametrize(
    "body",
    [
        "- [x] one\n  <!-- loopx:todo claimed_by=Main -->",
        "- [ ] one\n  <!-- loopx:todo status=done cadence=soon -->",
        "- [ ] one\n  <!-- loopx:todo open -->",
        "- [ ] one\n  <!-- loopx:todo next_due_at=2026-12-01T00:00 -->",
        "- [ ] one\n  <!-- loopx:todo note=100% -->",
        "- [?] one",
        "* [ ] one",
        "-[ ] one",
    ],
)
def test_what_is_only_untidy_breaks_nothing_and_is_reported(body: str) -> None:
    state = agent(body)
    assert broken(state) == []
    assert len(lint(state)) == 1


def test_metadata_at_the_start_of_the_line_below_a_todo_is_its_own() -> None:
    state = agent(f"- [ ] one\n{META}")
    assert state.todos[0].todo_id == "todo_a01"
    assert state.problems == []


def test_lost_metadata_outside_todo_lists_is_lint() -> None:
    state = parse_state(f"## Notes\n{META}\n  {META}\n## Todo Archive\n{META}", file="S.md")
    assert [(problem.at, problem.breaks_contract) for problem in state.problems] == [
        ("S.md:2", False),
        ("S.md:3", False),
        ("S.md:5", False),
    ]


def test_a_bad_value_in_the_archive_is_history() -> None:
    assert broken(parse_state("## Todo Archive\n- [ ] x\n  <!-- loopx:todo claimed_by=Main -->")) == []


def test_a_problem_says_what_where_and_how_to_mend_it() -> None:
    state = agent("- [ ] one\n  <!-- loopx:todo todo_id=todo_a01 status=opne -->")
    assert state.problems == [
        Problem(
            "todo_a01: status=opne must be one of open, done, blocked, deferred.",
            "STATE.md:4",
            "Correct it.",
            "todo_a01",
        )
    ]


@pytest.mark.parametrize(
    "data, at, said",
    [
        (b"", "S.md", "is empty"),
        (b"\xef\xbb\xbf \r\n\t", "S.md", "is empty"),
        (b"## A\n\x00\x01", "S.md:2", "is binary"),
        (b"one\ntwo\n\xff\xfe", "S.md:3", "is not UTF-8"),
        (b"x" * 101, "S.md", "has more than the 100 bytes"),
    ],
)
def test_bytes_that_are_no_state(data: bytes, at: str, said: str) -> None:
    state = state_of(data, file="S.md", limit=100)
    (problem,) = state.problems
    assert not state.readable
    assert problem.breaks_contract
    assert problem.at == at
    assert said in problem.message
    assert problem.fix


def test_files_that_are_no_state(tmp_path: Path) -> None:
    (tmp_path / "large.md").write_bytes(b"x" * 101)
    (tmp_path / "folder").mkdir()
    for name, said in [
        ("missing.md", "does not exist"),
        ("folder", "is a folder"),
        ("large.md", "has more than the 100 bytes"),
        ("a\0b", "bad name"),
    ]:
        state = read_state(str(tmp_path / name), file=name, limit=100)
        assert not state.readable
        assert said in state.problems[0].message
        assert str(tmp_path) not in state.problems[0].message + state.problems[0].at


def test_a_pipe_in_place_of_the_state_does_not_hang(tmp_path: Path) -> None:
    import os

    os.mkfifo(tmp_path / "pipe")
    assert not read_state(str(tmp_path / "pipe"), file="pipe").readable


def test_one_todo_of_a_million_lines_is_read_in_linear_time() -> None:
    started = time.process_time()
    state = agent("- [ ] one\n" + "  x\n" * 1_000_000)
    assert len(state.todos[0].text) == 3 + 2 * 1_000_000
    assert time.process_time() - started < 10


def test_many_todos_are_read_quickly() -> None:
    count = 20_000
    body = "\n".join(
        f"- [ ] [P{n % 5}] Part {n}\n  <!-- loopx:todo todo_id=todo_{n:06} status=open claimed_by=agent-{n % 7} -->"
        for n in range(count)
    )
    started = time.process_time()
    state = agent(body)
    spent = time.process_time() - started
    assert len(state.todos) == count
    assert spent / count < 40e-6  # Ten times what it takes: a guard against something quadratic, not a benchmark.


@pytest.mark.parametrize(
    "text, at, said",
    [
        ("### Agent Todo\n- [ ] one\n", ["S.md:1", "S.md:2"], "'Agent Todo' begins no section"),
        ("# User Todo\n", ["S.md:1"], "'User Todo' begins no section"),
        ("## Agent Todo\n- [ ] one\n### Owner reading queue\n", ["S.md:3"], "begins no section"),
        ("## Notes\n ## Agent Todo\n  - [ ] one\n", ["S.md:2", "S.md:3"], "'Agent Todo' begins no section"),
        ("##Agent Todo\n", ["S.md:1"], "begins no section"),
        ("#### Next Action\n- go", ["S.md:1"], "'Next Action' begins no section"),
        ("* [ ] one\n\n## Plan\n- [ ] two\n+ [ ] three\n", ["S.md:1", "S.md:4"], "before the first section"),
        ("## Plan\n- [ ] two\n  + [ ] three\n", ["S.md:2"], "2 lines look like todos, but the section 'Plan'"),
        ("## Agent Todo\n* [ ] one\n\n  - [ ] two\n", ["S.md:2", "S.md:4"], "looks like a todo but is none"),
    ],
)
def test_what_looks_like_a_todo_or_a_list_and_is_none_is_reported_at_its_line(
    text: str, at: list[str], said: str
) -> None:
    state = parse_state(text, file="S.md")
    assert broken(state) == []
    assert sorted(problem.at for problem in state.problems) == at
    assert any(said in problem.message for problem in state.problems)
    assert all(problem.fix for problem in state.problems)
    assert [todo.line for todo in state.todos] == ([2] if text.startswith("## Agent Todo\n- [ ] one") else [])


@pytest.mark.parametrize("text", ["## Notes\n- [x] done\n- [a](b)\n- one\n### Details\n#12 is merged\n", "# Harbor\n"])
def test_ordinary_markdown_is_left_alone(text: str) -> None:
    assert parse_state(text, file="S.md").problems == []


def test_an_indented_heading_inside_a_todo_is_text_and_reported() -> None:
    state = agent("- [ ] one\n  ## User Todo\n  #12 is merged")
    assert state.todos[0].text == "one ## User Todo #12 is merged"
    assert [problem.at for problem in state.problems] == ["STATE.md:4"]


@pytest.mark.parametrize(
    "text", ["## Agent Todo\r- [ ] one\r", "# T\r\r## Agent Todo\r\r- [ ] one", "## Agent Todo\n\n- [ ] a\r- [ ] b"]
)
def test_carriage_returns_for_line_ends_break_the_contract(text: str) -> None:
    (problem,) = [problem for problem in state_of(text.encode(), file="S.md").problems if problem.breaks_contract]
    assert problem.at == ("S.md:3" if "\n" in text else "S.md:1")
    assert "line feed" in problem.message


def test_a_stray_carriage_return_hides_nothing() -> None:
    assert state_of(b"## Agent Todo\r\r\n- [ ] one\rtwo\r\n", file="S.md").problems == []


@pytest.mark.parametrize(
    "body", ["- [ ]", "- [ ] ", "- [ ] [P0]", "- [-] [P1-monitor]", "- [ ]\n  <!-- loopx:todo status=blocked -->"]
)
def test_a_todo_without_text_breaks_the_contract(body: str) -> None:
    state = agent(body)
    assert broken(state) == ["STATE.md:3"]
    assert state.problems[0].message == f"{state.todos[0].todo_id} has no text."
    assert state.problems[0].todo_id == state.todos[0].todo_id


@pytest.mark.parametrize(
    "body", ["- [x]", "- [ ]\n  said below", "- [ ] [P0]\n  said below", "- [ ]\n  <!-- loopx:todo status=done -->"]
)
def test_a_text_may_stand_below_and_a_done_todo_needs_none(body: str) -> None:
    assert agent(body).problems == []
    assert parse_state("## Todo Archive\n- [ ]\n").problems == []


CODE = "- [ ] example\n  <!-- loopx:todo todo_id=todo_x01 -->\n## User Todo\n- [ ] another"


@pytest.mark.parametrize("fence, end", [("```", "```"), ("~~~", "~~~~~"), ("````md", "````"), ("``` sh", "```  ")])
def test_a_todo_in_a_block_of_code_is_none(fence: str, end: str) -> None:
    state = agent(f"- [ ] one\n{fence}\n{CODE}\n~~\n``\n{end}\n- [ ] two")
    assert [(todo.text, todo.role, todo.line) for todo in state.todos] == [("one", "agent", 3), ("two", "agent", 12)]
    assert state.problems == []


def test_a_fence_of_other_marks_or_fewer_marks_or_with_words_does_not_end_a_block() -> None:
    state = agent("````\n```\n~~~~\n````sh\n- [ ] no\n````\n- [ ] yes")
    assert [todo.text for todo in state.todos] == ["yes"]
    assert [todo.text for todo in agent("```inline``` code\n- [ ] yes").todos] == ["yes"]


def test_metadata_in_a_block_of_code_inside_a_todo_is_an_example() -> None:
    state = agent(
        "- [ ] one\n  ```\n  <!-- loopx:todo claimed_by=me -->\n\n  ```\n  <!-- loopx:todo claimed_by=you -->"
    )
    (todo,) = state.todos
    assert (todo.claimed_by, todo.last_line) == ("you", 8)
    assert todo.text == "one ``` <!-- loopx:todo claimed_by=me --> ```"
    assert state.problems == []


@pytest.mark.parametrize(
    "body, at",
    [
        ("```\n- [ ] one", "STATE.md:3"),
        ("- [ ] one\n~~~\n## User Todo\n", "STATE.md:4"),
        ("```\n<!-- loopx:todo status=done -->", "STATE.md:3"),
        ("- [ ] one\n  ```\n  <!-- loopx:todo claimed_by=me -->\n- [ ] two", "STATE.md:4"),
        ("- [ ] one\n  ```\n  <!-- loopx:todo claimed_by=me -->", "STATE.md:4"),
    ],
)
def test_a_block_without_its_end_that_swallows_state_breaks_the_contract(body: str, at: str) -> None:
    assert broken(agent(body)) == [at]


def test_a_block_without_its_end_that_swallows_nothing_is_lint_and_ends_with_its_todo() -> None:
    assert broken(agent("```\nmake all")) == []
    assert len(lint(agent("```\nmake all"))) == 1
    state = agent("- [ ] one\n  ```\n  make all\n- [ ] two")
    assert ([todo.text for todo in state.todos], broken(state)) == (["one ``` make all", "two"], [])


def test_a_comment_without_its_end_is_told_as_such() -> None:
    state = agent("- [ ] one\n  <!-- loopx:todo todo_id=todo_a01\n    claimed_by=me -->")
    assert broken(state) == ["STATE.md:4"]
    assert state.problems[0].message.endswith("its loopx:todo comment does not end with --> on its line.")
    assert "further comments" in state.problems[0].fix


def test_an_id_that_is_none_is_told_as_it_was_written() -> None:
    (problem,) = agent("- [ ] one\n  <!-- loopx:todo todo_id=Harbor_7 -->").problems
    assert problem.message.startswith("todo_id=Harbor_7 must be todo_ and 3 to 64 of")
    assert problem.message.endswith(f"until it is, the todo counts as {problem.todo_id}.")
