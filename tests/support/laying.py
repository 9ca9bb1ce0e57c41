"""Laying a random project out on disk: the files themselves, and checkouts with real git or by hand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.support.projects import Project

BINARY = bytes(range(256)) * 4
COMMIT = "8c5b1d3f0a7e4c2b9d6f1e8a3c5b7d9f0e2a4c6b"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a project lies: all absolute. ``cwd`` is where the caller stands."""

    root: str
    registry_path: str
    runtime_root: str
    cwd: str
    state_path: str


@contextmanager
def scratch() -> Iterator[str]:
    """A folder in memory where the machine has one, gone afterwards."""
    shared = "/dev/shm"
    folder = tempfile.mkdtemp(prefix="projects-", dir=shared if os.access(shared, os.W_OK) else None)
    try:
        yield os.path.realpath(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def laid(project: Project, folder: str, *, git: bool = False) -> Iterator[Layout]:
    """The project laid out in a new folder inside ``folder``, gone afterwards."""
    root = tempfile.mkdtemp(prefix="p", dir=folder)
    try:
        yield lay(project, root, git=git)
    finally:
        shutil.rmtree(root, ignore_errors=True)


def lay(project: Project, root: str, *, git: bool = False) -> Layout:
    """Write the project into ``root``, a folder that is new or empty.

    With ``git`` the checkouts come from real git (some 30 ms); without, the same structures are
    written by hand: enough for a reader that follows ``.git``, and for git itself.
    """
    layout = place(project, root)
    for folder in (os.path.join(root, "project"), os.path.dirname(layout.registry_path)):
        os.makedirs(folder, exist_ok=True)
    (_checkouts_by_git if git else _checkouts_by_hand)(project, root)
    os.makedirs(layout.cwd, exist_ok=True)
    _write(layout.registry_path, _rooted(json.dumps(project.registry, indent=1), root).encode())
    _write_state(project, layout)
    if project.rows or project.torn or project.rollout or project.leases:
        _write_runtime(project, root, layout)
    if any(goal["id"] != project.goal_id for goal in project.registry["goals"]):
        os.makedirs(os.path.join(root, "tide"))
        _write(os.path.join(root, "tide", "STATE.md"), TIDE)
    return layout


TIDE = (
    b"---\nstatus: active\n---\n\n# Active Goal State\n\n## User Todo\n\n- [ ] [P0] Sign the tide table\n"
    b"  <!-- loopx:todo todo_id=todo_t01 status=open task_class=user_gate global_gate=true -->\n"
)
"""The other goal's state: a gate that must never reach this goal."""


def place(project: Project, root: str) -> Layout:
    """Where everything will lie, before anything is written."""
    repo = os.path.join(root, "project")
    start = {"primary": repo, "worktree": os.path.join(root, "tree")}.get(project.cwd, os.path.join(root, project.cwd))
    inside = ".loopx" if project.registry_in_repo else ""
    return Layout(
        root=root,
        registry_path=os.path.join(repo, inside, "registry.json") if inside else os.path.join(root, "registry.json"),
        runtime_root=os.path.join(root, "runtime"),
        cwd=os.path.join(start, project.below) if project.below else start,
        state_path=os.path.join(repo, project.goal["state_file"]),
    )


def _rooted(text: str, root: str) -> str:
    return text.replace("$ROOT", root)


def _write(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)


def _write_state(project: Project, layout: Layout) -> None:
    os.makedirs(os.path.dirname(layout.state_path), exist_ok=True)
    match project.broken:
        case "missing":
            return
        case "empty":
            content = b""
        case "binary":
            content = BINARY
        case _:
            content = project.state_text.encode()
    _write(layout.state_path, content)


def index_lines(project: Project, root: str) -> list[bytes]:
    """The lines of the run index, torn ones included."""
    lines = [_rooted(json.dumps(row), root).encode() for row in project.rows]
    for before, raw in reversed(project.torn):
        lines.insert(before, raw)
    return lines


def _write_runtime(project: Project, root: str, layout: Layout) -> None:
    home = os.path.join(layout.runtime_root, "goals", project.goal_id)
    runs = os.path.join(home, "runs")
    os.makedirs(runs)
    lines = index_lines(project, root)
    if lines:
        _write(os.path.join(runs, "index.jsonl"), b"\n".join(lines) + b"\n")
    for name, payload in project.payloads.items():
        _write(os.path.join(runs, name), _rooted(json.dumps(payload), root).encode())
    if project.rollout:
        events = "".join(json.dumps(event) + "\n" for event in project.rollout)
        _write(os.path.join(home, "rollout-event-log.jsonl"), events.encode())
    if project.leases:
        folder = os.path.join(home, "task-leases")
        os.mkdir(folder)
        for lease in project.leases:
            _write(os.path.join(folder, f"{lease['todo_id']}.json"), json.dumps(lease).encode())


def _checkouts_by_hand(project: Project, root: str) -> None:
    common = os.path.join(root, "project", ".git")
    _repository(common)
    if project.cwd == "worktree":
        own = os.path.join(common, "worktrees", "tree")
        os.makedirs(own)
        tree = os.path.join(root, "tree")
        os.mkdir(tree)
        head = f"{COMMIT}\n" if project.detached else "ref: refs/heads/lane\n"
        _write(os.path.join(own, "HEAD"), head.encode())
        _write(os.path.join(own, "commondir"), b"../..\n")
        _write(os.path.join(own, "gitdir"), f"{tree}/.git\n".encode())
        _write(os.path.join(tree, ".git"), f"gitdir: {own}\n".encode())
    elif project.cwd == "unrelated":
        _repository(os.path.join(root, "unrelated", ".git"))


def _repository(folder: str) -> None:
    for inside in ("objects", os.path.join("refs", "heads")):
        os.makedirs(os.path.join(folder, inside))
    _write(os.path.join(folder, "HEAD"), b"ref: refs/heads/main\n")
    _write(os.path.join(folder, "config"), b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n")


def _git(*arguments: str) -> None:
    # Nothing of the person's own git configuration may decide what a test sees.
    environment: dict[str, Any] = {
        **os.environ,
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        **{f"GIT_{who}_{what}": "harbor@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }
    subprocess.run(["git", *arguments], check=True, capture_output=True, env=environment)


def _checkouts_by_git(project: Project, root: str) -> None:
    repo = os.path.join(root, "project")
    _git("init", "-q", "-b", "main", repo)
    _git("-C", repo, "commit", "-q", "--allow-empty", "-m", "start")
    if project.cwd == "worktree":
        lane = ["--detach"] if project.detached else ["-b", "lane"]
        _git("-C", repo, "worktree", "add", "-q", *lane, os.path.join(root, "tree"))
    elif project.cwd == "unrelated":
        other = os.path.join(root, "unrelated")
        _git("init", "-q", "-b", "main", other)
        _git("-C", other, "commit", "-q", "--allow-empty", "-m", "start")
