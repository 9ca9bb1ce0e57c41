"""Filling the placeholders of a rule's text from the evidence that its condition rests on.

A placeholder names the facts whose evidence it shows; of these, the first that the condition reads and
that has evidence speaks, else the first that has any. So ``{monitors}`` means the due watches in a case about
due watches, and the unscheduled ones in a case about those.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from loopx_policy.engine.catalog import Catalog, Placeholder
from loopx_policy.engine.conditions import Condition, facts_read
from loopx_policy.facts.frontier import NOBODY_KNOWN, Candidate
from loopx_policy.facts.record import NO_EVIDENCE, Evidence, Record, Source
from loopx_policy.facts.turn import Turn
from loopx_policy.model import NextAction, Problem, Run, Todo
from loopx_policy.text import cut, listed, public

NAME = re.compile(r"\{([a-z_]+)\}")
QUOTED = 5
"""Sources and words of one fact that an explanation names at most; a message names fewer."""


def source_name(source: Source) -> str:
    """How a message names a piece of evidence."""
    if isinstance(source, Todo):
        return source.todo_id
    if isinstance(source, Run):
        return source.generated_at_text if source.generated_at is not None else public(source.classification)
    if isinstance(source, Problem):
        said = public(source.message)
        return f"{source.at}: {said}" if source.at else said
    return public(source.text)


def source_words(evidence: Evidence) -> list[str]:
    """The words of a piece of evidence, the first few as they may be shown."""
    words = list(evidence.words)
    return [*map(public, words[:QUOTED]), *words[QUOTED:]] if evidence.free else words


def source_at(source: Source, file: str) -> str:
    """Where a piece of evidence stands: ``STATE.md:41``, a run's time, or nothing."""
    if isinstance(source, (Todo, NextAction)):
        return f"{file}:{source.line}" if source.line else file
    if isinstance(source, Run):
        return f"runs/index.jsonl@{source.generated_at_text}" if source.generated_at is not None else "runs/index.jsonl"
    return source.at


def fill(template: str, words: Mapping[str, str]) -> str:
    """The template with every known placeholder replaced."""
    return NAME.sub(lambda match: words.get(match[1], match[0]), template)


class Speaker:
    """Says a rule's texts about one turn."""

    def __init__(self, turn: Turn, placeholders: Mapping[str, Placeholder]) -> None:
        self._turn = turn
        self._placeholders = placeholders

    def say(self, template: str, condition: Condition) -> str:
        """One text of a rule with its placeholders filled from what ``condition`` rests on."""
        if "{" not in template:
            return template
        read = list(facts_read(condition))
        return NAME.sub(lambda match: self._word(match[1], read), template)

    def _word(self, name: str, read: list[str]) -> str:
        placeholder = self._placeholders.get(name)
        if placeholder is None or not placeholder.facts:
            return invocation_words(self._turn).get(name, "")
        record = self._turn.record
        fact, evidence = _speaks(placeholder, read, record)
        if placeholder.show == "value":
            return str(record.values.get(fact, ""))
        if placeholder.show == "number":
            return str(len(evidence.sources))
        if placeholder.show == "words":
            return listed(source_words(evidence))
        if name == "items":
            gates = self._turn.gates
            return listed([todo.todo_id for todo in (*gates.mine, *gates.actions)])
        return listed([source_name(source) for source in evidence.sources], limit=200)


def _speaks(placeholder: Placeholder, read: list[str], record: Record) -> tuple[str, Evidence]:
    ordered = [fact for fact in placeholder.facts if fact in read]
    for fact in (*ordered, *placeholder.facts):
        if fact in record.evidence:
            return fact, record.evidence[fact]
    return placeholder.facts[0], NO_EVIDENCE


def invocation_words(turn: Turn) -> dict[str, str]:
    """The placeholders that speak of the caller and the goal."""
    goal, me = turn.view.snapshot.goal, turn.view.me
    known = me if me in goal.agents else goal.primary_agent or (goal.agents[0] if goal.agents else "")
    return {
        "goal_id": goal.goal_id,
        "agent_id": cut(me, 80) or "this caller",
        "known_agent": known,
        "registered": listed(goal.agents),
    }


def candidate_words(candidate: Candidate, turn: Turn) -> dict[str, str]:
    """The placeholders of a candidate rule's reason."""
    gates = turn.gates
    covering = [*gates.blanket, *gates.unclear, *gates.covering(candidate.todo)] or gates.scoped
    missing = [name for names in candidate.missing.values() for name in names]
    return {
        "todo_id": candidate.todo.todo_id,
        "missing": listed(missing),
        "gates": listed([gate.todo_id for gate in covering]),
        "scopes": listed(candidate.outside),
        "handoff_owner": public(candidate.lease.owner or NOBODY_KNOWN) if candidate.lease else "",
    }


def candidate_why(candidate: Candidate, turn: Turn, catalog: Catalog) -> str:
    """What the rules say of a candidate: the reasons of its cases, filled in."""
    words = candidate_words(candidate, turn)
    reasons = {case.key: case.reason for case in catalog.cases.get("candidate", ())}
    said = "; ".join(fill(reasons[key], words) for key in candidate.verdict.cases if key in reasons)
    return said or "no rule permits it"
