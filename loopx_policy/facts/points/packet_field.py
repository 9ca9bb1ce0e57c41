"""Facts of ``packet_field``: a field of an experimental verdict, in a sidecar or in a stable packet. Seed: IP-025."""

from __future__ import annotations

import re

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, part, text, words_of


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``field.*``, ``promotion.*`` and ``consumers.*``."""
    made = Projection()
    field, promotion = part(document, "field"), part(document, "promotion")
    name, route = text(field, "name").lower(), text(field, "route").lower()
    route_words = {*_words(route), *words_of(parameters, "route_words")}
    bound = sorted(route_words.intersection(_words(name)))
    if name in words_of(parameters, "route_fields"):
        bound.append(name)
    others = [
        each
        for each in promotion.get("consumers") or ()
        if text(each, "route").lower() not in ("", route) and each.get("reinterprets") is False
    ]
    made.values.update(
        {
            "field.placement": document["placement"],
            "field.public_safe": flag(field, "public_safe"),
            "field.structured": flag(field, "structured"),
            "field.versioned": flag(field, "versioned"),
            "field.route_worded": bool(bound),
            "field.generic": flag(field, "generic_meaning"),
            "consumers.independent": len(others),
            "promotion.decided": bool(text(promotion, "schema_decision")),
            "promotion.boundaries": flag(promotion, "boundaries_documented"),
            "promotion.failures": flag(promotion, "failures_generic"),
            "promotion.sidecar_smoke": flag(promotion, "sidecar_smoke"),
            "promotion.packet_smoke": flag(promotion, "packet_smoke"),
        }
    )
    made.say(field=name, route_words=bound, packet=text(document, "packet") or "the stable packet", route=route)
    return made


def _words(name: str) -> list[str]:
    return [word for word in re.split(r"[^a-z0-9]+", name) if word]
