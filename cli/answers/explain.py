"""``loopx explain``: why a turn is as it is, and what would make it another."""

from __future__ import annotations

from typing import Any

from loopx_policy.errors import UsageError
from loopx_policy.explain import explain as explain_evaluation
from loopx_policy.hints.surface import feedback_surface

from ..request import Result, ShouldRun
from .should_run import evaluated, exit_code, for_people

SCHEMA = "loopx_explanation_v0"


def explain(asked: ShouldRun, why_not: str | None, counterfactual: bool, everything: bool) -> Result:
    """The decision with its explanation; with ``why_not`` or ``counterfactual`` the ways to that mode, or another.

    People see the patterns that did not match only with ``everything``; ``explanation.not_matched`` counts them.
    """
    catalog, decision, evaluation = evaluated(asked)
    if why_not is not None and why_not not in catalog.modes:
        from loopx_policy.catalog_source.findings import nearest

        near = nearest(why_not, catalog.modes)
        fix = f"Did you mean {near}?" if near else f"Modes: {', '.join(catalog.modes)}."
        raise UsageError(f"There is no mode {why_not}.", fix=fix)
    data: dict[str, Any] = {"schema_version": SCHEMA, **for_people(decision, evaluation, False)}
    data["explanation"] = explanation = explain_evaluation(evaluation).to_dict()
    explanation["feedback"] = feedback_surface(evaluation)
    if asked.options.format != "json" and not everything:
        explanation["patterns"] = [note for note in explanation["patterns"] if note["status"] != "not_matched"]
    if why_not is not None:
        from loopx_policy.why_not import why_not as ways_to

        data["why_not"] = ways_to(evaluation, why_not)
    elif counterfactual:
        from loopx_policy.why_not import counterfactual as other_ways

        data["why_not"] = other_ways(evaluation)
    return Result(data, "explanation", exit_code(decision))
