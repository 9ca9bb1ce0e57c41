"""Laws of the surgery on a goal state: it does what it says, and touches nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from loopx_policy.errors import StateError
from loopx_policy.ledger.state_text import StateText
from loopx_policy.model import State, Todo
from loopx_policy.project.todo_text import default_class, priority_of

from .states import Meaning, meaning, read, texts

VALUES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=20)
SAYING = WORDS.map(lambda text: " ".join(text.split())).filter(lambda text: text and "loopx:todo" not in text)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "claimed_by": st.sampled_from(["builder", "writer", None]),
        "note": st.one_of(st.none(), VALUES),
        "status": st.sampled_from(["open", "blocked", "done", "deferred"]),
        "x_mood": st.one_of(st.none(), VALUES),
        "updated_at": st.just("2026-12-01T09:00:00Z"),
        "superseded_by": st.sampled_from(["todo_new", None]),
        "successor_todo_ids": st.just("todo_new,todo_other"),
    },
)  # fmt: skip
TYPED = {"updated_at": 1_796_115_600, "successor_todo_ids": ("todo_new", "todo_other")}


def cut(data: bytes) -> tuple[StateText, State]:
    state = read(data)
    return StateText(data, state), state


def pick(draw: Callable[..., Any], todos: list[Todo]) -> Todo:
    assume(todos)  # an unwritten id leaves none now and then
    number: int = draw(st.integers(0, len(todos) - 1))
    return todos[number]


def changed(todo: dict[str, object], changes: dict[str, str | None]) -> None:
    """The model of setting metadata."""
    for key, value in changes.items():
        if key.startswith("x_"):
            extra = dict(todo["extra"])  # type: ignore[call-overload]
            extra.pop(key, None)
            todo["extra"] = extra if value is None else extra | {key: value}
        else:
            todo[key] = TYPED.get(key, value or "")


def without(data: bytes, todo: Todo) -> tuple[list[str], list[str]]:
    """The lines before a todo and after it, without the last line's end, which may move to another line."""
    lines = data.decode().split("\n")
    return lines[: todo.line - 1], lines[todo.last_line :]


@given(texts())
def test_nothing_done_is_nothing_changed(data: bytes) -> None:
    text, _ = cut(data)
    assert text.to_bytes() == data


@given(texts(1), CHANGES, st.data())
def test_setting_metadata_changes_the_fields_that_it_names(
    data: bytes, changes: dict[str, str | None], choice: st.DataObject
) -> None:
    text, state = cut(data)
    todo = pick(choice.draw, state.todos)
    text.set_metadata(todo, changes)
    expected = meaning(data)
    changed(expected.todos[todo.order], changes)
    assert meaning(text.to_bytes()) == expected


@given(texts(1), CHANGES, st.data())
def test_setting_metadata_leaves_all_other_lines_alone(
    data: bytes, changes: dict[str, str | None], choice: st.DataObject
) -> None:
    text, state = cut(data)
    todo = pick(choice.draw, state.todos)
    text.set_metadata(todo, changes)
    before, after = without(data, todo)
    lines = text.to_bytes().decode().split("\n")
    assert lines[: len(before)] == before
    assert after == [] or lines[-len(after) :] == after
    todo_line = data.decode().split("\n")[todo.line - 1]
    assert lines[todo.line - 1].rstrip("\r") == todo_line.rstrip("\r")


@given(texts(1), st.data())
def test_setting_what_stands_there_changes_nothing(data: bytes, choice: st.DataObject) -> None:
    text, state = cut(data)
    todo = pick(choice.draw, [todo for todo in state.todos if text.is_written(todo)])
    text.set_metadata(todo, {"claimed_by": todo.claimed_by or None, "note": todo.note or None})
    assume(not (todo.note == "" and b"note=" in data))  # an empty note is one all the same
    assume(not any("more than once" in problem.message for problem in state.problems))  # that is mended
    assert text.to_bytes() == data


