"""A catalog as terms: what matches, who leads, what is carried and withheld, and what the answer then says.

One :class:`Translation` holds the terms of one decision point of one catalog over a space of facts. Two catalogs
over one space can be compared; a candidate is translated together with its turn, whose facts it shares a space with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter

from loopx_policy.catalog_source.outcomes import NONE, WITHHELD
from loopx_policy.decide import RUNNABLE
from loopx_policy.engine.catalog import Case, Catalog, Fact
from loopx_policy.engine.channels import FAIL_CLOSED, FAIL_CLOSED_STATE
from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, Condition
from loopx_policy.engine.evaluate import conditions
from loopx_policy.errors import CatalogError
from loopx_policy.prove.space import Space, Term

OPEN_ITEMS: Condition = AnyOf((Compare("gates.open", "gte", 1), Compare("actions.open", "gte", 1)))
"""What ``decision.build`` takes for an open item of the caller, in facts."""


def facts_of(catalog: Catalog, point: str) -> dict[str, Fact]:
    """The facts of the space of a decision point; a candidate's stand beside those of its turn."""
    if point != "candidate":
        return dict(catalog.points[point].facts)
    found = dict(catalog.points["turn"].facts)
    for name, fact in catalog.points["candidate"].facts.items():
        if name in found:
            raise CatalogError(f"The fact {name} is declared for a turn and for a candidate.", fix="Rename one.")
        found[name] = fact
    return found


class Translation:
    """The terms of one decision point. ``matched`` is by key (``case:IP-021.skip``), in catalog order.

    ``flags`` and ``values`` are the outcome facts (see ``outcome``): one term for a flag, one a value for an enum.
    """

    __slots__ = ("catalog", "flags", "matched", "point", "space", "values")

    def __init__(self, catalog: Catalog, point: str, space: Space) -> None:
        self.catalog = catalog
        self.point = point
        self.space = space
        self.matched = {key: space.term(condition) for key, condition in conditions(catalog, point).items()}
        self.flags: dict[str, Term] = {}
        self.values: dict[str, dict[str, Term]] = {}
        if point == "turn":
            _Turn(self).translate()
        elif point == "candidate":
            _candidate(self)
        else:
            _point(self)

    def case(self, key: str) -> Term:
        """That a case matches, by its name."""
        return self.matched[f"case:{key}"]

    def leads(self, key: str) -> Term:
        """That a case leads a turn, or that it decides at another point; ``none`` for nothing."""
        return self.values["lead.case" if self.point == "turn" else "verdict.case"][key]

    def term(self, condition: Condition) -> Term:
        """A condition over facts and outcomes."""
        return language(self.space, self.flags, self.values)(condition)


def language(
    space: Space, flags: Mapping[str, Term], values: Mapping[str, Mapping[str, Term]]
) -> Callable[[Condition], Term]:
    """A reader of conditions that speak of facts and of outcomes alike."""
    z3 = space.z3

    def read(condition: Condition) -> Term:
        if not isinstance(condition, Compare):
            parts = [read(part) for part in condition.parts]
            if isinstance(condition, AllOf):
                return z3.And(parts)
            return z3.Or(parts) if isinstance(condition, AnyOf) else z3.Not(z3.Or(parts))
        if condition.fact not in flags and condition.fact not in values:
            return space.term(condition)
        wanted = condition.value if isinstance(condition.value, tuple) else (condition.value,)
        if condition.fact in flags:
            holds = z3.Or([flags[condition.fact] if value else z3.Not(flags[condition.fact]) for value in wanted])
        else:
            known = values[condition.fact]
            holds = z3.Or([known.get(str(value), z3.BoolVal(False)) for value in wanted])
        return holds if condition.op in ("eq", "in") else z3.Not(holds)

    return read


