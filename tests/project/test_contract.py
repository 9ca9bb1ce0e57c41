"""The contract between todos: each breach, its near miss, and the todo that is named."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from loopx_policy.model import Problem, Todo
from loopx_policy.project.contract import check_contract


def gate(**values: object) -> Todo:
    return Todo("todo_g01", "user", "Decide", line=7, task_class="user_gate", **values)  # type: ignore[arg-type]


def work(name: str, line: int = 0, **values: object) -> Todo:
    return Todo(f"todo_{name}", "agent", name, line=line, task_class="advancement_task", **values)  # type: ignore[arg-type]


def found(todos: Sequence[Todo], agents: Sequence[str] = ()) -> list[Problem]:
    return check_contract(todos, agents, "S.md")


def test_an_open_user_todo_needs_a_user_class() -> None:
    for task_class in ("", "advancement_task", "blocker"):
        todo = Todo("todo_u01", "user", "x", line=4, task_class=task_class)
        (problem,) = found([todo])
        assert (problem.at, problem.todo_id, problem.breaks_contract) == ("S.md:4", "todo_u01", True)
        todo.status = "done"
        assert found([todo]) == []
    assert found([Todo("todo_u01", "user", "x", task_class="user_action")]) == []


def test_an_open_gate_needs_a_scope_where_the_goal_has_several_agents() -> None:
    (problem,) = found([gate()], ["a", "b"])
    assert problem.at == "S.md:7"
    assert problem.breaks_contract
    assert found([gate()], ["a"]) == []
    assert found([gate()], []) == []
    assert found([gate(blocks_agent="a")], ["a", "b"]) == []
    assert found([gate(global_gate=True)], ["a", "b"]) == []
    assert found([gate(status="done")], ["a", "b"]) == []


def test_a_gate_cannot_have_both_scopes() -> None:
    (problem,) = found([gate(blocks_agent="a", global_gate=True)], ["a", "b"])
    assert problem.message == "todo_g01 has both blocks_agent and global_gate=true."
    assert found([gate(blocks_agent="a", global_gate=True, status="done")], ["a", "b"]) == []


def test_a_gate_for_an_agent_that_is_not_registered_is_reported() -> None:
    (problem,) = found([gate(blocks_agent="c")], ["a", "b"])
    assert problem.breaks_contract


@pytest.mark.parametrize(
    "statuses, breaks", [(("open", "open"), True), (("done", "open"), True), (("done", "done"), False)]
)
def test_two_todos_with_one_id(statuses: tuple[str, str], breaks: bool) -> None:
    (problem,) = found([work("a01", 3, status=statuses[0]), work("a01", 9, status=statuses[1])])
    assert problem.breaks_contract is breaks
    assert problem.at == "S.md:9"
    assert "S.md:3" in problem.message


def circle(key: str, form: str, statuses: Sequence[str]) -> list[Todo]:
    names = ["a01", "a02", "a03"][: len(statuses)]
    return [
        work(name, 10 + number, status=status, **{key: form.format(f"todo_{names[(number + 1) % len(names)]}")})
        for number, (name, status) in enumerate(zip(names, statuses, strict=True))
    ]


@pytest.mark.parametrize("size", [1, 2, 3])
def test_todos_that_wait_for_each_other(size: int) -> None:
    (problem,) = found(circle("resume_when", "todo_done:{}", ["deferred"] * size))
    assert problem.breaks_contract
    assert problem.at == "S.md:10"


def test_a_done_todo_ends_a_wait() -> None:
    (problem,) = found(circle("resume_when", "todo_done:{}", ["deferred", "done"]))
    assert not problem.breaks_contract


@pytest.mark.parametrize("statuses, breaks", [(["open", "done"], True), (["done", "done"], False)])
def test_todos_that_supersede_each_other(statuses: list[str], breaks: bool) -> None:
    (problem,) = found(circle("superseded_by", "{}", statuses))
    assert problem.breaks_contract is breaks


def test_a_chain_into_a_circle_is_one_problem_and_a_chain_is_none() -> None:
    tail = work("t01", 1, resume_when="todo_done:todo_a01")
    assert len(found([tail, *circle("resume_when", "todo_done:{}", ["open", "open"])])) == 1
    assert found([tail, work("a01", 2, resume_when="todo_done:todo_gone")]) == []
    assert found([work("a01", superseded_by="todo_a02"), work("a02", resume_when="todo_done:todo_a01")]) == []


def test_a_todo_without_a_line_is_placed_by_its_number() -> None:
    (problem,) = found([Todo("todo_u01", "user", "x", order=3)])
    assert problem.at == "todos[3]"
