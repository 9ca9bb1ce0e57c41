"""What a decision says, as facts: the words that invariants speak besides those of a record.

``lead.*`` is the case that leads and what it declares. ``decision.*`` is the answer after all: with obligations,
what is withheld, and the fail-closed mode where a grant is withheld. ``obliged.*`` are the obligations carried,
``withheld.*`` what is taken away, ``blocked.*`` the kinds of block of one candidate. Other points have ``verdict``
and ``verdict.case``. ``base.*`` is the same decision without the rules that a directory adds.
"""

from __future__ import annotations

from collections.abc import Iterable

from loopx_policy.engine.catalog import Catalog, Fact
from loopx_policy.engine.channels import FAIL_CLOSED_STATE

NONE = "nothing"
"""The lead where nothing leads, the case where the default holds."""
WITHHELD = ("delivery", "spending", "quiet")
TURN_FLAGS = (
    "decision.must_attempt",
    "decision.delivery_allowed",
    "decision.quiet_noop_allowed",
    "decision.spend_after_validation",
    "decision.lists_candidates",
    "decision.action_required",
    "decision.notify",
    "decision.silent",
    "decision.failed_closed",
    "lead.grants_delivery",
    "lead.grants_spending",
    "lead.asks",
)
BASE = "base."
RELATIVE = ("decision.delivery_allowed", "decision.spend_after_validation", "verdict.runnable", "verdict")
"""Outcomes that are compared with those of the base: what may be granted."""


def outcomes(catalog: Catalog, point: str) -> dict[str, Fact]:
    """The outcome facts of a decision point. A candidate's are joined by those of its turn."""
    if point == "turn":
        found = _turn(catalog)
    elif point == "candidate":
        declared = catalog.points[point]
        found = [*_turn(catalog), _flag("verdict.runnable"), _flag("candidate.deliverable")]
        found += [_flag(f"blocked.{kind}") for kind in declared.blocks]
    else:
        declared = catalog.points[point]
        keys = [case.key for case in catalog.cases.get(point, ())]
        found = [_enum("verdict", declared.verdicts), _enum("verdict.case", [*keys, NONE])]
        if declared.blocks:
            found.append(_enum("verdict.kind", [*declared.blocks, NONE]))
    relative = [Fact(BASE + fact.name, fact.type, fact.values) for fact in found if fact.name in RELATIVE]
    return {fact.name: fact for fact in [*found, *relative]}


def _turn(catalog: Catalog) -> list[Fact]:
    cases = catalog.cases.get("turn", ())
    modes = catalog.modes.values()
    return [
        _enum("lead.case", [*(case.key for case in cases), NONE]),
        _enum("lead.pattern", [*(case.pattern for case in cases), NONE]),
        _enum("lead.stratum", [*catalog.strata, NONE]),
        _enum("lead.mode", [*catalog.modes, NONE]),
        _enum("lead.effective_action", [*(case.effective_action for case in cases), NONE]),
        _enum("decision.mode", catalog.modes),
        _enum("decision.state", [*(case.state for case in cases), FAIL_CLOSED_STATE]),
        _enum("decision.spend_policy", [mode.spend_policy for mode in modes]),
        _enum("decision.waiting_on", [mode.waiting_on for mode in modes]),
        *(_flag(name) for name in TURN_FLAGS),
        *(_flag(f"obliged.{item.key}") for item in catalog.obligations),
        *(_flag(f"withheld.{what}") for what in WITHHELD),
    ]


def _flag(name: str) -> Fact:
    return Fact(name, "bool")


def _enum(name: str, values: Iterable[str]) -> Fact:
    return Fact(name, "enum", tuple(dict.fromkeys(values)))
