"""All checks of a catalog, in the order in which a reader wants them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from loopx_policy.catalog_source.laws import Laws
from loopx_policy.decide import Policy
from loopx_policy.engine.catalog import Catalog
from loopx_policy.prove import checks
from loopx_policy.prove.added import added
from loopx_policy.prove.alive import alive
from loopx_policy.prove.faithful import compare
from loopx_policy.prove.result import Check, Finding, Shown
from loopx_policy.prove.theories import Theories
from loopx_policy.prove.used import axioms
from loopx_policy.prove.witness import lay_out

RECORDS, SEED = 2_000, 20261201


@dataclass(slots=True)
class Proof:
    """What was proved; ``engine`` is false where durable_rules is not installed and was not compared."""

    digest: str
    checks: list[Check] = field(default_factory=list)
    engine: bool = True

    @property
    def ok(self) -> bool:
        """Whether no check failed."""
        return all(check.ok for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """``{ok, catalog_digest, engine, checks: [...]}``."""
        return {
            "ok": self.ok,
            "catalog_digest": self.digest,
            "engine": self.engine,
            "checks": [check.to_dict() for check in self.checks],
        }


def prove(
    catalog: Catalog,
    laws: Laws,
    *,
    records: int = RECORDS,
    base: Catalog | None = None,
    folder: str = "",
    every: bool = False,
) -> Proof:
    """Run every check. ``base`` is the catalog without the rules that a directory adds.

    Witnesses of what failed, or of ``every`` finding, become projects below ``folder``.
    """
    proof = Proof(catalog.digest)
    theories = Theories(catalog, laws)
    for check in _checks(theories, records, base, proof):
        proof.checks.append(check)
        if any(finding.shown and (finding.failed or every) for finding in check.findings):
            lay_out(Policy(catalog), laws, check, folder, every=every)
    return proof


def _checks(theories: Theories, records: int, base: Catalog | None, proof: Proof) -> Iterator[Check]:
    yield checks.total(theories)
    yield checks.deterministic(theories)
    yield alive(theories)
    yield checks.invariants(theories)
    if base is not None:
        yield added(theories, base)
    yield axioms(theories, theories.relied)
    yield _faithful(theories, records, proof)


def _faithful(theories: Theories, records: int, proof: Proof) -> Check:
    found = compare(theories.catalog, records, SEED)
    proof.engine = found.engine
    readings = "The solver, the interpreter and durable_rules" if found.engine else "The solver and the interpreter"
    check = Check(
        "faithful", f"{readings} read every condition alike over random records.", sum(found.records.values())
    )
    for one in found.disagreements:
        default = theories.default(one.point)
        differs = {name: value for name, value in one.record.items() if value != default[name]}
        says = f"{one.between} differ about {', '.join(one.about)}.".capitalize()
        check.findings.append(Finding(one.point, says, by=one.about, shown=Shown(one.point, one.record, differs)))
    return check
