"""``loopx catalog diff``: what differs between two versions of the policy, and which states are decided otherwise."""

from __future__ import annotations

import os
import tempfile
from typing import Any

from loopx_policy.catalog_source.changes import edits
from loopx_policy.catalog_source.laws import load_laws

from ..request import Result
from .versions import read_version

SCHEMA = "loopx_catalog_diff_v0"


def diff(old: str, new: str, semantic: bool, witnesses: str | None) -> Result:
    """``{old, new, edits, semantic}``; ``semantic`` is ``{same, serious, changes, broken, notes}`` or null.

    Exit code 1 where a change touches an invariant or a P0 pattern.
    """
    first, second = read_version(old), read_version(new)
    data: dict[str, Any] = {
        "schema_version": SCHEMA,
        "old": first.label,
        "new": second.label,
        "edits": [edit.to_dict() for edit in edits(first, second)],
        "semantic": None,
    }
    if not semantic:
        return Result(data, "catalog_diff")
    from loopx_policy.prove.compared import lay_out_changes
    from loopx_policy.prove.diff import compare

    laws = load_laws(second.catalog)
    found = compare(first, second, laws)
    if found.changes:
        folder = witnesses or tempfile.mkdtemp(prefix="loopx-diff-")
        lay_out_changes(found, first, second, laws, folder)
        if not os.listdir(folder):
            os.rmdir(folder)
    data["semantic"] = {
        "same": not found.changes,
        "serious": found.serious,
        "changes": [change.to_dict() for change in found.changes],
        "broken": found.broken,
        "notes": found.notes,
    }
    return Result(data, "catalog_diff", 1 if found.serious else 0)