@given(texts(1), st.sampled_from(["evidence", "x_new"]), VALUES, st.data())
def test_a_key_set_and_taken_out_again_leaves_the_same_bytes(
    data: bytes, key: str, value: str, choice: st.DataObject
) -> None:
    text, state = cut(data)
    todo = pick(choice.draw, [todo for todo in state.todos if text.is_written(todo)])
    text.set_metadata(todo, {key: value})
    once = text.to_bytes()
    assert once != data
    again, state = cut(once)
    again.set_metadata(next(each for each in state.todos if each.todo_id == todo.todo_id), {key: None})
    assert again.to_bytes() == data


@given(texts(1), st.sampled_from(["open", "done", "deferred"]), st.data())
def test_a_mark_is_one_character_and_comes_back(data: bytes, status: str, choice: st.DataObject) -> None:
    text, state = cut(data)
    todo = pick(choice.draw, state.todos)
    text.set_mark(todo, status)
    done = text.to_bytes()
    assert len(done) == len(data)
    assert sum(one != other for one, other in zip(data, done, strict=True)) <= 1
    before = {" ": "open", "x": "done", "-": "deferred"}.get(data.decode().split("\n")[todo.line - 1][3])
    assume(before)
    text.set_mark(todo, str(before))
    assert text.to_bytes() == data


@given(texts(1), SAYING, st.data())
def test_rewording_changes_the_wording_and_keeps_the_id(data: bytes, wording: str, choice: st.DataObject) -> None:
    text, state = cut(data)
    todo = pick(choice.draw, state.todos)
    text.set_text(todo, wording)
    expected = meaning(data)
    model = expected.todos[todo.order]
    model |= {"text": wording, "priority": priority_of(wording)}
    if "task_class" not in data.decode().replace("-", "_"):
        model["task_class"] = default_class(todo.role, wording)
        assert meaning(text.to_bytes()) == expected
    before, after = without(data, todo)
    lines = text.to_bytes().decode().split("\n")
    assert lines[: len(before)] == before
    assert after == [] or lines[-len(after) :] == after
    assert [each["todo_id"] for each in meaning(text.to_bytes()).todos] == [each.todo_id for each in state.todos]


@given(texts(), st.sampled_from(["user", "agent"]), SAYING, VALUES)
def test_a_new_todo_comes_last_in_its_list_and_nothing_else_changes(
    data: bytes, role: Any, wording: str, note: str
) -> None:
    text, _ = cut(data)
    text.add(role, wording, {"todo_id": "todo_new", "status": "open", "note": note})
    done = text.to_bytes()
    after = read(done)
    (new,) = [todo for todo in after.todos if todo.todo_id == "todo_new"]
    assert (new.role, new.text, new.note, new.status) == (role, wording, note, "open")
    expected = meaning(data)
    expected.todos.insert(new.order, meaning(done).todos[new.order])
    assert meaning(done) == expected
    inserted = done.decode().split("\n")
    assert subsequence(data.decode().split("\n"), inserted)


def subsequence(few: list[str], many: list[str]) -> bool:
    """Whether all of ``few`` stand in ``many``, in order; the last line's end counts for nothing."""
    rest = iter(line.rstrip("\r") for line in many)
    return all(line.rstrip("\r") in rest for line in few if line.strip())


