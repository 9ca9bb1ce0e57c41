"""What a wheel carries is what stands in the folders: a package missing from the list still works when editable."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MAPPED = {"loopx_policy": "loopx_policy", "cli": "loopx_policy/cli", "rules": "loopx_policy/rules"}
MAPPED["catalog"] = "loopx_policy/catalog"
SHIPPED = {".py", ".yaml", ".json", ".typed"}


def expected() -> set[str]:
    """Every file of the four folders that belongs in a wheel, by its name there."""
    found = set()
    for folder, target in MAPPED.items():
        for file in (ROOT / folder).rglob("*"):
            if file.is_file() and file.suffix in SHIPPED and "__pycache__" not in file.parts:
                found.add(f"{target}/{file.relative_to(ROOT / folder).as_posix()}")
    return found


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    work = tmp_path_factory.mktemp("wheel")
    ignore = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info", "tests", "bench")
    shutil.copytree(ROOT, work / "source", ignore=ignore)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", str(work), str(work / "source")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    (built,) = work.glob("*.whl")
    return zipfile.ZipFile(built)


@pytest.mark.slow
def test_wheel_holds_exactly_the_files_of_the_folders(wheel: zipfile.ZipFile) -> None:
    shipped = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert shipped == expected()


@pytest.mark.slow
def test_nothing_but_loopx_policy_lands_at_the_top(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist() if ".dist-info/" not in name}
    assert tops == {"loopx_policy"}


@pytest.mark.slow
def test_both_commands_are_the_same_program(wheel: zipfile.ZipFile) -> None:
    (name,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    lines = wheel.read(name).decode().split()
    assert lines.count("loopx_policy.cli.entry:main") == 2
    assert {"loopx", "loopx-policy"} <= set(lines)


def test_every_folder_with_python_in_it_is_a_listed_package() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    folders = {name.rsplit("/", 1)[0].replace("/", ".") for name in expected() if name.endswith(".py")}
    assert sorted(listed) == sorted(folders)
