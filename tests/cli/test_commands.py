"""The other commands, each on a real project."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from loopx_policy.catalog_cache import load_catalog
from loopx_policy.cli import reference
from loopx_policy.decide_point import TURNS, declared_points

from .conftest import Run

Edit = Callable[[str, str], None]
READING = [
    ("quota", "should-run", "--agent-id", "builder"),
    ("quota", "status"),
    ("quota", "plan"),
    ("status",),
    ("explain", "--agent-id", "builder"),
    ("heartbeat-prompt",),
    ("catalog", "list"),
    ("catalog", "show", "IP-021"),
    ("catalog", "order"),
    ("catalog", "lint"),
    ("snapshot", "export"),
    ("goal", "list"),
    ("goal", "show"),
    ("agent", "list"),
    ("doctor",),
]


@pytest.mark.parametrize("command", READING, ids=lambda command: " ".join(command[:2]))
def test_every_command_speaks_every_format_and_writes_nothing(
    loopx: Run, demo_project: Path, command: tuple[str, ...]
) -> None:
    before = {path: path.stat().st_mtime_ns for path in demo_project.parent.rglob("*")}
    plain = loopx(*command, cwd=demo_project)
    assert plain.err == ""
    for form in ("json", "markdown", "rich"):
        ran = loopx(*command, "--format", form, cwd=demo_project)
        assert (ran.code, ran.err) == (plain.code, "")
        assert ran.out.strip()
        if form == "json":
            assert isinstance(ran.json, dict)
        if form == "markdown":
            assert ran.out.startswith(("#", "```"))
    assert {path: path.stat().st_mtime_ns for path in demo_project.parent.rglob("*")} == before


@pytest.mark.parametrize("command", [c for c in READING if c[0] not in ("snapshot", "heartbeat-prompt")])
@pytest.mark.parametrize("width", [80, 140])
def test_plain_output_keeps_to_the_width(loopx: Run, demo_project: Path, command: tuple[str, ...], width: int) -> None:
    out = loopx(*command, cwd=demo_project, COLUMNS=str(width)).out
    long = [line for line in out.splitlines() if len(line) > width and not line.lstrip().startswith("$ ")]
    assert long == []


def test_explain_tells_of_every_case_where_it_stands(loopx: Run, demo_project: Path) -> None:
    ask = ("explain", "--agent-id", "builder")
    data = loopx("--format", "json", *ask, cwd=demo_project).json
    order = loopx("--format", "json", "catalog", "order", cwd=demo_project).json
    cases = {case["key"] for stratum in order["strata"] for case in stratum["cases"]}
    told = {note["key"] for note in data["explanation"]["patterns"]} | {data["explanation"]["lead"]["key"]}
    assert cases <= told
    for form in ("rich", "markdown"):
        out = loopx(*ask, "--all", "--format", form, cwd=demo_project).out
        assert all(key in out for key in told)
        assert "todo_tariffs STATE.md:10" in out


def test_explain_tells_people_of_what_did_not_match_only_when_asked(loopx: Run, demo_project: Path) -> None:
    ask = ("explain", "--agent-id", "builder")
    explanation = loopx("--format", "json", *ask, cwd=demo_project).json["explanation"]
    failed = [note for note in explanation["patterns"] if note["status"] == "not_matched"]
    assert explanation["not_matched"] == len(failed) > 50
    others = {note["key"] for note in explanation["patterns"] if note["status"] != "not_matched"}
    silent = {note["key"] for note in failed} - others - {explanation["lead"]["key"]}
    for form in ("rich", "markdown"):
        short = loopx(*ask, "--format", form, cwd=demo_project).out
        assert [key for key in silent if key in short] == []
        assert f"({len(failed)})" in short
        assert "--all" in short
        assert short.count("\n") < 90
        assert "--all" not in loopx(*ask, "--all", "--format", form, cwd=demo_project).out


def test_explain_gives_the_evidence_of_a_fact_once(loopx: Run, demo_project: Path) -> None:
    for form in ("rich", "markdown"):
        out = loopx("explain", "--agent-id", "builder", "--format", form, cwd=demo_project).out
        assert out.count("todo_tariffs STATE.md:10") == 1
        assert out.count("as above") >= 3


def test_a_mode_out_of_reach_is_told_with_what_its_cases_lack(loopx: Run, demo_project: Path) -> None:
    ask = ("explain", "--agent-id", "builder", "--why-not", "side_agent_workspace_repair")
    answer = loopx("--format", "json", *ask, cwd=demo_project).json["why_not"]
    assert answer["ways"] == []
    assert [case["key"] for case in answer["barred"]] == ["IP-019.wrong_workspace"]
    for form in ("rich", "markdown"):
        out = loopx(*ask, "--format", form, cwd=demo_project).out
        assert "Nothing that can be changed here leads there" in " ".join(out.split())
        assert "agent.identity is side (found primary)" in out
        assert out.count("IP-019.wrong_workspace") == 1


def test_a_long_frontier_is_counted_where_it_is_not_listed(loopx: Run, project: Path) -> None:
    file = project / "STATE.md"
    todo = "- [ ] [P1] Sweep quay {0}\n  <!-- loopx:todo todo_id=todo_quay{0} status=open claimed_by=builder -->\n"
    text = file.read_text().replace("## Agent Todo\n\n", "## Agent Todo\n\n" + "".join(map(todo.format, range(40))))
    file.write_text(text)
    for form in ("rich", "markdown"):
        out = loopx("explain", "--agent-id", "builder", "--format", form, cwd=project).out
        assert "and 33 more" in out
        out = loopx("quota", "should-run", "--agent-id", "builder", "--format", form, cwd=project).out
        assert "and 31 more" in out
        assert out.count("\n") < 60


def test_why_not_names_what_a_person_can_do(loopx: Run, demo_project: Path) -> None:
    ask = ("explain", "--agent-id", "builder", "--why-not", "bounded_delivery")
    (way,) = loopx("--format", "json", *ask, cwd=demo_project).json["why_not"]["ways"]
    assert way == {
        "case": "IP-001.deliver",
        "mode": "bounded_delivery",
        "changes": ["answer the gate todo_tariffs"],
    }
    for form in ("rich", "markdown"):
        out = loopx(*ask, "--format", form, cwd=demo_project).out
        assert "answer the gate todo_tariffs" in out
        assert "IP-001.deliver" in out


@pytest.mark.parametrize("form", ["rich", "markdown"])
def test_a_counterfactual_names_the_changes_and_where_they_lead(loopx: Run, demo_project: Path, form: str) -> None:
    ran = loopx("--format", form, "explain", "--agent-id", "builder", "--counterfactual", cwd=demo_project)
    assert ran.code == 0
    for words in ("answer the gate todo_tariffs", "IP-001.deliver leads with bounded_delivery", "all minimal sets"):
        assert words in ran.out


def test_doing_what_why_not_names_leads_there(loopx: Run, project: Path, edit: Edit) -> None:
    edit("todo_id=todo_tariffs status=open", "todo_id=todo_tariffs status=done")
    ran = loopx("--format", "json", "quota", "should-run", "--agent-id", "builder", cwd=project)
    assert ran.json["interaction_contract"]["mode"] == "bounded_delivery"


def test_why_not_of_a_mode_that_nothing_leads_to_says_so(loopx: Run, demo_project: Path) -> None:
    ran = loopx("explain", "--agent-id", "builder", "--why-not", "scoped_user_gate_fallback", cwd=demo_project)
    assert ran.code == 0
    assert "has this mode already" in ran.out


def test_a_deny_is_an_answer_and_exits_0(loopx: Run, demo_project: Path) -> None:
    ask = ("decide", "quota_spend", "--input", "-")
    ran = loopx("--format", "json", *ask, cwd=demo_project, stdin="operation: spend\n")
    assert ran.code == 0
    assert ran.json["verdict"] == "deny"
    for form in ("rich", "markdown"):
        out = loopx(*ask, "--format", form, cwd=demo_project, stdin='{"operation": "spend"}').out
        assert "deny" in out.lower()
        assert ran.json["reason"] in out
        assert "spend.operation" in out


def test_the_fixtures_of_the_repository_are_run_by_pattern(loopx: Run) -> None:
    fixtures = str(Path(__file__).resolve().parents[2] / "fixtures")
    ran = loopx("--format", "json", "catalog", "test", "--fixtures", fixtures, "--pattern", "IP-001")
    assert ran.code == 0
    assert ran.json["passed"] >= 2
    assert ran.json["failed"] == 0
    for form in ("rich", "markdown"):
        out = loopx("catalog", "test", "--fixtures", fixtures, "--pattern", "IP-001", "--format", form).out
        assert f"{ran.json['passed']} passed, 0 failed" in out


def test_quota_status_counts_what_was_spent_in_the_window(loopx: Run, demo_project: Path) -> None:
    (goal,) = loopx("--format", "json", "quota", "status", cwd=demo_project).json["goals"]
    assert (goal["spent"], goal["allowed"], goal["left"]) == (1, 24, 23)
    assert "1 of 24" in loopx("quota", "status", cwd=demo_project).out


def test_quota_status_names_a_pause(loopx: Run, project: Path, edit: Edit) -> None:
    edit('"compute": 1.0', '"compute": 0')
    assert "paused" in loopx("quota", "status", cwd=project).out


def test_quota_plan_shows_every_agent_of_every_goal(loopx: Run, project: Path) -> None:
    file = project / ".loopx" / "registry.json"
    registry = json.loads(file.read_text())
    registry["goals"].append({"id": "lighthouse", "repo": "gone", "state_file": "NONE.md"})
    file.write_text(json.dumps(registry))
    data = loopx("--format", "json", "quota", "plan", cwd=project).json
    turns = {(turn["goal_id"], turn["agent_id"]): turn["mode"] for turn in data["turns"]}
    assert turns == {
        ("harbor", "builder"): "scoped_user_gate_fallback",
        ("harbor", "writer"): "bounded_delivery",
        ("lighthouse", None): "health_blocked",
    }
    assert data["next"] == {"goal_id": "harbor", "agent_id": "builder"}


def test_status_tells_the_latest_run_that_means_something(loopx: Run, demo_project: Path) -> None:
    data = loopx("--format", "json", "status", "--limit", "1", cwd=demo_project).json
    assert data["latest"]["classification"] == "delivery"
    assert [row["classification"] for row in data["rows"]] == ["quota_slot_spent"]
    assert data["hidden"] == 2


def test_a_window_of_neutral_rows_is_no_meaningful_run_and_no_gate(loopx: Run, project: Path) -> None:
    index = project.parent / "runtime" / "goals" / "harbor" / "runs" / "index.jsonl"
    rows = [json.loads(line) for line in index.read_text().splitlines()]
    index.write_text("".join(json.dumps({**row, "classification": "quota_monitor_poll"}) + "\n" for row in rows))
    ran = loopx("status", cwd=project)
    assert ran.code == 0
    assert ran.out.startswith("No run yet that says anything about the goal.")
    assert "(neutral)" in ran.out
    assert "gate" not in ran.out.lower()


def test_a_decision_looks_for_sixty_four_meaningful_rows_behind_the_quota_window(loopx: Run, project: Path) -> None:
    index = project.parent / "runtime" / "goals" / "harbor" / "runs" / "index.jsonl"
    row = {"goal_id": "harbor", "classification": "note", "generated_at": "2026-11-01T00:00:00Z"}
    index.write_text("".join(json.dumps({**row, "json_path": f"{n}.json"}) + "\n" for n in range(90)))
    data = loopx("--format", "json", "quota", "should-run", "--agent-id", "builder", "--detail", cwd=project).json
    assert data["facts"]["runs.meaningful"] == 64


def test_status_of_an_agent_leaves_other_lanes_out(loopx: Run, demo_project: Path) -> None:
    data = loopx("--format", "json", "status", "--agent-id", "writer", cwd=demo_project).json
    assert data["latest"] is None
    assert data["rows"] == []


def test_the_prompt_runs_its_guard_first_and_keeps_the_identity(loopx: Run, demo_project: Path) -> None:
    ran = loopx("--format", "json", "heartbeat-prompt", "--agent-id", "writer", cwd=demo_project)
    (entry,) = ran.json["prompts"]
    prompt = entry["prompt"]
    assert entry["guard"] in prompt
    assert "--agent-id writer" in entry["guard"]
    assert "Give `--agent-id writer` to every later" in prompt
    assert "independent git worktree" in prompt
    assert "the manual under docs/" in prompt
    guard = loopx(*shlex.split(entry["guard"])[1:], cwd=demo_project.parent / "manual")
    assert guard.json["interaction_contract"]["mode"] == "bounded_delivery"
    assert max(map(len, prompt.splitlines())) <= 120
    assert len(prompt) < 2_600


def test_the_prompt_holds_nothing_of_the_state(loopx: Run, demo_project: Path) -> None:
    prompt = loopx("heartbeat-prompt", "--agent-id", "builder", cwd=demo_project).out
    assert "todo_" not in prompt
    assert "worktree" not in prompt


def test_a_prompt_can_be_renewed_by_the_command_in_it(loopx: Run, demo_project: Path) -> None:
    ask = (
        "heartbeat-prompt",
        "--agent-id",
        "writer",
        "--scope",
        "release notes, not code",
        "--available-capability",
        "x",
    )
    prompt = loopx(*ask, cwd=demo_project).out
    (renew,) = re.findall(r"^ +(loopx heartbeat-prompt .*)$", prompt, re.MULTILINE)
    assert loopx(*shlex.split(renew)[1:], cwd=demo_project).out == prompt


def test_without_an_agent_there_is_a_prompt_for_each(loopx: Run, demo_project: Path) -> None:
    data = loopx("--format", "json", "heartbeat-prompt", cwd=demo_project).json
    assert [entry["agent_id"] for entry in data["prompts"]] == ["builder", "writer"]


def test_a_goal_without_agents_gets_one_prompt(loopx: Run, project: Path) -> None:
    file = project / ".loopx" / "registry.json"
    registry = json.loads(file.read_text())
    del registry["goals"][0]["coordination"]
    file.write_text(json.dumps(registry))
    (entry,) = loopx("--format", "json", "heartbeat-prompt", cwd=project).json["prompts"]
    assert entry["agent_id"] is None
    assert "--agent-id" not in entry["prompt"]


@pytest.mark.parametrize("agent", ["builder", "writer", None])
def test_a_snapshot_gives_the_same_decision_byte_for_byte(
    loopx: Run, demo_project: Path, tmp_path: Path, agent: str | None
) -> None:
    who = ["--agent-id", agent] if agent else []
    document = tmp_path / "snapshot.json"
    wrote = loopx("snapshot", "export", *who, "--output", str(document), cwd=demo_project)
    assert wrote.out.startswith(f"Wrote {document}")
    ask = ("--format", "json", "quota", "should-run")
    want = loopx(*ask, *who, "--detail", cwd=demo_project).out
    assert loopx(*ask, "--snapshot", str(document), "--detail", now=False).out == want
    assert loopx(*ask, "--snapshot", "-", "--detail", now=False, stdin=document.read_text()).out == want
    assert loopx("snapshot", "export", *who, cwd=demo_project).out == document.read_text()


def test_a_snapshot_may_be_yaml(loopx: Run) -> None:
    text = """\
