"""YAML read strictly, with the place of every node.

Only JSON types come out. What YAML 1.1 turns into something else than it looks like (``no``, ``1.10``,
``0o17``, ``12:30``, a date) is an error that says what to write; so are duplicate keys, anchors, aliases
and tags, which also closes the door to a YAML bomb.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

import yaml

from loopx_policy.catalog_files import MAX_FILE
from loopx_policy.catalog_source.findings import Mark, Report

Scalar: TypeAlias = bool | int | str | None
Json: TypeAlias = "Scalar | list[Json] | dict[str, Json]"

MAX_DEPTH = 40
_QUICK: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_BOOLEAN_WORDS = {"yes": "true", "on": "true", "y": "true", "no": "false", "off": "false", "n": "false"}
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")
_FRACTION = re.compile(
    r"[-+]?(?:[0-9][0-9_]*\.[0-9_]*|\.[0-9_]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"
)
_ODD_INTEGER = re.compile(r"[-+]?(?:0[oO]?[0-7_]+|0[xX][0-9a-fA-F_]+|0[bB][01_]+|[0-9][0-9_]*)")
_SEXAGESIMAL = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9:.]+.*)?")


@dataclass(slots=True)
class ScalarNode:
    """``quoted`` tells ``"1"`` from ``1`` for messages; ``value`` is the JSON value."""

    mark: Mark
    value: Scalar
    quoted: bool = False


@dataclass(slots=True)
class ListNode:
    mark: Mark
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class MapNode:
    """``entries`` keeps file order; ``keys`` has the place of each key."""

    mark: Mark
    entries: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, Mark] = field(default_factory=dict)


Node: TypeAlias = ScalarNode | ListNode | MapNode


def plain(node: Node) -> Json:
    """The node as plain data."""
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, ListNode):
        return [plain(item) for item in node.items]
    return {key: plain(value) for key, value in node.entries.items()}


def load(data: bytes, label: str, report: Report) -> Node | None:
    """The one document in ``data``; problems go to ``report`` with ``label`` as the file.

    None where there is nothing to go on with: too large, not text, not YAML, a refused construct. A scalar
    that is only misspelt (``no``) is reported and stands as its text.
    """
    if len(data) > MAX_FILE:
        report.error(Mark(label), "too-large", f"The file is larger than {MAX_FILE // 1024} KB; split it.")
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        report.error(Mark(label, line, column), "not-text", "The file is not UTF-8 text; save it as UTF-8.")
        return None
    reader = _Reader(label, report)
    try:
        try:
            return reader.document(text, _QUICK)
        except yaml.YAMLError:
            # libyaml words and places its complaints differently: let the pure parser speak, on every machine.
            return reader.document(text, yaml.SafeLoader)
    except _Refused:
        return None
    except yaml.YAMLError as error:
        report.error(*_syntax_error(error, label))
        return None


class _Refused(Exception):
    """Reported already; there is no node."""


class _Reader:
    __slots__ = ("events", "label", "report")

    def __init__(self, label: str, report: Report) -> None:
        self.label = label
        self.report = report
        self.events: Iterator[yaml.Event] = iter(())

    def document(self, text: str, loader: type[yaml.SafeLoader]) -> Node:
        self.events = iter(yaml.parse(text, Loader=loader))
        root: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    self.refuse(event, "many-documents", "There is a second document; keep one document a file.")
                root = self.node(next(self.events), 0)
        if root is None:
            self.report.error(
                Mark(self.label), "empty-file", "The file has no content; write the document or remove it."
            )
            raise _Refused
        return root

    def node(self, event: yaml.Event, depth: int) -> Node:
        self.check(event, depth)
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event)
        if isinstance(event, yaml.SequenceStartEvent):
            items = ListNode(self.mark(event))
            while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
                items.items.append(self.node(event, depth + 1))
            return items
        mapping = MapNode(self.mark(event))
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            self.entry(mapping, event, depth)
        return mapping

    def entry(self, mapping: MapNode, event: yaml.Event, depth: int) -> None:
        self.check(event, depth)
        mark = self.mark(event)
        if not isinstance(event, yaml.ScalarEvent):
            self.refuse(event, "odd-key", "A key is a list or a mapping; write a name.")
        key = self.scalar(event).value
        if not isinstance(key, str):
            shown = event.value or "an empty key"
            self.report.error(mark, "odd-key", f"The key {shown} is not text; put it in quotes.")
            key = event.value
        elif key == "<<" and not event.style:
            self.refuse(event, "merge-key", "Merge keys are not read; write the entries out.")
        value = self.node(next(self.events), depth + 1)
        if key in mapping.entries:
            first = mapping.keys[key].line
            self.report.error(
                mark, "duplicate-key", f"The key '{key}' stands already in line {first}; keep one of the two."
            )
            return
        mapping.entries[key] = value
        mapping.keys[key] = mark

    def check(self, event: yaml.Event, depth: int) -> None:
        anchor = getattr(event, "anchor", None)
        if isinstance(event, yaml.AliasEvent):
            self.refuse(event, "alias", f"The alias *{anchor} is not read; write the value out.")
        if anchor is not None:
            self.refuse(event, "alias", f"The anchor &{anchor} is not read; write the value out where it is used.")
        tag = getattr(event, "tag", None)
        if tag is not None:
            self.refuse(event, "tag", f"The tag {tag} is not read; write the plain value.")
        if depth > MAX_DEPTH:
            self.refuse(event, "too-deep", f"The nesting is deeper than {MAX_DEPTH} levels; flatten it.")

    def scalar(self, event: yaml.ScalarEvent) -> ScalarNode:
        mark = self.mark(event)
        if event.style:  # plain is None to the pure parser and empty to libyaml
            return ScalarNode(mark, event.value, quoted=True)
        value, advice = resolve(event.value)
        if advice:
            self.report.error(mark, "yaml-surprise", advice)
        return ScalarNode(mark, value)

    def mark(self, event: yaml.Event) -> Mark:
        start = event.start_mark
        assert start is not None  # events of a parser, not of a person, always have one
        return Mark(self.label, start.line + 1, start.column + 1)

    def refuse(self, event: yaml.Event, rule: str, message: str) -> NoReturn:
        self.report.error(self.mark(event), rule, message)
        raise _Refused


def resolve(text: str) -> tuple[Scalar, str]:
    """A plain scalar's JSON value and, where its looks deceive, one sentence that says what to write."""
    if text in ("", "null"):
        return None, ""
    if text in ("true", "false"):
        return text == "true", ""
    if _INTEGER.fullmatch(text):
        return int(text), ""
    return text, _surprise(text)


