"""``goal set``: what a goal is for, what comes next in it, and what holds for whoever works on it.

The objective and the next action stand in the goal state, everything else in the registry entry; one write changes
both. Source: the keys of a registry entry; policy: ``goal_change``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from .. import globs
from ..errors import UsageError
from ..project.grammar import is_action_kind
from ..project.times import iso
from ..text import public
from .documents import change_part
from .drafts import edit, saved
from .edits import Edit
from .places import Ground
from .registry_text import Key, RegistryText
from .state_lines import one_line
from .write import Judge, Plan, allow

PLACES: dict[str, tuple[Key, ...]] = {
    "waiting_on": ("waiting_on",),
    "attention_status": ("attention_status",),
    "recommended_action": ("recommended_action",),
    "surface_streak_threshold": ("execution_profile", "outcome_floor", "surface_streak_threshold"),
    "must_advance": ("execution_profile", "outcome_floor", "must_advance"),
    "avoid": ("execution_profile", "outcome_floor", "avoid"),
    "outcome_markers": ("execution_profile", "outcome_floor", "outcome_markers"),
    "self_repair": ("control_plane", "self_repair", "enabled"),
    "health_blocker_repair": ("control_plane", "self_repair", "allow_health_blocker_repair"),
    "waiting_projection_repair": ("control_plane", "self_repair", "allow_waiting_projection_repair"),
    "claim_ttl_minutes": ("coordination", "claim_ttl_minutes"),
}
"""Settings of the registry entry, and where each stands in it."""
CLEARED: dict[str, tuple[Key, ...]] = {
    **{name: PLACES[name] for name in ("waiting_on", "attention_status", "recommended_action", "claim_ttl_minutes")},
    "outcome_floor": ("execution_profile", "outcome_floor"),
    "next_action": (),
}
"""What ``--clear`` takes out."""
SCOPES = ("write_scope", "add_write_scope", "remove_write_scope")
WORDS = ("waiting_on", "attention_status")


def set_goal(
    here: Ground, judge: Judge, wanted: Mapping[str, Any], clear: Sequence[str] = (), *, operator: bool = False
) -> Plan:
    """Change settings of the goal.

    Parameters
    ----------
    wanted: by name: ``objective``, ``next_action`` (bullets), ``write_scope`` (the whole list), ``add_write_scope``,
            ``remove_write_scope``, and the names of ``PLACES``
    clear:  names of ``CLEARED``
    """
    _check(wanted, clear)
    keys = list(dict.fromkeys("write_scope" if name in SCOPES else name for name in (*wanted, *clear)))
    scopes = [glob for name in SCOPES for glob in wanted.get(name, ())]
    document = {"operation": "set", **change_part(here, operator), "keys": keys, "texts": dict(wanted)}
    document |= {"boundary": {"write_scope": scopes}} if scopes else {}
    allow(judge, "goal_change", document)
    text = RegistryText(here)
    for name, value in wanted.items():
        if name in PLACES:
            text.put(*PLACES[name], value=value)
    for name in clear:
        if CLEARED[name]:
            text.remove(*CLEARED[name])
    _write_scope(text, wanted)
    edits = [*_state(here, wanted, clear), *text.edits()]
    result = {name: value for name, value in wanted.items() if name not in SCOPES}
    if "write_scope" in keys:
        result["write_scope"] = text.get("coordination", "write_scope") or []
    if clear:
        result["cleared"] = list(clear)
    return Plan(f"Set {', '.join(keys)} of {here.goal.goal_id}", result, edits)


def _check(wanted: Mapping[str, Any], clear: Sequence[str]) -> None:
    for name in clear:
        if name not in CLEARED:
            near = get_close_matches(name, CLEARED, n=1) or list(CLEARED)
            raise UsageError(f"--clear does not know {name[:60]}.", fix=f"Use {', '.join(near)}.")
        if name in wanted or (
            name == "outcome_floor" and any(PLACES.get(key, ())[:2] == CLEARED[name] for key in wanted)
        ):
            raise UsageError(f"{name} is set and cleared at once.", fix="Keep one of the two.")
    for name in WORDS:
        if name in wanted and not is_action_kind(wanted[name]):
            raise UsageError(
                f"--{name.replace('_', '-')} {wanted[name][:60]!r} is no word.",
                fix="Write a-z first, then a-z, 0-9, _ or -, as focus_wait; --clear takes the wait out.",
            )
    if "write_scope" in wanted and ("add_write_scope" in wanted or "remove_write_scope" in wanted):
        raise UsageError("The write scope is replaced and added to at once.", fix="Keep one of the two.")
    for glob in (*wanted.get("write_scope", ()), *wanted.get("add_write_scope", ())):
        check_glob(glob)
    for name in ("objective", "recommended_action"):
        if name in wanted and not one_line(wanted[name]):
            raise UsageError(f"--{name.replace('_', '-')} is empty.", fix="Give it a value, or leave the option out.")


def check_glob(glob: str) -> None:
    """``UsageError`` where a write scope is no relative glob."""
    wrong = globs.problem(glob)
    if wrong:
        raise UsageError(
            f"The write scope {public(glob[:80])!r} {wrong}.", fix="Write a relative glob, as src/** or docs/*.md."
        )


def _write_scope(text: RegistryText, wanted: Mapping[str, Any]) -> None:
    place = ("coordination", "write_scope")
    if "write_scope" in wanted:
        text.put(*place, value=list(dict.fromkeys(wanted["write_scope"])))
    for glob in dict.fromkeys(wanted.get("add_write_scope", ())):
        if glob not in (text.get(*place) or []):
            text.append(*place, value=glob)
    for glob in dict.fromkeys(wanted.get("remove_write_scope", ())):
        there = text.get(*place) or []
        if glob not in there:
            near = get_close_matches(glob, there, n=1)
            fix = f"Did you mean {near[0]}?" if near else f"Declared: {', '.join(there) or 'nothing'}."
            raise UsageError(f"The write scope has no {glob[:80]}.", fix=fix)
        while glob in (text.get(*place) or []):
            text.remove(*place, text.get(*place).index(glob))


def _state(here: Ground, wanted: Mapping[str, Any], clear: Sequence[str]) -> list[Edit]:
    """The change of the goal state, if there is one."""
    if "objective" not in wanted and "next_action" not in (*wanted, *clear):
        return []
    state, text = here.snapshot.state, edit(here)
    if "objective" in wanted and state.front.get("objective") != one_line(wanted["objective"]):
        text.set_front("objective", wanted["objective"])
        text.set_only_line("objective", state.front.get("objective", ""), wanted["objective"])
    bullets = [one_line(bullet) for bullet in wanted.get("next_action", ())]
    if "next_action" in (*wanted, *clear) and bullets != [action.text for action in state.next_actions]:
        text.set_next_actions(bullets)
    change = saved(here, text)
    if change.after == here.state:
        return []
    if "updated_at" in state.front:
        text.set_front("updated_at", iso(here.caller.now))
    return [saved(here, text)]
