"""Finding the registry, the runtime root and the files of a goal.

The environment and the working directory are arguments. Source: finding a project.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from ..errors import StateError, UsageError
from ..model import Goal
from .files import is_folder, is_there
from .registry import Registry
from .workspace import main_checkout

DEFAULT_RUNTIME_ROOT = "~/.codex/loopx"
GLOBAL_REGISTRY = "registry.global.json"


def find_registry(*, registry: str | None, runtime_root: str | None, cwd: str, env: Mapping[str, str]) -> str:
    """The absolute path of the registry.

    In order: the option, ``LOOPX_REGISTRY``, the nearest ``.loopx/registry.json`` upward from ``cwd``,
    ``registry.global.json`` in the runtime root, and in a linked worktree the registry of the main checkout (git
    mostly ignores it, so that worktrees have none). The first that is there decides, also where it is broken:
    another project must not speak for this one. Raises ``UsageError`` where a named file is missing and ``StateError``
    where none is found.
    """
    for named, said in ((registry, "--registry"), (env.get("LOOPX_REGISTRY"), "LOOPX_REGISTRY")):
        if named:
            path = os.path.normpath(os.path.join(cwd, expand(named, env)))
            folder = is_folder(path)
            if is_there(path) and not folder:
                return path
            what = "is a folder" if folder else "does not exist"
            fix = f"Name the registry file itself in {said}, or leave it out to search upward."
            raise UsageError(f"The registry {_shown(named)!r} of {said} {what}.", fix=fix)
        if named == "" and said == "--registry":
            raise UsageError("--registry is empty.", fix="Name a file, or leave the option out.")
    path = nearest_registry(cwd)
    if path:
        return path
    root = runtime_root or (DEFAULT_RUNTIME_ROOT if env.get("HOME") else "")
    if root:
        path = os.path.normpath(os.path.join(cwd, expand(root, env), GLOBAL_REGISTRY))
        if is_there(path):
            return path
    main = main_checkout(cwd)
    path = nearest_registry(main) if main else ""
    if path:
        return path
    raise StateError(
        "No registry found: no .loopx/registry.json here or above, none in the runtime root.",
        fix="Run this inside a project, begin one with loopx goal init, or name the file with --registry.",
    )


def nearest_registry(cwd: str) -> str:
    """The nearest ``.loopx/registry.json`` upward from a folder; empty where there is none."""
    folder = os.path.abspath(cwd)
    while True:
        path = os.path.join(folder, ".loopx", "registry.json")
        if is_there(path):
            return path
        parent = os.path.dirname(folder)
        if parent == folder:
            return ""
        folder = parent


def find_runtime_root(
    *, runtime_root: str | None, registry: Registry, goal: Goal, cwd: str, env: Mapping[str, str]
) -> str:
    """The absolute runtime root: the option, the registry's ``common_runtime_root``, ``~/.codex/loopx``.

    The folder need not exist: a goal that never ran has none.
    """
    if runtime_root == "":
        raise UsageError("--runtime-root is empty.", fix="Name a folder, or leave the option out.")
    if runtime_root:
        return os.path.normpath(os.path.join(cwd, expand(runtime_root, env)))
    if registry.common_runtime_root:
        return os.path.normpath(os.path.join(repo_of(goal, registry, env), expand(registry.common_runtime_root, env)))
    return os.path.normpath(expand(DEFAULT_RUNTIME_ROOT, env))


def repo_of(goal: Goal, registry: Registry, env: Mapping[str, str]) -> str:
    """The absolute path of the goal's repository; a relative ``repo`` stands beside ``.loopx``."""
    return os.path.normpath(os.path.join(registry.base, expand(goal.repo, env)))


def state_path_of(goal: Goal, registry: Registry, env: Mapping[str, str]) -> str:
    """The absolute path of the active goal state; empty where the entry names none."""
    if not goal.state_file:
        return ""
    return os.path.normpath(os.path.join(repo_of(goal, registry, env), expand(goal.state_file, env)))


def goal_folder(runtime_root: str, goal_id: str) -> str:
    return os.path.join(runtime_root, "goals", goal_id)


def runs_folder(runtime_root: str, goal_id: str) -> str:
    """The folder of the run index and of the run files beside it."""
    return os.path.join(runtime_root, "goals", goal_id, "runs")


def expand(path: str, env: Mapping[str, str]) -> str:
    """``~`` and ``~/x`` by the ``HOME`` of ``env``; every other path as it is."""
    if path != "~" and not path.startswith("~/"):
        return path
    home = env.get("HOME")
    if not home:
        raise UsageError("HOME is not set, so ~ cannot be read.", fix="Name the runtime root with --runtime-root.")
    return home + path[1:]


def relative_name(path: str, folder: str) -> str:
    """The name of a file that may be shown: relative to ``folder`` where it lies inside, else its last part."""
    inside = folder.rstrip(os.sep) + os.sep
    return path[len(inside) :] if folder and path.startswith(inside) else os.path.basename(path)


def _shown(path: str) -> str:
    return os.path.basename(path.rstrip("/")) if os.path.isabs(path) or path.startswith("~") else path
