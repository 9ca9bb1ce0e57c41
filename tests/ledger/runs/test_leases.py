"""Leases: who holds which todo until when, decided by whether two globs can name one file."""

from __future__ import annotations

import json

import pytest

from .conftest import BUILDER, TODOS, WRITER, Build, Harbor


def claim(todo_id: str, agent: str, *more: str, key: str = "") -> tuple[str, ...]:
    key = key or f"{agent}-{todo_id}"
    minutes = () if "--ttl-minutes" in more else ("--ttl-minutes", "30")
    flags = ("--agent-id", agent, "--idempotency-key", key)
    return ("lease", "claim", "--todo-id", todo_id, *flags, *minutes, *more)


def stored(harbor: Harbor, todo_id: str) -> dict[str, object]:
    found: dict[str, object] = json.loads((harbor.folder / "task-leases" / f"{todo_id}.json").read_text("utf-8"))
    return found


def test_a_lease_is_a_file_with_its_owner_end_and_scopes(harbor: Harbor) -> None:
    harbor.ask(*claim("todo_basin", BUILDER))
    assert stored(harbor, "todo_basin") == {
        "schema_version": "task_lease_v0",
        "goal_id": "harbor",
        "todo_id": "todo_basin",
        "owner": BUILDER,
        "acquired_at": "2026-12-01T09:00:00Z",
        "expires_at": "2026-12-01T09:30:00Z",
        "write_scopes": ["charts/**"],
        "idempotency_key": "builder-todo_basin",
    }


@pytest.mark.parametrize("theirs, mine, collide", [
    ("charts/**", "charts/inner/*.md", True),
    ("charts/inner/*.md", "charts/**", True),
    ("charts/*/depth.csv", "charts/inner/*", True),
    ("charts/**", "buoys/**", False),
    ("charts/inner/**", "charts/outer/**", False),
    ("docs/*.md", "docs/guide/intro.md", False),
])  # fmt: skip
def test_leases_collide_where_their_globs_can_name_one_file(
    harbor: Harbor, theirs: str, mine: str, collide: bool
) -> None:
    harbor.ask(*claim("todo_basin", BUILDER, "--write-scope", theirs))
    asked = claim("todo_buoys", WRITER, "--write-scope", mine)
    if collide:
        said = harbor.refused(*asked)
        assert "IP-016.overlapping" in said
        assert "builder" in said
        assert "todo_basin" in harbor.accepted(said).out
    else:
        harbor.ask(*asked)


@pytest.mark.parametrize("scope", ["../charts", "charts//x", "/charts", "!charts/x", "charts/[", "charts\\x"])
def test_a_scope_that_is_no_glob_is_a_slip_and_no_question_of_the_boundary(harbor: Harbor, scope: str) -> None:
    said = harbor.refused(*claim("todo_basin", BUILDER, "--write-scope", scope), code=2)
    assert "relative glob" in said
    assert "boundary" not in said


def test_a_private_path_is_no_scope_and_is_not_repeated(harbor: Harbor) -> None:
    for command in (
        claim("todo_basin", BUILDER, "--write-scope", "/home/bob/charts"),
        ("boundary", "approve", "--write-scope", "/home/bob/charts", "--provenance", "review", "--operator"),
    ):
        said = harbor.refused(*command, code=2)
        assert "is not relative" in said
        assert "bob" not in said


def test_a_lease_ends_at_a_time_that_can_be_written(harbor: Harbor) -> None:
    said = harbor.refused(*claim("todo_basin", BUILDER, "--ttl-minutes", "99999999999999"), code=2)
    assert "--ttl-minutes" in said


def test_a_lease_keeps_the_other_agent_from_what_overlaps(build: Build) -> None:
    harbor = build(TODOS.replace("todo_buoys", "todo_buoys required_write_scopes=charts/buoys/**"))
    assert harbor.mode(WRITER) == "bounded_delivery"
    harbor.ask(*claim("todo_basin", BUILDER))
    assert harbor.mode(WRITER) == "agent_scope_wait"
    harbor.ask("lease", "release", "--todo-id", "todo_basin", "--agent-id", BUILDER)
    assert harbor.mode(WRITER) == "bounded_delivery"


