"""Texts as people read them: values in words, text cut to a number of bytes, lists cut to a few names."""

from __future__ import annotations

from collections.abc import Sequence

ELLIPSIS = "…"


def cut(text: str, limit: int) -> str:
    """At most ``limit`` bytes of UTF-8 on one line, ending in an ellipsis where something was left out."""
    line = text
    if not text.isprintable() or "  " in text:
        line = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
    raw = line.encode("utf-8", "replace")
    if len(raw) <= limit:
        return raw.decode("utf-8")
    return raw[: max(0, limit - 3)].decode("utf-8", "ignore").rstrip() + ELLIPSIS


def literal(value: object) -> str:
    """A value as a rule file writes it: ``true``, ``3``, ``mine``."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def listed(names: Sequence[str], most: int = 3, limit: int = 80) -> str:
    """The first few names with commas, and how many more there are."""
    shown = ", ".join(cut(name, limit) for name in names[:most])
    return f"{shown} +{len(names) - most}" if len(names) > most else shown
