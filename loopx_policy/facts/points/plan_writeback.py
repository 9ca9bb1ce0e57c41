"""Facts of ``plan_writeback``: a plan about to be told, and what of it stands in durable state.

Seed: IP-018.
"""

from __future__ import annotations

from typing import Any

from loopx_policy.facts.points.projection import (
    Document,
    Parameters,
    Projection,
    flag,
    part,
    private_texts,
    text,
    texts,
)  # fmt: skip


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``plan.*`` and ``text.*``."""
    del parameters
    made = Projection()
    items: list[Any] = [item for item in document.get("items") or () if text(item, "kind") != "remark"]
    roles = {
        text(todo, "todo_id"): text(todo, "role") or "agent"
        for todo in document.get("todos") or ()
        if text(todo, "status") != "done"
    }
    unwritten = [item for item in items if not texts(item, "written")]
    doc_only = [item for item in items if set(texts(item, "written")) == {"doc"}]
    dangling = [item for item in items if "todo" in texts(item, "written") and text(item, "todo_id") not in roles]
    misplaced = [item for item in items if text(item, "kind") == "user_action" and _misplaced(item, roles)]
    made.values.update(
        {
            "plan.connected": document.get("connected") is not False,
            "plan.commitments": len(items),
            "plan.unwritten": len(unwritten),
            "plan.doc_only": len(doc_only),
            "plan.dangling": len(dangling),
            "plan.misplaced": len(misplaced),
            "plan.speculative": flag(document, "says_speculative"),
        }
    )
    private_texts(made, part(document, "texts"))
    made.say(
        unwritten=[_name(item) for item in unwritten],
        doc_only=[_name(item) for item in doc_only],
        dangling=[text(item, "todo_id") or _name(item) for item in dangling],
        misplaced=[_name(item) for item in misplaced],
    )
    # The first item that the leading case is about, whole, for the command that gives it a place.
    homeless = [*([] if flag(document, "says_speculative") else unwritten), *doc_only, *dangling, *misplaced]
    made.words["homeless_item"] = _name(homeless[0]) if homeless else ""
    return made


def _misplaced(item: Document, roles: dict[str, str]) -> bool:
    if not texts(item, "written"):
        return False
    return "todo" not in texts(item, "written") or roles.get(text(item, "todo_id"), "user") != "user"


def _name(item: Document) -> str:
    return text(item, "summary") or text(item, "kind")
