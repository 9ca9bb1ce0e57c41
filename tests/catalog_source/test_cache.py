"""The compiled catalog on disk: found again, rebuilt when it must be, and never a reason to fail."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from loopx_policy import catalog_cache
from loopx_policy.catalog_cache import cache_folder, decode, encode, load_catalog
from loopx_policy.catalog_files import Sources, default_folder, read_sources
from loopx_policy.catalog_json import from_json, to_json
from loopx_policy.engine.catalog import Catalog
from loopx_policy.errors import CatalogError

ROOT = Path(__file__).parents[2]


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collects the digest of every compilation."""
    seen: list[str] = []
    real = catalog_cache.compile_sources

    def counted(sources: Sources) -> Catalog:
        seen.append(sources.digest)
        return real(sources)

    monkeypatch.setattr(catalog_cache, "compile_sources", counted)
    return seen


def load(tree: Path, cache: Path | None) -> Catalog:
    return load_catalog([str(tree / "rules")], str(tree / "catalog"), None if cache is None else str(cache))


def only_file(cache: Path) -> Path:
    (path,) = cache.iterdir()
    return path


def test_the_second_run_reads_what_the_first_compiled(tree: Path, cache: Path, compiled: list[str]) -> None:
    first = load(tree, cache)
    assert load(tree, cache) == first
    assert len(compiled) == 1


def test_the_cache_file_is_json_without_prose(tree: Path, cache: Path) -> None:
    load(tree, cache)
    document = json.loads(only_file(cache).read_text())
    assert set(document) == {"loopx_policy_catalog", "digest", "check", "catalog"}
    assert "There is work and nothing in its way" not in only_file(cache).read_text()


def test_json_gives_the_catalog_back(tree: Path) -> None:
    catalog = load(tree, None)
    assert from_json(json.loads(json.dumps(to_json(catalog))), catalog.digest) == catalog


@pytest.mark.parametrize(
    "name", ["rules/ground/GR-rest.yaml", "catalog/modes.yaml", "catalog/facts/turn.yaml", "catalog/points.yaml"]
)
def test_a_changed_file_is_compiled_anew(tree: Path, cache: Path, compiled: list[str], name: str) -> None:
    load(tree, cache)
    path = tree / name
    path.write_text(path.read_text() + "# seen\n")
    load(tree, cache)
    assert len(set(compiled)) == 2


def test_a_renamed_file_is_compiled_anew(tree: Path, cache: Path, compiled: list[str]) -> None:
    load(tree, cache)
    (tree / "rules/ground/GR-rest.yaml").rename(tree / "rules/ground/GR-rest-now.yaml")
    load(tree, cache)
    assert len(set(compiled)) == 2


def test_what_lies_beside_the_vocabulary_does_not_count(tree: Path) -> None:
    before = load(tree, None).digest
    (tree / "catalog" / "notes.yaml").write_text("a: b\n")
    (tree / "rules" / "__init__.py").write_text("")
    (tree / "rules" / ".draft.yaml").write_text("a: b\n")
    assert load(tree, None).digest == before


def test_the_place_of_the_folders_does_not_count(tree: Path, tmp_path: Path) -> None:
    before = load(tree, None).digest
    tree.rename(tmp_path / "elsewhere")
    assert load(tmp_path / "elsewhere", None).digest == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-20],
        lambda data: data[:200],
        lambda data: data.replace(b"nothing is left to do", b"nothing is left to be"),
        lambda data: data.replace(b"false", b"true ", 1),
        lambda data: b"\x00" * len(data),
        lambda data: b"[]\n",
        lambda data: data + b"x",
    ],
)  # fmt: skip
def test_a_damaged_cache_file_is_rebuilt(tree: Path, cache: Path, compiled: list[str], damage: object) -> None:
    catalog = load(tree, cache)
    path = only_file(cache)
    whole = path.read_bytes()
    assert callable(damage)
    path.write_bytes(damage(whole))
    assert load(tree, cache) == catalog
    assert len(compiled) == 2
    assert path.read_bytes() == whole


