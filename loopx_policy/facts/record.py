"""A flat fact record with the evidence that each fact rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from loopx_policy.engine.conditions import Value
from loopx_policy.model import NextAction, Problem, Run, Todo
from loopx_policy.records import field, record

Source: TypeAlias = Todo | Run | NextAction | Problem


@record(frozen=True)
class Evidence:
    """What a fact rests on: the places in the state, and the words that a message may quote.

    ``free`` words are somebody's own text, bound by no grammar: a message shows them without what looks private.
    """

    sources: Sequence[Source] = ()
    words: Sequence[str] = ()
    free: bool = False


NO_EVIDENCE = Evidence()


@record
class Record:
    """``values`` has exactly the declared facts of one decision point; ``evidence`` is keyed by fact."""

    values: dict[str, Value] = field(default_factory=dict)
    evidence: dict[str, Evidence] = field(default_factory=dict)

    def flag(
        self, fact: str, value: bool, sources: Sequence[Source] = (), words: Sequence[str] = (), free: bool = False
    ) -> None:
        """Set a boolean fact."""
        self.values[fact] = value
        if sources or words:
            self.evidence[fact] = Evidence(sources, words, free)

    def word(
        self, fact: str, value: str, sources: Sequence[Source] = (), words: Sequence[str] = (), free: bool = False
    ) -> None:
        """Set a fact with a small domain."""
        self.values[fact] = value
        if sources or words:
            self.evidence[fact] = Evidence(sources, words, free)

    def count(self, fact: str, sources: Sequence[Source], words: Sequence[str] = (), free: bool = False) -> None:
        """Set a count to the number of its sources; a count saturates where its declaration says."""
        self.values[fact] = len(sources)
        if sources or words:
            self.evidence[fact] = Evidence(sources, words, free)

    def number(
        self, fact: str, value: int, sources: Sequence[Source] = (), words: Sequence[str] = (), free: bool = False
    ) -> None:
        """Set a count that is not the length of its sources."""
        self.values[fact] = value
        if sources or words:
            self.evidence[fact] = Evidence(sources, words, free)