def _surprise(text: str) -> str:
    lowered = text.lower()
    as_text = f'"{text}" for the text'
    if lowered in _BOOLEAN_WORDS:
        return f"{text} is a boolean to some readers of YAML only; write {_BOOLEAN_WORDS[lowered]}, or {as_text}."
    if lowered in ("true", "false", "null"):
        return f"{text} is read in different ways; write {lowered}, or {as_text}."
    if text == "~":
        return f"A bare ~ is read in different ways; write null, or {as_text}."
    if _FRACTION.fullmatch(text):
        return f"{text} would be read as a fraction and lose its spelling; write a whole number, or {as_text}."
    if _ODD_INTEGER.fullmatch(text):
        return f"{text} is a number in another notation; write it in plain decimal digits, or {as_text}."
    if _SEXAGESIMAL.fullmatch(text):
        return f'{text} would be read as a number to base 60; write "{text}".'
    if _DATE.fullmatch(text):
        return f'{text} would be read as a date; write "{text}".'
    return ""


def _syntax_error(error: yaml.YAMLError, label: str) -> tuple[Mark, str, str]:
    if isinstance(error, yaml.MarkedYAMLError):
        mark = error.problem_mark or error.context_mark
        place = Mark(label, mark.line + 1, mark.column + 1) if mark is not None else Mark(label)
        return place, "not-yaml", f"This is not YAML: {error.problem or error.context}; mend the line."
    position = getattr(error, "position", None)
    if isinstance(error, yaml.reader.ReaderError) and isinstance(position, int):
        return Mark(label), "not-text", f"The file holds a control character ({error.character!r}); remove it."
    return Mark(label), "not-yaml", "This is not YAML; mend the file."
