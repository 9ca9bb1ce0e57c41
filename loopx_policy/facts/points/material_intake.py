"""Facts of ``material_intake``: a durable source about to be registered.

Seed: IP-011. A source contract says what the material is, how fresh it is, which topic it governs, whether owner
review or read access is needed, and how conflicts are resolved; it never holds the material.
"""

from __future__ import annotations

import re

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, part, private_texts, text

REQUIRED = ("title", "kind", "topic", "freshness", "owner_review", "read_access", "conflict_rule")
OPTIONAL = ("material_id", "authority", "supersedes", "recorded_at", "registered_by", "summary_status")
RAW = (
    "url", "urls", "link", "uri", "document_id", "doc_id", "path", "local_path", "body", "content", "text", "comments",
    "credentials", "token", "log", "logs", "transcript", "excerpt",
)  # fmt: skip
"""Fields that would carry the material itself, or the way to it."""
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S|\bwww\.\S", re.I)
_OPAQUE_ID = re.compile(r"(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{20,}(?![\w-])")
"""An address, and the long mixed run that document services use as an id."""


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``project.*``, ``registry.*``, ``material.*``, ``body.*``, ``conflict.*`` and ``text.*``."""
    del parameters
    made = Projection()
    owner, material = part(document, "project"), part(document, "material")
    missing = [name for name in REQUIRED if material.get(name) in (None, "", [])]
    spoken = {name: value for name, value in material.items() if isinstance(value, str)}
    raw = sorted(
        name
        for name in material
        if name.lower() in RAW or _ADDRESS.search(spoken.get(name, "")) or _OPAQUE_ID.search(spoken.get(name, ""))
    )
    unknown = sorted(name for name in material if name not in (*REQUIRED, *OPTIONAL) and name.lower() not in RAW)
    made.values.update(
        {
            "project.known": flag(owner, "known") and bool(text(owner, "goal_id")),
            "project.owns": flag(owner, "owns_material"),
            "registry.surface": text(owner, "doc_registry") or "absent",
            "material.missing": len(missing),
            "material.unknown": len(unknown),
            "material.raw": len(raw),
            "material.longest": max(map(len, spoken.values()), default=0),
            "body.read": document.get("body_read") is not False,
            "conflict.state": text(document, "conflict") or "none",
        }
    )
    private_texts(made, dict(material))
    made.say(missing_fields=missing, unknown_fields=unknown, raw_fields=raw, goal=text(owner, "goal_id"))
    return made
