"""From the input document of a decision point to its flat facts, and the words that its messages may quote."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from shlex import quote
from typing import Any, TypeAlias

from loopx_policy.engine.conditions import Value
from loopx_policy.project.times import parse_time
from loopx_policy.records import field, record
from loopx_policy.text import cut, listed, plain

Document: TypeAlias = Mapping[str, Any]
Parameters: TypeAlias = Mapping[str, Value | tuple[Value, ...]]


@record
class Projection:
    """``values`` has exactly the declared facts of one point; ``words`` fills the placeholders of its rules.

    ``typed`` fills those of its commands that stand for several words: options as they can be typed.
    """

    values: dict[str, Value] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    typed: dict[str, str] = field(default_factory=dict)

    def say(self, **words: str | Sequence[str]) -> None:
        """Set placeholders; a list shows its first few entries, nothing shows as ``-``."""
        for name, word in words.items():
            text = cut(word, 80) if isinstance(word, str) else listed(list(word))
            self.words[name] = text or "-"


def as_typed(*given: tuple[str, str]) -> str:
    """Options with their values, each quoted for a shell; those without a value are left out."""
    return "".join(f" {name} {quote(value)}" for name, value in given if value)


Projector: TypeAlias = Callable[[Document, Parameters], Projection]


def part(document: Document, name: str) -> Document:
    """A part of the document that is a mapping, empty where it is absent."""
    found = document.get(name)
    return found if isinstance(found, Mapping) else {}


def texts(document: Document, name: str) -> list[str]:
    """A list of texts, empty where it is absent."""
    return [entry for entry in document.get(name) or () if isinstance(entry, str)]


def text(document: Document, name: str) -> str:
    """A text without surrounding blanks, empty where it is absent."""
    found = document.get(name)
    return found.strip() if isinstance(found, str) else ""


def flag(document: Document, name: str) -> bool:
    """True only where the document says true."""
    return document.get(name) is True


def number(document: Document, name: str) -> int:
    """A whole number, 0 where it is absent."""
    return _figure(document.get(name)) or 0


def seconds(document: Document, name: str) -> int | None:
    """A time as seconds since the epoch: a whole number, or ISO 8601 with its zone; None where it is neither."""
    found = document.get(name)
    if isinstance(found, str):
        moment = parse_time(found)
        return moment[0] if moment and moment[1] else None
    return _figure(found)


def _figure(found: object) -> int | None:
    if isinstance(found, float):
        return int(found) if isfinite(found) else None
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def words_of(parameters: Parameters, name: str) -> tuple[str, ...]:
    """A parameter that is a list of words."""
    found = parameters.get(name, ())
    return tuple(str(entry) for entry in found) if isinstance(found, tuple) else (str(found),)


def identity(agent_id: object, registered: Sequence[str], primary: str) -> str:
    """Who acts, in the values of ``agent.identity``: the same reading as at a turn."""
    if not registered:
        return "guest" if agent_id else "anonymous"
    if not agent_id:
        return "missing"
    if agent_id not in registered:
        return "unknown"
    if not primary:
        return "peer"
    return "primary" if agent_id == primary else "side"


def private_texts(projection: Projection, material: Any, fact: str = "text.private") -> None:
    """The count of texts that look private, with the words ``{private_fields}`` and ``{private_patterns}``."""
    found: list[tuple[str, tuple[str, ...]]] = []
    if not _is_plain(material):
        from loopx_policy import safe_text  # its patterns cost as much as a decision

        found = safe_text.scan(material)
    projection.values[fact] = len(found)
    projection.say(
        private_fields=[place.removeprefix("$.") for place, _ in found],
        private_patterns=sorted({name for _, names in found for name in names}),
    )


def _is_plain(material: Any) -> bool:
    """Whether plain data holds nothing but short words, keys included: none of them is private, or needs a look."""
    if isinstance(material, Mapping):
        return all(plain(str(key)) and _is_plain(item) for key, item in material.items())
    if isinstance(material, (list, tuple)):
        return all(map(_is_plain, material))
    return plain(material) if isinstance(material, str) else True
