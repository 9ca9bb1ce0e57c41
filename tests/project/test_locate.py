"""Finding the registry, the runtime root and the goal's files, in the documented order."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from loopx_policy.errors import LoopxError, StateError, UsageError
from loopx_policy.model import Goal
from loopx_policy.project.locate import (
    expand,
    find_registry,
    find_runtime_root,
    relative_name,
    repo_of,
    state_path_of,
)
from loopx_policy.project.registry import Registry, read_registry


def write(path: Path, root: str = "") -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"common_runtime_root": root, "goals": []}))
    return str(path)


def find(cwd: Path, registry: str | None = None, runtime_root: str | None = None, **env: str) -> str:
    return find_registry(registry=registry, runtime_root=runtime_root, cwd=str(cwd), env=env)


def test_the_order_of_the_search(tmp_path: Path) -> None:
    home = tmp_path / "home"
    deep = tmp_path / "project" / "a" / "b"
    deep.mkdir(parents=True)
    with pytest.raises(StateError, match="No registry found"):
        find(deep, HOME=str(home))
    with pytest.raises(StateError, match="No registry found"):
        find(deep)
    default = write(home / ".codex" / "loopx" / "registry.global.json")
    assert find(deep, HOME=str(home)) == default
    elsewhere = write(tmp_path / "root" / "registry.global.json")
    assert find(deep, runtime_root="../../../root", HOME=str(home)) == elsewhere
    upper = write(tmp_path / ".loopx" / "registry.json")
    assert find(deep, runtime_root="../../../root", HOME=str(home)) == upper
    nearer = write(tmp_path / "project" / ".loopx" / "registry.json")
    assert find(deep) == nearer
    named = write(tmp_path / "named.json")
    assert find(deep, LOOPX_REGISTRY=named) == named
    assert find(deep, LOOPX_REGISTRY="") == nearer
    assert find(deep, registry="../../../named.json", LOOPX_REGISTRY="nowhere") == named
    assert find(deep, registry="~/.codex/loopx/registry.global.json", HOME=str(home)) == default


def test_a_named_registry_that_is_missing_is_a_usage_error_with_the_fix(tmp_path: Path) -> None:
    for options, said in [
        ({"registry": "no.json"}, "'no.json' of --registry does not exist"),
        ({"registry": str(tmp_path)}, "of --registry is a folder"),
        ({"registry": ""}, "--registry is empty"),
        ({"LOOPX_REGISTRY": "/secret/place/no.json"}, "'no.json' of LOOPX_REGISTRY does not exist"),
    ]:
        with pytest.raises(UsageError) as caught:
            find(tmp_path, **options)
        assert said in caught.value.message
        assert caught.value.fix
        assert "/" not in str(caught.value).replace("'no.json'", "")


def root(option: str | None, declared: str, repo: str = "repo", **env: str) -> str:
    registry = Registry("/srv/p/.loopx/registry.json", common_runtime_root=declared)
    return find_runtime_root(runtime_root=option, registry=registry, goal=Goal("g", repo=repo), cwd="/cwd", env=env)


def test_the_runtime_root() -> None:
    assert root("here", "/declared") == "/cwd/here"
    assert root("/there", "/declared") == "/there"
    assert root(None, "/declared") == "/declared"
    assert root(None, "runtime") == "/srv/p/repo/runtime"
    assert root(None, "runtime", repo="/abs") == "/abs/runtime"
    assert root(None, "~/r", HOME="/h") == "/h/r"
    assert root(None, "", HOME="/h") == "/h/.codex/loopx"
    for option, declared in [(None, ""), (None, "~"), ("", "x")]:
        with pytest.raises(UsageError) as caught:
            root(option, declared)
        assert caught.value.fix


def test_relative_paths_stand_beside_the_loopx_folder_or_the_registry() -> None:
    goal = Goal("g", repo="sub", state_file="docs/S.md")
    assert state_path_of(goal, Registry("/p/.loopx/registry.json"), {}) == "/p/sub/docs/S.md"
    assert state_path_of(goal, Registry("/p/registry.json"), {}) == "/p/sub/docs/S.md"
    assert state_path_of(Goal("g", repo="/r", state_file="~/S.md"), Registry("/p/r.json"), {"HOME": "/h"}) == "/h/S.md"
    assert state_path_of(Goal("g", repo="/r"), Registry("/p/r.json"), {}) == ""
    assert repo_of(Goal("g"), Registry("/p/.loopx/registry.json"), {}) == "/p"


def test_names_for_people_are_never_absolute() -> None:
    assert relative_name("/p/sub/S.md", "/p") == "sub/S.md"
    assert relative_name("/q/S.md", "/p") == "S.md"
    assert relative_name("/pq/S.md", "/p") == "S.md"


def test_only_a_leading_tilde_is_expanded() -> None:
    assert [expand(path, {"HOME": "/h"}) for path in ("~", "~/a", "a/~", "~user/a")] == ["/h", "/h/a", "a/~", "~user/a"]


def test_a_registry_that_cannot_be_opened_is_an_error_without_its_folder(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("missing.json", "folder", "a\0b"):
        with pytest.raises(LoopxError) as caught:
            read_registry(str(tmp_path / name))
        assert str(tmp_path) not in str(caught.value)
        assert caught.value.fix


@pytest.mark.parametrize("kind", ["a folder", "a link to nothing", "a pipe", "behind a link to nothing", "in a file"])
def test_a_broken_registry_is_never_stepped_over_for_an_outer_one(tmp_path: Path, kind: str) -> None:
    write(tmp_path / ".loopx" / "registry.json")
    inner = tmp_path / "project" / ".loopx"
    (tmp_path / "project").mkdir()
    assert find(tmp_path / "project") == str(tmp_path / ".loopx" / "registry.json")
    if kind == "in a file":
        inner.write_text("")
    elif kind == "behind a link to nothing":
        inner.symlink_to("unmounted")
    else:
        inner.mkdir()
        assert find(tmp_path / "project") == str(tmp_path / ".loopx" / "registry.json")
        file = inner / "registry.json"
        if kind == "a folder":
            file.mkdir()
        elif kind == "a pipe":
            os.mkfifo(file)
        else:
            file.symlink_to("gone.json")
    found = find(tmp_path / "project")
    assert found == str(inner / "registry.json")
    with pytest.raises(StateError) as caught:
        read_registry(found)
    assert caught.value.at == "registry.json"
