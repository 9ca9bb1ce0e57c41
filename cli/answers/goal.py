"""``loopx goal | agent | boundary | authority``: requests to steps of the ledger that change what a goal is."""

from __future__ import annotations

import os
import subprocess
from shlex import quote
from typing import Any

from loopx_policy.decide import Policy
from loopx_policy.ledger import agent_steps, authority_steps, boundary_steps, goal_init, goal_steps
from loopx_policy.ledger.write import Order
from loopx_policy.records import replace

from ..request import Result
from .inputs import moment, when
from .policy import load
from .writing import Writer, answered, judge_of, write

Data = dict[str, Any]


def init(writer: Writer, objective: str, state_file: str, scopes: tuple[str, ...], operator: bool) -> Result:
    catalog = load(writer.options)
    wanted = goal_init.Wanted(writer.goal_id or "", objective, state_file, scopes, operator)
    request = {"goal_id": wanted.goal_id, "objective": objective, "state_file": state_file, "write_scope": scopes}
    order = Order("goal init", request, writer.execute, writer.key, registry=True)
    outcome = goal_init.init(writer.caller(catalog), wanted, order, judge_of(writer, catalog))
    result = answered(writer, Policy(catalog), outcome)
    if not outcome.written:
        return result
    where = ("" if writer.goal_id else f" --goal-id {quote(outcome.goal_id)}") + writer.words()["place_flags"]
    steps = [
        f"loopx todo add --role agent --task-class advancement_task --text '[P1] The first piece of work'{where}",
        f"loopx agent register builder --primary --operator --execute{where}",
        f"loopx quota should-run --agent-id builder{where}",
    ]
    return replace(result, data=result.data | {"next": steps})


def set_goal(writer: Writer, wanted: Data, clear: tuple[str, ...], operator: bool) -> Result:
    request = {"wanted": wanted, "clear": clear, "operator": operator}
    return write(
        writer,
        "goal set",
        request,
        lambda here, judge: goal_steps.set_goal(here, judge, wanted, clear, operator=operator),
        registry=True,
    )


def register_agent(
    writer: Writer, agent: str, primary: bool, handoff: bool, scope: str | None, operator: bool
) -> Result:
    request = {"agent": agent, "primary": primary, "handoff": handoff, "scope": scope, "operator": operator}
    return write(
        writer,
        "agent register",
        request,
        lambda here, judge: agent_steps.register(
            here, judge, agent, primary=primary, handoff=handoff, scope=scope, operator=operator
        ),
        registry=True,
    )


def unregister_agent(writer: Writer, agent: str, operator: bool) -> Result:
    return write(
        writer,
        "agent unregister",
        {"agent": agent, "operator": operator},
        lambda here, judge: agent_steps.unregister(here, judge, agent, operator=operator),
        registry=True,
    )


def approve(
    writer: Writer, scopes: tuple[str, ...], source: str, provenance: str, expires: str | None, operator: bool
) -> Result:
    end = None if expires is None else when("--expires-at", expires, moment(writer.options))
    request = {"write_scope": scopes, "source": source, "provenance": provenance, "expires_at": expires}
    return write(
        writer,
        "boundary approve",
        request | {"operator": operator},
        lambda here, judge: boundary_steps.approve(
            here, judge, scopes, source=source, provenance=provenance, expires_at=end, operator=operator
        ),
        registry=True,
    )


def revoke(writer: Writer, scopes: tuple[str, ...], reason: str, operator: bool) -> Result:
    return write(
        writer,
        "boundary revoke",
        {"write_scope": scopes, "reason": reason, "operator": operator},
        lambda here, judge: boundary_steps.revoke(here, judge, scopes, reason=reason, operator=operator),
        registry=True,
    )


def register_authority(writer: Writer, contract: dict[str, str], operator: bool) -> Result:
    named = writer.goal_id is not None
    return write(
        writer,
        "authority register",
        {"contract": contract, "operator": operator},
        lambda here, judge: authority_steps.register(here, judge, contract, tracked, named=named, operator=operator),
        registry=True,
    )


def tracked(repo: str, path: str) -> bool | None:
    """Whether git tracks a path of a repository; ``None`` where git cannot be asked."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", repo, "ls-files", "--error-unmatch", "--", path]
    try:
        done = subprocess.run(command, capture_output=True, env=clean, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.returncode == 0
