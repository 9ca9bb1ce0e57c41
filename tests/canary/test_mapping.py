"""A changed file touches what its facts, its place and its name say, and nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from loopx_policy.canary.changes import Change
from loopx_policy.canary.import_cache import ImportCache
from loopx_policy.canary.imports import Graph
from loopx_policy.canary.mapping import Mapper, Touched
from loopx_policy.canary.tree import Tree, read_tree
from loopx_policy.canary.use import Use

from .conftest import ROOT

GATES = {"gates.open", "gates.blanket", "gates.unclear", "gates.elsewhere", "actions.open", "actions.elsewhere"}
"""What ``facts/gates.py`` says that it projects."""


def touched(tree: Tree, use: Use, path: str) -> Touched:
    return Mapper(tree, use).touched(Change(path), path)


def surfaces(found: Touched) -> list[str]:
    return [str(surface.id) for surface in found.surfaces]


def keys(value: Any) -> set[str]:
    """Every key in a rule file's conditions, however deep."""
    if isinstance(value, list):
        return {key for entry in value for key in keys(entry)}
    if isinstance(value, dict):
        return set(value) | {key for entry in value.values() for key in keys(entry)}
    return set()


def readers(facts: set[str]) -> set[str]:
    """The patterns whose rule file, read as plain YAML, names one of these facts of a turn."""
    found = set()
    for path in (ROOT / "rules").rglob("*.yaml"):
        rule = yaml.safe_load(path.read_text(encoding="utf-8"))
        turn = [rule.get("turn"), rule.get("obligations"), rule.get("withholds")]
        asked = {
            case["user_channel"].get("asks")
            for case in (rule.get("turn") or {}).get("cases", ())
            if "user_channel" in case
        }
        if (keys(turn) | asked) & facts:
            found.add(rule["id"])
    return found


def test_a_change_of_the_gates_touches_exactly_the_patterns_that_read_a_fact_set_there(shipped: Tree, use: Use) -> None:
    found = touched(shipped, use, "loopx_policy/facts/gates.py")
    assert {name for _, name in found.facts} == GATES
    assert set(found.patterns) == readers(GATES)
    assert found.exact
    assert not found.whole


def small_tree(tree: Tree, root: Path, **modules: str) -> Tree:
    """The shipped data over a few modules of ``loopx_policy``, ``__`` for a folder."""
    for name, text in modules.items():
        path = root / "loopx_policy" / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    tree.root = str(root)
    return tree


def test_what_lies_below_goes_up_to_the_facts_that_use_it_and_no_further(
    shipped: Tree, use: Use, tmp_path: Path
) -> None:
    tree = small_tree(
        shipped,
        tmp_path,
        project__scopes="ORDER = ()\n",
        project__between="from .scopes import ORDER\n",
        facts__gates="from loopx_policy.project.between import ORDER\n\nNAME = 'gates.open'\n",
        facts__frontier="from loopx_policy.facts import gates\n\nNAME = 'frontier.open'\n",
        facts__lanes="NAME = 'todos.open'\n",
    )
    found = touched(tree, use, "loopx_policy/project/scopes.py")
    assert found.facts == [("turn", "gates.open")]
    assert set(found.patterns) == readers({"gates.open"})
    assert all("loopx_policy/facts/gates.py" in reason for reason in found.patterns.values())


def test_the_scopes_touch_what_the_gates_touch(shipped: Tree, use: Use) -> None:
    found = touched(shipped, use, "loopx_policy/project/scopes.py")
    assert set(found.patterns) >= readers(GATES)
    assert surfaces(found) == ["state_reading"]


def test_the_modules_whose_facts_were_not_followed_are_named(shipped: Tree, use: Use) -> None:
    assert touched(shipped, use, "loopx_policy/facts/gates.py").beside == ["loopx_policy/facts/frontier.py"]


@pytest.mark.parametrize(
    "path",
    ["engine/match.py", "engine/plan.py", "decide.py", "model.py", "records.py", "errors.py", "facts/view.py"],
)
def test_what_everything_is_decided_through_touches_everything(shipped: Tree, use: Use, path: str) -> None:
    assert touched(shipped, use, f"loopx_policy/{path}").whole


def test_a_module_that_is_gone_still_touches_what_imports_it(shipped: Tree, use: Use, tmp_path: Path) -> None:
    tree = small_tree(shipped, tmp_path, facts__gates="from loopx_policy.gone import x\n\nA = 'gates.open'\n")
    assert set(touched(tree, use, "loopx_policy/gone.py").patterns) == readers({"gates.open"})


@pytest.mark.parametrize(
    "path, patterns",
    [
        ("rules/work_routing/IP-008-monitor-quiet-skip.yaml", ["IP-008"]),
        ("rules/work_routing/IP-008-by-another-name.yaml", ["IP-008"]),
        ("rules/ground/GR-paused.yaml", ["GR-paused"]),
        ("fixtures/IP-005/which_is_not_there.yaml", ["IP-005"]),
        ("fixtures/IP-013/dreaming_is_no_obligation.yaml", ["IP-013"]),
        ("catalog/facts/assistance.yaml", ["IP-009"]),
        ("catalog/schemas/points/connector_run.schema.json", ["IP-028"]),
    ],
)
def test_rules_fixtures_and_vocabulary_touch_what_they_are_named_after(
    shipped: Tree, use: Use, path: str, patterns: list[str]
) -> None:
    assert list(touched(shipped, use, path).patterns) == patterns


