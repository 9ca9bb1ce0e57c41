"""``loopx todo``: command lines to steps of the ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loopx_policy.errors import UsageError
from loopx_policy.facts.view import look
from loopx_policy.facts.waits import resume_met, returns
from loopx_policy.ledger.places import Ground
from loopx_policy.ledger.todo_steps import Change, Knowledge, New, Step
from loopx_policy.ledger.todo_steps import add as add_step
from loopx_policy.ledger.todo_steps import claim as claim_step
from loopx_policy.ledger.todo_steps import update as update_step
from loopx_policy.ledger.todo_words import keys, metadata, prioritised, wording
from loopx_policy.ledger.write import Judge, Plan
from loopx_policy.model import Role, Snapshot, Todo
from loopx_policy.project import grammar
from loopx_policy.records import replace

from ..request import Claim, Result
from ..todo_options import CHANGED, NEW, given, pairs, spread
from .inputs import moment
from .writing import Writer, write

Values = Mapping[str, Any]
PASSED = {"passed": True, "failed": False}
ALLOWED = {"allows": True, "forbids": False}


def add(
    writer: Writer, operator: bool, role: str, text: str, priority: str | None, section: str | None, values: Values
) -> Result:
    if role not in ("agent", "user"):
        raise UsageError(f"--role {role[:40]} is neither agent nor user.", fix="Use one of the two.")
    new = New(
        "user" if role == "user" else "agent", prioritised(wording(text), priority or ""), _new(values), section or ""
    )
    request = {"role": new.role, "text": new.text, "metadata": new.metadata, "section": new.section}
    return _step(writer, operator, "todo add", request, lambda step: add_step(step, new))


def _new(values: Values) -> dict[str, str]:
    found = metadata(given(NEW, values))
    _check_status(found)
    return found


def _check_status(found: Mapping[str, str]) -> None:
    if found.get("status", "open") not in ("open", "blocked"):
        said = f"A todo does not become {found['status']} by this."
        raise UsageError(said, fix="Use loopx todo complete, defer, supersede or reopen.")


def claim(asked: Claim) -> Result:
    holder = asked.claimed_by or asked.agent_id or ""
    agent_id = asked.agent_id if asked.agent_id or asked.operator else asked.claimed_by
    capabilities, execute = asked.available_capability, not asked.dry_run
    writer = Writer(asked.options, asked.goal_id, agent_id, capabilities, execute, asked.idempotency_key)
    request = {"todo_id": asked.todo_id, "claimed_by": holder}

    def step(step: Step) -> Plan:
        return claim_step(step, asked.todo_id, holder)

    # A claim takes away nothing that the turn may do.
    return _step(writer, asked.operator, "todo claim", request, step, remembered=False)


def reassign(writer: Writer, operator: bool, todo_id: str, claimed_by: str) -> Result:
    request = {"todo_id": todo_id, "claimed_by": claimed_by}
    return _step(
        writer, operator, "todo reassign", request, lambda step: claim_step(step, todo_id, claimed_by, reassign=True)
    )


def update(
    writer: Writer,
    operator: bool,
    todo_id: str,
    text: str | None,
    same_route: bool,
    priority: str | None,
    values: Values,
) -> Result:
    changes: dict[str, str | None] = dict(metadata(given(CHANGED, values)))
    if values.get("status"):
        _check_status({"status": values["status"]})
    for key in keys(values.get("unset") or ()):
        if key in changes:
            raise UsageError(f"{key} is both set and taken out.", fix="Do one of the two.")
        changes[key] = None
    words = wording(text) if text is not None else ""
    if not (changes or words or priority):
        raise UsageError("Nothing is to change.", fix="Give a wording or a metadata key; see loopx todo update --help.")
    request = {"todo_id": todo_id, "text": words, "priority": priority, "same_route": same_route, "metadata": changes}

    def step(step: Step) -> Plan:
        return update_step(step, todo_id, Change(words, priority or "", changes, same_route))

    return _step(writer, operator, "todo update", request, step)


def complete(
    writer: Writer, operator: bool, todo_id: str, claimed_by: str | None, said: dict[str, Any], values: Values
) -> Result:
    from loopx_policy.ledger.todo_endings import Completion, complete

    if claimed_by and writer.agent_id and claimed_by != writer.agent_id:
        raise UsageError(
            f"--claimed-by {claimed_by} is not --agent-id {writer.agent_id}.", fix="Say once who completes the todo."
        )
    acting = writer if writer.agent_id else replace(writer, agent_id=claimed_by)
    completion = Completion(
        evidence=_sentence(said["evidence"], "evidence"),
        reason=_sentence(said["reason"], "reason"),
        new=_following(values),
        existing=said["existing"],
        no_follow_up=said["no_follow_up"],
        trivial=said["trivial"],
        self_merged=said["self_merged"],
        scale=_one_of("--scale", said["scale"], ("", "small", "broad", "risky", "unclear")),
        validated=PASSED.get(_one_of("--validation", said["validation"], ("", *PASSED))),
        self_merge_allowed=ALLOWED.get(_one_of("--self-merge-policy", said["self_merge_policy"], ("", *ALLOWED))),
    )
    request = {"todo_id": todo_id, **said, "next": [_request(new) for new in completion.new]}
    return _step(acting, operator, "todo complete", request, lambda step: complete(step, todo_id, completion))


def supersede(writer: Writer, operator: bool, todo_id: str, reason: str, existing: str, values: Values) -> Result:
    from loopx_policy.ledger.todo_endings import supersede

    new = _following(values)
    if len(new) + bool(existing) > 1:
        raise UsageError("A todo is superseded by one other.", fix="Give one new text, or --replacement-todo-id.")
    why = _sentence(reason, "reason")
    request = {"todo_id": todo_id, "reason": why, "existing": existing, "next": [_request(each) for each in new]}

    def step(step: Step) -> Plan:
        return supersede(step, todo_id, why, new[0] if new else None, existing)

    return _step(writer, operator, "todo supersede", request, step)


def defer(writer: Writer, operator: bool, todo_id: str, resume_when: str, reason: str) -> Result:
    from loopx_policy.ledger.todo_returns import defer

    condition = metadata({"resume_when": resume_when})["resume_when"] if resume_when else ""
    why = _sentence(reason, "reason")
    request = {"todo_id": todo_id, "resume_when": condition, "reason": why}
    return _step(writer, operator, "todo defer", request, lambda step: defer(step, todo_id, condition, why))


def reopen(writer: Writer, operator: bool, todo_id: str, reason: str) -> Result:
    from loopx_policy.ledger.todo_returns import reopen

    why = _sentence(reason, "reason")
    request = {"todo_id": todo_id, "reason": why}
    return _step(writer, operator, "todo reopen", request, lambda step: reopen(step, todo_id, why))


def no_followup(writer: Writer, operator: bool, todo_id: str, reason: str) -> Result:
    from loopx_policy.ledger.todo_endings import no_followup

    why = _sentence(reason, "reason")
    request = {"todo_id": todo_id, "reason": why}
    return _step(writer, operator, "todo no-followup", request, lambda step: no_followup(step, todo_id, why))


def archive(writer: Writer, operator: bool, todo_ids: Sequence[str], all_done: bool, older_than: str | None) -> Result:
    from loopx_policy.ledger.todo_returns import archive, archive_done

    if bool(todo_ids) == all_done:
        raise UsageError("It is not clear what goes to the archive.", fix="Give --todo-id, or --all-done.")
    minutes = grammar.minutes(older_than) if older_than else 0
    if minutes is None or (older_than and not all_done):
        raise UsageError(f"--older-than {older_than} does not fit.", fix="Write --all-done --older-than 14d (or h, m).")
    before = moment(writer.options) - minutes * 60 if older_than else None
    request = {"todo_ids": list(todo_ids), "all_done": all_done, "older_than": older_than}

    def step(step: Step) -> Plan:
        return archive_done(step, before) if all_done else archive(step, todo_ids)

    return _step(writer, operator, "todo archive", request, step)


def _step(
    writer: Writer,
    operator: bool,
    command: str,
    request: dict[str, Any],
    take: Callable[[Step], Plan],
    *,
    remembered: bool = True,
) -> Result:
    def plan(here: Ground, judge: Judge) -> Plan:
        return take(Step(here, judge, operator, Knowledge(_ready, _decided, _returns)))

    return write(writer, command, request | {"operator": operator}, plan, remembered=remembered)


def _ready(snapshot: Snapshot, todo: Todo) -> bool:
    """Whether the condition of a deferred todo is met."""
    return bool(resume_met(todo, look(snapshot, {})))


def _returns(snapshot: Snapshot, todo: Todo) -> bool:
    """Whether something that a machine can see brings a parked todo back."""
    return returns(todo, look(snapshot, {}))


def _decided(snapshot: Snapshot, todo: Todo) -> bool:
    """Whether the newest recorded answer to a gate closes it."""
    for run in snapshot.runs.rows:
        gate = run.raw.get("operator_gate")
        if isinstance(gate, dict) and gate.get("gate_id") == todo.todo_id:
            return gate.get("gate_closed") is True
    return False


def _following(values: Values) -> list[New]:
    """The successors that the ``--next-`` options describe."""
    return [*_successors("agent", values), *_successors("user", values)]


def _successors(role: Role, values: Values) -> list[New]:
    prefix = "next" if role == "agent" else "next_user"
    flag = "--" + prefix.replace("_", "-")
    texts = values.get(f"next_{role}_todo") or ()
    fields = ("claimed_by", "task_class", "priority") if role == "agent" else ("task_class",)
    given_to = {name: values.get(f"{prefix}_{name}") or () for name in fields}
    more = pairs(f"{flag}-set", values.get(f"{prefix}_set") or ())
    if not texts and (more or any(given_to.values())):
        raise UsageError(
            f"No --next-{role}-todo is given for the {flag} options.", fix="Give its text, or leave them out."
        )
    each = {
        name: spread(f"{flag}-{name.replace('_', '-')}", found, len(texts), f"--next-{role}-todo")
        for name, found in given_to.items()
    }
    found = []
    for number, text in enumerate(texts):
        own = {name: words[number] for name, words in each.items() if words[number]}
        words = prioritised(wording(text, f"--next-{role}-todo"), own.pop("priority", ""))
        keys_of_it = metadata(own | more)
        _check_status(keys_of_it)
        found.append(New(role, words, keys_of_it))
    return found


def _request(new: New) -> dict[str, Any]:
    return {"role": new.role, "text": new.text, "metadata": dict(new.metadata)}


def _sentence(text: str, key: str) -> str:
    return metadata({key: text})[key] if text else ""


def _one_of(flag: str, word: str, words: Sequence[str]) -> str:
    if word not in words:
        raise UsageError(f"{flag} {word[:40]} is unknown.", fix=f"Use one of {', '.join(filter(None, words))}.")
    return word
