"""``authority register``: a source that later agents will rely on, by a redacted contract and never by its body.

The tracked ``docs/meta/DOC_REGISTRY.yaml`` of the project takes it where there is one, else the ``authority_registry``
of the goal's registry entry; ``material_intake`` says which, or why not (IP-011).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ..errors import ConflictError, StateError
from ..project.times import iso
from .documents import change_part
from .edits import Edit, Replace
from .files import readable
from .places import Ground
from .registry_text import RegistryText
from .write import Judge, Plan, allow

Json = dict[str, Any]
DOC_REGISTRY = "docs/meta/DOC_REGISTRY.yaml"
LOCAL, MATERIALS, TOPICS = "authority_registry", "project_materials", "topic_authority"
QUESTIONS = ("title", "kind", "topic", "freshness", "owner_review", "read_access", "conflict_rule")
"""What a source contract answers."""

Tracked = Callable[[str, str], bool | None]
"""Whether a repository tracks a path in it; ``None`` where that cannot be found out."""


def register(
    here: Ground,
    judge: Judge,
    contract: Mapping[str, str],
    tracked: Tracked,
    *,
    named: bool,
    operator: bool = False,
) -> Plan:
    """Register a source.

    Parameters
    ----------
    contract: ``QUESTIONS`` as far as they are answered, and optionally ``material_id`` and ``supersedes``
    named:    the caller named the goal, and with it the project that owns the material
    """
    allow(judge, "goal_change", {"operation": "register_material", **change_part(here, operator)})
    material = _material(here, contract)
    file = os.path.join(here.places.repo, *DOC_REGISTRY.split("/"))
    before = readable(file, DOC_REGISTRY)
    listed, registry = _text(before), RegistryText(here)
    known = {**dict(_topics(registry.get(LOCAL, TOPICS))), **dict(_topics(_items(listed, TOPICS)))}
    owner: Json = {"known": named, "goal_id": here.goal.goal_id, "owns_material": named}
    surface = (
        "absent"
        if before is None
        else _surface(_within(here.places.repo, file) and tracked(here.places.repo, DOC_REGISTRY))
    )
    document = {
        "project": owner | ({"doc_registry": surface} if surface else {}),
        "material": material,
        "body_read": False,
        "conflict": _conflict(known.get(_plain(material.get("topic", "")), ""), material),
    }
    verdict = allow(judge, "material_intake", document, ("register_tracked", "register_local"))
    for number in (*_ids(registry.get(LOCAL, MATERIALS)), *_ids(_items(listed, MATERIALS))):
        if number == material["material_id"]:
            raise ConflictError(
                f"A source {number} is registered already.",
                fix="Give this one another --material-id; name the old one in --supersedes if this replaces it.",
            )
    kept = ("topic", "material_id", "conflict_rule", "supersedes")
    route = {name: material[name] for name in kept if name in material}
    edits: list[Edit]
    if verdict.verdict == "register_tracked" and before is not None:
        from .yaml_list import append_item

        text = append_item(append_item(listed, MATERIALS, material, at=DOC_REGISTRY), TOPICS, route, at=DOC_REGISTRY)
        edits, where = [Replace(file, before, text.encode("utf-8"))], DOC_REGISTRY
    else:
        registry.append(LOCAL, MATERIALS, value=material)
        if isinstance(registry.get(LOCAL, TOPICS), dict):
            registry.put(LOCAL, TOPICS, material["topic"], value=route)
        else:
            registry.append(LOCAL, TOPICS, value=route)
        edits, where = registry.edits(), LOCAL
    result = {"material_id": material["material_id"], "topic": material["topic"], "registered_in": where}
    return Plan(f"Register the source {material['material_id']} for the topic {material['topic']}", result, edits)


def _material(here: Ground, contract: Mapping[str, str]) -> Json:
    """The source contract as it would be stored."""
    said = {name: " ".join(value.split()) for name, value in contract.items()}
    material = {"material_id": said.pop("material_id", "") or slug(said.get("title", "")) or "source", **said}
    material["recorded_at"] = iso(here.caller.now)
    if here.caller.agent_id:
        material["registered_by"] = here.caller.agent_id
    return material


def slug(text: str) -> str:
    """Lower-case letters and digits of any script, joined by hyphens; at most 64 characters."""
    words = "".join(mark if mark.isalnum() else " " for mark in text.lower()).split()
    return "-".join(words)[:64].rstrip("-")


def _text(data: bytes | None) -> str:
    try:
        return (data or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise StateError("The document registry is not UTF-8.", at=DOC_REGISTRY, fix="Save it as UTF-8.") from None


def _within(repo: str, file: str) -> bool:
    """Whether a file lies in the repository itself. What a link out of it leads to is nothing that it tracks."""
    return os.path.realpath(file).startswith(os.path.join(os.path.realpath(repo), ""))


def _surface(tracked: bool | None) -> str:
    return "" if tracked is None else "tracked" if tracked else "untracked"


def _conflict(governing: str, material: Json) -> str:
    """Whether another source has the topic: ``supersedes`` says that it gives way."""
    if not governing:
        return "none"
    return "resolved" if governing == material.get("supersedes") else "open"


def _items(text: str, key: str) -> Any:
    if not text:
        return None
    from .yaml_list import read_items

    return read_items(text, key)


def _topics(value: Any) -> Iterator[tuple[str, str]]:
    """(topic, id of the source that governs it); a later entry of a topic replaces an earlier one."""
    entries = [(topic, entry) for topic, entry in value.items()] if isinstance(value, dict) else []
    if isinstance(value, list):
        entries = [(each.get("topic"), each) for each in value if isinstance(each, dict)]
    for topic, entry in entries:
        yield _plain(str(topic)), str(entry.get("material_id", "?") if isinstance(entry, dict) else entry)


def _ids(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from map(str, value)
    elif isinstance(value, list):
        yield from (str(each["material_id"]) for each in value if isinstance(each, dict) and "material_id" in each)


def _plain(topic: str) -> str:
    return " ".join(topic.casefold().split())
