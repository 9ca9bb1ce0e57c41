"""The compiled catalog: what an evaluation needs of the rule files and the vocabulary.

Built from the YAML under ``rules/`` and ``catalog/`` by ``loopx_policy.catalog_source`` and cached as
JSON by ``loopx_policy.catalog_cache``. The prose of a rule file (summary, bad smells, diagram) is not here.
"""

from __future__ import annotations

from typing import Literal

from loopx_policy.engine.conditions import Condition, Value
from loopx_policy.engine.shard import Shard
from loopx_policy.records import field, record

FactType = Literal["bool", "count", "enum"]
Channel = Literal["user", "agent", "view"]
Withheld = Literal["delivery", "spending", "quiet"]


@record(frozen=True)
class Fact:
    """A declared fact of one decision point. ``values`` for an enum; a count saturates at ``maximum``."""

    name: str
    type: FactType
    values: tuple[str, ...] = ()
    maximum: int = 99


@record(frozen=True)
class Mode:
    """One row of the mode table; a case may pick another of ``effective_actions``, else the first holds.

    ``turn_kind`` is what a turn under it counts as where a slot is asked for (``delivery.kind`` of ``quota_spend``).
    """

    name: str
    must_attempt: bool
    delivery_allowed: bool
    quiet_noop_allowed: bool
    spend_after_validation: bool
    spend_policy: str
    effective_actions: tuple[str, ...]
    waiting_on: str = "none"
    severity: str = "quiet"
    notify: bool = False
    lists_candidates: bool = False
    cli_actions: tuple[str, ...] = ()
    turn_kind: str = "wait"


@record(frozen=True)
class Case:
    """One way in which a pattern decides. ``key`` is ``IP-021.repair_bridge``.

    A turn case has ``stratum``, ``mode``, ``state`` and the channel texts. A case of any other point has
    ``verdict`` and ``reason``, and where the point declares them ``blocks`` (candidate: the kind of
    block), ``requires`` (what would make the verdict better) and ``command`` (one that would be accepted).
    ``asks`` names the fact whose todos the owner is asked about; ``silent`` keeps the user channel closed;
    ``contract`` names the execution contract where it is not the mode.
    """

    pattern: str
    id: str
    point: str
    when: Condition
    stratum: str = ""
    after: tuple[str, ...] = ()
    mode: str = ""
    effective_action: str = ""
    state: str = ""
    reason: str = ""
    user_reason: str = ""
    primary_action: str = ""
    asks: str = ""
    contract: str = ""
    silent: bool = False
    verdict: str = ""
    blocks: str = ""
    requires: tuple[str, ...] = ()
    command: str = ""

    @property
    def key(self) -> str:
        return f"{self.pattern}.{self.id}"


@record(frozen=True)
class Obligation:
    """What a matched pattern adds to a turn; ``beside`` names the strata whose lead it accompanies, none means any."""

    pattern: str
    id: str
    kind: Channel
    when: Condition
    text: str
    beside: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.pattern}.{self.id}"


@record(frozen=True)
class Withholding:
    """What a matched pattern takes away from a turn whoever leads."""

    pattern: str
    id: str
    what: Withheld
    when: Condition

    @property
    def key(self) -> str:
        return f"{self.pattern}.{self.id}"


@record(frozen=True)
class Point:
    """A decision point: its facts, its verdicts strictest first, and the one that holds if no case matches."""

    name: str
    facts: dict[str, Fact]
    verdicts: tuple[str, ...] = ()
    default: str = ""
    blocks: tuple[str, ...] = ()


@record(frozen=True)
class Placeholder:
    """A name that a message may use: the evidence of the first of ``facts`` that the message's condition reads.

    ``show`` says which part of that evidence: ``sources`` (ids), ``words``, ``number`` (how many sources) or
    ``value`` (the fact itself). A placeholder without facts is the invocation's own (``goal_id``, ``agent_id``, ...).
    """

    name: str
    facts: tuple[str, ...] = ()
    show: Literal["sources", "words", "number", "value"] = "sources"


@record
class Catalog:
    """Everything that policy says, in evaluation order.

    ``cases[point]`` is sorted by (stratum for a turn), family, importance, id and position in the file;
    the first match leads a turn. ``parameters`` are the named figures of ``catalog/facts.yaml`` and of the
    rule files (``IP-022.lane_cap``). ``digest`` is 16 hex digits.
    ``shards`` are the rulesets that each decision point becomes in the rule engine; planned again where empty.
    """

    digest: str
    points: dict[str, Point]
    cases: dict[str, tuple[Case, ...]]
    obligations: tuple[Obligation, ...]
    withholdings: tuple[Withholding, ...]
    modes: dict[str, Mode]
    strata: tuple[str, ...]
    parameters: dict[str, Value | tuple[Value, ...]] = field(default_factory=dict)
    placeholders: dict[str, Placeholder] = field(default_factory=dict)
    shards: dict[str, tuple[Shard, ...]] = field(default_factory=dict)
