"""Texts as people read them: cut to a number of bytes, lists to a few names, somebody's own without what is private."""

from __future__ import annotations

from collections.abc import Sequence

ELLIPSIS = "…"
_PLAIN = 17
"""Longest word of letters and underscores that no private pattern knows."""
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
_EXAMINED = 600


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


def plain(text: str) -> bool:
    """Whether a text is short words of letters only, which no private pattern knows: its check may be left out."""
    words = [word.strip(".,;()") for word in text.split(" ")]
    return len(text) <= _EXAMINED and all(len(word) <= _PLAIN and not word.strip(_LETTERS) for word in words)


def public(text: str) -> str:
    """Somebody's own text without the words that look private: paths, secrets, hosts.

    Loading the check costs half a turn, so that plain words are passed without it.
    """
    if plain(text):
        return text
    from loopx_policy.safe_text import redact

    if len(text) > _EXAMINED:
        # What is cut off is never shown; a word that is cut in two might not be known for what it is.
        text = text[:_EXAMINED].rpartition(" ")[0] or text[:_EXAMINED]
    return redact(text)


def listed(names: Sequence[str], most: int = 3, limit: int = 80) -> str:
    """The first few names with commas, and how many more there are."""
    shown = ", ".join([cut(name, limit) for name in names[:most]])
    return f"{shown} +{len(names) - most}" if len(names) > most else shown
