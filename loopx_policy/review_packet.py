"""The page that a person reviews before deciding: the question, the facts, the risk, and the command of each answer.

Everything on it is public-safe: words that look private are withheld, and their place says so. What an answer would
lead to is asked of the policy itself, on a snapshot with that answer. Source: the direct-write contract (review
packet), IP-004 (the concrete question), IP-014.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from typing import Any, Final

from loopx_policy import safe_text
from loopx_policy.commands import context_flags
from loopx_policy.decide import Evaluation, Policy
from loopx_policy.decision import Decision, build
from loopx_policy.facts.gates import covers
from loopx_policy.facts.history import NEUTRAL, open_proposals
from loopx_policy.levers import Change, with_todo
from loopx_policy.messages import candidate_why, source_at
from loopx_policy.model import Run, Todo
from loopx_policy.project.times import iso
from loopx_policy.records import replace
from loopx_policy.text import cut, listed, public

Json = dict[str, Any]
SCHEMA: Final = "review_packet_v0"
RUNS: Final = 5
RISKY: Final = {"external_run": "runs something outside", "protected_write": "writes where writing is protected"}
GATE: Final = (
    "loopx operator-gate --goal-id {goal} --gate-id {todo} --decision {decision} --reason-summary {reason}{flags}"
)
DONE: Final = "loopx todo complete --goal-id {goal} --todo-id {todo} --operator{flags}"
PROPOSAL: Final = "loopx dreaming {verb} --goal-id {goal} --proposal {ref} --operator{flags}"
REWARD: Final = (
    "loopx reward --goal-id {goal} --run-generated-at {ref} --decision {decision} --reward {reward} "
    "--reason-summary {reason}{flags}"
)


class ReviewPacket:
    """Writes the packet of one caller's turn; ``withheld`` counts the texts that it left words out of.

    ``judgeable`` says whether a run's own file is there, so that a person can look at what they judge.
    """

    def __init__(self, policy: Policy, evaluation: Evaluation, judgeable: Callable[[Run], bool]) -> None:
        self._policy = policy
        self._judgeable = judgeable
        self._evaluation = evaluation
        self._snapshot = evaluation.snapshot
        flags = context_flags(evaluation.turn)
        # A path of this machine does not leave it; the person adds the option where the project is not found.
        self._flags = flags if safe_text.is_safe(flags) else ""
        self._placed = flags == self._flags
        self.withheld = 0

    def write(self, todos: Sequence[Todo]) -> Json:
        """The packet about these user todos, which may be none."""
        snapshot, decision = self._snapshot, build(self._evaluation)
        goal = snapshot.goal
        rows = self._meaningful()
        data: Json = {
            "schema_version": SCHEMA,
            "goal_id": goal.goal_id,
            "agent_id": snapshot.invocation.agent_id,
            "as_of": iso(snapshot.now),
            "objective": self._safe(snapshot.state.front.get("objective", "").strip('"')),
            "now": self._outcome(decision),
            "user_reason": self._safe(decision.user_reason),
            "pending": [self._question(todo) for todo in todos],
            "requests": self._requests(),
            "proposals": [self._proposal(row) for row in open_proposals(snapshot.runs.rows)],
            "runs": [self._run(row) for row in rows[:RUNS]],
            "unjudged": self._unjudged(rows),
            "risk": self._risk(decision),
            "problems": [
                {"at": self._safe(each.at), "message": self._safe(each.message)}
                for each in (*snapshot.problems, *snapshot.state.problems)
                if each.breaks_contract
            ],
            "commands_need_place": not self._placed,
        }
        return data | {"withheld": self.withheld}

    def _safe(self, text: str) -> str:
        shown = public(text)
        self.withheld += shown != text
        return shown

    def _meaningful(self) -> list[Run]:
        quiet = self._evaluation.turn.view.words(NEUTRAL)
        return [row for row in self._snapshot.runs.rows if row.classification not in quiet]

    def _question(self, todo: Todo) -> Json:
        snapshot = self._snapshot
        gate = todo.task_class == "user_gate"
        covered = self._covered(todo) if gate else []
        return {
            "todo_id": todo.todo_id,
            "kind": todo.task_class,
            "question": self._safe(todo.text),
            "at": source_at(todo, snapshot.state.file),
            "asks": str(todo.decision_scope) if todo.decision_scope else "",
            "blocks": todo.blocks_agent or ("every agent" if todo.global_gate else ""),
            "unblocks": todo.unblocks_todo_id,
            "reason": self._safe(todo.reason or todo.note),
            "answered_before": self._safe(todo.extra.get("decision", "")),
            "covers": [{"todo_id": each.todo_id, "text": self._safe(cut(each.text, 160))} for each in covered],
            "risk": self._risk_of(todo, covered),
            "answers": self._gate_answers(todo) if gate else self._action_answers(todo),
        }

    def _covered(self, gate: Todo) -> list[Todo]:
        """The unfinished agent todos that the gate holds."""
        work = [todo for todo in self._snapshot.state.todos if todo.role == "agent" and todo.status != "done"]
        scope = gate.decision_scope
        if scope is None and not gate.unblocks_todo_id:
            agent = gate.blocks_agent
            return [todo for todo in work if gate.global_gate or todo.claimed_by in ("", agent)]
        return [
            todo
            for todo in work
            if todo.todo_id == gate.unblocks_todo_id
            or (scope is not None and any(covers(scope, need) for need in todo.required_decision_scopes))
        ]

    def _risk_of(self, gate: Todo, covered: Sequence[Todo]) -> list[str]:
        boundary = self._evaluation.turn.frontier.boundary
        found = [f"{todo.todo_id} {RISKY[todo.safety_class]}" for todo in covered if todo.safety_class in RISKY]
        for todo in covered:
            outside = boundary.outside(todo.required_write_scopes)
            found += [f"{todo.todo_id} would write {listed(outside)}, outside the boundary"] if outside else []
        scope = gate.decision_scope
        if scope is not None and scope.key == "*":
            found.append(f"an approval covers every {scope.kind} of this {scope.granularity}")
        elif scope is not None and scope.granularity in ("project", "global"):
            found.append(f"an approval reaches the whole {scope.granularity}")
        if gate.expires_at is not None and gate.expires_at <= self._snapshot.now:
            found.append(f"the question's scope ended at {iso(gate.expires_at)}")
        return found

    def _gate_answers(self, gate: Todo) -> list[Json]:
        unchanged = self._after(lambda snapshot: snapshot, gate.blocks_agent)
        closed = self._after(with_todo(gate.todo_id, status="done"), gate.blocks_agent)
        held = "the question stays open, and what it covers stays blocked"
        said = (
            ("approve", "the gate closes; its receiver reads everything again first", closed),
            ("reject", held, unchanged),
            ("defer", held, unchanged),
        )
        return [
            self._answer(word, means, then, "operator_gate_dry_run_command", self._gate_command(gate, word))
            for word, means, then in said
        ]

    def _gate_command(self, gate: Todo, word: str) -> str:
        reason = {"approve": "Approved after review", "reject": "Rejected after review", "defer": "Not decided yet"}[
            word
        ]
        return self._fill(GATE, todo=gate.todo_id, decision=word, reason=reason)

    def _action_answers(self, todo: Todo) -> list[Json]:
        then = self._after(with_todo(todo.todo_id, status="done"), todo.blocks_agent)
        command = self._fill(DONE, todo=todo.todo_id)
        return [{"answer": "done", "means": "the action is taken", "then": then, "command": command}]

    def _answer(self, word: str, means: str, then: Json, dry_run: str, command: str) -> Json:
        return {"answer": word, "means": means, "then": then, dry_run: command, "command": f"{command} --execute"}

    def _after(self, change: Change, agent_id: str) -> Json:
        """What the policy would say after a change, to the agent that it concerns."""
        changed = change(self._snapshot)
        if agent_id and agent_id in changed.goal.agents:
            changed = replace(changed, invocation=replace(changed.invocation, agent_id=agent_id))
        return self._outcome(self._policy.decide(changed))

    def _outcome(self, decision: Decision) -> Json:
        return {
            "agent_id": decision.agent_id,
            "mode": decision.mode.name,
            "should_run": decision.should_run,
            "selected": decision.selected,
            "reason": self._safe(decision.reason),
        }

    def _requests(self) -> list[Json]:
        """Work that waits for what only the owner can grant."""
        waiting = self._evaluation.turn.frontier.blocked_as("lacks_owner")
        return [
            {
                "todo_id": candidate.todo.todo_id,
                "text": self._safe(cut(candidate.todo.text, 160)),
                "needs": candidate.missing.get("owner", []),
            }
            for candidate in waiting
        ]

    def _proposal(self, row: Run) -> Json:
        proposal = row.raw["dreaming_proposal"]
        commands = {
            verb: self._fill(PROPOSAL, verb=verb, ref=row.generated_at_text) + " --execute"
            for verb in ("promote", "reject")
        }
        return {
            "proposal": row.generated_at_text,
            "title": self._safe(str(proposal.get("title", ""))),
            "summary": self._safe(str(proposal.get("summary", ""))),
            "answers": [{"answer": verb, "command": command} for verb, command in commands.items()],
        }

    def _run(self, row: Run) -> Json:
        reward = row.raw.get("human_reward")
        judged = str(reward.get("reward", "")) if isinstance(reward, dict) else ""
        return {
            "generated_at": row.generated_at_text,
            "classification": row.classification,
            "agent_id": row.agent_id,
            "delivery_outcome": row.delivery_outcome,
            "recommended_action": self._safe(cut(row.recommended_action, 200)),
            "reward": judged,
        }

    def _unjudged(self, rows: Sequence[Run]) -> Json | None:
        """The latest run with an outcome that nobody has judged, with the command that judges it."""
        for row in rows:
            if row.delivery_outcome and "human_reward" not in row.raw and self._judgeable(row):
                words = {"decision": "continue_route", "reward": "positive", "reason": "Reviewed and found useful"}
                command = self._fill(REWARD, ref=row.generated_at_text, **words)
                return {"run": row.generated_at_text, "command": command}
        return None

    def _risk(self, decision: Decision) -> list[str]:
        """What stands beside the question and bears on it."""
        found = []
        if decision.state == "paused":
            found.append("the goal is paused: no answer starts any work")
        if decision.state == "throttled":
            found.append("the slots of this window are spent: work resumes with the next one")
        for candidate in self._evaluation.turn.frontier.candidates:
            if not candidate.verdict.runnable and "gated" not in candidate.verdict.blocks:
                why = candidate_why(candidate, self._evaluation.turn, self._evaluation.catalog)
                found.append(self._safe(f"{candidate.todo.todo_id} stays blocked whatever is answered: {why}"))
        return found[:RUNS]

    def _fill(self, template: str, **words: str) -> str:
        quoted = {name: shlex.quote(word) for name, word in words.items()}
        return template.format(goal=shlex.quote(self._snapshot.goal.goal_id), flags=self._flags, **quoted)
