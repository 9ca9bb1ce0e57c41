"""The commands that an answer proposes, complete enough to run as printed."""

from __future__ import annotations

import shlex

from loopx_policy.engine.catalog import Mode
from loopx_policy.facts.turn import Turn
from loopx_policy.messages import fill, invocation_words


def context_flags(turn: Turn) -> str:
    """The global options as the caller typed them."""
    invocation = turn.view.snapshot.invocation
    flags = [
        f" {name} {shlex.quote(value)}"
        for name, value in (("--registry", invocation.registry), ("--runtime-root", invocation.runtime_root))
        if value
    ]
    return "".join(flags)


def agent_flags(turn: Turn) -> str:
    """Who asks, with which capabilities, and the global options."""
    invocation = turn.view.snapshot.invocation
    flags = f" --agent-id {shlex.quote(invocation.agent_id)}" if invocation.agent_id else ""
    extra = "".join(f" --available-capability {shlex.quote(name)}" for name in invocation.capabilities)
    return flags + extra + context_flags(turn)


def commands(mode: Mode, turn: Turn) -> list[str]:
    """The mode's command templates, filled in."""
    words = {name: shlex.quote(word) for name, word in invocation_words(turn).items() if word}
    words |= {"agent_flags": agent_flags(turn), "context_flags": context_flags(turn)}
    return [fill(template, words) for template in mode.cli_actions]
