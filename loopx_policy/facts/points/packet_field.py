"""Facts of ``packet_field``: a verdict field of an experimental proof, and where it shall stand.

Seed: IP-025. Names that are known to speak of one route are a parameter of that pattern.
"""

from __future__ import annotations

import re

from loopx_policy.facts.points.projection import Document, Parameters, Projection, flag, part, text, words_of

ROUTE_FIELDS = "IP-025.route_fields"
ROUTE_WORDS = "IP-025.route_words"
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def project(document: Document, parameters: Parameters) -> Projection:
    """Facts ``field.*`` and ``promotion.*``."""
    made = Projection()
    field, promotion = part(document, "field"), part(document, "promotion")
    name, route = text(field, "name"), text(field, "route")
    consumers = {
        text(each, "route")
        for each in promotion.get("consumers") or ()
        if each.get("reinterprets") is False and _apart(text(each, "route"), route)
    }
    made.values.update(
        {
            "field.placement": document["placement"],
            "field.public_safe": flag(field, "public_safe"),
            "field.structured": flag(field, "structured") and flag(field, "versioned"),
            "field.route_bound": not flag(field, "generic_meaning") or _bound(name, route, parameters),
            "field.kept_out_documented": flag(field, "kept_out_documented"),
            "promotion.decided": bool(text(promotion, "schema_decision")),
            "promotion.consumers": len(consumers),
            "promotion.boundaries": flag(promotion, "boundaries_documented"),
            "promotion.failures_generic": flag(promotion, "failures_generic"),
            "promotion.smokes": flag(promotion, "sidecar_smoke") and flag(promotion, "packet_smoke"),
        }
    )
    made.say(field=name, route=route, packet=text(document, "packet") or "the stable packet")
    return made


def _bound(name: str, route: str, parameters: Parameters) -> bool:
    """Whether a name is known to be of one route, has a word of one, or comes from a route that nobody names."""
    known = [_words(each) for each in words_of(parameters, ROUTE_FIELDS)]
    emitting = set(_words(route))
    spoken = emitting | set(words_of(parameters, ROUTE_WORDS))
    return not emitting or _words(name) in known or not spoken.isdisjoint(_words(name))


def _apart(one: str, other: str) -> bool:
    """Whether two routes are different ones: ``Codex CLI`` is ``codex_cli``, and ``codex_cli_tui`` a branch of it."""
    words, others = set(_words(one)), set(_words(other))
    return bool(words and others) and not words <= others and not others <= words


def _words(name: str) -> list[str]:
    """The words of a name in small letters, however they are joined: ``gateState`` has two."""
    return [word for word in re.split(r"[^a-z0-9]+", _HUMP.sub("_", name).lower()) if word]
