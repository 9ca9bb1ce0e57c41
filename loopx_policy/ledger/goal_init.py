"""``goal init``: a new goal in a registry that is there already, or in one that begins with it.

There is no goal yet whose journal could hold the write, so the files are made one by one, each whole, in an order in
which nothing refers to a file before it is there: the registry comes last and makes the goal true. A writer that was
killed has left files that nobody reads; the same command again finds them, keeps them and goes on.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Any

from ..errors import ConflictError, StateError, UsageError
from ..model import Goal, State
from ..project.files import is_there
from ..project.goal import typed_goal
from ..project.grammar import is_goal_id
from ..project.locate import (
    expand,
    find_runtime_root,
    goal_folder,
    nearest_registry,
    state_path_of,
)
from ..project.registry import Registry, read_registry
from ..project.rollout import LOG
from ..project.state import state_of
from ..project.times import iso
from ..project.workspace import checkout_top, main_checkout
from . import json_text, plain_text
from .authority_steps import slug
from .documents import actor_part
from .edits import Append, Edit, Remove, Replace, diff
from .events import digest_of, encode, event, first_result
from .files import append, content, make_folder, readable, stage, staged_name, sync_folder
from .goal_steps import check_glob
from .journal import failed, recover, unfinished
from .lock import goal_lock
from .places import Caller
from .registry_text import BOM, stamp
from .state_lines import one_line
from .state_prose import front_value
from .state_text import StateText
from .write import Judge, Order, Outcome, allow, changing_registry

Json = dict[str, Any]
STATE_FILE = "STATE.md"
RUNTIME = os.path.join(".loopx", "runtime")
HEADINGS = ("User Todo / Owner Review Reading Queue", "Agent Todo", "Next Action")


@dataclass(slots=True, frozen=True)
class Wanted:
    """What is known of the new goal; what is empty is found out."""

    goal_id: str = ""
    objective: str = ""
    state_file: str = ""
    write_scope: tuple[str, ...] = ()
    operator: bool = False


@dataclass(slots=True, frozen=True)
class _Site:
    """Where the new goal lies, absolute: its repository, its registry, its runtime folder, its state."""

    repo: str
    registry: str
    folder: str
    state: str
    goal_id: str
    entry: Json
    source: Registry | None

    @property
    def log(self) -> str:
        return os.path.join(self.folder, LOG)

    def shown(self, path: str) -> str:
        base = self.repo.rstrip(os.sep) + os.sep
        return path[len(base) :] if path.startswith(base) else os.path.basename(path)


def init(caller: Caller, wanted: Wanted, order: Order, judge: Judge) -> Outcome:
    """Begin the goal, or show what would be made.

    ``ConflictError`` where the registry has the goal already; ``StateError`` where an adopted state cannot be read,
    or a file cannot be written.
    """
    plain_text.check(order.request)
    digest = digest_of(order.command, dict(order.request) | {"agent_id": caller.agent_id})
    key = order.key or f"goal-init-{digest}"
    _check(wanted)
    repo, registry = _found(caller)
    _allowed(judge, caller, wanted, _goal_id(wanted, repo))
    site = _site(caller, wanted, repo, registry)
    summary = f"Begin the goal {site.goal_id}"
    first = _known(site, order, key, digest)
    if first is None:
        edits, result = _edits(caller, wanted, site)  # what is wrong shows here, before anything is touched
        if not order.execute:
            return Outcome(order.command, site.goal_id, summary, result, False, diff=diff(edits, site.shown))
        with ExitStack() as held:
            held.enter_context(changing_registry(registry))
            site = _site(caller, wanted, repo, registry)
            held.enter_context(goal_lock(site.folder))
            recover(site.folder)
            first = _known(site, order, key, digest)
            if first is None:
                edits, result = _edits(caller, wanted, site)
                shown = diff(edits, site.shown)
                if first_result(site.log, key, digest) is None:
                    row = event(
                        goal_id=site.goal_id,
                        command=order.command,
                        agent_id=caller.agent_id,
                        now=caller.now,
                        summary=summary,
                        result=result,
                        key=key,
                        digest=digest,
                    )
                    edits.insert(-1, Append(site.log, encode(row)))
                _make(edits, os.path.join(site.folder, "runs"))
                return Outcome(order.command, site.goal_id, summary, result, True, diff=shown)
    return Outcome(order.command, site.goal_id, summary, first["details"].get("result") or {}, True, repeated=True)


def _known(site: _Site, order: Order, key: str, digest: str) -> Json | None:
    """The event of an earlier command with this key that made the goal; ``None`` where there is no goal yet.

    ``ConflictError`` where the goal is there and this command did not make it.
    """
    if site.source is None or site.goal_id not in site.source.ids:
        return None
    first = first_result(site.log, key, digest) if order.key else None
    if first is None:
        raise ConflictError(
            f"The goal {site.goal_id} is registered already.",
            at=os.path.basename(site.registry),
            fix="Change it with loopx goal set, or give the new one another name with --goal-id.",
        )
    return first


def _goal_id(wanted: Wanted, repo: str) -> str:
    """The id as given, else after the folder of the repository."""
    goal_id = wanted.goal_id or slug(os.path.basename(repo)) or "goal"
    if not is_goal_id(goal_id):
        raise UsageError(f"{goal_id[:60]!r} is no goal id.", fix="Name one path segment of at most 200 characters.")
    return goal_id


def _check(wanted: Wanted) -> None:
    """``UsageError`` where something typed cannot be meant."""
    for glob in wanted.write_scope:
        check_glob(glob)
    if os.path.isabs(wanted.state_file) or os.path.normpath(wanted.state_file).startswith(("..", "~")):
        raise UsageError("--state-file leaves the repository.", fix="Name a file relative to the repository.")


def _allowed(judge: Judge, caller: Caller, wanted: Wanted, goal_id: str) -> None:
    """``RefusedError`` where the goal may not begin like this."""
    keys = [name for name in ("objective", "write_scope") if getattr(wanted, name)]
    document = {
        "operation": "begin",
        "actor": actor_part(caller, wanted.operator),
        "goal": {"goal_id": goal_id, "registered_agents": []},
        "keys": keys,
        "texts": {"goal_id": goal_id, "objective": wanted.objective, "state_file": wanted.state_file},
    }
    allow(judge, "goal_change", document)


def _site(caller: Caller, wanted: Wanted, repo: str, path: str) -> _Site:
    goal_id = _goal_id(wanted, repo)
    source = read_registry(path) if is_there(path) else None
    outline = Registry(path, common_runtime_root=RUNTIME) if source is None else source
    entry: Json = {"id": goal_id, "status": "active"}
    entry["repo"] = _relative(repo, outline.base)
    entry["state_file"] = _state_file(caller, wanted, goal_id, entry["repo"], outline)
    entry["adapter"] = {"kind": "generic_project_goal_v0", "status": "connected"}
    entry["quota"] = {"compute": 1.0, "window_hours": 24}
    entry["coordination"] = {"write_scope": list(dict.fromkeys(wanted.write_scope))}
    goal = _typed(entry)
    root = find_runtime_root(
        runtime_root=caller.runtime_root, registry=outline, goal=goal, cwd=caller.cwd, env=caller.env
    )
    state = state_path_of(goal, outline, caller.env)
    return _Site(repo, path, goal_folder(root, goal_id), state, goal_id, entry, source)


def _found(caller: Caller) -> tuple[str, str]:
    """The repository, and the registry that takes the goal: a named one, else the one that every command here finds,
    else a new one. In a linked worktree the main checkout is meant: it stays when the worktree goes.
    """
    top = checkout_top(caller.cwd) or os.path.realpath(caller.cwd)
    main = main_checkout(caller.cwd) or top
    named = caller.registry or caller.env.get("LOOPX_REGISTRY")
    if named:
        path = os.path.normpath(os.path.join(caller.cwd, expand(named, caller.env)))
        if os.path.isdir(path):
            raise UsageError(f"{os.path.basename(path)} is a folder.", fix="Name the registry file itself.")
        return main, path
    near = nearest_registry(caller.cwd)
    if near:
        return top, near
    return main, nearest_registry(main) or os.path.join(main, ".loopx", "registry.json")


def _state_file(caller: Caller, wanted: Wanted, goal_id: str, repo: str, source: Registry) -> str:
    """The state of the goal, relative to its repository: as named, else STATE.md, else one with the goal's name."""

    def place(name: str) -> str:
        return os.path.realpath(
            state_path_of(_typed({"id": goal_id, "repo": repo, "state_file": name}), source, caller.env)
        )

    taken = {
        os.path.realpath(state_path_of(goal, source, caller.env)): goal.goal_id
        for goal in source.goals
        if goal.state_file and goal.goal_id != goal_id
    }
    if not wanted.state_file:
        return STATE_FILE if place(STATE_FILE) not in taken else f"STATE-{goal_id}.md"
    name = os.path.normpath(wanted.state_file)
    if place(name) in taken:
        raise ConflictError(f"{name} is the state of the goal {taken[place(name)]}.", fix="Name another --state-file.")
    return name


