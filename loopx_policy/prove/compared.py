"""The witness of a change: one project, and what each of the two versions decides there."""

from __future__ import annotations

import os
import re
from typing import Any

from loopx_policy.catalog_source.approved import Version
from loopx_policy.catalog_source.laws import Laws
from loopx_policy.decide import Policy
from loopx_policy.engine.record import RecordError
from loopx_policy.errors import CatalogError
from loopx_policy.prove import on_disk
from loopx_policy.prove.diff import Change, Difference
from loopx_policy.prove.phrases import join, say_record
from loopx_policy.prove.realise import back, realise
from loopx_policy.prove.realise.scene import UnrealisableError
from loopx_policy.prove.theory import CANDIDATE, TURN
from loopx_policy.prove.witness import happening

Json = dict[str, Any]


def lay_out_changes(found: Difference, old: Version, new: Version, laws: Laws, folder: str) -> None:
    """Give each change its project below ``folder`` (none is written where that is empty) and both explanations."""
    policies = [Policy(version.catalog) for version in (old, new)]
    for number, change in enumerate(found.changes, 1):
        if change.shown is None:
            continue
        words = join(say_record(laws, change.shown.differs)) or "a project in which nothing is the matter"
        project: Json = {"words": words, "before": None, "after": None, "trouble": ""}
        if change.point in (TURN, CANDIDATE):
            project |= _on_disk(change, policies, os.path.join(folder, _name(number, change)) if folder else "")
        change.shown.project = project


def _name(number: int, change: Change) -> str:
    words = f"{number:02d} {change.kind} {change.before.partition(' (')[0]}"
    return re.sub(r"[^A-Za-z0-9.-]+", "-", words)[:60].strip("-")


def _on_disk(change: Change, policies: list[Policy], folder: str) -> Json:
    assert change.shown is not None
    old, new = policies
    own = new.catalog.points[CANDIDATE].facts
    candidate = {name: change.shown.record[name] for name in own} if change.point == CANDIDATE else None
    known = {name: change.shown.record[name] for name in new.catalog.points[TURN].facts} | (candidate or {})
    try:
        document = realise(new, known)
        after = happening(back(new, document), candidate)
    except UnrealisableError as error:
        return {"trouble": error.message}
    found: Json = {"after": after}
    try:
        found["before"] = happening(back(old, document), candidate)
    except (RecordError, CatalogError) as error:
        found["trouble"] = f"The old version cannot be asked about a project of today: {error.message}"
    if folder:
        place = on_disk.write(document, folder)
        found |= {"folder": place.root, "command": place.command("explain")}
    return found