schema_version: loopx_snapshot_v0
now: 2026-12-01T09:00:00Z
goal: {id: g, write_scope: ["**"], quota: {compute: 0.5}}
todos:
- {role: agent, text: "[P1] Sweep the quay", todo_id: todo_sweep, task_class: advancement_task}
"""
    ran = loopx("--format", "json", "quota", "should-run", "--snapshot", "-", now=False, stdin=text)
    assert (ran.code, ran.err) == (0, "")
    assert ran.json["interaction_contract"]["agent_channel"]["selected_todo_id"] == "todo_sweep"
    assert ran.json["decided_at"] == "2026-12-01T09:00:00Z"


def test_options_beside_a_snapshot_say_who_asks_and_when(loopx: Run, demo_project: Path) -> None:
    document = loopx("snapshot", "export", "--agent-id", "builder", cwd=demo_project).out
    ask = ("--format", "json", "quota", "should-run", "--snapshot", "-", "--agent-id", "stranger")
    data = loopx(*ask, "--now", "2026-12-02T09:00:00Z", now=False, stdin=document).json
    assert data["agent_id"] == "stranger"
    assert data["decided_at"] == "2026-12-02T09:00:00Z"


def test_a_snapshot_that_cannot_be_written_is_told(loopx: Run, demo_project: Path, tmp_path: Path) -> None:
    ran = loopx("snapshot", "export", "--output", str(tmp_path / "no" / "where"), cwd=demo_project)
    assert ran.code == 3
    assert "cannot be written" in ran.err


def test_doctor_names_what_it_found_and_how_to_mend_the_rest(loopx: Run, demo_project: Path) -> None:
    checks = {check["name"]: check for check in loopx("--format", "json", "doctor", cwd=demo_project).json["checks"]}
    assert {"python", "compiler", "engine", "git", "catalog", "registry", "state of harbor"} <= set(checks)
    assert all(check["fix"] for check in checks.values() if check["status"] != "ok")


def test_doctor_outside_a_project_says_so(loopx: Run, tmp_path: Path) -> None:
    ran = loopx("--format", "json", "doctor", cwd=tmp_path)
    (registry,) = [check for check in ran.json["checks"] if check["name"] == "registry"]
    assert registry["status"] == "warn"
    assert "--registry" in registry["fix"]


def test_doctor_without_compiler_and_git_says_what_to_install(loopx: Run, demo_project: Path, tmp_path: Path) -> None:
    ran = loopx("--format", "json", "doctor", cwd=demo_project, PATH=str(tmp_path), CC="cc")
    checks = {check["name"]: check for check in ran.json["checks"]}
    assert checks["compiler"]["fix"] == "apt install gcc python3-dev"
    assert checks["git"]["fix"] == "apt install git"
    assert ran.code == 0


def test_doctor_fails_on_broken_state_at_its_line(loopx: Run, project: Path, edit: Edit) -> None:
    edit("status=open task_class=user_gate blocks_agent=builder", "status=open task_class=user_gate")
    ran = loopx("doctor", cwd=project)
    assert ran.code == 1
    assert "== MEND ==" in ran.out
    assert "STATE.md:10" in ran.out
    assert "fix: " in ran.out


def test_doctor_fails_where_the_state_is_missing(loopx: Run, project: Path) -> None:
    (project / "STATE.md").unlink()
    assert loopx("doctor", cwd=project).code == 1


def test_catalog_list_has_every_pattern_once(loopx: Run) -> None:
    families = loopx("--format", "json", "catalog", "list").json["families"]
    ids = [pattern["id"] for family in families for pattern in family["patterns"]]
    rules = Path(__file__).resolve().parents[2] / "rules"
    files = [file.stem for file in rules.rglob("*.yaml")]
    assert len(set(ids)) == len(ids) == len(files)
    out = loopx("catalog", "list").out
    assert all(name in out for name in ids)


def test_catalog_show_tells_conditions_in_words(loopx: Run) -> None:
    out = loopx("catalog", "show", "ip-021").out
    assert out.startswith("IP-021  Per-Todo Capability Gate")
    assert "frontier.need_bridge >= 1" in out
    assert "mode capability_bridge_repair" in out


def test_catalog_show_tells_the_figure_behind_a_name_that_rules_share(loopx: Run) -> None:
    shown = loopx("--format", "json", "catalog", "show", "IP-010").json
    (figure,) = shown["parameters"].values()
    assert (figure["value"], figure["unit"]) == (2, "rows")
    for form in ("rich", "markdown"):
        out = loopx("catalog", "show", "IP-010", "--format", form).out
        assert ">= $thin_rows" in out
        assert figure["meaning"] in " ".join(out.split())


def test_version_is_the_packages(process: Run) -> None:
    from loopx_policy import __version__

    assert process("--version", now=False).out == f"loopx {__version__}\n"


@pytest.mark.parametrize("command", [(), ("quota",), ("quota", "plan"), ("catalog", "show"), ("decide",)])
def test_the_short_form_of_help_is_help(loopx: Run, command: tuple[str, ...]) -> None:
    assert loopx(*command, "-h") == loopx(*command, "--help")
    assert loopx(*command, "-h").out.startswith("Usage: loopx")


@pytest.mark.parametrize("command", [(), ("quota",), ("catalog",)])
@pytest.mark.parametrize("width", ["60", "80", "120"])
def test_help_says_all_of_what_a_command_is_for(loopx: Run, command: tuple[str, ...], width: str) -> None:
    out = loopx(*command, "--help", COLUMNS=width).out
    assert "..." not in out.partition("Options:")[2]
    assert max(map(len, out.splitlines())) <= int(width)
    for name, found in reference.commands():
        if name.split()[1:-1] == list(command):
            first = re.split(r"(?<=[.?])\s", " ".join(found.help.split()))[0]
            assert first in " ".join(out.split())


def test_help_of_decide_lists_the_points_that_take_a_document(loopx: Run) -> None:
    points = [name for name in load_catalog().points if name not in TURNS]
    out = loopx("decide", "--help").out
    assert [name for name in points if name not in out] == []
    assert declared_points() == sorted(points)


def test_the_schema_of_a_point_is_printed_and_describes_its_input(loopx: Run) -> None:
    schema = loopx("--format", "json", "decide", "lease_claim", "--schema").json
    assert schema["title"] == "Input of lease_claim"
    assert json.loads(loopx("decide", "lease_claim", "--schema").out) == schema
    assert loopx("decide", "lease_claim", "--schema", "--format", "markdown").out.startswith("````json\n{")


@pytest.mark.parametrize("command", READING, ids=lambda command: " ".join(command[:2]))
def test_no_width_makes_a_line_of_blanks(loopx: Run, demo_project: Path, command: tuple[str, ...]) -> None:
    for form in ("rich", "markdown"):
        out = loopx(*command, "--format", form, cwd=demo_project, COLUMNS="100000").out
        assert [line for line in out.splitlines() if line.endswith(" ")] == []
    if command[0] not in ("snapshot", "heartbeat-prompt"):
        out = loopx(*command, cwd=demo_project, COLUMNS="100000").out
        assert [line for line in out.splitlines() if len(line) > 120 and "$ loopx" not in line] == []


@pytest.mark.parametrize("width", ["40", "60", "80", "100"])
def test_a_line_never_ends_in_what_joins_it_to_the_next(loopx: Run, demo_project: Path, width: str) -> None:
    for command in READING:
        out = loopx(*command, cwd=demo_project, COLUMNS=width).out
        assert [line for line in out.splitlines() if line.endswith((" |", " ·"))] == []


def test_help_is_plain_off_a_terminal_and_exits_0(process: Run) -> None:
    ran = process("quota", "should-run", "--help")
    assert ran.code == 0
    assert ran.out.isascii()
    assert "--available-capability NAME" in ran.out
