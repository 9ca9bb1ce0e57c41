"""The commands that an answer proposes, complete enough to run as printed."""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from loopx_policy.engine.catalog import Mode, Placeholder
from loopx_policy.facts.record import NO_EVIDENCE, Source
from loopx_policy.facts.turn import Turn
from loopx_policy.messages import NAME, fill, invocation_words, source_name


def context_flags(turn: Turn) -> str:
    """The global options as the caller typed them."""
    invocation = turn.view.snapshot.invocation
    given = (("--registry", invocation.registry), ("--runtime-root", invocation.runtime_root))
    flags = [f" {name} {shlex.quote(value)}" for name, value in given if value]
    return "".join([*flags, *(f" --rules {shlex.quote(folder)}" for folder in invocation.rules)])


def agent_flags(turn: Turn) -> str:
    """Who asks, with which capabilities, and the global options."""
    invocation = turn.view.snapshot.invocation
    flags = f" --agent-id {shlex.quote(invocation.agent_id)}" if invocation.agent_id else ""
    extra = "".join(f" --available-capability {shlex.quote(name)}" for name in invocation.capabilities)
    return flags + extra + context_flags(turn)


def commands(mode: Mode, turn: Turn, placeholders: Mapping[str, Placeholder]) -> list[str]:
    """The mode's command templates, filled in. One that speaks of a todo that this turn does not have is left out."""
    words = {name: shlex.quote(word) for name, word in invocation_words(turn).items() if word}
    words |= {"agent_flags": agent_flags(turn), "context_flags": context_flags(turn)}
    words |= selected(turn)
    found = []
    for template in mode.cli_actions:
        for name in NAME.findall(template):
            source = first_source(placeholders[name], turn) if name in placeholders else None
            if name not in words and source is not None:
                words[name] = shlex.quote(source_name(source))
        if all(name in words for name in NAME.findall(template)):
            found.append(fill(template, words))
    return found


def selected(turn: Turn) -> dict[str, str]:
    """The first runnable todo as the word ``unclaimed`` where the caller should claim it, else as ``held_by_me``."""
    runnable = turn.frontier.runnable
    if not runnable:
        return {}
    todo = runnable[0].todo
    return {"unclaimed" if turn.view.me and not todo.claimed_by else "held_by_me": todo.todo_id}


def first_source(placeholder: Placeholder, turn: Turn) -> Source | None:
    """The first piece of evidence that a placeholder may speak of."""
    for fact in placeholder.facts:
        sources = turn.record.evidence.get(fact, NO_EVIDENCE).sources
        if sources:
            return sources[0]
    return None
