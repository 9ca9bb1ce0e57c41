"""Proposals of a planning lane (dreaming): advice on record, until an operator promotes or rejects it.

Source: IP-013. A proposal is a row with ``dreaming_proposal``; a later row with ``dreaming_decision.ref`` decides it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from ..facts.history import open_proposals
from ..model import Run
from .documents import row_part
from .places import Ground
from .run_index import every_run
from .run_rows import GOAL, new_row
from .write import Judge, Plan, allow

Json = dict[str, Any]
SCHEMA: Final = "dreaming_proposal_v0"
ORDERS: Final = ("agent_command", "command", "commands", "spend", "slots", "quota_event")
"""Keys of a proposal, whoever wrote it, that would have something run or booked."""


@dataclass(slots=True, frozen=True)
class Standing:
    """What holds where a proposal is decided: an open replan obligation of the goal, and whether what the proposal
    wants passed the quota and boundary check.
    """

    replan: bool
    checked: bool


Check = Callable[[Sequence[str], Sequence[str]], Standing]
"""Asks for write scopes and capabilities that a proposal wants."""


def propose(
    here: Ground,
    judge: Judge,
    texts: Mapping[str, str],
    scopes: Sequence[str],
    capabilities: Sequence[str],
    *,
    operator: bool = False,
) -> Plan:
    """Put a proposal on record. ``texts`` has ``title`` and ``summary``; it wants to write ``scopes``."""
    proposal: Json = {name: text for name, text in texts.items() if text}
    proposal |= {
        name: list(words) for name, words in (("write_scopes", scopes), ("capabilities", capabilities)) if words
    }
    document = row_part(here, "dreaming_propose", operator, proposal)
    document["dreaming"] = {"carries_command": False, "standing": "new"}
    allow(judge, "state_refresh", document, ("recorded",))
    fields = {
        "agent_id": None if operator else here.caller.agent_id,
        "progress_scope": GOAL,
        "dreaming_proposal": {"schema_version": SCHEMA, **proposal, "carries_command": False},
    }
    row, edits = new_row(
        here, "dreaming_proposed", "", fields, {}, {"Proposal": texts["title"], "Why": texts["summary"]}
    )
    return Plan(
        f"Propose: {texts['title']}", {"proposal": row["generated_at"], "generated_at": row["generated_at"]}, edits
    )


def decide(here: Ground, judge: Judge, verb: str, ref: str, reason: str, check: Check, *, operator: bool) -> Plan:
    """Promote or reject (``verb``) the proposal whose row has the time ``ref``."""
    runs = every_run(here)
    row = next((run for run in runs if run.generated_at_text == ref and _proposal(run)), None)
    proposal = _proposal(row) if row else {}
    waiting = open_proposals(runs)
    standing = check(_words(proposal, "write_scopes"), _words(proposal, "capabilities"))
    document = row_part(here, f"dreaming_{verb}", operator, {"proposal": ref, "reason": reason})
    document["dreaming"] = {
        "carries_command": any(name in proposal for name in ORDERS) or proposal.get("carries_command") is True,
        "decided_by": "operator" if operator else "agent" if here.caller.agent_id else "nobody",
        "boundary_approved": standing.checked,
        "standing": "missing" if row is None else "open" if row in waiting else "decided",
        "ref": ref,
        "near": [] if row else get_close_matches(ref, [run.generated_at_text for run in waiting], n=2),
    }
    if standing.replan:
        document["obligation"] = {"scope": "goal"}
    allow(judge, "state_refresh", document, ("recorded",))
    said = {"promote": "promoted", "reject": "rejected"}[verb]
    title = str(proposal.get("title", ref))
    decision = {"schema_version": "dreaming_decision_v0", "ref": ref, "decision": said, "decided_by": "operator"}
    fields = {
        "agent_id": None,
        "progress_scope": GOAL,
        "dreaming_decision": decision | ({"reason": reason} if reason else {}),
    }
    advice = f"Write the todos of the promoted proposal: {title}" if verb == "promote" else ""
    note = {"Proposal": title, "Decision": said, "Reason": reason}
    written, edits = new_row(here, f"dreaming_{said}", advice, fields, {}, note)
    result = {"proposal": ref, "title": title, "decision": said, "generated_at": written["generated_at"]}
    return Plan(f"{verb.capitalize()} the proposal of {ref}: {title}", result, edits)


def _proposal(run: Run) -> Json:
    found = run.raw.get("dreaming_proposal")
    return found if isinstance(found, dict) else {}


def _words(proposal: Json, name: str) -> list[str]:
    found = proposal.get(name)
    return [word for word in found if isinstance(word, str)] if isinstance(found, list) else []