def test_a_fixture_touches_the_rule_that_it_covers_too(shipped: Tree, use: Use, tmp_path: Path) -> None:
    path = "fixtures/IP-005/a_gate_stands_in_the_way.yaml"
    (tmp_path / path).parent.mkdir(parents=True)
    (tmp_path / path).write_text("point: turn\ncovers: obligation:IP-004.tell_gates\nseed: none\n")
    shipped.root = str(tmp_path)
    assert list(touched(shipped, use, path).patterns) == ["IP-005", "IP-004"]


def test_a_file_that_nothing_tells_about_touches_nothing(shipped: Tree, use: Use) -> None:
    found = touched(shipped, use, "lighthouse/lamp.c")
    assert (found.surfaces, found.patterns, found.exact) == ([], {}, False)


def test_in_the_tree_of_a_project_the_paths_of_this_program_mean_nothing(use: Use, tmp_path: Path) -> None:
    tree = read_tree(str(tmp_path))
    for path in ("docs/manual.md", "rules/work_routing/IP-008-x.yaml", "loopx_policy/facts/gates.py", "README.md"):
        found = touched(tree, use, path)
        assert (found.surfaces, found.patterns) == ([], {}), path
    assert surfaces(touched(tree, use, ".loopx/registry.json")) == ["project_state"]
    assert surfaces(touched(tree, use, ".github/workflows/loopx-canary.yml")) == ["adoption"]


def test_the_state_files_that_a_registry_names_are_state(use: Use, tmp_path: Path) -> None:
    (tmp_path / ".loopx").mkdir()
    registry = f'{{"goals": [{{"id": "a", "repo": "{tmp_path}", "state_file": "goals/a.md"}}]}}'
    (tmp_path / ".loopx" / "registry.json").write_text(registry)
    tree = read_tree(str(tmp_path))
    assert surfaces(touched(tree, use, "goals/a.md")) == ["project_state"]
    assert surfaces(touched(tree, use, "goals/b.md")) == []


def test_a_project_adds_surfaces_of_its_own(use: Use, tmp_path: Path) -> None:
    (tmp_path / ".loopx").mkdir()
    (tmp_path / ".loopx" / "canary.yaml").write_text(
        "surfaces:\n  - {id: berths, meaning: Berths, path: cold, paths: ['berths/**'], why: nothing to check}\n"
    )
    assert surfaces(touched(read_tree(str(tmp_path)), use, "berths/a.py")) == ["berths"]


def test_imports_are_read_and_never_run(tmp_path: Path) -> None:
    package = tmp_path / "p"
    (package / "q").mkdir(parents=True)
    (package / "__init__.py").write_text("raise SystemExit\n")
    lines = (
        "raise SystemExit",
        "from .q import leaf",
        "from . import side",
        "def f():",
        "  try:",
        "    import p.late",
        "  except Exception:",
        "    from p.q.deep import x",
    )
    (package / "top.py").write_text("\n".join(lines))
    (package / "side.py").write_text("")
    (package / "late.py").write_text("not python at all (")
    (package / "q" / "__init__.py").write_text("")
    (package / "q" / "leaf.py").write_text("from ..side import x\n")
    (package / "q" / "deep.py").write_text("from . import leaf\n")
    below = Graph(str(tmp_path), {"p": "p"}).below(["p.top"])
    assert below["p.q.leaf"] == ["p.q.deep", "p.top"]
    assert below["p.side"] == ["p.q.leaf", "p.top"]
    assert below["p.late"] == below["p.q.deep"] == ["p.top"]


def below(root: Path, cache: ImportCache) -> dict[str, list[str]]:
    return Graph(str(root), {"p": "p"}, cache).below(["p.top"])


def test_what_is_remembered_is_what_would_be_read(tmp_path: Path) -> None:
    package, folder = tmp_path / "p", str(tmp_path / "cache")
    package.mkdir()
    (package / "top.py").write_text("from p import a\n")
    (package / "a.py").write_text("")
    first = below(tmp_path, ImportCache(folder))
    assert below(tmp_path, ImportCache(folder)) == first == below(tmp_path, ImportCache())
    (package / "top.py").write_text("from p import b\n")
    assert "p.b" in below(tmp_path, ImportCache(folder))
    assert "p.a" not in below(tmp_path, ImportCache(folder))


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', '{"a": [1]}', "torn {"])
def test_a_memory_that_is_broken_is_made_anew(tmp_path: Path, text: str) -> None:
    package, folder = tmp_path / "p", tmp_path / "cache"
    package.mkdir()
    folder.mkdir()
    (package / "top.py").write_text("import p.a\n")
    ImportCache(str(folder)).save()
    (folder / "imports-1.json").write_text(text)
    assert below(tmp_path, ImportCache(str(folder)))["p.a"] == ["p.top"]
    assert "p.a" in (folder / "imports-1.json").read_text()
