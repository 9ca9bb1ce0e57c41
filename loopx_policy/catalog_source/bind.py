"""Rules bound to the vocabulary: every name looked up, every condition read, what is wrong reported."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from loopx_policy.catalog_source.conditions import NEVER, Scope, read_condition
from loopx_policy.catalog_source.findings import Mark, Report
from loopx_policy.catalog_source.rules import CaseDoc, RuleFile, Text
from loopx_policy.catalog_source.vocabulary import GROUND, Vocabulary
from loopx_policy.catalog_source.yaml_nodes import Node
from loopx_policy.engine.catalog import Case, Channel, Obligation, Withheld, Withholding
from loopx_policy.engine.conditions import AllOf, Condition

_CHANNELS: dict[str, Channel] = {"user": "user", "agent": "agent", "view": "view"}
_WITHHELD: dict[str, Withheld] = {"delivery": "delivery", "spending": "spending", "quiet": "quiet"}
_BRACES = re.compile(r"\{([^{}]*)\}")
ALWAYS = AllOf(())


@dataclass(slots=True)
class Use:
    """What the rules name: facts by point, parameters (``IP-022.lane_cap`` for a rule's own), placeholders."""

    facts: dict[str, set[str]] = field(default_factory=dict)
    parameters: set[str] = field(default_factory=set)
    placeholders: set[str] = field(default_factory=set)


@dataclass(slots=True)
class BoundRule:
    """A rule and what it compiles to; ``cases`` pairs each compiled case with what was written, in file order.

    Each turn case has the ``trigger`` in its condition already.
    """

    rule: RuleFile
    cases: list[tuple[Case, CaseDoc]] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    withholdings: list[Withholding] = field(default_factory=list)
    trigger: Condition = ALWAYS


def bind_rules(rules: Iterable[RuleFile], vocabulary: Vocabulary, use: Use, report: Report) -> list[BoundRule]:
    """Each rule bound; names that the vocabulary lacks and values that do not fit go to ``report``."""
    check_mode_texts(vocabulary, use, report)
    return [_Binder(rule, vocabulary, use, report).bind() for rule in rules]


def check_text(text: str, at: Mark, vocabulary: Vocabulary, use: Use, report: Report) -> None:
    """Every ``{placeholder}`` of a message is declared."""
    for name in _BRACES.findall(text):
        use.placeholders.add(name)
        if name not in vocabulary.placeholders:
            report.unknown(at, "unknown-placeholder", "placeholder", name, vocabulary.placeholders, fatal=False)
    rest = _BRACES.sub("", text)
    if "{" in rest or "}" in rest:
        report.error(
            at, "unknown-placeholder", "A brace of this text has no partner; write {name} or leave it out.", fatal=False
        )


def check_mode_texts(vocabulary: Vocabulary, use: Use, report: Report) -> None:
    for mode in vocabulary.modes.values():
        for text, at in mode.cli_actions:
            check_text(text, at, vocabulary, use, report)


class _Binder:
    __slots__ = ("bound", "report", "rule", "scopes", "use", "vocabulary")

    def __init__(self, rule: RuleFile, vocabulary: Vocabulary, use: Use, report: Report) -> None:
        self.rule = rule
        self.vocabulary = vocabulary
        self.use = use
        self.report = report
        self.bound = BoundRule(rule)
        self.scopes: dict[str, Scope] = {}

    def bind(self) -> BoundRule:
        rule, vocabulary = self.rule, self.vocabulary
        if rule.family and rule.family not in {*vocabulary.families, GROUND}:
            self.unknown(rule.place("family"), "family", rule.family, [*vocabulary.families, GROUND])
        for point in rule.decides:
            if point not in vocabulary.points:
                self.unknown(rule.place(f"decides.{point}"), "point", point, vocabulary.points, fatal=False)
        trigger = self.condition(rule.trigger, "turn") if rule.trigger is not None else ALWAYS
        self.bound.trigger = trigger
        for point, cases in rule.cases.items():
            self.cases(point, cases, trigger)
        for duty in rule.obligations:
            when = self.condition(duty.when, "turn")
            self.text(duty.text)
            kind = _CHANNELS.get(duty.kind, "view")
            for stratum in duty.beside:
                self.known(stratum, "stratum", vocabulary.strata)
            beside = tuple(stratum.value for stratum in duty.beside)
            self.bound.obligations.append(Obligation(rule.id, duty.id, kind, when, duty.text.value, beside))
        for doc in rule.withholdings:
            what = _WITHHELD.get(doc.what, "quiet")
            self.bound.withholdings.append(Withholding(rule.id, doc.id, what, self.condition(doc.when, "turn")))
        return self.bound

    def cases(self, point: str, cases: Iterable[CaseDoc], trigger: Condition) -> None:
        where = self.rule.place(f"points.{point}")
        if point not in self.vocabulary.points:
            self.unknown(where, "point", point, self.vocabulary.points)
            return
        if f"points.{point}" in self.rule.places and point in ("turn", "candidate"):
            self.report.error(
                where, "misplaced-point", f"Cases of '{point}' stand under the key '{point}'; move them there."
            )
            return
        for doc in cases:
            when = self.condition(doc.when, point)
            for text in (doc.reason, doc.user_reason, doc.primary_action, *doc.requires, doc.command):
                self.text(text)
            if point == "turn":
                self.turn_case(doc)
                when = _both(trigger, when)
            else:
                self.verdict_case(doc, point)
            self.bound.cases.append((self.compiled(doc, when), doc))

    def compiled(self, doc: CaseDoc, when: Condition) -> Case:
        mode = self.vocabulary.modes.get(doc.mode.value)
        default = mode.mode.effective_actions[:1] if mode is not None else ()
        return Case(
            pattern=self.rule.id,
            id=doc.id,
            point=doc.point,
            when=when,
            stratum=doc.stratum.value,
            after=tuple(text.value for text in doc.after),
            mode=doc.mode.value,
            effective_action=doc.effective_action.value or "".join(default),
            state=doc.state.value,
            reason=doc.reason.value,
            user_reason=doc.user_reason.value,
            primary_action=doc.primary_action.value,
            asks=doc.asks.value,
            contract=doc.contract.value,
            silent=doc.silent,
            verdict=doc.verdict.value,
            blocks=doc.blocks.value,
            requires=tuple(text.value for text in doc.requires),
            command=doc.command.value,
        )

    def turn_case(self, doc: CaseDoc) -> None:
        vocabulary = self.vocabulary
        self.known(doc.stratum, "stratum", vocabulary.strata)
        self.known(doc.state, "state", vocabulary.states)
        self.known(doc.mode, "mode", vocabulary.modes)
        facts = vocabulary.facts.get("turn", {})
        if doc.asks.value:
            self.use.facts.setdefault("turn", set()).add(doc.asks.value)
            if doc.asks.value not in facts:
                self.report.unknown(doc.asks.at, "unknown-fact", "fact of the point 'turn'", doc.asks.value, facts)
        action, mode = doc.effective_action, vocabulary.modes.get(doc.mode.value)
        if action.value and mode is not None and action.value not in mode.mode.effective_actions:
            self.report.unknown(
                action.at, "unknown-effective-action", f"effective_action of the mode '{doc.mode.value}'",
                action.value, mode.mode.effective_actions,
            )  # fmt: skip

    def verdict_case(self, doc: CaseDoc, point: str) -> None:
        declared = self.vocabulary.points[point]
        if doc.verdict.value and doc.verdict.value not in declared.verdicts:
            self.report.unknown(
                doc.verdict.at, "unknown-verdict", f"verdict of '{point}'", doc.verdict.value, declared.verdicts
            )
        if doc.blocks.value and doc.blocks.value not in declared.blocks:
            self.report.unknown(
                doc.blocks.at, "unknown-block", f"kind of block of '{point}'", doc.blocks.value, declared.blocks
            )
        strictest = declared.verdicts[:1] == (doc.verdict.value,)
        if declared.blocks and strictest and not doc.blocks.value:
            self.report.error(
                doc.at,
                "missing-key",
                f"The case needs the kind of block; add blocks: {declared.blocks[0]}, or another kind.",
            )
        if doc.blocks.value and not strictest:
            self.report.error(
                doc.blocks.at,
                "unknown-block",
                f"A case that says '{doc.verdict.value}' blocks nothing; leave 'blocks' out.",
            )

    def condition(self, node: Node | None, point: str) -> Condition:
        if node is None:
            return NEVER
        scope = self.scopes.get(point)
        if scope is None:
            vocabulary = self.vocabulary
            scope = self.scopes[point] = Scope(
                point=point,
                facts={name: doc.fact for name, doc in vocabulary.facts.get(point, {}).items()},
                own_parameters={name: doc.value for name, doc in self.rule.parameters.items()},
                parameters={name: doc.value for name, doc in vocabulary.parameters.items()},
                facts_read=self.use.facts.setdefault(point, set()),
                parameters_read=self.use.parameters,
                pattern=self.rule.id,
            )
        return read_condition(node, scope, self.report)

    def text(self, text: Text) -> None:
        check_text(text.value, text.at, self.vocabulary, self.use, self.report)

    def known(self, text: Text, kind: str, names: Iterable[str]) -> None:
        if text.value and text.value not in names:
            self.unknown(text.at, kind, text.value, names)

    def unknown(self, at: Mark, kind: str, name: str, names: Iterable[str], *, fatal: bool = True) -> None:
        what = "decision point" if kind == "point" else kind
        self.report.unknown(at, f"unknown-{kind}", what, name, names, fatal=fatal)


def _both(trigger: Condition, when: Condition) -> Condition:
    """The trigger and-ed in; flat, so that a matcher sees one conjunction."""
    parts: list[Condition] = []
    for condition in (trigger, when):
        parts += condition.parts if isinstance(condition, AllOf) else (condition,)
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))