class _Turn:
    """The combination of a turn as terms: first-applicable, obligations, withholdings, fail-closed."""

    __slots__ = ("cases", "it", "lead", "z3")

    def __init__(self, translation: Translation) -> None:
        self.it = translation
        self.z3 = translation.space.z3
        self.cases = translation.catalog.cases.get("turn", ())
        self.lead: dict[str, Term] = {}

    def translate(self) -> None:
        z3, it, catalog = self.z3, self.it, self.it.catalog
        free = z3.BoolVal(True)  # nothing so far has matched; shared between the terms of all cases below
        for case in self.cases:
            matches = it.case(case.key)
            self.lead[case.key] = z3.And(matches, free)
            free = z3.And(free, z3.Not(matches))
        self.lead[NONE] = free
        it.values["lead.case"] = self.lead
        for name in ("pattern", "stratum", "mode", "effective_action"):
            it.values[f"lead.{name}"] = self.by(attrgetter(name)) | {NONE: self.lead[NONE]}
        for item in catalog.obligations:
            beside = [self.lead[case.key] for case in self.cases if case.stratum in item.beside]
            holds = it.matched[f"obligation:{item.key}"]
            it.flags[f"obliged.{item.key}"] = z3.And(holds, z3.Or(beside)) if item.beside else holds
        for what in WITHHELD:
            items = [it.matched[f"withhold:{item.key}"] for item in catalog.withholdings if item.what == what]
            it.flags[f"withheld.{what}"] = z3.Or(items)
        self.answer()

    def answer(self) -> None:
        """The flags of ``engine.channels``, written anew as terms."""
        z3, it, catalog = self.z3, self.it, self.it.catalog
        modes = catalog.modes
        flags = it.flags
        delivers = self.any(lambda case: modes[case.mode].delivery_allowed)
        spends = self.any(lambda case: modes[case.mode].spend_after_validation)
        failed = z3.Or(
            self.lead[NONE],
            z3.And(delivers, flags["withheld.delivery"]),
            z3.And(spends, flags["withheld.spending"]),
        )
        stands = z3.Not(failed)
        silent = z3.And(stands, self.any(lambda case: case.silent))
        asks = [z3.And(self.lead[c.key], it.space.term(Compare(c.asks, "gte", 1))) for c in self.cases if c.asks]
        asked = z3.And(stands, z3.Or(asks))
        told = z3.Or([flags[f"obliged.{item.key}"] for item in catalog.obligations if item.kind == "user"])
        required = z3.And(z3.Not(silent), z3.Or(it.space.term(OPEN_ITEMS), asked))
        closed = modes[FAIL_CLOSED]

        def flag(name: str) -> Term:
            leads = z3.And(stands, self.any(lambda case: bool(getattr(modes[case.mode], name))))
            return z3.Or(leads, z3.And(failed, z3.BoolVal(bool(getattr(closed, name)))))

        for name in ("must_attempt", "delivery_allowed", "spend_after_validation", "lists_candidates"):
            flags[f"decision.{name}"] = flag(name)
        flags["decision.failed_closed"] = failed
        flags["decision.silent"] = silent
        flags["decision.action_required"] = required
        flags["decision.notify"] = z3.And(z3.Not(silent), z3.Or(flag("notify"), required, told))
        quiet = z3.Or(silent, z3.Not(z3.Or(told, flags["withheld.quiet"])))
        flags["decision.quiet_noop_allowed"] = z3.And(flag("quiet_noop_allowed"), quiet)
        flags["lead.grants_delivery"], flags["lead.grants_spending"] = delivers, spends
        flags["lead.asks"] = z3.Or(asks)
        self.choice("decision.mode", {case.key: case.mode for case in self.cases}, FAIL_CLOSED, failed)
        self.choice("decision.state", {case.key: case.state for case in self.cases}, FAIL_CLOSED_STATE, failed)
        for name in ("spend_policy", "waiting_on"):
            of_mode = {mode.name: str(getattr(mode, name)) for mode in modes.values()}
            of_case = {case.key: of_mode[case.mode] for case in self.cases}
            self.choice(f"decision.{name}", of_case, of_mode[closed.name], failed)

    def choice(self, name: str, of_case: dict[str, str], otherwise: str, failed: Term) -> None:
        """An enum that the lead decides, and that is ``otherwise`` where the answer failed closed."""
        z3 = self.z3
        terms = {each: z3.And(z3.Not(failed), term) for each, term in self.by(lambda case: of_case[case.key]).items()}
        terms[otherwise] = z3.Or(failed, terms.get(otherwise, z3.BoolVal(False)))
        self.it.values[name] = terms

    def by(self, value: Callable[[Case], str]) -> dict[str, Term]:
        """For each value, that the lead has it."""
        groups: dict[str, list[Term]] = {}
        for case in self.cases:
            groups.setdefault(value(case), []).append(self.lead[case.key])
        return {each: self.z3.Or(terms) for each, terms in groups.items()}

    def any(self, test: Callable[[Case], bool]) -> Term:
        """That a case of which something is true leads."""
        return self.z3.Or([self.lead[case.key] for case in self.cases if test(case)])


def _candidate(it: Translation) -> None:
    """Deny-overrides, and a permission is needed. The turn's own outcomes are joined by whoever has both."""
    z3 = it.space.z3
    cases = it.catalog.cases.get("candidate", ())
    permitted = z3.Or(_matching(it, (case for case in cases if case.verdict == RUNNABLE)))
    denied = z3.Or(_matching(it, (case for case in cases if case.verdict != RUNNABLE)))
    it.flags["verdict.runnable"] = z3.And(permitted, z3.Not(denied))
    for kind in it.catalog.points["candidate"].blocks:
        it.flags[f"blocked.{kind}"] = z3.Or(_matching(it, (case for case in cases if case.blocks == kind)))


def _point(it: Translation) -> None:
    """The strictest verdict that a matching case gives, by the first such case; the default where none matches."""
    z3 = it.space.z3
    declared, cases = it.catalog.points[it.point], it.catalog.cases.get(it.point, ())
    stands: dict[str, Term] = {}
    kinds: dict[str, list[Term]] = {NONE: []}
    verdicts: dict[str, Term] = {}
    stricter: list[Term] = []
    for verdict in declared.verdicts:
        earlier: list[Term] = []
        for case in cases:
            if case.verdict == verdict:
                decides = z3.And(it.case(case.key), z3.Not(z3.Or([*stricter, *earlier])))
                stands[case.key] = decides
                kinds.setdefault(case.blocks or NONE, []).append(decides)
                earlier.append(it.case(case.key))
        verdicts[verdict] = z3.And(z3.Or(earlier), z3.Not(z3.Or(stricter)))
        stricter += earlier
    stands[NONE] = z3.Not(z3.Or(stricter))
    kinds[NONE].append(stands[NONE])
    verdicts[declared.default] = z3.Or(verdicts[declared.default], stands[NONE])
    it.values["verdict"], it.values["verdict.case"] = verdicts, stands
    if declared.blocks:
        it.values["verdict.kind"] = {kind: z3.Or(terms) for kind, terms in kinds.items()}


def _matching(it: Translation, cases: Iterable[Case]) -> list[Term]:
    return [it.case(case.key) for case in cases]
