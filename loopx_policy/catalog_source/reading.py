"""Typed values out of nodes, forgiving: what has the wrong shape was reported already and reads as absent."""

from __future__ import annotations

from collections.abc import Iterator

from jsonschema import Draft202012Validator

from loopx_policy.catalog_files import SourceFile
from loopx_policy.catalog_source.findings import Mark, Report
from loopx_policy.catalog_source.shapes import check_shape
from loopx_policy.catalog_source.yaml_nodes import ListNode, MapNode, Node, ScalarNode, load
from loopx_policy.engine.conditions import Value


def read_document(file: SourceFile, validator: Draft202012Validator, report: Report) -> MapNode | None:
    """The file's mapping, its shape checked; None where there is none."""
    node = load(file.data, file.label, report)
    if node is None:
        return None
    check_shape(node, validator, report)
    return node if isinstance(node, MapNode) else None


def text(node: MapNode, key: str) -> str:
    value = node.entries.get(key)
    return value.value if isinstance(value, ScalarNode) and isinstance(value.value, str) else ""


def flag(node: MapNode, key: str) -> bool:
    value = node.entries.get(key)
    return isinstance(value, ScalarNode) and value.value is True


def number(node: MapNode, key: str, otherwise: int) -> int:
    value = node.entries.get(key)
    if isinstance(value, ScalarNode) and isinstance(value.value, int) and not isinstance(value.value, bool):
        return value.value
    return otherwise


def texts(node: MapNode, key: str) -> tuple[str, ...]:
    return tuple(value for value, _ in placed_texts(node, key))


def placed_texts(node: MapNode, key: str) -> list[tuple[str, Mark]]:
    value = node.entries.get(key)
    items = value.items if isinstance(value, ListNode) else []
    return [(item.value, item.mark) for item in items if isinstance(item, ScalarNode) and isinstance(item.value, str)]


def mapping(node: MapNode, key: str) -> MapNode | None:
    value = node.entries.get(key)
    return value if isinstance(value, MapNode) else None


def named(node: MapNode, key: str) -> Iterator[tuple[str, MapNode, Mark]]:
    """The entries of a mapping of mappings: name, entry, place of the name."""
    value = mapping(node, key)
    if value is not None:
        for name, entry in value.entries.items():
            if isinstance(entry, MapNode):
                yield name, entry, value.keys[name]


def entries(node: MapNode, key: str) -> Iterator[MapNode]:
    """The mappings of a list."""
    value = node.entries.get(key)
    if isinstance(value, ListNode):
        for item in value.items:
            if isinstance(item, MapNode):
                yield item


def figure(node: MapNode, key: str) -> Value | tuple[Value, ...]:
    """A parameter's value; an empty tuple where it has none."""
    value: Node | None = node.entries.get(key)
    if isinstance(value, ListNode):
        items = (item.value for item in value.items if isinstance(item, ScalarNode))
        return tuple(item for item in items if item is not None)
    if isinstance(value, ScalarNode) and value.value is not None:
        return value.value
    return ()


def place(node: MapNode, key: str) -> Mark:
    """Where the value of a key stands; the mapping itself where the key is absent."""
    return node.entries[key].mark if key in node.entries else node.mark
