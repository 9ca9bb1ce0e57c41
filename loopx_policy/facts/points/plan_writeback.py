"""Facts of ``plan_writeback``: what of a plan told to a person stands in durable state. Seed: IP-018, IP-004."""

from __future__ import annotations

from typing import Any

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, part, private_texts, text, texts

_UNFINISHED = ("open", "blocked", "deferred")


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``plan.*`` and ``text.private``."""
    del parameters
    made = Projection()
    concrete = [item for item in document["items"] if text(item, "kind") != "remark"]
    todos = {text(todo, "todo_id"): todo for todo in document.get("todos") or ()}
    dangling = [item for item in concrete if "todo" in texts(item, "written") and not _todo(item, todos)]
    unprojected = [
        item
        for item in concrete
        if text(item, "kind") == "user_action" and text(_todo(item, todos), "role") != "user"
    ]
    unwritten = [item for item in concrete if not texts(item, "written")]
    doc_only = [item for item in concrete if texts(item, "written") and set(texts(item, "written")) == {"doc"}]
    made.values.update(
        {
            "plan.connected": document.get("connected") is not False,
            "plan.concrete": len(concrete),
            "plan.written": len(concrete) - len(unwritten),
            "plan.unwritten": len(unwritten),
            "plan.doc_only": len(doc_only),
            "plan.dangling": len(dangling),
            "plan.user_unprojected": len(unprojected),
            "plan.speculative": flag(document, "says_speculative"),
        }
    )
    private_texts(made, {"texts": dict(part(document, "texts"))})
    made.say(
        unwritten_items=_named(unwritten),
        doc_items=_named(doc_only),
        dangling_todos=[text(item, "todo_id") or "a todo without id" for item in dangling],
        user_items=_named(unprojected),
    )
    return made


def _todo(item: Document, todos: dict[str, Any]) -> Document:
    """The unfinished todo that an item names, empty where there is none."""
    if "todo" not in texts(item, "written"):
        return {}
    todo: Document = todos.get(text(item, "todo_id"), {})
    return todo if text(todo, "status") in _UNFINISHED else {}


def _named(items: list[Any]) -> list[str]:
    return [text(item, "summary") or text(item, "kind").replace("_", " ") for item in items]