def test_a_whole_file_with_strange_content_is_rebuilt(tree: Path) -> None:
    digest = load(tree, None).digest
    for body in (b"{}", b"[]", b"null", b'{"points":[[1]]}', b"\xff"):
        data = catalog_cache._header(digest, body) + body + b"}\n"
        assert decode(data, digest) is None


def test_a_file_of_another_digest_is_not_taken(tree: Path) -> None:
    catalog = load(tree, None)
    assert decode(encode(catalog), catalog.digest) == catalog
    assert decode(encode(catalog), "0" * 16) is None


def test_a_file_that_others_may_write_is_not_trusted(tree: Path, cache: Path, compiled: list[str]) -> None:
    load(tree, cache)
    only_file(cache).chmod(0o666)
    load(tree, cache)
    assert len(compiled) == 2
    assert only_file(cache).stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_that_somebody_else_owns_is_not_trusted(tree: Path, cache: Path, compiled: list[str]) -> None:
    load(tree, cache)
    os.chown(only_file(cache), 12345, 12345)
    load(tree, cache)
    assert len(compiled) == 2


def test_a_directory_or_a_pipe_in_its_place_is_no_error(tree: Path, cache: Path) -> None:
    catalog = load(tree, cache)
    path = only_file(cache)
    path.unlink()
    os.mkfifo(path)
    assert load(tree, cache) == catalog
    path.unlink()
    path.mkdir()
    assert load(tree, cache) == catalog


def test_a_cache_folder_that_cannot_be_written_is_no_error(tree: Path, tmp_path: Path, compiled: list[str]) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    catalog = load(tree, blocked / "below")
    assert load(tree, None) == catalog
    assert len(compiled) == 2


