"""The axioms are what the projection can produce: no project breaks one, and what keeps all of them is a project."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from loopx_policy.catalog_source.laws import Laws
from loopx_policy.decide import Evaluation, Policy
from loopx_policy.engine.catalog import Catalog
from loopx_policy.engine.conditions import Value
from loopx_policy.project.document import from_document
from loopx_policy.prove.axioms import keeps
from loopx_policy.prove.on_disk import read as read_back
from loopx_policy.prove.on_disk import write
from loopx_policy.prove.realise import back, differing, realise
from loopx_policy.prove.realise.scene import UnrealisableError
from loopx_policy.prove.space import Bits
from loopx_policy.prove.theories import Theories
from tests.properties.conftest import read
from tests.prove.sampling import sample
from tests.support.laying import scratch
from tests.support.projects import Project, projects, sample_projects


@pytest.fixture(scope="module")
def own(catalog: Catalog, laws: Laws) -> Theories:
    """Theories that no other module asks, so that the same records are drawn whatever else is run."""
    return Theories(catalog, laws)


def neutral(policy: Policy) -> tuple[str, ...]:
    value = policy.catalog.parameters["IP-023.neutral"]
    assert isinstance(value, tuple)
    return tuple(map(str, value))


def records_of(evaluation: Evaluation) -> list[dict[str, Value]]:
    """The turn's record, and that of each candidate joined with it and with its verdict."""
    turn = evaluation.turn.record.values
    kinds = evaluation.catalog.points["candidate"].blocks
    joined = [
        {
            **turn,
            **candidate.values,
            "verdict.runnable": candidate.verdict.runnable,
            **{f"blocked.{kind}": kind in candidate.verdict.blocks for kind in kinds},
        }
        for candidate in evaluation.turn.frontier.candidates
    ]
    return [turn, *joined]


def broken_by(laws: Laws, policy: Policy, project: Project, folder: str) -> list[str]:
    snapshot, _ = read(policy, project, folder)
    evaluation = policy.evaluate(snapshot)
    facts = {**policy.catalog.points["turn"].facts, **policy.catalog.points["candidate"].facts}
    found = []
    for record in records_of(evaluation):
        for axiom in laws.axioms:
            applies = axiom.point == "turn" or "candidate.claim" in record
            if applies and not keeps(axiom, record, facts):
                found.append(axiom.id)
    return found


def test_two_hundred_random_projects_keep_all_axioms(laws: Laws, policy: Policy) -> None:
    with scratch() as folder:
        for project in sample_projects(200, 7):
            assert broken_by(laws, policy, project, folder) == [], project.dump()


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(project=projects())
def test_whatever_project_is_drawn_keeps_all_axioms(laws: Laws, policy: Policy, project: Project) -> None:
    with scratch() as folder:
        assert broken_by(laws, policy, project, folder) == [], project.dump()


@pytest.mark.slow
@settings(max_examples=120, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_a_record_that_keeps_the_axioms_is_a_project_that_gives_it_back(
    own: Theories, policy: Policy, seed: int
) -> None:
    record = sample(own.of("turn"), own.default("turn"), Random(seed))
    note(str(record))
    document = realise(policy, record)
    assert differing(record, back(policy, document)) == {}
    with scratch() as folder:
        snapshot = read_back(write(document, folder), from_document(document).now, neutral(policy))
    assert differing(record, policy.evaluate(snapshot)) == {}


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32))
def test_so_is_a_record_of_a_turn_and_one_of_its_candidates(own: Theories, policy: Policy, seed: int) -> None:
    record = sample(own.of("candidate"), own.default("candidate"), Random(seed), small=True)
    note(str(record))
    assert differing(record, back(policy, realise(policy, record))) == {}


@pytest.mark.slow
def test_no_axiom_keeps_out_what_a_project_shows(
    theories: Theories, policy: Policy, laws: Laws, tmp_path: Path
) -> None:
    """A record that breaks one axiom and keeps the others cannot be laid out so that its projection gives it back."""
    for axiom in laws.axioms:
        theory = theories.of(axiom.point)
        answer = theory.ask(theory.space.z3.Not(theory.axioms[axiom.id]), without=[axiom.id])
        assert answer.record is not None, f"{axiom.id} follows from {answer.core}"
        try:
            document = realise(policy, answer.record)
        except UnrealisableError:
            continue
        place = write(document, str(tmp_path / axiom.id))
        snapshot = read_back(place, from_document(document).now, neutral(policy))
        assert differing(answer.record, policy.evaluate(snapshot)), axiom.id


def test_the_solver_reads_an_axiom_as_it_is_evaluated(theories: Theories, laws: Laws) -> None:
    theory = theories.of("turn")
    bits = Bits(theory.space, theory.axioms)
    chance = Random(3)
    facts = theory.space.facts
    kept = 0
    for _ in range(300):
        record: dict[str, Value] = {}
        for name, fact in facts.items():
            if fact.type == "enum":
                record[name] = chance.choice(fact.values)
            else:
                record[name] = chance.random() < 0.5 if fact.type == "bool" else chance.choice((0, 0, 1, 2, 16, 99))
        expected = {axiom.id for axiom in laws.axioms if axiom.point == "turn" and keeps(axiom, record, facts)}
        assert bits.true_on(record) == expected
        kept += len(expected)
    assert 0 < kept < 300 * len(theory.axioms)
