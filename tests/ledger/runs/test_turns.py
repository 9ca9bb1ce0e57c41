"""Which decision a turn runs under, where its own work takes the leave away: found in the record of writes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.cli.answers.goals import neutral
from loopx_policy.decide import Policy
from loopx_policy.ledger.drafts import edit, saved
from loopx_policy.ledger.places import Caller, Ground
from loopx_policy.ledger.todo_steps import known
from loopx_policy.ledger.write import Order, Plan, perform
from loopx_policy.observe import Observer

from .conftest import BUILDER, Build, Harbor
from .test_spend import SPEND

ONE = "- [ ] [P1] Chart the basin\n  <!-- loopx:todo todo_id=todo_basin status=open claimed_by=builder -->\n"
REFRESH = ("refresh-state", "--agent-id", BUILDER)
Complete = Callable[..., None]


@pytest.fixture
def complete() -> Complete:
    """Completes a todo with its evidence, as the ledger records it."""
    catalog = load_catalog()
    observer = Observer(Policy(catalog))

    def run(harbor: Harbor, todo_id: str = "todo_basin", agent: str = BUILDER) -> None:
        def plan(here: Ground) -> Plan:
            todo, text = known(here, todo_id), edit(here)
            text.set_metadata(todo, {"status": "done", "evidence": "the depth check passed", "no_followup": "true"})
            return Plan(f"Complete {todo_id}", {"todo_id": todo_id}, [saved(here, text)])

        caller = Caller(
            cwd=str(harbor.project),
            env={},
            now=1_796_115_600 + 60 * harbor.at,
            agent_id=agent,
            neutral=neutral(catalog),
        )
        perform(caller, Order("todo complete", {"todo_id": todo_id}, execute=True), plan, observer)

    return run


def test_a_turn_that_finishes_the_last_todo_is_paid_under_the_decision_before_it(
    build: Build, complete: Complete
) -> None:
    harbor = build(ONE)
    assert harbor.mode() == "bounded_delivery"
    complete(harbor)
    assert harbor.mode() == "agent_scope_exhausted"
    harbor.ask(*REFRESH)
    payload = harbor.payload()
    assert payload["decision"]["mode"] == "bounded_delivery"
    assert payload["delivery"]["completed"] == ["todo_basin"]
    harbor.ask(*SPEND)
    assert harbor.spent() == 1


def test_a_finished_todo_without_its_row_is_not_written_back(build: Build, complete: Complete) -> None:
    harbor = build(ONE)
    complete(harbor)
    said = harbor.refused(*SPEND)
    assert "IP-001.not_written_back" in said
    assert harbor.accepted(said).code == 0
    harbor.ask(*SPEND)


def test_work_after_a_paid_turn_is_a_turn_of_its_own(build: Build, complete: Complete) -> None:
    harbor = build(ONE + ONE.replace("todo_basin", "todo_quay"))
    complete(harbor)
    harbor.ask(*REFRESH)
    harbor.ask(*SPEND)
    harbor.at = 5
    complete(harbor, "todo_quay")
    assert "IP-001.not_written_back" in harbor.refused(*SPEND)
    harbor.ask(*REFRESH)
    assert harbor.payload()["delivery"]["completed"] == ["todo_quay"]
    harbor.ask(*SPEND)
    assert harbor.spent() == 2


def test_leave_of_an_earlier_turn_is_not_carried_into_the_next(build: Build, complete: Complete) -> None:
    harbor = build(ONE)
    complete(harbor)
    harbor.ask(*REFRESH)
    harbor.ask(*SPEND)
    harbor.at = 5
    harbor.ask(*REFRESH, "--artifact", "charts/basin.md", "--evidence", "looked again")
    assert harbor.payload()["decision"]["mode"] == "agent_scope_exhausted"
    assert "IP-001.not_permitted" in harbor.refused(*SPEND)


def test_leave_is_not_carried_longer_than_a_decision_speaks(build: Build, complete: Complete) -> None:
    harbor = build(ONE)
    complete(harbor)
    harbor.at = 121
    harbor.ask(*REFRESH, "--artifact", "charts/basin.md", "--evidence", "checked")
    assert harbor.payload()["decision"]["mode"] == "agent_scope_exhausted"


def test_leave_of_another_agent_is_not_borrowed(build: Build, complete: Complete) -> None:
    harbor = build(ONE.replace("builder", "writer"))
    complete(harbor, agent="writer")
    harbor.ask(*REFRESH, "--artifact", "charts/basin.md", "--evidence", "checked")
    assert harbor.payload()["decision"]["spend_after_validation"] is False
    assert "IP-001.not_permitted" in harbor.refused(*SPEND)
