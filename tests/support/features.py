"""What a random project contains, read from the finished project and not from how it was drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from tests.support.breakage import BAD_VALUES
from tests.support.document import TodoPart
from tests.support.projects import Project
from tests.support.scene import GOAL, STRANGER

Json = dict[str, Any]


def features(project: Project) -> set[str]:
    """Names of all features that the project has, each ``area: feature``."""
    found = {f"theme: {project.theme}", f"cwd: {project.cwd}"}
    found.update(_who(project))
    found.update(_registry(project))
    for todo in project.document.of("agent"):
        found.update(_agent_todo(project, todo))
    for todo in project.document.of("user"):
        found.update(_user_todo(project, todo))
    found.update(_file(project))
    found.update(_rows(project))
    found.update(_runtime(project))
    found.add(f"broken: {project.broken}" if project.broken else "broken: nothing")
    _, bad = BAD_VALUES.get(project.broken, ("", ""))
    return {name for name in found if not bad or bad not in name.replace(",", "").split()}


def second(text: str) -> int:
    """Seconds since the epoch; a time without zone counts as UTC."""
    moment = datetime.fromisoformat(text)
    return int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())


def agents_of(project: Project) -> list[str]:
    """The registered agents by name."""
    entries = project.goal.get("coordination", {}).get("registered_agents", [])
    return [e if isinstance(e, str) else e.get("id") or e.get("agent_id") or e.get("name") for e in entries]


def _who(project: Project) -> Iterator[str]:
    agents, coordination = agents_of(project), project.goal.get("coordination", {})
    me, primary = project.agent_id, coordination.get("primary_agent", "")
    yield f"who: {len(agents)} registered"
    if agents:
        yield "who: agents as " + ("text" if isinstance(coordination["registered_agents"][0], str) else "objects")
        yield "who: primary named" if primary else "who: no primary"
    if me is None:
        yield "who: none named" + (", agents registered" if agents else "")
    elif me == STRANGER:
        yield "who: a stranger"
    elif me == primary:
        yield "who: the primary"
    elif me in agents:
        yield f"who: a side agent, in {project.cwd}"
    else:
        yield "who: named in a goal without agents"
    if any(":" in agent for agent in agents):
        yield "who: an odd agent id"
    for name in ("side_agent_handoff_agent", "agent_profiles", "claim_ttl_minutes", "available_capabilities"):
        if name in coordination:
            yield f"registry: {name}"
    yield from (f"offers: {name}" for name in project.capabilities)


def _registry(project: Project) -> Iterator[str]:
    goal = project.goal
    coordination, quota = goal.get("coordination", {}), goal.get("quota", {})
    yield f"compute: {quota.get('compute', 'absent')!s}".replace(".0", "")
    slots = quota.get("allowed_slots")
    yield f"slots: {'absent' if slots is None else 'none' if slots == 0 else 'few' if slots < 5 else 'many'}"
    if "next_eligible_at" in quota:
        yield "next_eligible_at: " + ("past" if second(quota["next_eligible_at"]) < project.now else "future")
    if "slot_minutes" in quota:
        yield "registry: slot_minutes"
    for key in ("waiting_on", "attention_status"):
        if key in goal:
            yield f"{key}: {goal[key]}" if key == "waiting_on" else f"{key}: said"
    if "waiting_on" not in goal and "attention_status" in goal:
        yield "attention_status: said alone"
    if "outcome_floor" in goal.get("execution_profile", {}):
        floor = goal["execution_profile"]["outcome_floor"]
        yield "outcome floor: " + ("target named" if floor.get("must_advance") else "no target")
    for key, value in goal.get("control_plane", {}).get("self_repair", {}).items():
        yield f"self repair: {key}={value}"
    guard = goal.get("workspace_guard_policy", {}).get("side_agent_independent_worktree_required")
    yield f"worktree required: {guard if guard is not None else 'unsaid'}"
    scope = coordination.get("write_scope")
    yield f"write scope: {'unsaid' if scope is None else ' '.join(scope) or 'empty'}"
    for entry in coordination.get("checkpointed_boundary_authority", []):
        yield f"authority: {_authority(project, entry)}"
    if len(project.registry["goals"]) > 1:
        yield "registry: another goal"
    if "repository" in goal:
        yield "registry: repository"
    if "x_berth" in goal or "x_fleet" in project.registry:
        yield "registry: unknown keys"
    if goal["adapter"]["status"] != "connected":
        yield f"adapter: {goal['adapter']['status']}"
    yield f"registry: {'inside' if project.registry_in_repo else 'outside'} the repository"


def _authority(project: Project, entry: Json) -> str:
    if "source" not in entry:
        return "no provenance"
    if "recorded_at" not in entry:
        return "no time"
    if second(entry["recorded_at"]) > project.now:
        return "from the future"
    if entry["decision"] != "approve":
        return "rejected"
    if entry["status"] != "active":
        return "inactive"
    if entry["expires_at"] is None:
        return "without expiry"
    return "expired" if second(entry["expires_at"]) < project.now else "fresh"


def _holder(project: Project, name: str) -> str:
    if not name:
        return "nobody"
    return "me" if name == project.agent_id else "other"


def _agent_todo(project: Project, todo: TodoPart) -> Iterator[str]:
    meta = todo.meta
    task_class = meta.get("task_class", "no class")
    yield f"todo: {task_class} {todo.status}"
    yield f"todo: priority {todo.priority or 'none'}".replace("-monitor", "")
    if "-monitor" in todo.priority:
        yield "todo: priority with -monitor"
    if todo.is_open:
        yield f"todo: open, held by {_holder(project, meta.get('claimed_by', ''))}"
    for key in meta:
        if key not in ("status", "task_class", "claimed_by", "todo_id"):
            yield f"metadata: {key}"
    yield from _needs(meta)
    if "resume_when" in meta:
        yield f"resume: {_resume(project, meta['resume_when'])}"
    if "blocks_agent" in meta:
        yield f"handoff: {todo.status}, blocks {_holder(project, meta['blocks_agent'])}"
        if meta.get("route_continuation_replan_required") and todo.is_open:
            yield "handoff: open and stale"
        if todo.status == "done":
            linked = meta.keys() & {"unblocks_todo_id", "superseded_by", "successor_todo_ids", "no_followup"}
            yield "handoff: done, " + ("linked" if linked else "not linked")
    if task_class == "continuous_monitor" and todo.is_open:
        yield f"watch: {_watch(project, meta)}"
    if not todo.todo_id:
        yield "todo: id derived"
    boxed = {" ": ("open", "blocked"), "-": ("deferred",)}.get(todo.mark, ("done",))
    if meta.get("status", boxed[0]) not in boxed:
        yield "todo: box and status differ"
    if todo.more:
        yield "todo: continued text"
    if todo.per_comment:
        yield "todo: several comments"
    if todo.hyphens:
        yield "todo: keys with hyphens"


def _needs(meta: dict[str, str]) -> Iterator[str]:
    for name in meta.get("required_capabilities", "").replace("-", "_").split(","):
        if name:
            yield f"needs: {name}"
    for scope in meta.get("required_decision_scopes", "").split(","):
        if scope:
            yield f"needs decision: {scope.split(':')[0]}"
    if "safety_class" in meta:
        yield f"safety: {meta['safety_class']}"


def _resume(project: Project, condition: str) -> str:
    kind, _, target = condition.partition(":")
    if kind == "todo_done":
        statuses = [t.status for t in [*project.document.todos, *project.document.of("archive")] if t.todo_id == target]
        return f"after a todo that is {statuses[0] if statuses else 'missing'}"
    repo, _, number = target.partition("#")
    merged = [
        event
        for event in project.rollout
        if event["event_kind"] in ("pr_merge", "pr_merged")
        and event["goal_id"] == GOAL
        and str(event["details"].get("number")) == number
        and event["details"].get("repo", "") == repo
    ]
    return f"after a pull request, {'bare' if not repo else 'with repo'}, {'merged' if merged else 'not merged'}"


def _watch(project: Project, meta: dict[str, str]) -> str:
    if "expires_at" in meta and second(meta["expires_at"]) < project.now:
        return "expired"
    if "next_due_at" not in meta:
        return "no schedule"
    return "due" if second(meta["next_due_at"]) <= project.now else "not due"


def _user_todo(project: Project, todo: TodoPart) -> Iterator[str]:
    meta = todo.meta
    if meta.get("task_class") != "user_gate":
        yield f"user: {meta.get('task_class', 'no class')} {todo.status}"
        return
    yield f"user: gate {todo.status}"
    if not todo.is_open:
        return
    whom = "all" if "global_gate" in meta else _holder(project, meta.get("blocks_agent", ""))
    scope, link = meta.get("decision_scope"), meta.get("unblocks_todo_id")
    parts = [f"blocks {whom}"] + (["scope"] if scope else []) + (["link"] if link else [])
    yield f"gate: {', '.join(parts)}"
    if scope:
        yield f"gate scope: {'any key' if scope.endswith('*') else scope.split(':')[1]}"
        if any(scope in other.meta.get("required_decision_scopes", "") for other in project.document.of("agent")):
            yield "gate scope: required by a todo"
    if link:
        linked = [other for other in project.document.of("agent") if other.todo_id == link]
        live = "gone" if not linked else "closed" if linked[0].status == "done" else "live"
        yield f"gate link: {live}"
        if linked and scope:
            agree = scope in linked[0].meta.get("required_decision_scopes", "")
            yield f"gate link: {'agrees' if agree else 'disagrees'} with the scope"
    if "expires_at" in meta:
        yield "gate: expiry " + ("past" if second(meta["expires_at"]) < project.now else "future")


def _file(project: Project) -> Iterator[str]:
    document = project.document
    yield f"agent todos: {min(len(document.of('agent')), 17)}{'+' if len(document.of('agent')) > 16 else ''}"
    yield f"user todos: {min(len(document.of('user')), 4)}"
    if not any(todo.is_open for todo in document.todos):
        yield "agent todos: none open" + (", Next Action says something" if document.bullets() else "")
    sections = [section.kind for section in document.sections]
    if sections.count("agent") > 1:
        yield "file: two agent sections"
    yield from (f"file: {kind} section" for kind in ("user", "archive", "foreign") if kind in sections[1:])
    if any(section.kind == "foreign" and section.todos for section in document.sections):
        yield "file: boxes in a section that is no list"
    if any(todo.is_open for todo in document.of("archive")):
        yield "file: an open box in an archive"
    if "next" not in sections:
        yield "next action: no section"
    elif not document.bullets():
        yield "next action: empty"
    for bullet in document.bullets():
        states = [todo.status for todo in document.todos if todo.todo_id in bullet.todo_ids]
        yield f"next action: {states[0] if states else 'elsewhere' if bullet.todo_ids else 'prose only'}"
    if document.crlf:
        yield "file: CRLF"
    if not document.front:
        yield "file: no front matter"
    if not document.ends_with_newline:
        yield "file: no newline at the end"
    if not project.document.text().isascii():
        yield "file: not ASCII"


def _rows(project: Project) -> Iterator[str]:
    rows = project.rows
    yield "rows: " + ("none" if not rows else "1 to 9" if len(rows) < 10 else "10 to 29" if len(rows) < 30 else "30+")
    polls: Counter[str] = Counter()
    for row in rows:
        yield from _row(project, row)
        if row.get("classification") == "quota_monitor_poll" and "monitor_target" in row:
            polls[row["monitor_target"]["target_id"]] += 1
    if polls:
        yield "rows: polls " + ("six and more" if max(polls.values()) >= 6 else "below six")
    if len(polls) > 1:
        yield "rows: polls of two targets"
    keys = [(row["generated_at"], row["json_path"], row["markdown_path"]) for row in rows]
    if len(set(keys)) < len(keys):
        yield "rows: overlay"
    times = [second(row["generated_at"]) for row in rows if "classification" in row]
    if times != sorted(times):
        yield "rows: out of order"
    if any(time > project.now for time in times):
        yield "rows: from the future"
    if project.torn:
        yield "rows: torn lines"
    if project.payloads:
        yield "rows: slots in the file beside"
    allowed = project.goal.get("quota", {}).get("allowed_slots")
    spent = sum(row.get("classification") == "quota_slot_spent" and row["goal_id"] == GOAL for row in rows)
    if allowed is not None and 0 < allowed <= spent:
        yield "rows: as many slots spent as allowed"
    actions = [row.get("recommended_action", "") for row in rows if row.get("delivery_outcome")]
    if any(one == two for one, two in pairwise(actions)):
        yield "rows: a repeated action"


def _row(project: Project, row: Json) -> Iterator[str]:
    if row["goal_id"] != GOAL:
        yield "rows: another goal's"
        return
    if "classification" in row:
        yield f"row: {row['classification']}"
        yield f"rows: {row.get('progress_scope', 'no scope')}, by {_holder(project, row.get('agent_id', ''))}"
    if "autonomous_replan_ack" in row:
        ack = row["autonomous_replan_ack"]
        yield f"ack: recorded={ack['recorded']}, delta={ack['delta_contract']['delta_present']}"
    if "delivery_outcome" in row:
        yield f"outcome: {row['delivery_outcome']}"
    if "plan" in row:
        keys = [item.keys() & {"todo_id", "next_action", "no_writeback"} for item in row["plan"]["items"]]
        yield "plan: " + ("written back" if all(keys) else "not all written back")
    for name in ("lesson", "lesson_ref", "dreaming_proposal", "dreaming_decision", "human_reward", "operator_gate"):
        if name in row:
            yield f"rows: {name}"


def _runtime(project: Project) -> Iterator[str]:
    for event in project.rollout:
        yield f"rollout: {event['event_kind']}" + (", another goal's" if event["goal_id"] != GOAL else "")
    by_id = {todo.todo_id: todo for todo in project.document.of("agent")}
    for lease in project.leases:
        todo = by_id.get(lease["todo_id"])
        state = "gone" if todo is None else todo.status
        fresh = "expires_at" in lease and second(lease["expires_at"]) > project.now
        if "expires_at" not in lease:
            yield "lease: without expiry"
        yield f"lease: {_holder(project, lease['owner'])}, {'live' if fresh else 'expired'}"
        yield f"lease: on a todo that is {state}"
        yield f"lease: {'with' if lease['write_scopes'] else 'without'} write scopes"
