"""Why a turn was decided as it was: the lead with its evidence, then every other pattern.

The result is plain data for the command line, JSON and Markdown alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from loopx_policy.decide import Evaluation
from loopx_policy.engine.catalog import Case, Obligation, Withholding
from loopx_policy.engine.conditions import Condition, Value
from loopx_policy.engine.trace import Leaf, trace
from loopx_policy.facts.record import NO_EVIDENCE, Source
from loopx_policy.messages import QUOTED, Speaker, candidate_why, source_at, source_name, source_words
from loopx_policy.text import cut, literal

WORDS = {
    "eq": "is",
    "ne": "is not",
    "in": "is one of",
    "not_in": "is none of",
    "gt": ">",
    "gte": ">=",
    "lt": "<",
    "lte": "<=",
}


@dataclass(slots=True)
class Because:
    """One comparison: the fact, what was wanted, what was found, and where the evidence stands."""

    fact: str
    wanted: str
    found: Value
    held: bool
    evidence: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {
            "fact": self.fact,
            "wanted": self.wanted,
            "found": self.found,
            "held": self.held,
            "evidence": self.evidence,
        }


@dataclass(slots=True)
class PatternNote:
    """What became of one case or obligation: ``status`` is lead, below_lead, obliged, withholds or not_matched."""

    key: str
    status: str
    stratum: str
    text: str
    because: list[Because] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "status": self.status,
            "stratum": self.stratum,
            "text": self.text,
            "because": [item.to_dict() for item in self.because],
        }


@dataclass(slots=True)
class CandidateNote:
    """How one frontier todo was judged."""

    todo_id: str
    at: str
    runnable: bool
    cases: tuple[str, ...]
    why: str

    def to_dict(self) -> dict[str, Any]:
        return {
            "todo_id": self.todo_id,
            "at": self.at,
            "runnable": self.runnable,
            "by": list(self.cases),
            "why": self.why,
        }


@dataclass(slots=True)
class Explanation:
    """The whole answer to *why*: lead first, then the rest in catalog order."""

    lead: PatternNote | None
    notes: list[PatternNote]
    candidates: list[CandidateNote]

    def to_dict(self) -> dict[str, Any]:
        return {
            "lead": self.lead.to_dict() if self.lead else None,
            "patterns": [note.to_dict() for note in self.notes],
            "not_matched": sum(note.status == "not_matched" for note in self.notes),
            "candidates": [note.to_dict() for note in self.candidates],
        }


def explain(evaluation: Evaluation) -> Explanation:
    """Explain a turn. Not-matched patterns show the first condition that failed."""
    catalog, combined = evaluation.catalog, evaluation.combined
    speaker = Speaker(evaluation.turn, catalog.placeholders)
    lead = combined.lead
    notes: list[PatternNote] = []
    for case in catalog.cases["turn"]:
        if lead is not None and case.key == lead.key:
            continue
        if case in combined.matched:
            notes.append(_below(case, lead, evaluation, speaker))
        else:
            notes.append(_unmatched(case.key, case.stratum, case.when, evaluation))
    duties: Iterable[Obligation | Withholding] = (*catalog.obligations, *catalog.withholdings)
    matched: Sequence[Obligation | Withholding] = (*combined.obligations, *combined.withheld)
    for duty in duties:
        if duty in matched:
            text = speaker.say(duty.text, duty.when) if isinstance(duty, Obligation) else f"withholds {duty.what}"
            status = "obliged" if isinstance(duty, Obligation) else "withholds"
            notes.append(PatternNote(duty.key, status, "", text, _held(duty.when, evaluation)))
        elif isinstance(duty, Obligation) and f"obligation:{duty.key}" in evaluation.matches.keys:
            aside = f"holds, and accompanies only {' and '.join(duty.beside)}"
            notes.append(PatternNote(duty.key, "not_matched", "", aside, _held(duty.when, evaluation)))
        else:
            notes.append(_unmatched(duty.key, "", duty.when, evaluation))
    first = None
    if lead is not None:
        text = speaker.say(lead.reason, lead.when)
        first = PatternNote(lead.key, "lead", lead.stratum, text, _held(lead.when, evaluation))
    return Explanation(first, notes, _candidates(evaluation))


def _below(case: Case, lead: Case | None, evaluation: Evaluation, speaker: Speaker) -> PatternNote:
    """A reason speaks of the turn that its case leads ("nothing else is left to do"), so here it is only quoted."""
    assert lead is not None
    after = f"comes after {lead.key} in {case.stratum}"
    place = after if case.stratum == lead.stratum else f"{case.stratum} stands below {lead.stratum}"
    note = f"{place}; leading, it would say: {speaker.say(case.reason, case.when)}"
    return PatternNote(case.key, "below_lead", case.stratum, note, _held(case.when, evaluation))


def _unmatched(key: str, stratum: str, when: Condition, evaluation: Evaluation) -> PatternNote:
    found = trace(when, evaluation.turn.record.values)
    failed = [_because(leaf, False, evaluation) for leaf in found.failed]
    text = ", or ".join(f"{item.fact} {item.wanted} (found {literal(item.found)})" for item in failed)
    return PatternNote(key, "not_matched", stratum, text, failed)


def _held(when: Condition, evaluation: Evaluation) -> list[Because]:
    found = trace(when, evaluation.turn.record.values)
    return [_because(leaf, True, evaluation) for leaf in found.held]


def wanted(leaf: Leaf) -> str:
    """A comparison's right side in words: ``>= 1``, ``is one of mine, unclaimed``."""
    value = ", ".join(map(literal, leaf.wanted)) if isinstance(leaf.wanted, tuple) else literal(leaf.wanted)
    return f"{WORDS[leaf.op]} {value}"


def _because(leaf: Leaf, held: bool, evaluation: Evaluation) -> Because:
    file = evaluation.snapshot.state.file
    evidence = evaluation.turn.record.evidence.get(leaf.fact, NO_EVIDENCE)
    places = [_placed(source, file) for source in evidence.sources[:QUOTED]]
    places += [cut(word, 80) for word in source_words(evidence)[:QUOTED]]
    return Because(leaf.fact, wanted(leaf), leaf.found, held, places)


def _placed(source: Source, file: str) -> str:
    """A piece of evidence and where it stands, the place once: a problem's name has it, and a run's place its name."""
    name, at = cut(source_name(source), 120), source_at(source, file)
    if at and name.startswith(at):
        return name
    return at if name and at.endswith(name) else f"{name} {at}".strip()


def _candidates(evaluation: Evaluation) -> list[CandidateNote]:
    file = evaluation.snapshot.state.file
    notes = []
    for candidate in evaluation.turn.frontier.candidates:
        why = candidate_why(candidate, evaluation.turn, evaluation.catalog)
        notes.append(
            CandidateNote(
                candidate.todo.todo_id,
                source_at(candidate.todo, file),
                candidate.verdict.runnable,
                candidate.verdict.cases,
                why,
            )
        )
    return notes
