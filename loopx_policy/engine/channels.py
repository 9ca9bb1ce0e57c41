"""From who leads to what the channels may do: the flags of an answer, which no text has a part in.

The mode is the lead's, unless something withholds what it grants: then the answer fails closed. A person is told
where an item is open, where the lead asks, where an obligation speaks to the user, or where the mode says so.
"""

from __future__ import annotations

from loopx_policy.engine.catalog import Catalog, Mode
from loopx_policy.engine.combine import Combined
from loopx_policy.records import record

FAIL_CLOSED = "health_blocked"
FAIL_CLOSED_STATE = "blocked_health"


@record(frozen=True)
class Channels:
    """``mode`` is the lead's, or the fail-closed one with its reason in ``fault``, which is empty otherwise."""

    mode: Mode
    fault: str
    state: str
    silent: bool
    action_required: bool
    notify: bool
    quiet_noop_allowed: bool


def channels(catalog: Catalog, combined: Combined, open_items: bool, asked: bool) -> Channels:
    """The flags of a turn.

    ``open_items``: whether an open gate or action concerns the caller. ``asked``: whether the todos that the lead
    asks the owner about are there.
    """
    lead = combined.lead
    mode, fault = _mode(catalog, combined)
    silent = lead is not None and lead.silent and not fault
    action_required = not silent and (open_items or (asked and not fault))
    told = any(duty.kind == "user" for duty in combined.obligations)
    return Channels(
        mode=mode,
        fault=fault,
        state=FAIL_CLOSED_STATE if fault or lead is None else lead.state,
        silent=silent,
        action_required=action_required,
        notify=not silent and (mode.notify or action_required or told),
        quiet_noop_allowed=mode.quiet_noop_allowed and (silent or not (told or combined.withholds("quiet"))),
    )


def _mode(catalog: Catalog, combined: Combined) -> tuple[Mode, str]:
    """The lead's mode, or the fail-closed one with the reason for it."""
    if combined.lead is None:
        return catalog.modes[FAIL_CLOSED], "no rule decides this state"
    mode = catalog.modes[combined.lead.mode]
    for what, granted in (("delivery", mode.delivery_allowed), ("spending", mode.spend_after_validation)):
        if granted and combined.withholds(what):
            keys = ", ".join(item.key for item in combined.withheld if item.what == what)
            return catalog.modes[FAIL_CLOSED], f"{keys} withholds {what} from {combined.lead.key}"
    return mode, ""
