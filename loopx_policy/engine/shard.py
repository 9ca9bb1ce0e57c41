"""One ruleset of the rule engine as plain data: what planning makes, a cache may keep, and matching runs."""

from __future__ import annotations

from typing import Any

from loopx_policy.records import record

SENTINEL = "end"
"""The name of the rule that always fires, and fires last."""


@record(frozen=True)
class Shard:
    """Rule ``"7"`` of ``definition`` (JSON) belongs to the keys ``owners[7]``.

    ``template`` makes the message from the codes of ``facts``, in this order, with ``%``.
    """

    definition: str
    template: str
    facts: tuple[str, ...]
    owners: tuple[tuple[str, ...], ...]

    def to_data(self) -> list[Any]:
        """The shard as JSON data."""
        return [self.definition, self.template, list(self.facts), [list(keys) for keys in self.owners]]

    @staticmethod
    def from_data(data: list[Any]) -> Shard:
        """The shard from what ``to_data`` gave."""
        definition, template, facts, owners = data
        return Shard(definition, template, tuple(facts), tuple(tuple(keys) for keys in owners))
