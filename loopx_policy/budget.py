"""Keeping the default answer under 2,048 bytes, whatever the state.

The answer never lists more than three of anything, and gives the text of an obligation only where it is the
agent's: what a person is told stands in the user channel. Beyond that, detail goes in a fixed order until the
answer fits: a third command, longer lists of blocked todos and candidates, second and third items, texts of the
remaining obligations, the second command, then the length of the free texts, and at last the tail of the obligation
list and the capabilities and global options of the one command that is left. Mode, flags, counts, the first item and
a command that runs always stay.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from loopx_policy.text import cut

LIMIT = 2047
"""Bytes, so that the answer and its line end stay within 2,048."""
OPTIONS = re.compile(r" --(?:available-capability|registry|runtime-root|rules) ")
ANYWHERE = "loopx quota plan"
"""The command that is left where even the goal's own id is too long to be written twice."""
Step = Callable[[dict[str, Any]], None]


def encode(document: dict[str, Any]) -> str:
    """The answer as compact JSON in UTF-8 without escapes."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def size(document: dict[str, Any]) -> int:
    """Bytes of the encoded answer."""
    return len(encode(document).encode("utf-8", "replace"))


def fit(document: dict[str, Any], limit: int = LIMIT) -> dict[str, Any]:
    """The same document with as little detail left out as the limit needs. Changes ``document`` in place."""
    _lists(document, items=3, candidates=3, blocked=3)
    _drop_texts(document, "view", "user")
    for step in STEPS:
        if size(document) <= limit:
            break
        step(document)
    return document


def _channels(document: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    contract = document["interaction_contract"]
    return contract["user_channel"], contract["agent_channel"], contract["cli_channel"]


def _lists(document: dict[str, Any], items: int, candidates: int, blocked: int) -> None:
    user, agent, _ = _channels(document)
    user["items"] = user["items"][:items]
    agent["candidates"] = agent["candidates"][:candidates]
    agent["blocked"] = agent["blocked"][:blocked]


def _drop_texts(document: dict[str, Any], *kinds: str) -> None:
    for duty in document["obligations"]:
        if duty["kind"] in kinds:
            duty.pop("text", None)


def _drop_all_texts(document: dict[str, Any]) -> None:
    for duty in document["obligations"]:
        duty.pop("text", None)


def _texts(limit: int) -> Step:
    def shorten(document: dict[str, Any]) -> None:
        user, agent, cli = _channels(document)
        document["reason"] = cut(document["reason"], limit)
        user["reason"] = cut(user["reason"], limit)
        agent["primary_action"] = cut(agent["primary_action"], limit)
        cli["spend_policy"] = cut(cli["spend_policy"], limit)
        for item in user["items"]:
            item["text"] = cut(item["text"], limit)
            item["at"] = cut(item["at"], limit)
        for entry in agent["blocked"]:
            if "why" in entry:
                entry["why"] = cut(entry["why"], limit)

    return shorten


def _commands(most: int) -> Step:
    def shorten(document: dict[str, Any]) -> None:
        cli = _channels(document)[2]
        cli["next_cli_actions"] = cli["next_cli_actions"][:most]

    return shorten


def _few_duties(document: dict[str, Any]) -> None:
    document["obligations"] = document["obligations"][:3]


def _bare_command(document: dict[str, Any]) -> None:
    cli = _channels(document)[2]
    cli["next_cli_actions"] = [OPTIONS.split(action)[0] for action in cli["next_cli_actions"]]


def _any_command(document: dict[str, Any]) -> None:
    _channels(document)[2]["next_cli_actions"] = [ANYWHERE]


def _short_hint(document: dict[str, Any]) -> None:
    hint = _channels(document)[1].get("hint", {})
    hint.pop("why", None)
    hint.pop("sources", None)


def _short_names(document: dict[str, Any]) -> None:
    for entry in (*_channels(document)[1]["candidates"], *_channels(document)[1]["blocked"]):
        entry.pop("at", None)
        entry.pop("why", None)


STEPS: tuple[Step, ...] = (
    _commands(2),
    _short_hint,
    lambda document: _lists(document, items=3, candidates=3, blocked=1),
    lambda document: _lists(document, items=1, candidates=1, blocked=1),
    _drop_all_texts,
    _commands(1),
    _texts(120),
    _texts(60),
    _short_names,
    _few_duties,
    _texts(24),
    _bare_command,
    lambda document: _lists(document, items=1, candidates=0, blocked=0),
    lambda document: _channels(document)[1].pop("hint", None),
    _any_command,
)
