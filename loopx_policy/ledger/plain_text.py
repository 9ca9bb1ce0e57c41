"""What no text may hold that is written into shared state, because a person would read something else than is there.

Control characters steer a terminal; marks of direction (Unicode's bidirectional overrides, embeddings and isolates)
show letters in another order than they stand in. Tabs and line ends are plain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..errors import UsageError

_TURNING: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def trouble(text: str) -> str:
    """What is wrong with a text, to stand behind its name; empty where it is plain."""
    if text.isascii() and text.isprintable():
        return ""
    if any((char < " " and char not in "\t\n\r") or "\x7f" <= char <= "\x9f" for char in text):
        return "holds control characters"
    if not _TURNING.isdisjoint(text):
        return "holds marks that turn the direction of text"
    try:
        text.encode()
    except UnicodeEncodeError:
        return "is not UTF-8"
    return ""


def check(request: Mapping[str, Any]) -> None:
    """``UsageError`` where some text of a request is not plain."""
    for name, text in _texts("the command", request):
        wrong = trouble(text)
        if wrong:
            said = name.replace("_", " ")
            raise UsageError(f"{said[:1].upper()}{said[1:]} {wrong}.", fix="Write plain text.")


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Each text with the name of what it is: the nearest key above it."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield name, str(key)
            yield from _texts(str(key), item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _texts(name, item)
