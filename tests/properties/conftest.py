"""Two thousand random projects, drawn, laid on disk, read and decided once for all properties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from loopx_policy.budget import encode, fit
from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide import Evaluation, Policy
from loopx_policy.decision import Decision, build
from loopx_policy.model import Snapshot
from loopx_policy.project import read_project
from tests.support.laying import laid, scratch
from tests.support.projects import Project, sample_projects

COUNT = 2000
ON_REAL_GIT = 50
SEED = 20261201


@dataclass(slots=True)
class Decided:
    """One project with everything between its files and the bytes of its answer."""

    project: Project
    root: str
    snapshot: Snapshot
    evaluation: Evaluation
    decision: Decision
    full: dict[str, Any]
    answer: dict[str, Any]
    text: str

    @property
    def contract(self) -> dict[str, Any]:
        contract: dict[str, Any] = self.answer["interaction_contract"]
        return contract


def read(policy: Policy, project: Project, folder: str, *, git: bool = False) -> tuple[Snapshot, str]:
    """The snapshot of a project on disk, found by the environment so that no option holds a path."""
    with laid(project, folder, git=git) as layout:
        snapshot = read_project(
            goal_id=project.goal_id,
            registry=None,
            runtime_root=None,
            cwd=layout.cwd,
            env={"LOOPX_REGISTRY": layout.registry_path},
            now=project.now,
            agent_id=project.agent_id,
            capabilities=project.capabilities,
            neutral=policy.catalog.parameters["IP-023.neutral"],  # type: ignore[arg-type]
        )
        return snapshot, layout.root


def decided(policy: Policy, project: Project, snapshot: Snapshot, root: str) -> Decided:
    """Evaluate and build, keeping every stage."""
    evaluation = policy.evaluate(snapshot)
    decision = build(evaluation)
    answer = fit(decision.to_dict())
    return Decided(project, root, snapshot, evaluation, decision, decision.to_dict(), answer, encode(answer))


@pytest.fixture(scope="session")
def policy() -> Policy:
    return Policy(load_catalog())


@pytest.fixture(scope="session")
def sample(policy: Policy) -> list[Decided]:
    """All of them; the first worktree and primary checkouts among them come from real git."""
    found: list[Decided] = []
    real = 0
    with scratch() as folder:
        for project in sample_projects(COUNT, SEED):
            git = real < ON_REAL_GIT and project.cwd in ("worktree", "primary")
            real += git
            snapshot, root = read(policy, project, folder, git=git)
            found.append(decided(policy, project, snapshot, root))
    assert real == ON_REAL_GIT
    return found