def test_two_leases_of_one_goal_do_not_collide_for_that(harbor: Harbor) -> None:
    harbor.ask(*claim("todo_basin", BUILDER))
    harbor.ask(*claim("todo_buoys", WRITER, "--write-scope", "buoys/**"))
    rows = harbor.ask("lease", "list")["leases"]
    assert [(row["todo_id"], row["owner"], row["standing"]) for row in rows] == [
        ("todo_basin", BUILDER, "in force"),
        ("todo_buoys", WRITER, "in force"),
    ]


def test_a_todo_has_one_lease(harbor: Harbor) -> None:
    harbor.ask(*claim("todo_buoys", BUILDER, "--write-scope", "buoys/**"))
    assert "IP-016.taken" in harbor.refused(*claim("todo_buoys", WRITER, "--write-scope", "docs/**"))
    said = harbor.refused(*claim("todo_buoys", BUILDER, "--write-scope", "buoys/**", key="another"))
    assert "IP-016.claimed_twice" in said
    harbor.configure(coordination={"claim_ttl_minutes": 60})
    assert harbor.accepted(said).code == 0


def test_an_expired_lease_may_be_replaced_by_anyone(harbor: Harbor) -> None:
    harbor.ask(*claim("todo_buoys", BUILDER, "--write-scope", "buoys/**"))
    harbor.at = 29
    assert "IP-016.taken" in harbor.refused(*claim("todo_buoys", WRITER, "--write-scope", "buoys/**"))
    harbor.at = 30
    assert harbor.ask("lease", "list")["leases"][0]["standing"] == "expired"
    harbor.ask(*claim("todo_buoys", WRITER, "--write-scope", "buoys/**"))
    assert stored(harbor, "todo_buoys")["owner"] == WRITER


def test_a_lease_on_a_finished_todo_has_no_effect(harbor: Harbor) -> None:
    harbor.ask(*claim("todo_basin", BUILDER))
    harbor.edit("- [ ] [P1] Chart", "- [x] [P1] Chart")
    harbor.edit("todo_id=todo_basin status=open", "todo_id=todo_basin")
    assert harbor.ask("lease", "list")["leases"][0]["standing"] == "finished todo"
    harbor.ask(*claim("todo_buoys", WRITER, "--write-scope", "charts/**"))


def test_a_renewed_lease_ends_later_and_keeps_what_nobody_knows(harbor: Harbor) -> None:
    harbor.ask(*claim("todo_basin", BUILDER))
    path = harbor.folder / "task-leases" / "todo_basin.json"
    path.write_text(json.dumps({**stored(harbor, "todo_basin"), "colour": "red"}), encoding="utf-8")
    harbor.at = 20
    harbor.ask("lease", "renew", "--todo-id", "todo_basin", "--agent-id", BUILDER, "--ttl-minutes", "45")
    lease = stored(harbor, "todo_basin")
    assert lease["expires_at"] == "2026-12-01T10:05:00Z"
    assert (lease["acquired_at"], lease["colour"]) == ("2026-12-01T09:00:00Z", "red")
    assert lease["write_scopes"] == ["charts/**"]


def test_who_has_no_lease_renews_and_releases_none(harbor: Harbor) -> None:
    said = harbor.refused("lease", "renew", "--todo-id", "todo_basin", "--agent-id", BUILDER, "--ttl-minutes", "30")
    assert "IP-016.nothing_to_renew" in said
    assert harbor.accepted(said).code == 0
    said = harbor.refused("lease", "release", "--todo-id", "todo_basin", "--agent-id", WRITER)
    assert "IP-016.nothing_to_release" in said


def test_a_released_lease_is_gone(harbor: Harbor) -> None:
    harbor.ask(*claim("todo_basin", BUILDER))
    harbor.ask("lease", "release", "--todo-id", "todo_basin", "--agent-id", BUILDER)
    assert not (harbor.folder / "task-leases" / "todo_basin.json").exists()
    assert harbor.ask("lease", "list")["leases"] == []


