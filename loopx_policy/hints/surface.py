"""What feedback changed, as plain data: for status, explanation, dashboard and the hint commands alike."""

from __future__ import annotations

from typing import Any

from loopx_policy.decide import Evaluation
from loopx_policy.hints.derive import Hints, derive
from loopx_policy.hints.hint import Hint, source_name
from loopx_policy.hints.order import Effect

Data = dict[str, Any]


def feedback_surface(evaluation: Evaluation) -> Data:
    """``{active: [hint], effect, resting, ended}``: the hints that hold, what they did to this turn, and how many
    others there are.
    """
    hints = derive(evaluation.turn.view)
    return {
        "active": [shown(hint) for hint in hints.active],
        "effect": effect_data(evaluation.hinted),
        "resting": len(hints.resting),
        "ended": len(hints.ended),
    }


def shown(hint: Hint) -> Data:
    """A hint with its sources by the names that people know."""
    return hint.to_dict() | {"sources": [source_name(source) for source in hint.sources]}


def effect_data(effect: Effect | None) -> Data | None:
    """``{before, after, over, because}``: runnable todos without hints and with them; none where nothing moved."""
    if effect is None:
        return None
    return {
        "before": list(effect.before),
        "after": list(effect.after),
        "over": effect.before[0] if effect.moved_lead else None,
        "because": [hint.hint_id for hint in effect.because],
    }


def unused(hints: Hints) -> list[Data]:
    """Feedback that orders nothing, each with the reason."""
    return [{"source": source_name(source), "kind": source["kind"], "why": why} for source, why in hints.unused]
