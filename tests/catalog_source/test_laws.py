"""Axioms and invariants that name what nothing has are errors at their line, with the nearest name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from loopx_policy.catalog_files import SourceFile, Sources
from loopx_policy.catalog_source.lint import lint

INVARIANTS = """# yaml-language-server: $schema=schemas/invariants.schema.json
invariants:
  - id: paused_is_quiet
    says: A paused goal wakes nobody.
    seed: An invented passage.
    when: {goal.paused: true}
    then: {goal.paused: true}
default_order:
  - first: IP-101.few_redy
    second: IP-101.few_ready
    why: The first of the two does not exist.
"""
AXIOMS = """# yaml-language-server: $schema=schemas/axioms.schema.json
axioms:
  - id: an_axiom
    says: It rests on an invariant that nobody wrote.
    rests_on: [paused_is_quite]
    when: {goal.paused: true}
    then: {goal.paused: true}
"""


def test_names_that_nothing_has_are_told_with_the_nearest(tree: Path, read: Callable[[], Sources]) -> None:
    laws = {
        name: SourceFile(name, f"catalog/{name}", str(tree / "catalog" / name), text.encode())
        for name, text in (("invariants.yaml", INVARIANTS), ("axioms.yaml", AXIOMS))
    }
    found = {finding.rule: finding for finding in lint(read(), str(tree), laws)}
    assert found["unknown-case"].at.startswith("catalog/invariants.yaml:9")
    assert "IP-101.few_ready" in found["unknown-case"].message
    assert found["unknown-invariant"].at.startswith("catalog/axioms.yaml:3")
    assert "paused_is_quiet" in found["unknown-invariant"].message