@given(texts(1), st.data())
def test_archiving_moves_todos_and_changes_no_id(data: bytes, choice: st.DataObject) -> None:
    text, state = cut(data)
    chosen = choice.draw(st.lists(st.sampled_from(state.todos), min_size=1, max_size=3, unique_by=lambda t: t.line))
    text.archive(chosen)
    done = text.to_bytes()
    expected, found = meaning(data), meaning(done)
    moved = [expected.todos[todo.order] for todo in chosen]
    expected.todos = [todo for number, todo in enumerate(expected.todos) if number not in {t.order for t in chosen}]
    assert found.todos == expected.todos
    assert found.next_actions == expected.next_actions
    assert found.front == expected.front
    assert [todo for todo in found.archived if todo in expected.archived] == expected.archived
    assert len(found.archived) == len(expected.archived) + len(moved)
    archived = [{**todo, "section": ""} for todo in found.archived]
    for todo in moved:
        assert {**todo, "section": ""} in archived
    touched = {number for todo in [*chosen, *unwritten(data, state)] for number in range(todo.line - 1, todo.last_line)}
    kept = [line for number, line in enumerate(data.decode().split("\n")) if number not in touched]
    assert subsequence(kept, done.decode().split("\n"))


def unwritten(data: bytes, state: State) -> list[Todo]:
    text = StateText(data, state)
    return [todo for todo in state.todos if not text.is_written(todo)]


@given(texts(), st.lists(SAYING, max_size=4))
def test_next_actions_become_what_is_asked_for(data: bytes, bullets: list[str]) -> None:
    text, _ = cut(data)
    text.set_next_actions(bullets)
    expected = meaning(data)
    expected.next_actions = bullets
    assert meaning(text.to_bytes()) == expected


@given(texts())
def test_next_actions_that_stay_keep_their_lines(data: bytes) -> None:
    text, state = cut(data)
    actions = [action.text for action in state.next_actions]
    text.set_next_actions(actions)
    assert text.to_bytes() == data
    text.set_next_actions([*actions, "one more"])
    assert subsequence(data.decode().split("\n"), text.to_bytes().decode().split("\n"))


@given(texts(), st.sampled_from(["objective", "status", "owner", "new_key"]), SAYING)
def test_front_matter_takes_one_value_and_keeps_the_rest(data: bytes, key: str, value: str) -> None:
    text, _ = cut(data)
    text.set_front(key, value)
    expected = meaning(data)
    expected.front[key] = value
    assert meaning(text.to_bytes()) == expected
    again, _ = cut(text.to_bytes())
    again.set_front(key, value)
    assert again.to_bytes() == text.to_bytes()


@given(texts(1), CHANGES, SAYING, st.data())
def test_changes_made_together_are_changes_made_one_after_another(
    data: bytes, changes: dict[str, str | None], wording: str, choice: st.DataObject
) -> None:
    steps: list[Callable[[StateText, Todo], None]] = [
        lambda text, todo: text.set_metadata(todo, changes),
        lambda text, todo: text.set_mark(todo, "done"),
        lambda text, todo: text.set_text(todo, wording),
        lambda text, todo: text.set_metadata(todo, {"evidence": "seen"}),
        lambda text, todo: text.add("agent", "next", {"todo_id": "todo_next"}),
        lambda text, todo: text.set_metadata(todo, {"evidence": None}),
    ]  # fmt: skip
    order = choice.draw(st.permutations(range(len(steps))))
    together, state = cut(data)
    chosen = pick(choice.draw, state.todos)
    one_by_one = data
    for number in order:
        steps[number](together, chosen)
        text, state = cut(one_by_one)
        steps[number](text, next(todo for todo in state.todos if todo.todo_id == chosen.todo_id))
        one_by_one = text.to_bytes()
    assert meaning(together.to_bytes()) == meaning(one_by_one)


def after(data: str, change: Callable[[StateText, State], None]) -> str:
    text, state = cut(data.encode())
    change(text, state)
    return text.to_bytes().decode()


def test_a_new_todo_stands_below_the_last_one_with_its_metadata() -> None:
    data = "## Agent Todo\n\n- [ ] one\n  <!-- loopx:todo todo_id=todo_one -->\n\n## Next Action\n- go\n"
    done = after(data, lambda text, _: text.add("agent", "two", {"todo_id": "todo_two", "note": "a b"}))
    assert done == data.replace(
        "todo_one -->\n", "todo_one -->\n- [ ] two\n  <!-- loopx:todo todo_id=todo_two note=a%20b -->\n"
    )


