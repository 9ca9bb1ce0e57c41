"""Who imports whom in a tree, read from the syntax of its files; nothing is imported for it.

Asked from some modules downward: only what they are built on is parsed, which is a part of the tree.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Iterator, Mapping

from loopx_policy.canary.import_cache import ImportCache


class Graph:
    """The modules below some folders; ``packages`` maps each folder to the package that it is imported as."""

    __slots__ = ("_cache", "_imports", "_root", "_trees", "paths")

    def __init__(self, root: str, packages: Mapping[str, str], cache: ImportCache | None = None) -> None:
        self._root = root
        self._cache = cache or ImportCache()
        self.paths: dict[str, str] = {}
        self._trees: dict[str, ast.Module] = {}
        self._imports: dict[str, frozenset[str]] = {}
        for folder, package in packages.items():
            for path in _python_files(root, folder):
                self.paths[module_name(path, folder, package)] = path

    def below(self, tops: Iterable[str]) -> dict[str, list[str]]:
        """Everything that some modules are built on, themselves among it, each with those of it that import it.

        What is imported and stands nowhere is there too: a module that was taken out.
        """
        importers: dict[str, list[str]] = {top: [] for top in tops}
        waiting = sorted(importers)
        while waiting:
            module = waiting.pop()
            for name in sorted(self.imports(module)):
                if name not in importers:
                    importers[name] = []
                    if name in self.paths:
                        waiting.append(name)
                if name != module:
                    importers[name].append(module)
        self._cache.save()
        return {name: sorted(found) for name, found in importers.items()}

    def imports(self, module: str) -> frozenset[str]:
        """The names that a module imports in full, be they modules or what stands in one."""
        found = self._imports.get(module)
        if found is None:
            package = module if self.paths[module].endswith("__init__.py") else module.rpartition(".")[0]
            source = self._source(module)
            found = self._cache.get(source, package)
            if found is None:
                found = frozenset(_imported(self.tree(module), package))
                self._cache.put(source, package, found)
            self._imports[module] = found
        return found

    def tree(self, module: str) -> ast.Module:
        """The syntax of a module; empty where it is none that this Python can read."""
        found = self._trees.get(module)
        if found is None:
            try:
                found = ast.parse(self._source(module))
            except (SyntaxError, ValueError):
                found = ast.Module([], [])
            self._trees[module] = found
        return found

    def _source(self, module: str) -> bytes:
        with open(os.path.join(self._root, self.paths[module]), "rb") as file:
            return file.read()


def module_name(path: str, folder: str, package: str) -> str:
    """``loopx_policy.facts.gates`` of ``loopx_policy/facts/gates.py``; a package's own file has the package's name."""
    inside = path[len(folder) + 1 :].removesuffix(".py").replace("/", ".")
    name = f"{package}.{inside}"
    return name.removesuffix(".__init__")


def _python_files(root: str, folder: str) -> Iterator[str]:
    for here, folders, names in os.walk(os.path.join(root, folder)):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(names):
            if name.endswith(".py"):
                yield os.path.relpath(os.path.join(here, name), root).replace(os.sep, "/")


def _imported(tree: ast.Module, package: str) -> Iterator[str]:
    for node in _statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".")
    above = parts[: len(parts) - node.level + 1]
    return ".".join([*above, *([node.module] if node.module else [])])


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    """Every statement, however deep: imports stand in nothing else."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(tree, name, ()):
            if isinstance(child, ast.stmt):
                yield child
            yield from _statements(child)
