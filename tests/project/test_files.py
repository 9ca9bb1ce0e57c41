"""A pipe or a device in place of a file is an error, not a wait."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopx_policy.errors import StateError
from loopx_policy.project.files import open_regular
from loopx_policy.project.runs import read_runs


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
