"""The snapshot document: written from a project, read in place of one."""

from __future__ import annotations

import json
import os

from loopx_policy.errors import StateError, UsageError
from loopx_policy.model import Snapshot
from loopx_policy.project.reader import invocation
from loopx_policy.records import replace

from ..request import Globals, Result, ShouldRun
from .goals import snapshot_of
from .inputs import moment, shown
from .policy import load


def export(
    options: Globals, goal_id: str | None, agent_id: str | None, capabilities: tuple[str, ...], output: str | None
) -> Result:
    """The document as JSON, or where it was written."""
    from loopx_policy.project.document import to_document

    document = to_document(snapshot_of(options, load(options), goal_id, agent_id, capabilities))
    if output is None:
        return Result(document, "document", text=json.dumps(document, ensure_ascii=False, indent=1))
    text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
    try:
        with open(output, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        why = error.strerror or error
        raise StateError(
            f"The snapshot cannot be written: {why}.", at=output, fix="Name a file in a folder that exists."
        ) from None
    data = {"schema_version": "loopx_snapshot_export_v0", "written": os.fspath(output), "bytes": len(text.encode())}
    return Result(data, "document")


def read_document(asked: ShouldRun) -> Snapshot:
    """The snapshot in a document. Options given beside it say who asks, with what, and when."""
    from loopx_policy.project.document import from_document

    from .documents import inside, read

    assert asked.snapshot is not None
    for option, value in (("--registry", asked.options.registry), ("--runtime-root", asked.options.runtime_root)):
        if value:
            raise UsageError(f"{option} and --snapshot exclude each other.", fix="Leave one of them out.")
    name = shown(asked.snapshot)
    document = read(asked.snapshot, "snapshot")
    with inside(name, "Correct it; loopx snapshot export writes one that is right."):
        snapshot = from_document(document)
    if asked.goal_id is not None and asked.goal_id != snapshot.goal.goal_id:
        message = f"The snapshot is of goal {snapshot.goal.goal_id}, not of {asked.goal_id}."
        raise UsageError(message, at=name, fix="Leave out --goal-id.")
    if asked.options.rules:
        snapshot = replace(snapshot, invocation=replace(snapshot.invocation, rules=tuple(asked.options.rules)))
    who, typed = snapshot.invocation, invocation(asked.agent_id, asked.available_capability)
    if typed.agent_id is not None:
        who = replace(who, agent_id=typed.agent_id)
    if typed.capabilities:
        who = replace(who, capabilities=typed.capabilities)
    when = moment(asked.options) if asked.options.now else snapshot.now
    return replace(snapshot, invocation=who, now=when)
