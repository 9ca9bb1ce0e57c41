"""Facts of ``material_intake``: a durable source about to be registered.

Seed: IP-011. A source contract says what the material is, how fresh it is, which topic it governs, whether owner
review or read access is needed, and how conflicts are resolved; it never holds the material.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, part, private_texts, text
from loopx_policy.safe_text import MAX_LENGTH, readings

REQUIRED = ("title", "kind", "topic", "freshness", "owner_review", "read_access", "conflict_rule")
OPTIONAL = ("material_id", "authority", "supersedes", "recorded_at", "registered_by", "summary_status")
RAW = (
    "url", "urls", "link", "uri", "document_id", "doc_id", "path", "local_path", "body", "content", "text", "comments",
    "credentials", "token", "log", "logs", "transcript", "excerpt",
)  # fmt: skip
"""Fields that would carry the material itself, or the way to it."""
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://\S|\bwww\.\S|\b(?:[a-z0-9-]{1,63}\.){1,6}[a-z]{2,24}(?::\d{1,5})?/\S", re.I
)
_OPAQUE_ID = re.compile(
    r"(?<![\w-])(?:(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{20,}|"
    r"(?:[0-9a-fA-F]{32}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}))(?![\w-])"
)
"""An address, with its scheme or without; the long mixed run or UUID that document services use as an id."""


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``project.*``, ``registry.*``, ``material.*``, ``body.*``, ``conflict.*`` and ``text.*``."""
    del parameters
    made = Projection()
    owner, material = part(document, "project"), part(document, "material")
    missing = [name for name in REQUIRED if not _answers(material.get(name))]
    raw = sorted(name for name, value in material.items() if name.lower() in RAW or _is_raw(value))
    unknown = sorted(name for name in material if name not in (*REQUIRED, *OPTIONAL) and name.lower() not in RAW)
    lengths = [sum(len(text) for _, text in _inside(value)) for value in material.values()]
    made.values.update(
        {
            "project.known": flag(owner, "known") and bool(text(owner, "goal_id")),
            "project.owns": flag(owner, "owns_material"),
            "registry.surface": text(owner, "doc_registry") or "unstated",
            "material.missing": len(missing),
            "material.unknown": len(unknown),
            "material.raw": len(raw),
            "material.longest": max(lengths, default=0),
            "body.read": document.get("body_read") is not False,
            "conflict.state": text(document, "conflict") or "unstated",
        }
    )
    private_texts(made, dict(material))
    made.say(missing_fields=missing, unknown_fields=unknown, raw_fields=raw, goal=text(owner, "goal_id"))
    return made


def _answers(value: Any) -> bool:
    """Whether a field of the contract says something: a blank text, an empty list and null do not."""
    return value.strip() != "" if isinstance(value, str) else value not in (None, [], {})


def _is_raw(value: Any) -> bool:
    """Whether raw material, or an address or id of it, stands anywhere in a field."""
    return any(
        key.lower() in RAW or _OPAQUE_ID.search(text) or any(map(_ADDRESS.search, readings(text[:MAX_LENGTH])))
        for key, text in _inside(value)
    )


def _inside(value: Any) -> Iterator[tuple[str, str]]:
    """(key, text) of everything in a field, however deep; the key of the field itself and of list entries is empty."""
    waiting: list[tuple[str, Any]] = [("", value)]
    while waiting:
        key, item = waiting.pop()
        if isinstance(item, Mapping):
            waiting += [(str(name), below) for name, below in item.items()]
            yield from ((str(name), str(name)) for name in item)
        elif isinstance(item, (list, tuple)):
            waiting += [(key, entry) for entry in item]
        else:
            yield key, item if isinstance(item, str) else ""
