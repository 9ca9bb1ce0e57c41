"""What the random projects are: grammatical, reproducible, rich, and in other words the same."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

from tests.support.breakage import BAD_VALUES, BREAKAGES
from tests.support.chooser import RandomChooser
from tests.support.document import Document
from tests.support.features import agents_of
from tests.support.projects import Project, project_at, projects, sample_projects
from tests.support.report import RARE, SELDOM, main, shares
from tests.support.rewording import reword
from tests.support.words import ACTIONS, BAIT, prose
from tests.support_tests.reading import read

SOUND_STATE = {
    "",
    "missing",
    "empty",
    "binary",
    "duplicate_id",
    "resume_cycle",
    "superseded_cycle",
    "waits_for_nobody",
    "superseded_by_nobody",
}
"""Breakages after which every value of the state text still obeys the grammar."""


@pytest.fixture(scope="module")
def drawn() -> list[Project]:
    return sample_projects(2000, 20261201)


def test_the_state_obeys_the_grammar(drawn: list[Project]) -> None:
    for project in drawn:
        complaints = read(project.state_text).complaints
        if project.broken in BAD_VALUES:
            key, value = BAD_VALUES[project.broken]
            assert f"bad value: {key}={value}" in complaints or key in ("updated_at", "no_followup"), project.dump()
            complaints = [c for c in complaints if c != f"bad value: {key}={value}"]
        assert complaints == [], project.dump()


def test_reading_the_text_gives_back_the_parts(drawn: list[Project]) -> None:
    for project in drawn:
        reading = read(project.state_text)
        for kind in ("user", "agent", "archive"):
            parts, got = project.document.of(kind), reading.todos.get(kind, [])
            assert [(p.text, p.more, p.status, p.meta) for p in parts] == [
                (r.text, r.more, r.status, r.meta) for r in got
            ], project.dump()
        assert len(reading.bullets) == len(project.document.bullets())


def test_user_todos_keep_the_contract_unless_it_is_broken_on_purpose(drawn: list[Project]) -> None:
    for project in drawn:
        if project.broken not in SOUND_STATE:
            continue
        several = len(agents_of(project)) > 1
        for todo in project.document.of("user"):
            if todo.is_open:
                assert todo.meta["task_class"] in ("user_gate", "user_action")
                scoped = ("blocks_agent" in todo.meta) + ("global_gate" in todo.meta)
                assert not several or todo.meta["task_class"] != "user_gate" or scoped == 1, project.dump()


def _ids(document: Document) -> list[str]:
    return [todo.todo_id for section in document.sections for todo in section.todos if todo.todo_id]


def test_ids_are_unique_and_links_make_no_cycle_unless_broken_on_purpose(drawn: list[Project]) -> None:
    for project in drawn:
        ids = _ids(project.document)
        assert (len(set(ids)) == len(ids)) == (project.broken != "duplicate_id"), project.dump()
        if project.broken:
            continue
        by_id = {todo.todo_id: todo.meta for todo in project.document.todos if todo.todo_id}
        for key in ("resume_when", "superseded_by"):
            for start in by_id:
                at, seen = start, set()
                while at in by_id and at not in seen:
                    seen.add(at)
                    at = by_id[at].get(key, "").removeprefix("todo_done:")
                assert at not in seen, project.dump()


def test_rows_are_what_an_index_holds(drawn: list[Project]) -> None:
    for project in drawn:
        for row in project.rows:
            assert row["generated_at"]
            assert row["json_path"].startswith("$ROOT/runtime/goals/harbor-goal/runs/")
            assert not any(key.startswith("_") for key in row)
            json.dumps(row)


def test_the_same_seed_gives_the_same_projects_whatever_the_count() -> None:
    assert sample_projects(40, 7) == sample_projects(60, 7)[:40]
    assert project_at(7, 33) == sample_projects(40, 7)[33]
    assert sample_projects(40, 7) != sample_projects(40, 8)


def test_choices_rest_on_nothing_but_the_sequence_that_python_keeps() -> None:
    chooser, source = RandomChooser("1:0"), random.Random("1:0")
    assert [chooser.integer(0, 99) for _ in range(9)] == [int(source.random() * 100) for _ in range(9)]


def test_weights_are_kept() -> None:
    count = 20_000
    chooser = RandomChooser("weights")
    drawn = Counter(chooser.weighted([("often", 70), ("seldom", 29), ("never", 0), ("rare", 1)]) for _ in range(count))
    assert drawn["never"] == 0
    assert abs(drawn["often"] / count - 0.70) < 0.02
    assert abs(drawn["rare"] / count - 0.01) < 0.004
    assert 0.05 < sum(chooser.maybe(8) for _ in range(count)) / count < 0.11
    assert not any(chooser.maybe(0) for _ in range(100))
    assert all(chooser.maybe(100) for _ in range(100))
    assert all(sorted(set(got)) == got for got in (chooser.some([1, 2, 3, 4], 3) for _ in range(200)))


def test_no_two_projects_of_a_sample_are_alike(drawn: list[Project]) -> None:
    assert len({project.dump().split("\n", 1)[1] for project in drawn}) == len(drawn)


def test_every_feature_is_frequent_enough(drawn: list[Project]) -> None:
    rare = {name: share for name, share in shares(drawn).items() if share < RARE * 0.7 and not name.startswith(SELDOM)}
    assert rare == {}


def test_every_contract_is_broken_somewhere_and_most_projects_are_whole(drawn: list[Project]) -> None:
    broken = Counter(project.broken for project in drawn)
    assert set(broken) == {"", *BREAKAGES}
    assert broken[""] > 0.85 * len(drawn)


def test_the_report_prints_each_feature_with_its_share(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["50", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(re.match(r" *\d+\.\d\d%  cwd: worktree", line) for line in lines)


@given(st.integers(0, 10**6))
def test_prose_is_one_line_that_the_grammar_reads_as_text(number: int) -> None:
    text = prose(number)
    assert text
    assert text == text.strip()
    assert "\n" not in text
    assert not text.startswith(("[", "-", "#", "<", "|", "*", "`"))
    assert "<!--" not in text
    assert not re.search(r"todo_[a-z0-9_-]{3,64}", text)


def test_prose_baits() -> None:
    assert {prose(n) for n in range(16 * 40)} >= set(BAIT)


# Rewording


def _prose_of(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _prose_of(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _prose_of(inner)]
    return [value] if isinstance(value, str) else []


def _skeleton(project: Project) -> str:
    """The project with every word that contains a space taken out: what is left is structure."""
    reading = read(project.state_text)
    parts = {
        "headings": reading.headings,
        "front": {key: value for key, value in reading.front.items() if key != "objective"},
        "todos": {
            kind: [
                (t.section, t.mark, t.priority, len(t.more), [(k, v) for k, v in t.meta.items() if " " not in v])
                for t in todos
            ]
            for kind, todos in reading.todos.items()
        },
        "bullets": [re.findall(r"todo_[a-z0-9_-]{3,64}", bullet) for bullet in reading.bullets],
        "lines": project.state_text.count("\n"),
    }
    rest = [project.registry, project.rows, project.rollout, project.leases, project.payloads]
    return json.dumps([parts, _without_prose(rest), str(project.torn), project.argv, project.cwd, project.now])


def _without_prose(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_prose(inner) for key, inner in value.items() if key != "health_check"}
    if isinstance(value, list):
        return [_without_prose(inner) for inner in value]
    return "..." if isinstance(value, str) and " " in value else value


def test_reword_keeps_everything_but_prose(drawn: list[Project]) -> None:
    for project in drawn[:300]:
        assert _skeleton(reword(project, 5)) == _skeleton(project), project.dump()


def test_reword_changes_every_text(drawn: list[Project]) -> None:
    for project in drawn[:300]:
        other = reword(project, 5)
        pairs = [
            *zip(project.document.todos, other.document.todos, strict=True),
            *zip(project.document.of("archive"), other.document.of("archive"), strict=True),
        ]
        for before, after in pairs:
            assert before.text != after.text
            assert all(one != two for one, two in zip(before.more, after.more, strict=True))
            assert all(before.meta[k] != after.meta[k] for k in ("note", "reason", "evidence") if k in before.meta)
        for one, two in zip(project.document.bullets(), other.document.bullets(), strict=True):
            assert one.text != two.text
        for row, new in zip(project.rows, other.rows, strict=True):
            assert row.get("recommended_action", "-") != new.get("recommended_action", "")
        assert project.document.objective != other.document.objective


def test_reword_keeps_equal_texts_equal_and_different_texts_different(drawn: list[Project]) -> None:
    for project in drawn[:300]:
        other = reword(project, 5)
        texts, new = _all_prose(project), _all_prose(other)
        assert len(texts) == len(new)
        assert len(set(zip(texts, new, strict=True))) == len(set(texts)) == len(set(new))


def _all_prose(project: Project) -> list[str]:
    document = project.document
    return [
        *(row["recommended_action"] for row in project.rows if "recommended_action" in row),
        *(text for todo in document.todos for text in (todo.text, *todo.more)),
        *(todo.meta["note"] for todo in document.todos if "note" in todo.meta),
        *(row["lesson"]["rule"] for row in project.rows if "lesson" in row),
        *(row["promoted_lesson"]["rule"] for row in project.rows if "promoted_lesson" in row),
    ]


def test_reword_leaves_the_original_alone_and_is_reproducible() -> None:
    project = project_at(3, 5)
    before = project.dump()
    assert reword(project, 1) == reword(project, 1) != reword(project, 2)
    assert project.dump() == before


def test_actions_are_reworded_too() -> None:
    sample = [reword(project, 1) for project in sample_projects(100, 4)]
    assert all(row.get("recommended_action") not in ACTIONS for project in sample for row in project.rows)


# Hypothesis


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(projects())
def test_the_strategy_draws_from_the_same_grammar(project: Project) -> None:
    if project.broken in SOUND_STATE:
        assert read(project.state_text).complaints == []
    assert project.argv[:2] == ["--goal-id", "harbor-goal"]


def test_the_strategy_shrinks_to_a_small_project() -> None:
    quick = settings(max_examples=200, database=None, phases=[Phase.generate, Phase.shrink], deadline=None)
    found = find(projects(), lambda project: bool(project.document.of("agent")), settings=quick)
    assert [len(found.document.of(kind)) for kind in ("user", "agent")] == [0, 1]
    assert found.rows == []
    assert found.leases == []
    assert found.broken == ""
