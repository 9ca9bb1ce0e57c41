"""Which facts a module sets: those that it spells.

A projection names each fact once, as a text that is exactly the fact's name, or as a formatted text with one part left
open (``f"delta.{surface}"``), which stands for every declared name of that form. A test holds this against what the
projections set when they run.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from loopx_policy.canary.imports import Graph
from loopx_policy.canary.shapes import Layout
from loopx_policy.canary.use import Fact, Use
from loopx_policy.decide_point import TURNS


def produced(graph: Graph, module: str, layout: Layout, use: Use) -> frozenset[Fact]:
    """The facts that a module sets, empty for one outside of the packages of facts.

    A module that is named after a decision point sets those too that a helper beside it spells for that point.
    """
    points = points_of(module, layout, use)
    if not points:
        return frozenset()
    modules = [module]
    if is_final(module, layout, use) and points[0] not in TURNS:
        modules += [other for other in graph.imports(module) if other in graph.paths and _helps(other, layout, use)]
    spelt = [form for each in modules for form in _spelt(graph.tree(each))]
    return frozenset(
        (point, name) for point in points for name in use.declared[point] if any(form.fullmatch(name) for form in spelt)
    )


def is_final(module: str, layout: Layout, use: Use) -> bool:
    """Whether the facts that a module sets are its own: what is imported from it beside them is not followed.

    A helper of the decision points sets a fact in the name of those that import it.
    """
    points = points_of(module, layout, use)
    return len(points) == 1 or (bool(points) and points[0] in TURNS)


def _helps(module: str, layout: Layout, use: Use) -> bool:
    return bool(points_of(module, layout, use)) and not is_final(module, layout, use)


def points_of(module: str, layout: Layout, use: Use) -> tuple[str, ...]:
    """The decision points whose facts a module may set."""
    if layout.points and module.startswith(layout.points + "."):
        own = module.rpartition(".")[2]
        if own in use.declared:
            return (own,)
        return tuple(point for point in use.declared if point not in TURNS)
    if layout.facts and module.startswith(layout.facts + "."):
        return tuple(point for point in TURNS if point in use.declared)
    return ()


def _spelt(tree: ast.Module) -> Iterator[re.Pattern[str]]:
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield re.compile(re.escape(node.value))
        elif isinstance(node, ast.JoinedStr) and _is_open(node.values):
            yield re.compile("".join(_form(part) for part in node.values))


def _is_open(parts: Iterable[ast.expr]) -> bool:
    """Whether a formatted text begins with the first part of a fact's name, so that it is no sentence."""
    first = next(iter(parts), None)
    return isinstance(first, ast.Constant) and bool(re.fullmatch(r"[a-z_]+\..*", str(first.value)))


def _form(part: ast.expr) -> str:
    return re.escape(str(part.value)) if isinstance(part, ast.Constant) else "[a-z0-9_]+"
