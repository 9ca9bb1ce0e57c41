"""One of many writers: runs a seeded sequence of loopx commands on one goal and tells what each came to.

``python -m tests.torture.crowd ROOT NUMBER COMMANDS``: lines of JSON, one a command.
"""

from __future__ import annotations

import io
import json
import os
import random
import sys
from typing import Any

from loopx_policy.cli.edge import perform
from loopx_policy.cli.entry import parse

AGENTS = ("main", "side", "third", "fourth")
SCRIBE = "scribe"
"""Writes rows in a lane of its own, so that the contested runs stay the newest of theirs."""
CONTESTED = [f"todo_contest{number:02}" for number in range(24)]
SHARED_KEYS = [f"shared-{number}" for number in range(6)]
EVIDENCE = ("--evidence", "checked by the crowd")


def loopx(*argv: str) -> tuple[int, dict[str, Any]]:
    """One command in this process: exit code and answer."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    kept, sys.stdout = sys.stdout, out
    try:
        code = perform(parse, ["--format", "json", *argv])
    finally:
        sys.stdout = kept
    out.flush()
    text = out.buffer.getvalue()
    answer: dict[str, Any] = json.loads(text) if text.strip() else {}
    return code, answer


def command(
    chance: random.Random, agent: str, number: int, step: int, own: list[str], rows: dict[str, str]
) -> list[str]:
    """The next command of this writer."""
    kind = chance.choices(("add", "claim", "complete", "shared", "lease", "row", "spend"), (4, 6, 2, 2, 2, 1, 3))[0]
    who = ("--agent-id", agent)
    if kind == "claim":
        return ["todo", "claim", "--todo-id", chance.choice(CONTESTED), "--claimed-by", agent]
    if kind == "complete" and own:
        closing = ("--no-follow-up", "--reason", "a crowd needs none", "--operator")
        return ["todo", "complete", "--todo-id", own.pop(), *EVIDENCE, *closing]
    if kind == "shared":
        key = chance.choice(SHARED_KEYS)
        return ["todo", "add", "--text", f"Only once: {key}", "--agent-id", "main", "--idempotency-key", key]
    if kind == "lease":
        todo = chance.choice(CONTESTED)
        if chance.random() < 0.5:
            return ["lease", "release", "--todo-id", todo, *who]
        ttl = ("--ttl-minutes", "5", "--idempotency-key", f"lease-{number}-{step}")
        return ["lease", "claim", "--todo-id", todo, *who, "--write-scope", f"src/{todo}/**", *ttl]
    if kind == "row":
        return [
            "refresh-state",
            "--agent-id",
            SCRIBE,
            "--classification",
            "crowd",
            "--delivery-outcome",
            "outcome_progress",
            *EVIDENCE,
        ]
    if kind == "spend":
        payer, run = chance.choice(list(rows.items()))
        return ["quota", "spend-slot", "--agent-id", payer, "--run", run, *EVIDENCE, "--execute"]
    return ["todo", "add", "--text", f"Writer {number} adds {step}", *who]


def main() -> None:
    root, number, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    os.chdir(root)
    chance = random.Random(number)
    agent = AGENTS[number % len(AGENTS)]
    rows = json.loads(os.environ["CROWD_ROWS"])
    own: list[str] = []
    for step in range(count):
        argv = command(chance, agent, number, step, own, rows)
        code, answer = loopx(*argv)
        result = answer.get("result") or {}
        if argv[:2] == ["todo", "add"] and code == 0 and "--idempotency-key" not in argv:
            own.append(result["todo_id"])
        told = {"argv": argv, "agent": agent, "code": code, "result": result, "error": answer.get("error", "")}
        print(json.dumps(told | {"written": answer.get("written"), "repeated": answer.get("repeated")}), flush=True)


if __name__ == "__main__":
    main()
