"""``loopx reward`` and ``loopx operator-gate``: requests to the ledger's decision writes."""

from __future__ import annotations

from loopx_policy.ledger.operator_gate import Answer, answer_gate
from loopx_policy.ledger.reward import Channel, Reward, append_reward

from ..request import Result
from .writing import Writer, write


def reward(writer: Writer, texts: dict[str, str], operator: bool) -> Result:
    """One overlay row on one run. ``texts`` has the fields of ``Reward``."""
    given, channel = Reward(**texts), Channel(append=writer.execute, operator=operator)
    return write(
        writer,
        "reward",
        {**texts, "operator": operator},
        lambda here, judge: append_reward(here, judge, given, channel),
    )


def operator_gate(writer: Writer, texts: dict[str, str], settles: bool, operator: bool) -> Result:
    """One decision run about one gate. ``texts`` has the text fields of ``Answer``."""
    answer = Answer(**texts, settles=settles)
    return write(
        writer,
        "operator-gate",
        {**texts, "settles": settles, "operator": operator},
        lambda here, judge: answer_gate(here, judge, answer, append=writer.execute, operator=operator),
    )
