"""What flows between the stages: the snapshot of one goal, and nothing that decides.

Times are whole seconds since the epoch, UTC; ``None`` where the source gives none. Texts are as
written. An empty string means that the source does not say. Shapes follow the on-disk formats:
the registry entry of a goal, its active state, its run index, leases and rollout log.
"""

from __future__ import annotations

from typing import Any, Literal

from loopx_policy.records import field, record

Role = Literal["user", "agent"]
Json = dict[str, Any]

NO_PRIORITY = 9
"""Rank of a todo without a ``[P0]`` to ``[P4]`` marker: after all that have one."""


@record
class Problem:
    """Something wrong in the state: what, where (``file:line``), how to mend it, which todo."""

    message: str
    at: str = ""
    fix: str = ""
    todo_id: str = ""
    breaks_contract: bool = True


@record(frozen=True)
class DecisionScope:
    """``kind:granularity:scope_key`` of ``decision_scope_v0``."""

    kind: str
    granularity: str
    key: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.granularity}:{self.key}"


@record
class Todo:
    """One todo of the active state, with its metadata typed.

    ``line`` and ``last_line`` are 1-based and inclusive (0 where unknown); ``priority`` is 0 to 4 or
    ``NO_PRIORITY``; ``order`` is its position among all todos of the state. ``task_class`` is what
    the metadata says, or the default of its section (see ``project.state``); ``cadence`` is minutes.
    ``extra`` keeps metadata keys that this version does not know.
    """

    todo_id: str
    role: Role
    text: str
    line: int = 0
    last_line: int = 0
    section: str = ""
    order: int = 0
    priority: int = NO_PRIORITY
    status: str = "open"
    task_class: str = ""
    action_kind: str = ""
    claimed_by: str = ""
    blocks_agent: str = ""
    global_gate: bool = False
    unblocks_todo_id: str = ""
    superseded_by: str = ""
    successor_todo_ids: tuple[str, ...] = ()
    resume_when: str = ""
    no_followup: bool = False
    route_continuation_replan_required: bool = False
    required_write_scopes: tuple[str, ...] = ()
    required_capabilities: tuple[str, ...] = ()
    target_capabilities: tuple[str, ...] = ()
    decision_scope: DecisionScope | None = None
    required_decision_scopes: tuple[DecisionScope, ...] = ()
    safety_class: str = ""
    target_key: str = ""
    cadence: int | None = None
    next_due_at: int | None = None
    expires_at: int | None = None
    last_checked_at: int | None = None
    result_hash: str = ""
    consecutive_no_change: int = 0
    material_change: bool = False
    note: str = ""
    reason: str = ""
    evidence: str = ""
    updated_at: int | None = None
    completed_at: int | None = None
    extra: dict[str, str] = field(default_factory=dict)


@record
class NextAction:
    """One bullet under ``## Next Action``; ``todo_ids`` are the ids named inside it."""

    text: str
    line: int = 0
    todo_ids: tuple[str, ...] = ()


@record
class State:
    """The active goal state. ``file`` is the name shown to people (relative to the goal's repo).

    Where ``readable`` is false, ``problems`` says why and everything else is empty. ``archived``
    holds the todos of archive sections: history, consulted only to resolve links.
    """

    file: str = ""
    readable: bool = True
    front: dict[str, str] = field(default_factory=dict)
    todos: list[Todo] = field(default_factory=list)
    archived: list[Todo] = field(default_factory=list)
    next_actions: list[NextAction] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@record
class Quota:
    """``allowed_slots`` is resolved: explicit, or window x 60 / slot minutes x compute, rounded down.

    A burst raises it to ``burst_slots`` until ``burst_until``, and ends by itself.
    """

    compute: float = 1.0
    window_hours: float = 24.0
    slot_minutes: float = 1.0
    allowed_slots: int = 1440
    next_eligible_at: int | None = None
    burst_slots: int | None = None
    burst_until: int | None = None


