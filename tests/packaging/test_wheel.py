"""What a wheel carries is what stands in the folders: a package missing from the list still works when editable."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopx_policy.cli import demo

ROOT = Path(__file__).resolve().parents[2]
MAPPED = {"loopx_policy": "loopx_policy", "cli": "loopx_policy/cli", "rules": "loopx_policy/rules"}
MAPPED["catalog"] = "loopx_policy/catalog"
SHIPPED = {".py", ".yaml", ".json", ".typed", ".html", ".css", ".js", ".svg"}
COMPILED = "loopx_policy/_compiled.json"
ASK = ("--format", "json", "quota", "should-run")
COMPILERS = {"yaml", "jsonschema", "loopx_policy.catalog_source"}


def expected() -> set[str]:
    """Every file of the four folders that belongs in a wheel, by its name there."""
    found = set()
    for folder, target in MAPPED.items():
        for file in (ROOT / folder).rglob("*"):
            if file.is_file() and file.suffix in SHIPPED and "__pycache__" not in file.parts:
                found.add(f"{target}/{file.relative_to(ROOT / folder).as_posix()}")
    return found


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel of the working tree."""
    work = tmp_path_factory.mktemp("wheel")
    ignore = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info", "tests", "bench")
    shutil.copytree(ROOT, work / "source", ignore=ignore)
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--wheel-dir", str(work), str(work / "source")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    (built,) = work.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def wheel(built: Path) -> zipfile.ZipFile:
    return zipfile.ZipFile(built)


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of a new environment with the wheel in it; what it depends on comes from this one."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", str(built)]
    subprocess.run(pip, check=True, timeout=120)
    (packages,) = folder.glob("lib/python*/site-packages")
    # A path file of another environment is not read from here, so an editable loopx_policy there stays out of sight.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


@dataclass(frozen=True)
class Ran:
    out: str
    modules: frozenset[str]

    @property
    def compiled(self) -> bool:
        """Whether the catalog was compiled in this run."""
        return bool(self.modules & COMPILERS)


def run(python: Path, project: Path, home: str) -> Ran:
    """One question, asked of the installed program."""
    command = [str(python), "-X", "importtime", "-m", "loopx_policy", *ASK, "--agent-id", "builder"]
    environment = {"PATH": "/usr/bin:/bin", "HOME": home}
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return Ran(done.stdout, frozenset(line.rpartition("|")[2].strip() for line in lines))


@pytest.mark.slow
def test_wheel_holds_exactly_the_files_of_the_folders(wheel: zipfile.ZipFile) -> None:
    shipped = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert shipped == expected() | {COMPILED}


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


@pytest.mark.slow
def test_an_installed_program_compiles_nothing_even_where_no_cache_can_be_written(
    installed: Path, tmp_path: Path
) -> None:
    project = demo.build(tmp_path, False, int(time.time()))
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    ran = run(installed, project, str(home))
    assert not ran.compiled
    assert list(home.iterdir()) == []
    assert not run(installed, project, os.devnull).compiled  # nobody, root neither, makes a folder in there
    assert json.loads(ran.out)["interaction_contract"]["mode"] == "scoped_user_gate_fallback"


@pytest.mark.slow
def test_a_changed_rule_file_is_never_answered_from_what_was_compiled_before(installed: Path, tmp_path: Path) -> None:
    project = demo.build(tmp_path, False, int(time.time()))
    (rule,) = installed.parent.parent.glob("lib/python*/site-packages/loopx_policy/rules/*/IP-003-*.yaml")
    text = rule.read_text()
    before = run(installed, project, os.devnull)
    rule.unlink()
    try:
        after = run(installed, project, os.devnull)
    finally:
        rule.write_text(text)
    again = run(installed, project, os.devnull)
    assert after.compiled
    assert json.loads(after.out)["catalog_digest"] != json.loads(before.out)["catalog_digest"]
    assert json.loads(after.out)["lead"]["pattern"] != "IP-003"
    assert not again.compiled
    assert json.loads(again.out)["catalog_digest"] == json.loads(before.out)["catalog_digest"]


@pytest.mark.slow
@pytest.mark.parametrize("damage", [b"", b"{}", b"torn"])
def test_a_damaged_compiled_catalog_is_passed_over(installed: Path, tmp_path: Path, damage: bytes) -> None:
    project = demo.build(tmp_path, False, int(time.time()))
    (carried,) = installed.parent.parent.glob("lib/python*/site-packages/loopx_policy/_compiled.json")
    whole = carried.read_bytes()
    before = run(installed, project, os.devnull)
    carried.write_bytes(whole[: len(whole) // 2] + damage if damage == b"torn" else damage)
    try:
        after = run(installed, project, os.devnull)
    finally:
        carried.write_bytes(whole)
    assert after.compiled
    assert json.loads(after.out)["catalog_digest"] == json.loads(before.out)["catalog_digest"]


def test_every_folder_with_python_in_it_is_a_listed_package() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"]
    folders = {name.rsplit("/", 1)[0].replace("/", ".") for name in expected() if name.endswith(".py")}
    assert sorted(listed) == sorted(folders)
