"""The shipped catalog: total, deterministic, alive, and every invariant holds."""

from __future__ import annotations

from loopx_policy.catalog_source.laws import Laws
from loopx_policy.prove import checks
from loopx_policy.prove.alive import alive
from loopx_policy.prove.result import Check
from loopx_policy.prove.theories import Theories
from loopx_policy.prove.used import axioms


def failures(check: Check) -> list[str]:
    return [f"{finding.subject}: {finding.says}" for finding in check.findings if finding.failed]


def test_exactly_one_case_leads_in_every_state(theories: Theories) -> None:
    assert failures(checks.total(theories)) == []


def test_every_order_within_a_stratum_is_declared_or_accepted(theories: Theories) -> None:
    check = checks.deterministic(theories)
    assert failures(check) == []
    assert all(finding.shown is not None for finding in check.findings), "each accepted pair has its witness"
    assert len(check.findings) == len(theories.laws.default_order)


def test_every_case_and_obligation_counts_somewhere(theories: Theories) -> None:
    check = alive(theories)
    assert failures(check) == []
    catalog = theories.catalog
    cases = sum(map(len, catalog.cases.values()))
    assert check.number == cases + len(catalog.obligations) + len(catalog.withholdings)


def test_every_invariant_holds(theories: Theories) -> None:
    check = checks.invariants(theories)
    assert failures(check) == []
    assert check.number >= 30


def test_every_invariant_says_what_it_renders(laws: Laws) -> None:
    for invariant in laws.invariants:
        assert len(invariant.says.split()) >= 5, invariant.id
        assert len(invariant.seed.split()) >= 5, invariant.id
    assert len({invariant.says for invariant in laws.invariants}) == len(laws.invariants)


def test_every_axiom_is_relied_on(theories: Theories) -> None:
    for check in (checks.total, checks.invariants, alive):
        check(theories)
    assert failures(axioms(theories, theories.relied)) == []
    assert theories.unfounded == frozenset()
