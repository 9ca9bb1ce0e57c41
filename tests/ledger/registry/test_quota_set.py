"""``quota set | pause | resume | burst``: what the owner gives, and that it comes back by itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from loopx_policy.ledger.edits import Replace
from loopx_policy.ledger.places import Caller, Ground, Places
from loopx_policy.ledger.quota_steps import burst, pause, resume, set_quota
from loopx_policy.ledger.write import Plan
from loopx_policy.model import Snapshot
from loopx_policy.project.registry import registry_of

from .conftest import REGISTRY, Site

DATED = REGISTRY.replace("2026-11-30", "2026-12-01")


def quota(site: Site, at: str = "2026-12-01T09:00:00Z") -> Any:
    (goal,) = site.loopx("--format", "json", "quota", "status", "--goal-id", "harbor", "--now", at, now=False).json[
        "goals"
    ]
    return goal


def test_numbers_are_written_as_people_write_them(site: Site) -> None:
    site.owner("quota", "set", "--window-hours", "12.0", "--allowed-slots", "9", "--next-eligible-at", "+90m")
    assert '"quota": {"compute": 1.00, "window_hours": 12, "slot_minutes": 6e1, "allowed_slots": 9, ' in site.text
    assert site.entry["quota"]["next_eligible_at"] == "2026-12-01T10:30:00Z"
    assert (quota(site)["allowed"], quota(site)["cooling_down"]) == (9, True)
    site.owner("quota", "set", "--clear", "next_eligible_at", "--clear", "allowed_slots", "--window-hours", "24")
    assert site.text == DATED


def test_a_paused_goal_comes_back_as_it_was(site: Site) -> None:
    data = site.owner("quota", "pause", "--reason", "holidays")
    assert data["result"] == {"compute": 0, "returns_to": 1.0}
    assert site.ask("quota", "should-run", "--agent-id", "builder")["state"] == "paused"
    assert data["decision"]["state"] == "paused"
    site.owner("quota", "resume")
    assert site.text == DATED.replace("1.00", "1.0"), "the number is given back, if not its spelling"


def test_pausing_twice_and_resuming_twice_change_nothing(site: Site) -> None:
    site.owner("quota", "pause")
    text = site.text
    assert site.owner("quota", "pause")["written"] is False
    assert site.text == text
    site.owner("quota", "resume")
    assert site.owner("quota", "resume")["written"] is False


def test_a_goal_that_somebody_paused_by_hand_needs_a_compute(site: Site) -> None:
    site.registry.write_text(REGISTRY.replace('"compute": 1.00', '"compute": 0'))
    err = site.refused("quota", "resume", "--operator", "--execute", code=2)
    assert site.loopx("quota", "set", *err.partition("loopx quota set ")[2].split(), "--goal-id", "harbor").code == 0
    assert site.entry["quota"]["compute"] == 1


def test_a_burst_ends_by_itself(site: Site) -> None:
    data = site.owner("quota", "burst", "--allowed-slots", "40", "--until", "+2h", "--reason", "release")
    assert data["result"] == {"allowed_slots": 40, "until": "2026-12-01T11:00:00Z", "returns_to": 24}
    now = quota(site)
    assert (now["allowed"], now["burst_until"], now["allowed_after_burst"]) == (40, "2026-12-01T11:00:00Z", 24)
    assert "burst until" in site.loopx("quota", "status", "--goal-id", "harbor").out
    later = quota(site, "2026-12-01T11:00:00Z")
    assert (later["allowed"], later["burst_until"]) == (24, None)
    site.owner("quota", "set", "--clear", "burst")
    assert site.text == DATED


def test_a_burst_lets_a_throttled_goal_run_until_its_end(site: Site) -> None:
    runs = site.project / "runtime" / "goals" / "harbor" / "runs"
    runs.mkdir(parents=True)
    row = {"generated_at": "2026-12-01T08:00:00Z", "goal_id": "harbor", "classification": "quota_slot_spent"}
    (runs / "index.jsonl").write_text(json.dumps(row | {"quota_event": {"slots": 24}}) + "\n")
    site.registry.write_text(REGISTRY.replace('"primary_agent": "builder"', '"primary_agent": "writer"'))
    assert site.ask("quota", "should-run", "--agent-id", "writer")["state"] == "throttled"
    data = site.owner("quota", "burst", "--allowed-slots", "25", "--until", "+2h")
    assert data["decision"]["state"] != "throttled"
    later = ("--now", "2026-12-01T11:00:01Z")
    assert (
        site.loopx(
            "--format", "json", "quota", "should-run", "--goal-id", "harbor", "--agent-id", "writer", *later, now=False
        ).json["state"]
        == "throttled"
    )


def test_a_burst_that_is_not_whole_grants_nothing_and_is_told(site: Site) -> None:
    for entry in ('{"allowed_slots": 99}', '{"until": "2027-01-01"}', '{"allowed_slots": "x", "until": "y"}', "7"):
        site.registry.write_text(REGISTRY.replace('"slot_minutes"', f'"burst": {entry}, "slot_minutes"'))
        assert quota(site)["allowed"] == 24
        problems = registry_of(site.registry.read_bytes(), "registry.json").goal("harbor")[1]
        assert problems
        assert all("burst" in problem.message and not problem.breaks_contract for problem in problems)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("burst", "--allowed-slots", "24", "--until", "+1h"), "GR-throttled.burst_of_nothing"),
        (("burst", "--allowed-slots", "40", "--until", "-1h"), "GR-throttled.burst_without_end"),
        (("pause", "--reason", "see /home/" + "ann/plan.md"), "GR-owner.private_text"),
    ],
)
def test_the_owner_too_is_refused_by_rules(site: Site, options: tuple[str, ...], said: str) -> None:
    assert said in site.refused("quota", *options, "--operator", "--execute")


def test_a_paused_goal_has_no_burst_and_the_refusal_says_what_would_be_accepted(site: Site) -> None:
    site.owner("quota", "pause")
    more = ("quota", "burst", "--allowed-slots", "40", "--until", "+1h", "--operator", "--execute")
    err = site.refused(*more)
    assert "GR-paused.burst_of_a_paused_goal" in err
    assert site.loopx(*err.partition("Accepted: loopx ")[2].split()).code == 0
    assert site.ask(*more)["written"] is True


@pytest.mark.parametrize(
    "options",
    [
        ("set", "--compute", "0.5"),
        ("set", "--clear", "next_eligible_at"),
        ("pause",),
        ("resume",),
        ("burst", "--allowed-slots", "40", "--until", "+1h"),
    ],
)
def test_no_agent_changes_the_quota(site: Site, options: tuple[str, ...]) -> None:
    for caller in ("builder", "writer"):
        assert "GR-paused.quota_by_agent" in site.refused("quota", *options, "--agent-id", caller, "--execute")
    assert "IP-019.unknown_agent" in site.refused("quota", *options, "--execute")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--compute", "1.5"), "quota.compute must be"),
        (("--compute", "0"), "loopx quota pause"),
        (("--compute", "nan"), "is no number"),
        (("--window-hours", "0"), "quota.window_hours must be"),
        (("--clear", "compute"), "Use allowed_slots"),
        (("--allowed-slots", "3", "--clear", "allowed_slots"), "Keep one of the two"),
        (("--next-eligible-at", "soon"), "is no time"),
        ((), "Name a setting"),
    ],
)
def test_a_slip_is_a_usage_error_that_helps(site: Site, options: tuple[str, ...], said: str) -> None:
    assert said in site.refused("quota", "set", *options, "--operator", "--execute", code=2)


COMPUTES = st.sampled_from([None, 1, 1.0, 0.5, 0.125])
ENTRIES = st.fixed_dictionaries(
    {"id": st.just("harbor")},
    optional={
        "quota": st.builds(
            lambda compute, more: ({} if compute is None else {"compute": compute}) | more,
            COMPUTES,
            st.dictionaries(
                st.sampled_from(["window_hours", "slot_minutes", "foreign"]), st.integers(1, 48), max_size=3
            ),
        ),
        "note": st.text(max_size=5),
    },
)


class Yes:
    """A judge's verdict that permits: who may is another test's question."""

    verdict, reason, case, kind, requires, command = "allow", "", "", "", (), ""


def step(data: bytes, work: Any, *arguments: Any) -> bytes:
    """The registry after one step of the ledger."""
    goal, _ = registry_of(data, "registry.json").goal("harbor")
    here = Ground(Caller("/", {}, 1_796_115_600), Places("registry.json", "", "", ""), Snapshot(0, goal), b"", data)
    plan: Plan = work(here, lambda point, document: Yes(), *arguments, operator=True)
    if not plan.edits:
        return data
    (edit,) = plan.edits
    assert isinstance(edit, Replace)
    return edit.after


@given(entry=ENTRIES, indent=st.sampled_from([None, 2, "\t"]))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_pause_and_resume_give_back_every_byte(entry: dict[str, Any], indent: Any) -> None:
    before = json.dumps({"goals": [entry]}, indent=indent).encode()
    paused = step(before, pause)
    assert json.loads(paused)["goals"][0]["quota"]["compute"] == 0
    after = step(paused, resume)
    if entry.get("quota"):
        assert after == before
    assert json.loads(after)["goals"][0] == {**entry, "quota": entry.get("quota", {})}


@given(entry=ENTRIES, slots=st.integers(3000, 9000), indent=st.sampled_from([None, 2, "\t"]))
@settings(deadline=None)
def test_a_burst_leaves_the_quota_below_as_it_is(entry: dict[str, Any], slots: int, indent: Any) -> None:
    before = json.dumps({"goals": [entry]}, indent=indent).encode()
    after = step(before, burst, slots, 1_796_119_200)
    quota = json.loads(after)["goals"][0]["quota"]
    assert quota.pop("burst") == {
        "allowed_slots": slots,
        "until": "2026-12-01T10:00:00Z",
        "recorded_at": "2026-12-01T09:00:00Z",
    }
    assert quota == entry.get("quota", {})
    if entry.get("quota"):
        assert step(after, set_quota, {}, ("burst",)) == before
