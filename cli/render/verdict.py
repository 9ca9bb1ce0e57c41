"""The one word that an answer comes to, read off the flags of its contract and nothing else."""

from __future__ import annotations

from typing import Any, NamedTuple


class Verdict(NamedTuple):
    word: str
    colour: str
    meaning: str


RUN = Verdict("RUN", "green", "Work now, and deliver.")
STEP = Verdict("RUN, NO DELIVERY", "cyan", "Take the one step named below; deliver nothing.")
ASK = Verdict("ASK", "yellow", "Do not work. A person has something to answer or to do.")
TELL = Verdict("TELL", "yellow", "Do not work. A person is told.")
BLOCKED = Verdict("BLOCKED", "red", "Do not work. Something must be put right first; the operator is told.")
PAUSED = Verdict("PAUSED", "blue", "Do nothing, say nothing.")
QUIET = Verdict("QUIET", "blue", "Nothing to do now. End the turn without a word.")
STOP = Verdict("STOP", "red", "Do not work.")


def verdict(decision: dict[str, Any]) -> Verdict:
    """The word for a decision in its published shape."""
    contract = decision["interaction_contract"]
    user, agent = contract["user_channel"], contract["agent_channel"]
    if agent["must_attempt"]:
        return RUN if agent["delivery_allowed"] else STEP
    if decision["state"] == "blocked_health":
        return BLOCKED
    if decision["state"] == "paused":
        return PAUSED
    if user["action_required"]:
        return ASK
    if user["notify"] == "NOTIFY":
        return TELL
    return QUIET if agent["quiet_noop_allowed"] else STOP