def test_a_read_only_cache_folder_is_no_error(tree: Path) -> None:
    # Root may write anywhere, so the run gives its rights up once everything is imported and a first compile is done.
    script = (
        "import os, sys; sys.path.insert(0, sys.argv[1])\n"
        "from loopx_policy.catalog_cache import load_catalog\n"
        "rules, catalog = [sys.argv[2] + '/rules'], sys.argv[2] + '/catalog'\n"
        "load_catalog(rules, catalog)\n"
        "os.getuid() or os.setuid(12345)\n"
        "print(load_catalog(rules, catalog, sys.argv[3]).digest)\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        shutil.copytree(tree, f"{folder}/tree")
        os.mkdir(f"{folder}/cache", 0o500)
        command = [sys.executable, "-c", script, str(ROOT), f"{folder}/tree", f"{folder}/cache"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (run.stdout.strip(), run.stderr) == (load(tree, None).digest, "")
        assert os.listdir(f"{folder}/cache") == []


def test_concurrent_first_runs_all_get_the_catalog(tree: Path, cache: Path) -> None:
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from loopx_policy.catalog_cache import load_catalog\n"
        "from loopx_policy.catalog_source.compile import compile_catalog\n"
        "print('ready', flush=True); sys.stdin.readline()\n"
        "for _ in range(5):\n"
        "    catalog = load_catalog([sys.argv[2] + '/rules'], sys.argv[2] + '/catalog', sys.argv[3])\n"
        "print(catalog.digest, len(catalog.cases['turn']))\n"
    )
    command = [sys.executable, "-c", script, str(ROOT), str(tree), str(cache)]
    runs = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    for run in runs:
        assert run.stdout is not None
        assert run.stdout.readline() == "ready\n"
    for run in runs:
        assert run.stdin is not None
        run.stdin.write("go\n")
        run.stdin.flush()
    results = {run.communicate(timeout=60) for run in runs}
    assert results == {(f"{load(tree, None).digest} 5\n", "")}
    assert only_file(cache).name.startswith("catalog-")


def test_only_a_few_cache_files_stay_and_strange_files_are_left_alone(tree: Path, cache: Path) -> None:
    cache.mkdir()
    (cache / "mine.txt").write_text("keep")
    stale = cache / ".catalog-0000.1.tmp"
    stale.write_text("torn")
    os.utime(stale, (1, 1))
    for number in range(catalog_cache.KEEP + 3):
        old = cache / f"catalog-{number:016x}.json"
        old.write_text("{}")
        os.utime(old, (number + 1, number + 1))
    load(tree, cache)
    names = {path.name for path in cache.iterdir()}
    assert len(names) == catalog_cache.KEEP + 1
    assert {"mine.txt", f"catalog-{catalog_cache.KEEP + 2:016x}.json"} < names
    assert stale.name not in names
    assert load(tree, cache) == load(tree, None)


def test_a_carried_file_that_matches_is_used(tree: Path, monkeypatch: pytest.MonkeyPatch, compiled: list[str]) -> None:
    catalog = load(tree, None)
    package = tree / "package"
    package.mkdir()
    (package / catalog_cache.PRECOMPILED).write_bytes(encode(catalog))
    monkeypatch.setattr(catalog_cache, "__file__", str(package / "catalog_cache.py"))
    assert load(tree, None) == catalog
    assert len(compiled) == 1
    rest = tree / "rules/ground/GR-rest.yaml"
    rest.write_text(rest.read_text() + "# changed\n")
    assert load(tree, None).digest != catalog.digest
    assert len(compiled) == 2


def test_the_hot_path_does_not_import_what_only_a_rebuild_needs(tree: Path, cache: Path) -> None:
    load(tree, cache)
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from loopx_policy.catalog_cache import load_catalog\n"
        "load_catalog([sys.argv[2] + '/rules'], sys.argv[2] + '/catalog', sys.argv[3])\n"
        "heavy = {'yaml', 'jsonschema', 'hashlib', 'pathlib', 'tempfile', 'subprocess', 'importlib.resources',\n"
        "         'loopx_policy.catalog_source', 'typer', 'rich', 'argparse', 'urllib'}\n"
        "print(sorted(heavy.intersection(sys.modules)))\n"
    )
    command = [sys.executable, "-I", "-S", "-c", script, str(ROOT), str(tree), str(cache)]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


@pytest.mark.parametrize(
    "environ, folder",
    [
        ({"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/loopx-policy"),
        ({"XDG_CACHE_HOME": "", "HOME": "/h"}, "/h/.cache/loopx-policy"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/loopx-policy"),
        ({"HOME": "/h"}, "/h/.cache/loopx-policy"),
        ({}, None),
    ],
)
def test_the_cache_folder_follows_the_environment_that_is_passed(environ: dict[str, str], folder: str | None) -> None:
    assert cache_folder(environ) == folder


def test_a_missing_folder_is_an_error_without_a_local_path(tmp_path: Path) -> None:
    with pytest.raises(CatalogError) as caught:
        load_catalog([str(tmp_path / "nowhere")], str(tmp_path))
    assert str(tmp_path) not in str(caught.value)


def test_the_program_finds_its_own_folders() -> None:
    assert default_folder("rules") == str(ROOT / "rules")
    assert default_folder("catalog") == str(ROOT / "catalog")


def test_two_rule_folders_are_read_as_one_catalog(tree: Path) -> None:
    more = tree / "more" / "ground"
    more.mkdir(parents=True)
    text = (tree / "rules/ground/GR-rest.yaml").read_text()
    (more / "GR-sleep.yaml").write_text(text.replace("GR-rest", "GR-sleep"))
    sources = read_sources([str(tree / "rules"), str(tree / "more")], str(tree / "catalog"))
    assert [file.label for file in sources.rules][-1] == "more/ground/GR-sleep.yaml"
    turn = catalog_cache.compile_sources(sources).cases["turn"]
    assert [case.key for case in turn][-2:] == ["GR-rest.nothing_left", "GR-sleep.nothing_left"]