def _edits(caller: Caller, wanted: Wanted, site: _Site) -> tuple[list[Edit], Json]:
    """What is written, in this order, and what is reported."""
    edits: list[Edit] = []
    for folder in dict.fromkeys((os.path.dirname(site.registry), os.path.dirname(_root(site)))):
        ignore = os.path.join(folder, ".gitignore")
        known = os.path.exists(os.path.join(folder, "registry.json")) or content(ignore) is not None
        if os.path.basename(folder) == ".loopx" and not known:
            edits.append(Replace(ignore, None, b"*\n"))
    state, adopted = _state(caller, wanted, site)
    edits += [] if state is None else [state]
    edits.append(_registered(caller, site))
    result: Json = {
        "goal_id": site.goal_id,
        "registry": site.shown(site.registry),
        "state_file": site.entry["state_file"],
        "runtime": site.shown(site.folder),
    }
    if adopted is not None and adopted.todos:
        result["adopted_todos"] = len(adopted.todos)
    if os.path.exists(os.path.join(site.folder, "runs", "index.jsonl")):
        result["adopted_history"] = site.shown(os.path.join(site.folder, "runs", "index.jsonl"))
    return edits, result


def _root(site: _Site) -> str:
    return os.path.dirname(os.path.dirname(site.folder))


