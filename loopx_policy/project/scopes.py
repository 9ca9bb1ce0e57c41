"""Decision scopes: ``kind:granularity:scope_key`` of ``decision_scope_v0``."""

from __future__ import annotations

from typing import Final

from ..model import DecisionScope

KINDS: Final = ("private_read", "write_scope", "resource", "production", "public_claim", "direction")
GRANULARITIES: Final = ("action", "lane", "goal", "project", "global")
"""Narrowest first."""

DECISION_SCOPE: Final = f"^({'|'.join(KINDS)}):({'|'.join(GRANULARITIES)}):[^\\x00-\\x20,]{{1,160}}$"


def parse_scope(text: str) -> DecisionScope | None:
    """The scope, or ``None`` where the text does not follow the grammar."""
    kind, _, rest = text.partition(":")
    granularity, _, key = rest.partition(":")
    if kind not in KINDS or granularity not in GRANULARITIES or not 1 <= len(key) <= 160:
        return None
    if any(char <= " " or char == "," for char in key):
        return None
    return DecisionScope(kind, granularity, key)
