"""``loopx quota set | pause | resume | burst``: requests to steps of the ledger."""

from __future__ import annotations

from typing import Any

from loopx_policy.ledger import quota_steps

from ..request import Result
from .inputs import moment, when
from .writing import Writer, write


def set_quota(
    writer: Writer, numbers: dict[str, Any], eligible: str | None, clear: tuple[str, ...], operator: bool
) -> Result:
    wanted = dict(numbers)
    if eligible is not None:
        wanted["next_eligible_at"] = when("--next-eligible-at", eligible, moment(writer.options))
    return write(
        writer,
        "quota set",
        {**numbers, "next_eligible_at": eligible, "clear": clear, "operator": operator},
        lambda here, judge: quota_steps.set_quota(here, judge, wanted, clear, operator=operator),
        registry=True,
    )


def pause(writer: Writer, reason: str, operator: bool) -> Result:
    return write(
        writer,
        "quota pause",
        {"reason": reason, "operator": operator},
        lambda here, judge: quota_steps.pause(here, judge, reason=reason, operator=operator),
        registry=True,
    )


def resume(writer: Writer, operator: bool) -> Result:
    return write(
        writer,
        "quota resume",
        {"operator": operator},
        lambda here, judge: quota_steps.resume(here, judge, operator=operator),
        registry=True,
    )


def burst(writer: Writer, slots: int, until: str, reason: str, operator: bool) -> Result:
    end = when("--until", until, moment(writer.options))
    return write(
        writer,
        "quota burst",
        {"allowed_slots": slots, "until": until, "reason": reason, "operator": operator},
        lambda here, judge: quota_steps.burst(here, judge, slots, end, reason=reason, operator=operator),
        registry=True,
    )