@pytest.mark.parametrize(
    "before, expected",
    [
        ("## Agent Todo\n", "## Agent Todo\n\n- [ ] two\n  <!-- loopx:todo todo_id=todo_two -->\n"),
        (
            "## Agent Todo\n\n## Notes\n",
            "## Agent Todo\n\n- [ ] two\n  <!-- loopx:todo todo_id=todo_two -->\n\n## Notes\n",
        ),
        (
            "## Agent Todo\nprose\n## Notes\n",
            "## Agent Todo\nprose\n\n- [ ] two\n  <!-- loopx:todo todo_id=todo_two -->\n\n## Notes\n",
        ),
        ("# Goal", "# Goal\n\n## Agent Todo\n\n- [ ] two\n  <!-- loopx:todo todo_id=todo_two -->"),
    ],
)
def test_a_list_without_todos_takes_its_first_one_between_blank_lines(before: str, expected: str) -> None:
    assert after(before, lambda text, _: text.add("agent", "two", {"todo_id": "todo_two"})) == expected


def test_metadata_that_does_not_fit_takes_a_line_of_its_own() -> None:
    data = "## Agent Todo\n- [ ] one\n\t<!-- loopx:todo todo_id=todo_one -->\n"
    done = after(data, lambda text, state: text.set_metadata(state.todos[0], {"note": "x" * 90}))
    assert done == data + f"\t<!-- loopx:todo note={'x' * 90} -->\n"


def test_a_derived_id_is_written_down_when_the_todo_before_it_leaves() -> None:
    data = "## Agent Todo\n- [x] one\n- [ ] two\n- [ ] three\n  <!-- loopx:todo todo_id=todo_three -->\n"
    ids = [todo.todo_id for todo in read(data.encode()).todos]
    done = after(data, lambda text, state: text.archive([state.todos[0]]))
    assert done == (
        f"## Agent Todo\n- [ ] two\n  <!-- loopx:todo todo_id={ids[1]} -->\n- [ ] three\n"
        "  <!-- loopx:todo todo_id=todo_three -->\n\n"
        f"## Agent Todo Archive\n\n- [x] one\n  <!-- loopx:todo todo_id={ids[0]} -->\n"
    )


def test_nothing_is_added_to_a_file_that_ends_in_open_code() -> None:
    with pytest.raises(StateError, match="block of code"):
        after("# Goal\n```\nmake\n", lambda text, _: text.add("agent", "two", {"todo_id": "todo_two"}))


def test_metadata_in_a_block_of_code_is_text_and_stays() -> None:
    example = "  ```\n  <!-- loopx:todo claimed_by=me -->\n  ```\n"
    data = f"## Agent Todo\n- [ ] one\n{example}  <!-- loopx:todo todo_id=todo_one -->\n"
    done = after(data, lambda text, state: text.set_metadata(state.todos[0], {"claimed_by": "you"}))
    assert done == data.replace("todo_one -->", "todo_one claimed_by=you -->")


def test_prose_between_bullets_stays() -> None:
    data = "## Next Action\n\nRead this first.\n- one\n  more\n- two\n\nAnd this.\n"
    done = after(data, lambda text, _: text.set_next_actions(["zero", "two", "three"]))
    assert done == "## Next Action\n\nRead this first.\n- zero\n- two\n- three\n\nAnd this.\n"


def test_the_meaning_of_a_state_is_what_these_laws_compare() -> None:
    found = meaning(b"---\na: b\n---\n## Agent Todo\n- [x] one\n## Next Action\n- go\n")
    assert isinstance(found, Meaning)
    assert (found.front, found.next_actions, found.archived) == ({"a": "b"}, ["go"], [])
    assert (found.todos[0]["text"], found.todos[0]["status"]) == ("one", "done")
