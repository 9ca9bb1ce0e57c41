"""What explanation says of a case that matched and does not lead."""

from __future__ import annotations

from collections.abc import Callable

from loopx_policy.decide import Evaluation
from loopx_policy.explain import explain

Turn = Callable[..., Evaluation]


def test_a_case_below_the_lead_is_placed_and_only_quoted(turn: Turn) -> None:
    notes = explain(turn(todos=[{"todo_id": "todo_a01", "text": "[P1] Dredge"}])).notes
    (idle,) = [note for note in notes if note.status == "below_lead"]
    assert idle.key == "GR-idle.nothing"
    place, _, quoted = idle.text.partition("; leading, it would say: ")
    assert place == "rest stands below delivery"
    assert quoted == "nothing is left that this caller could do"


def test_a_case_of_the_same_stratum_comes_after_the_lead(turn: Turn) -> None:
    todos = [
        {"todo_id": "todo_a01", "text": "[P0] Dredge", "status": "blocked"},
        {"todo_id": "todo_a02", "text": "[P1] Chart"},
    ]
    texts = {note.key: note.text for note in explain(turn(todos=todos)).notes if note.status == "below_lead"}
    assert texts["IP-001.deliver"].startswith(
        "comes after IP-002.blocked_priority in delivery; leading, it would say: "
    )
