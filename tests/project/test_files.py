"""A pipe or a device in place of a file is an error, not a wait."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopx_policy.catalog_files import default_folder, read_sources
from loopx_policy.errors import CatalogError, StateError
from loopx_policy.fixtures.load import load_folder
from loopx_policy.project.files import list_folder, open_regular
from loopx_policy.project.pending import Reading
from loopx_policy.project.registry import read_registry
from loopx_policy.project.runs import read_runs
from loopx_policy.project.state import read_state


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"tide")
    with open_regular(str(tmp_path / "a")) as stream:
        assert stream.read() == b"tide"


def test_a_pipe_a_device_and_a_folder_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(OSError, match="Not a regular file"):
            open_regular(str(path))
    with pytest.raises(IsADirectoryError):
        open_regular(str(tmp_path))


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_an_index_that_is_no_file_is_no_empty_history(tmp_path: Path, kind: str) -> None:
    index = tmp_path / "index.jsonl"
    if kind == "pipe":
        os.mkfifo(index)
    else:
        index.symlink_to("/dev/zero")
    with pytest.raises(StateError, match="not a regular file"):
        read_runs(str(tmp_path), goal_id="g", window_start=0, neutral=())


def put(kind: str, path: Path) -> None:
    """Something that is there and is no file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero" if kind == "device" else "nowhere")


KINDS = pytest.mark.parametrize("kind", ["pipe", "device", "link to nothing"])


@KINDS
def test_no_state_and_no_registry_is_read_from_what_is_no_file(tmp_path: Path, kind: str) -> None:
    put(kind, tmp_path / "STATE.md")
    state = read_state(str(tmp_path / "STATE.md"), file="STATE.md")
    assert not state.readable
    assert state.problems[0].breaks_contract
    put(kind, tmp_path / "registry.json")
    with pytest.raises(
        StateError, match=r"registry\.json: The registry cannot be read \((not a regular|link to nothing)"
    ):
        read_registry(str(tmp_path / "registry.json"))


@KINDS
def test_a_rule_file_a_vocabulary_file_and_a_fixture_that_are_no_file_are_named_at_once(
    tmp_path: Path, kind: str
) -> None:
    put(kind, tmp_path / "rules" / "ground" / "GR-x.yaml")
    with pytest.raises(CatalogError) as caught:
        read_sources([str(tmp_path / "rules")], default_folder("catalog"))
    assert caught.value.at == "rules/ground/GR-x.yaml"
    put(kind, tmp_path / "catalog" / "modes.yaml")
    with pytest.raises(CatalogError) as caught:
        read_sources([default_folder("rules")], str(tmp_path / "catalog"))
    assert caught.value.at == "catalog/modes.yaml"
    put(kind, tmp_path / "fixtures" / "GR-x" / "a.yaml")
    fixtures, errors = load_folder(str(tmp_path / "fixtures"))
    assert (fixtures, [error.at for error in errors]) == ([], ["GR-x/a.yaml"])


def test_a_link_to_nothing_on_the_way_is_not_the_same_as_nothing(tmp_path: Path) -> None:
    (tmp_path / "away").symlink_to("unmounted")
    (tmp_path / "here").mkdir()
    (tmp_path / "alias").symlink_to("here")
    for missing in ("gone", "gone/a/b", "here/a", "alias/a", "alias/a/b"):
        with pytest.raises(FileNotFoundError):
            open_regular(str(tmp_path / missing))
        with pytest.raises(FileNotFoundError):
            list_folder(str(tmp_path / missing))
    for lost in ("away", "away/a", "away/a/b"):
        for read in (open_regular, list_folder):
            with pytest.raises(OSError, match="Link to nothing") as caught:
                read(str(tmp_path / lost))
            assert not isinstance(caught.value, FileNotFoundError)


@KINDS
def test_a_lock_that_is_no_file_keeps_nobody_waiting(tmp_path: Path, kind: str) -> None:
    put(kind, tmp_path / ".ledger" / "lock")
    with Reading(str(tmp_path)) as pending:
        assert pending.inside(str(tmp_path)) == []
