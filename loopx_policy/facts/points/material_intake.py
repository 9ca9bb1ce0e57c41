"""Facts of ``material_intake``: a redacted source contract for durable material. Seed: IP-011."""

from __future__ import annotations

import re

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, part, private_texts, text

ANSWERS = ("title", "kind", "topic", "freshness", "owner_review", "read_access", "conflict_rule")
"""What a source contract has to answer: what it is, how fresh, for which topic, who must review or admit, who wins."""
OPTIONAL = ("source_ref", "owner", "status", "registered_at", "note")

_ADDRESS = re.compile(r"\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.)\S", re.I)
_OPAQUE = re.compile(r"(?<![\w-])(?=[\w-]*[a-z])(?=[\w-]*[A-Z])(?=[\w-]*\d)[\w-]{20,}(?![\w-])")


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``project.*``, ``registry.*``, ``contract.*``, ``text.*`` and ``material.*``."""
    del parameters
    made = Projection()
    project_, material = part(document, "project"), part(document, "material")
    missing = [name for name in ANSWERS if not text(material, name)]
    unknown = [name for name in material if name not in (*ANSWERS, *OPTIONAL)]
    spoken = {name: value for name, value in material.items() if isinstance(value, str)}
    raw = sorted(name for name, value in spoken.items() if _ADDRESS.search(value) or _OPAQUE.search(value))
    made.values.update(
        {
            "project.known": flag(project_, "known") and bool(text(project_, "goal_id")),
            "project.owns": flag(project_, "owns_material"),
            "registry.doc": text(project_, "doc_registry") or "unstated",
            "contract.missing": len(missing),
            "contract.unknown": len(unknown) + len(material) - len(spoken) - sum(name not in spoken for name in unknown),
            "contract.raw_reference": len(raw),
            "text.longest": max(map(len, spoken.values()), default=0),
            "material.body_read": document.get("body_read") is not False,
            "material.conflict": text(document, "conflict") or "unstated",
        }
    )
    private_texts(made, {"material": dict(material)})
    made.say(
        missing_fields=missing,
        unknown_fields=[name if name.isidentifier() else "?" for name in unknown] or ["a field that is no text"],
        raw_fields=raw,
        goal=text(project_, "goal_id"),
    )
    return made
