"""Facts of ``packet_field``: a verdict field of an experimental proof, and where it shall stand.

Seed: IP-025. Names that are known to speak of one route are a parameter of that pattern.
"""

from __future__ import annotations

import re

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, part, text, words_of

ROUTE_FIELDS = "IP-025.route_fields"


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``field.*`` and ``promotion.*``."""
    made = Projection()
    field, promotion = part(document, "field"), part(document, "promotion")
    name, route = text(field, "name"), text(field, "route")
    bound = not flag(field, "generic_meaning") or name in words_of(parameters, ROUTE_FIELDS) or _names(name, route)
    consumers = {
        text(each, "route")
        for each in promotion.get("consumers") or ()
        if text(each, "route") not in ("", route) and each.get("reinterprets") is False
    }
    made.values.update(
        {
            "field.placement": document["placement"],
            "field.public_safe": flag(field, "public_safe"),
            "field.structured": flag(field, "structured") and flag(field, "versioned"),
            "field.route_bound": bound,
            "promotion.decided": bool(text(promotion, "schema_decision")),
            "promotion.consumers": len(consumers),
            "promotion.boundaries": flag(promotion, "boundaries_documented"),
            "promotion.failures_generic": flag(promotion, "failures_generic"),
            "promotion.smokes": flag(promotion, "sidecar_smoke") and flag(promotion, "packet_smoke"),
        }
    )
    made.say(field=name, route=route, packet=text(document, "packet") or "the stable packet")
    return made


def _names(name: str, route: str) -> bool:
    """Whether a field's name has a word of its route, such as ``cli`` or ``codex`` of ``codex_cli``."""
    return not _words(name).isdisjoint(_words(route))


def _words(name: str) -> set[str]:
    return set(re.split(r"[^a-z0-9]+", name.lower())) - {""}