def _state(caller: Caller, wanted: Wanted, site: _Site) -> tuple[Edit | None, State | None]:
    """The edit of the goal state, and the state that was there before."""
    before = readable(site.state, site.entry["state_file"])
    if before is None or not before.strip():
        return Replace(site.state, before, _new_state(caller, wanted).encode("utf-8")), None
    found = state_of(before, file=site.entry["state_file"])
    if not found.readable:
        raise StateError(found.problems[0].message, at=found.problems[0].at, fix=found.problems[0].fix)
    if not wanted.objective or found.front.get("objective") == one_line(wanted.objective):
        return None, found
    text = StateText(before, found)
    text.set_front("objective", wanted.objective)
    return Replace(site.state, before, text.to_bytes()), found


def _new_state(caller: Caller, wanted: Wanted) -> str:
    front = ["status: active"]
    if wanted.objective:
        front.append(f"objective: {front_value(one_line(wanted.objective))}")
    front.append(f"updated_at: {iso(caller.now)}")
    sections = "".join(f"## {heading}\n\n" for heading in HEADINGS)
    return "---\n" + "\n".join(front) + "\n---\n\n# Active goal state\n\n" + sections.rstrip("\n") + "\n"


def _registered(caller: Caller, site: _Site) -> Replace:
    """The registry with the goal in it."""
    before = content(site.registry)
    if before is None or site.source is None:
        root = _root(site)
        top = {
            "schema_version": "0.1",
            "updated_at": iso(caller.now),
            "common_runtime_root": _relative(root, site.repo),
            "goals": [site.entry],
        }
        return Replace(site.registry, before, (json.dumps(top, indent=2, ensure_ascii=False) + "\n").encode("utf-8"))
    text = before.decode("utf-8")
    mark, text = (BOM, text[1:]) if text.startswith(BOM) else ("", text)
    text = json_text.append(text, ("goals",), site.entry)
    if site.source.updated_at:
        text = json_text.put(text, ("updated_at",), stamp(caller.now, site.source.updated_at))
    return Replace(site.registry, before, (mark + text).encode("utf-8"))


def _make(edits: Sequence[Edit], folder: str) -> None:
    """Carry out the edits one after the other, each durably. The goal is true once the last one, the registry, is."""
    true = False
    try:
        make_folder(folder)
        for edit in edits:
            assert not isinstance(edit, Remove)
            path = os.path.realpath(edit.path)
            make_folder(os.path.dirname(path))
            if isinstance(edit, Append):
                append(path, edit.line)
            else:
                os.rename(stage(path, edit.after), path)
            true = edit is edits[-1]
            sync_folder(os.path.dirname(path))
    except OSError as error:
        for edit in edits:
            with suppress(OSError):
                os.unlink(staged_name(os.path.realpath(edit.path)))
        raise (unfinished(error) if true else failed(error)) from None


def _relative(path: str, base: str) -> str:
    """A path as a registry writes it: relative where it lies inside, else absolute."""
    inside = os.path.realpath(base).rstrip(os.sep) + os.sep
    real = os.path.realpath(path)
    return os.path.relpath(real, inside) if (real + os.sep).startswith(inside) else real


def _typed(entry: Json) -> Goal:
    return typed_goal(entry, lambda path, message, breaks: None)