REFUSALS = {
    "endless": ("lease", "claim", "--todo-id", "todo_basin", "--agent-id", BUILDER, "--idempotency-key", "k1"),
    "no_key": ("lease", "claim", "--todo-id", "todo_basin", "--agent-id", BUILDER, "--ttl-minutes", "30"),
    "unbounded": claim("todo_buoys", WRITER),
    "too_long": claim("todo_basin", BUILDER, "--ttl-minutes", "91"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_the_command_that_a_refusal_names_is_accepted(harbor: Harbor, case: str) -> None:
    if case == "too_long":
        harbor.configure(coordination={"claim_ttl_minutes": 90})
    said = harbor.refused(*REFUSALS[case])
    assert f"IP-016.{case}" in said
    ran = harbor.accepted(said)
    assert ran.code == 0, ran.err


def test_a_renewal_beyond_the_limit_is_told_one_within_it(harbor: Harbor) -> None:
    harbor.configure(coordination={"claim_ttl_minutes": 90})
    harbor.ask(*claim("todo_basin", BUILDER))
    said = harbor.refused("lease", "renew", "--todo-id", "todo_basin", "--agent-id", BUILDER, "--ttl-minutes", "91")
    assert "IP-016.too_long" in said
    assert harbor.accepted(said).code == 0
    assert stored(harbor, "todo_basin")["expires_at"] == "2026-12-01T10:30:00Z"


def test_the_goals_limit_is_the_end_where_none_is_named(harbor: Harbor) -> None:
    harbor.configure(coordination={"claim_ttl_minutes": 90})
    harbor.ask(*(part for part in REFUSALS["endless"]))
    assert stored(harbor, "todo_basin")["expires_at"] == "2026-12-01T10:30:00Z"


@pytest.mark.parametrize("arguments, case", [
    (claim("todo_basin", "stranger"), "stranger"),
    (claim("todo_basin", WRITER), "held_by_other"),
    (claim("todo_buoys", WRITER, "--write-scope", "infra/**"), "outside"),
    (("lease", "claim", "--todo-id", "todo_basin", "--ttl-minutes", "30", "--idempotency-key", "k1"), "unnamed_owner"),
])  # fmt: skip
def test_a_lease_has_a_registered_owner_and_stays_inside(harbor: Harbor, arguments: tuple[str, ...], case: str) -> None:
    assert f"IP-016.{case}" in harbor.refused(*arguments)


def test_a_repeated_request_reports_its_first_result(harbor: Harbor) -> None:
    first = harbor.ask(*claim("todo_basin", BUILDER))
    harbor.at = 5
    again = harbor.ask(*claim("todo_basin", BUILDER))
    assert again["repeated"] is True
    assert again["result"] == first["result"]
    said = harbor.refused(*claim("todo_buoys", BUILDER, "--read-only", key="builder-todo_basin"), code=5)
    assert "another request" in said


def test_a_key_that_only_the_lease_remembers_changes_nothing(harbor: Harbor) -> None:
    harbor.ask(*claim("todo_basin", BUILDER))
    (harbor.folder / "rollout-event-log.jsonl").unlink()
    harbor.at = 5
    before = stored(harbor, "todo_basin")
    assert harbor.ask(*claim("todo_basin", BUILDER))["written"] is False
    assert stored(harbor, "todo_basin") == before


def test_an_unknown_todo_gets_the_nearest(harbor: Harbor) -> None:
    assert "Did you mean todo_basin?" in harbor.refused(*claim("todo_bassin", BUILDER), code=2)


def test_a_private_key_is_refused_and_not_repeated(harbor: Harbor) -> None:
    said = harbor.refused(*claim("todo_basin", BUILDER, key="pass" + "word=hunter2xyz"))
    assert "looks private" in said
    assert "hunter2xyz" not in said


@pytest.mark.parametrize("form", ["rich", "markdown"])
def test_the_list_shows_owner_end_and_scopes(harbor: Harbor, form: str) -> None:
    assert "No leases." in harbor.loopx("lease", "list", "--format", form).out
    harbor.ask(*claim("todo_basin", BUILDER))
    out = harbor.loopx("lease", "list", "--format", form).out
    for told in ("todo_basin", "builder", "in force", "2026-12-01T09:30:00Z", "30 min", "charts/**"):
        assert told in out
    (harbor.folder / "task-leases" / "todo_buoys.json").write_text("{", encoding="utf-8")
    out = " ".join(harbor.loopx("lease", "list", "--format", form).out.split())
    assert "is not JSON" in out
