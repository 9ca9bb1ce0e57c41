"""A record that shows something, told to people: in words, as a project on disk, and with what happens there."""

from __future__ import annotations

import os
import re
from typing import Any

from loopx_policy.catalog_source.laws import Laws
from loopx_policy.decide import Evaluation, Policy
from loopx_policy.decision import build
from loopx_policy.engine.conditions import Value
from loopx_policy.explain import explain
from loopx_policy.prove import on_disk
from loopx_policy.prove.phrases import join, say_record
from loopx_policy.prove.realise import back, realise
from loopx_policy.prove.realise.scene import UnrealisableError
from loopx_policy.prove.result import Check, Shown
from loopx_policy.prove.theory import CANDIDATE, TURN

Json = dict[str, Any]


def told(policy: Policy, laws: Laws, shown: Shown) -> Json:
    """``{words, document, happens}``: the record in words, the snapshot document that shows it, what is decided there.

    ``document`` is None, with ``trouble`` in words, where no project shows the record. Decision points beside the turn
    have neither: their witness is the record, and ``words`` say it.
    """
    words = join(say_record(laws, shown.differs)) or "a project in which nothing is the matter"
    if shown.point not in (TURN, CANDIDATE):
        return {"words": words, "document": None, "happens": None, "trouble": ""}
    try:
        document = realise(policy, shown.record)
    except UnrealisableError as error:
        return {"words": words, "document": None, "happens": None, "trouble": error.message}
    evaluation = back(policy, document)
    own = policy.catalog.points[CANDIDATE].facts
    candidate = {name: shown.record[name] for name in own} if shown.point == CANDIDATE else None
    happens = happening(evaluation, candidate)
    return {"words": words, "document": document, "happens": happens, "trouble": ""}


def happening(evaluation: Evaluation, candidate: dict[str, Value] | None = None) -> Json:
    """What is decided, in the words of its explanation; with ``candidate`` also how that todo is judged."""
    decision, notes = build(evaluation), explain(evaluation)
    judged = notes.candidates
    frontier = evaluation.turn.frontier.candidates
    at = next((n for n, one in enumerate(frontier) if one.values == candidate), None)
    flags = {
        "should_run": decision.should_run,
        "delivery_allowed": decision.mode.delivery_allowed,
        "quiet_noop_allowed": decision.quiet_noop_allowed,
        "spend_after_validation": decision.mode.spend_after_validation,
        "action_required": decision.action_required,
        "notify": decision.notify,
    }
    return {
        "lead": f"{decision.pattern}.{decision.case}" if decision.case else "",
        "stratum": decision.stratum,
        "mode": decision.mode.name,
        "state": decision.state,
        "reason": decision.reason,
        "user": decision.user_reason,
        "agent": decision.primary_action,
        "flags": flags,
        "because": [f"{item.fact} {item.wanted}, found {item.found}" for item in notes.lead.because]
        if notes.lead
        else [],
        "below": [f"{note.key}: {note.text}" for note in notes.notes if note.status == "below_lead"],
        "obliged": [f"{note.key}: {note.text}" for note in notes.notes if note.status == "obliged"],
        "withheld": [f"{note.key}: {note.text}" for note in notes.notes if note.status == "withholds"],
        "candidate": None if at is None else f"{judged[at].todo_id}: {judged[at].why}",
    }


def lay_out(policy: Policy, laws: Laws, check: Check, folder: str, *, every: bool = False) -> None:
    """Tell each finding of a check: those that failed, or ``every`` one, as projects below ``folder``.

    An empty ``folder`` writes nothing.
    """
    for finding in check.findings:
        if finding.shown is None or not (finding.failed or every):
            continue
        project = told(policy, laws, finding.shown)
        document = project.pop("document")
        if document is not None and folder:
            name = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{check.name}-{finding.subject}").strip("-")
            place = on_disk.write(document, os.path.join(folder, name))
            project |= {"folder": place.root, "command": place.command("explain")}
        finding.shown.project = project
