"""The shipped canary data and catalog, once; and small data of a test's own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from loopx_policy.canary.names import check_names
from loopx_policy.canary.read import canary_files, read_data
from loopx_policy.canary.shapes import Data
from loopx_policy.canary.tree import Tree, tree_of
from loopx_policy.canary.use import Use, use_of
from loopx_policy.catalog_cache import load_catalog
from loopx_policy.catalog_files import SourceFile
from loopx_policy.catalog_source.findings import Report

ROOT = Path(__file__).resolve().parents[2]
Git = Callable[..., str]


@pytest.fixture(scope="session")
def use(tmp_path_factory: pytest.TempPathFactory) -> Use:
    return use_of(load_catalog(cache_dir=str(tmp_path_factory.mktemp("cache"))))


def shipped_data() -> Data:
    report = Report()
    data = read_data(canary_files(), report)
    check_names(data, report)
    assert report.findings == []
    return data


@pytest.fixture
def shipped() -> Tree:
    """This repository with the data that it ships, to change."""
    return tree_of(str(ROOT), shipped_data())


def data_in(text: str, name: str = "canary.yaml") -> tuple[Data, Report]:
    """The data in a text, and what is wrong with it."""
    report = Report()
    data = read_data([SourceFile(name, name, name, text.encode())], report)
    check_names(data, report)
    return data, report


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """A git repository at ``tmp_path``, and its command."""

    def run(*words: str) -> str:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        command = ["git", *identity, "-C", str(tmp_path), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=30).stdout

    run("init", "-q", "-b", "main")
    return run
