"""The contract between todos: each breach, its near miss, and the todo that is named."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.model import Problem, Todo
from loopx_policy.project.contract import check_contract
from loopx_policy.project.links import circles
from loopx_policy.records import replace


def gate(**values: object) -> Todo:
    return Todo("todo_g01", "user", "Decide", line=7, task_class="user_gate", **values)  # type: ignore[arg-type]


def work(name: str, line: int = 0, **values: object) -> Todo:
    return Todo(f"todo_{name}", "agent", name, line=line, task_class="advancement_task", **values)  # type: ignore[arg-type]


def found(todos: Sequence[Todo], agents: Sequence[str] = (), archived: Sequence[Todo] = ()) -> list[Problem]:
    return check_contract(todos, agents, "S.md", archived)


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
    assert found(circle("resume_when", "todo_done:{}", ["deferred", "done"])) == []


@pytest.mark.parametrize("statuses, breaks", [(["open", "done"], True), (["done", "done"], False)])
def test_todos_that_supersede_each_other(statuses: list[str], breaks: bool) -> None:
    (problem,) = found(circle("superseded_by", "{}", statuses))
    assert problem.breaks_contract is breaks


def test_a_chain_into_a_circle_is_one_problem_and_a_chain_is_none() -> None:
    tail = work("t01", 1, resume_when="todo_done:todo_a01")
    assert len(found([tail, *circle("resume_when", "todo_done:{}", ["open", "open"])])) == 1
    assert found([tail, work("a01", 2, resume_when="todo_done:todo_a02"), work("a02")]) == []


def test_a_circle_may_be_made_of_links_of_several_kinds() -> None:
    old, new = work("a01", 4, superseded_by="todo_a02"), work("a02", 8, resume_when="todo_done:todo_a01")
    (problem,) = found([old, new])
    assert (problem.at, problem.todo_id, problem.breaks_contract) == ("S.md:4", "todo_a01", True)
    assert "todo_a01, todo_a02 wait for or supersede each other" in problem.message
    old.status = "done"
    assert found([old, new]) == []


def test_a_parked_todo_and_what_unblocks_it_may_wait_for_each_other() -> None:
    parked = work("a01", 4, status="deferred")
    other = work("a02", 8, unblocks_todo_id="todo_a01", resume_when="todo_done:todo_a01")
    (problem,) = found([parked, other])
    assert (problem.at, problem.breaks_contract) == ("S.md:4", True)
    for change in ({"status": "open"}, {"resume_when": "pr_merged:acme/quay#7"}):
        assert found([replace(parked, **change), other]) == []
    assert found([parked, replace(other, status="done")]) == []
    assert found([replace(parked, unblocks_todo_id="todo_a01")]) == []


def test_circles_are_reported_in_file_order() -> None:
    ids = [problem.todo_id for problem in found([*circle("superseded_by", "{}", ["open"] * 3), *waiting("b01", "b02")])]
    assert ids == ["todo_a01", "todo_b01"]


def waiting(first: str, second: str) -> list[Todo]:
    return [work(first, resume_when=f"todo_done:todo_{second}"), work(second, resume_when=f"todo_done:todo_{first}")]


@pytest.mark.parametrize(
    "link, when_live, when_done",
    [
        ({"resume_when": "todo_done:todo_gone"}, True, None),
        ({"superseded_by": "todo_gone"}, True, False),
        ({"unblocks_todo_id": "todo_gone"}, False, None),
        ({"successor_todo_ids": ("todo_gone",)}, False, None),
    ],
)
@pytest.mark.parametrize("status", ["open", "blocked", "deferred", "done"])
def test_a_link_to_a_todo_that_does_not_exist(
    status: str, link: dict[str, object], when_live: bool, when_done: bool | None
) -> None:
    wanted = when_done if status == "done" else when_live
    todo = work("a01", 5, status=status, **link)
    problems = found([todo])
    assert [problem.breaks_contract for problem in problems] == ([] if wanted is None else [wanted])
    assert all("todo_a01" in problem.message and "todo_gone" in problem.message for problem in problems)
    assert found([todo, work("gone")]) == []
    assert found([todo], archived=[work("gone", status="done")]) == []


@given(st.dictionaries(st.sampled_from("abcdefg"), st.lists(st.sampled_from("abcdefg"), max_size=4), max_size=7))
def test_a_circle_is_the_nodes_that_reach_each_other(edges: dict[str, list[str]]) -> None:
    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        rest = list(edges.get(start, ()))
        while rest:
            node = rest.pop()
            if node not in seen:
                seen.add(node)
                rest += edges.get(node, ())
        return seen

    back = {node: frozenset(other for other in reached(node) if node in reached(other)) for node in edges}
    wanted = {circle for node, circle in back.items() if node in circle}
    found_circles = circles(edges)
    assert {frozenset(circle) for circle in found_circles} == wanted
    assert len(found_circles) == len(wanted)


def test_a_long_chain_is_no_circle_and_takes_no_deep_stack() -> None:
    size = 5000
    chain = [work(f"c{number:04}", resume_when=f"todo_done:todo_c{number + 1:04}") for number in range(size)]
    assert found([*chain, work(f"c{size:04}")]) == []
    (problem,) = found([*chain, work(f"c{size:04}", resume_when="todo_done:todo_c0000")])
    assert problem.breaks_contract


def test_a_todo_without_a_line_is_placed_by_its_number() -> None:
    (problem,) = found([Todo("todo_u01", "user", "x", order=3)])
    assert problem.at == "todos[3]"
