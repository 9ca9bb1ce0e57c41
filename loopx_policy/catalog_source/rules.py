"""Rule files, typed, with all their prose and the place of everything that a finding may point at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from jsonschema import Draft202012Validator

from loopx_policy.catalog_files import SourceFile
from loopx_policy.catalog_source import reading
from loopx_policy.catalog_source.added import added_schema
from loopx_policy.catalog_source.findings import Mark, Report
from loopx_policy.catalog_source.schema_files import loose_rule_schema, read_schema
from loopx_policy.catalog_source.vocabulary import ParameterDoc, read_parameters
from loopx_policy.catalog_source.yaml_nodes import MapNode, Node


@dataclass(slots=True, frozen=True)
class Text:
    """A text of a rule file and where it stands; empty where the file has none."""

    value: str
    at: Mark


@dataclass(slots=True, frozen=True)
class CaseDoc:
    """A case of any point, as written; ``when`` is None where it is missing (``yaml_nodes.plain`` shows it)."""

    id: str
    point: str
    when: Node | None
    at: Mark
    reason: Text
    stratum: Text
    mode: Text
    state: Text
    effective_action: Text
    after: tuple[Text, ...]
    silent: bool
    contract: Text
    user_reason: Text
    asks: Text
    primary_action: Text
    verdict: Text
    blocks: Text
    requires: tuple[Text, ...]
    command: Text


@dataclass(slots=True, frozen=True)
class ObligationDoc:
    id: str
    kind: str
    when: Node | None
    beside: tuple[Text, ...]
    text: Text
    at: Mark


@dataclass(slots=True, frozen=True)
class WithholdingDoc:
    id: str
    what: str
    when: Node | None
    at: Mark


@dataclass(slots=True)
class RuleFile:
    """One pattern. ``file`` is what messages call the file; ``keys`` has the top-level keys in file order."""

    file: SourceFile
    id: str
    name: str
    family: str
    importance: str
    owner: str
    summary: str
    user_channel: str
    agent_channel: str
    decides: tuple[str, ...]
    parameters: dict[str, ParameterDoc]
    trigger: Node | None
    cases: dict[str, tuple[CaseDoc, ...]]
    obligations: tuple[ObligationDoc, ...]
    withholdings: tuple[WithholdingDoc, ...]
    state_contract: tuple[str, ...]
    bad_smells: tuple[str, ...]
    visual: Text
    validation: tuple[Text, ...]
    seed: str
    keys: dict[str, Mark] = field(default_factory=dict)
    places: dict[str, Mark] = field(default_factory=dict)

    def place(self, key: str) -> Mark:
        """Where the value of a top-level key stands, or the start of the file."""
        return self.places.get(key, Mark(self.file.label))


def read_rules(files: Iterable[SourceFile], report: Report) -> list[RuleFile]:
    """The rule files in ``files``, in the order given; what is wrong goes to ``report`` and reads as absent."""
    rules = []
    for file in files:
        node = reading.read_document(file, _validator(file.added), report)
        if node is not None:
            rules.append(_rule(file, node))
    return rules


@cache
def _validator(added: bool) -> Draft202012Validator:
    schema = loose_rule_schema(read_schema("rule"))
    return Draft202012Validator(added_schema(schema) if added else schema)


def _rule(file: SourceFile, node: MapNode) -> RuleFile:
    turn = reading.mapping(node, "turn")
    points = reading.mapping(node, "points")
    cases: dict[str, tuple[CaseDoc, ...]] = {}
    if "candidate" in node.entries:
        cases["candidate"] = _cases(node, "candidate", "candidate")
    if turn is not None:
        cases["turn"] = _cases(turn, "cases", "turn")
    for point in points.entries if points is not None else ():
        assert points is not None
        # A point that has a key of its own is reported by the binder, not merged with it.
        cases.setdefault(point, _cases(points, point, point))
    return RuleFile(
        file=file,
        id=reading.text(node, "id"),
        name=reading.text(node, "name"),
        family=reading.text(node, "family"),
        importance=reading.text(node, "importance"),
        owner=reading.text(node, "owner"),
        summary=reading.text(node, "summary"),
        user_channel=reading.text(node, "user_channel"),
        agent_channel=reading.text(node, "agent_channel"),
        decides=reading.texts(node, "decides"),
        parameters=read_parameters(node),
        trigger=turn.entries.get("trigger") if turn is not None else None,
        cases=cases,
        obligations=tuple(
            ObligationDoc(
                reading.text(entry, "id"), reading.text(entry, "kind"), entry.entries.get("when"),
                _texts(entry, "beside"), _text(entry, "text"), entry.mark,
            )
            for entry in reading.entries(node, "obligations")
        ),
        withholdings=tuple(
            WithholdingDoc(
                reading.text(entry, "id"), reading.text(entry, "what"), entry.entries.get("when"), entry.mark
            )
            for entry in reading.entries(node, "withholds")
        ),
        state_contract=reading.texts(node, "state_contract"),
        bad_smells=reading.texts(node, "bad_smells"),
        visual=_text(node, "visual"),
        validation=_texts(node, "validation"),
        seed=reading.text(node, "seed"),
        keys=node.keys,
        places={
            **{f"points.{key}": mark for key, mark in (points.keys.items() if points is not None else ())},
            **{f"decides.{name}": mark for name, mark in reading.placed_texts(node, "decides")},
            **{key: value.mark for key, value in node.entries.items()},
        },
    )  # fmt: skip


def _cases(holder: MapNode, key: str, point: str) -> tuple[CaseDoc, ...]:
    return tuple(_case(entry, point) for entry in reading.entries(holder, key))


def _case(node: MapNode, point: str) -> CaseDoc:
    nothing = MapNode(node.mark)
    user = reading.mapping(node, "user_channel") or nothing
    agent = reading.mapping(node, "agent_channel") or nothing
    return CaseDoc(
        id=reading.text(node, "id"),
        point=point,
        when=node.entries.get("when"),
        at=node.mark,
        reason=_text(node, "reason"),
        stratum=_text(node, "stratum"),
        mode=_text(node, "mode"),
        state=_text(node, "state"),
        effective_action=_text(node, "effective_action"),
        after=_texts(node, "after"),
        silent=reading.flag(node, "silent"),
        contract=_text(node, "contract"),
        user_reason=_text(user, "reason"),
        asks=_text(user, "asks"),
        primary_action=_text(agent, "primary_action"),
        verdict=_text(node, "verdict"),
        blocks=_text(node, "blocks"),
        requires=_texts(node, "requires"),
        command=_text(node, "command"),
    )


def _text(node: MapNode, key: str) -> Text:
    return Text(reading.text(node, key), reading.place(node, key))


def _texts(node: MapNode, key: str) -> tuple[Text, ...]:
    return tuple(Text(value, at) for value, at in reading.placed_texts(node, key))