@record
class Authority:
    """One ``checkpointed_boundary_authority_v0`` entry, as written; facts judge whether it is fresh."""

    write_scope: tuple[str, ...] = ()
    source: str = ""
    decision: str = ""
    status: str = ""
    schema_version: str = ""
    recorded_at: int | None = None
    expires_at: int | None = None


@record
class OutcomeFloor:
    surface_streak_threshold: int = 3
    must_advance: tuple[str, ...] = ()
    avoid: tuple[str, ...] = ()
    outcome_markers: tuple[str, ...] = ()


@record
class Goal:
    """One goal of the registry: the typed view, and ``raw``, the entry exactly as it was read."""

    goal_id: str
    status: str = ""
    domain: str = ""
    repo: str = ""
    state_file: str = ""
    adapter_kind: str = ""
    adapter_status: str = ""
    agents: tuple[str, ...] = ()
    primary_agent: str = ""
    handoff_agent: str = ""
    write_scope: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    claim_ttl_minutes: int | None = None
    authority: tuple[Authority, ...] = ()
    quota: Quota = field(default_factory=Quota)
    waiting_on: str = ""
    attention_status: str = ""
    recommended_action: str = ""
    outcome_floor: OutcomeFloor | None = None
    self_repair_enabled: bool = False
    allow_health_blocker_repair: bool = False
    allow_waiting_projection_repair: bool = False
    side_agent_worktree_required: bool = True
    raw: Json = field(default_factory=dict)


@record
class Run:
    """One row of the run index after overlays. ``slots`` is signed: spent positive, voided negative.

    ``ack_recorded`` and ``ack_delta`` come from ``autonomous_replan_ack``; ``raw`` is the merged row.
    """

    generated_at: int | None = None
    generated_at_text: str = ""
    goal_id: str = ""
    classification: str = ""
    agent_id: str = ""
    progress_scope: str = ""
    recommended_action: str = ""
    delivery_batch_scale: str = ""
    delivery_outcome: str = ""
    monitor_target: str = ""
    ack_recorded: bool = False
    ack_delta: bool = False
    delta_kinds: tuple[str, ...] = ()
    slots: int = 0
    raw: Json = field(default_factory=dict)


@record
class Runs:
    """The part of the run index that a decision needs, newest first.

    ``complete`` is false where older rows exist that were not read; ``torn`` counts lines skipped
    because they were not one JSON object in UTF-8.
    """

    rows: list[Run] = field(default_factory=list)
    complete: bool = True
    torn: int = 0


@record
class Lease:
    """``task_lease_v0``."""

    todo_id: str
    owner: str
    acquired_at: int | None = None
    expires_at: int | None = None
    write_scopes: tuple[str, ...] = ()
    idempotency_key: str = ""


@record(frozen=True)
class Merge:
    """A merged pull request seen in the rollout log; ``repo`` is ``owner/name`` or empty."""

    repo: str
    number: int


WorkspaceKind = Literal["primary", "worktree", "unrelated", "not_git", "unknown"]


@record
class Workspace:
    """Where the caller stands: the goal's own checkout, an independent worktree of it, or elsewhere."""

    kind: WorkspaceKind = "unknown"
    branch: str = ""


@record
class Invocation:
    """Who asks, and with what. ``agent_id`` is ``None`` where no agent was named.

    ``registry``, ``runtime_root`` and ``rules`` are the options as typed (empty where not given), so that the
    commands in an answer run as printed, and under the same rules.
    """

    agent_id: str | None = None
    capabilities: tuple[str, ...] = ()
    registry: str = ""
    runtime_root: str = ""
    rules: tuple[str, ...] = ()


@record
class Snapshot:
    """All that a decision may depend on. Equal snapshots give equal decisions, byte for byte."""

    now: int
    goal: Goal
    state: State = field(default_factory=State)
    runs: Runs = field(default_factory=Runs)
    leases: list[Lease] = field(default_factory=list)
    merges: list[Merge] = field(default_factory=list)
    workspace: Workspace = field(default_factory=Workspace)
    invocation: Invocation = field(default_factory=Invocation)
    problems: list[Problem] = field(default_factory=list)
