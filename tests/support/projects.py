"""Random whole projects in the real on-disk format.

``sample_projects(count, seed)`` draws many, quickly and reproducibly; project number ``n`` of a seed is
``project_at(seed, n)``, whatever the count. ``projects()`` is the Hypothesis strategy over the same
space. ``Project.lay`` writes one to disk, ``reword`` (in ``rewording``) changes its free text only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal, cast

from hypothesis import strategies as st

from tests.support.breakage import FILES, break_something
from tests.support.chooser import Chooser, DrawChooser, RandomChooser, lean
from tests.support.document import Document
from tests.support.history import build_history
from tests.support.laying import Layout, lay
from tests.support.leaning import THEMES, Leaning
from tests.support.registry import build_registry, cast_agents
from tests.support.runtime import build_leases, build_rollout
from tests.support.scene import CAPABILITIES, DAY, GOAL, NEEDED, NOON, Scene
from tests.support.state import build_document

Json = dict[str, Any]
Cwd = Literal["primary", "worktree", "plain", "unrelated"]

SIDE_CWD: dict[str, int] = {"worktree": 90, "primary": 4, "plain": 3, "unrelated": 3}
OTHER_CWD: dict[str, int] = {"primary": 78, "worktree": 14, "plain": 4, "unrelated": 4}


@dataclass(slots=True)
class Project:
    """One goal with all that a decision may depend on, and who asks.

    ``registry`` and ``rows`` hold ``$ROOT`` where the folder of the layout will stand. ``agent_id`` is
    ``None`` where no agent is named. ``now`` is seconds since the epoch. ``broken`` names the contract
    that is broken on purpose, or is empty; ``missing``, ``empty`` and ``binary`` are about the state
    file as a whole. ``torn`` are raw lines of the run index: (the row they stand before, bytes).
    """

    number: int
    theme: str
    registry: Json
    document: Document
    rows: list[Json]
    rollout: list[Json]
    leases: list[Json]
    cwd: Cwd
    agent_id: str | None
    capabilities: tuple[str, ...]
    now: int
    payloads: dict[str, Json] = field(default_factory=dict)
    torn: list[tuple[int, bytes]] = field(default_factory=list)
    broken: str = ""
    goal_id: str = GOAL
    below: str = ""
    detached: bool = False
    registry_in_repo: bool = False

    @property
    def state_text(self) -> str:
        """The active goal state as written, however the state file itself may be broken."""
        return self.document.text()

    @property
    def state_readable(self) -> bool:
        return self.broken not in FILES

    @property
    def goal(self) -> Json:
        """The registry entry of the goal."""
        entry: Json = next(goal for goal in self.registry["goals"] if goal["id"] == self.goal_id)
        return entry

    @property
    def argv(self) -> list[str]:
        """The options of ``quota should-run`` that say who asks, for what, with what."""
        words = ["--goal-id", self.goal_id]
        if self.agent_id is not None:
            words += ["--agent-id", self.agent_id]
        for capability in self.capabilities:
            words += ["--available-capability", capability]
        return words

    def lay(self, root: str, git: bool = False) -> Layout:
        """Write the project into ``root`` (new or empty); see ``laying.lay``."""
        return lay(self, root, git=git)

    def dump(self) -> str:
        """All of it as text, for a failing test to print."""
        parts = [
            f"project {self.number} ({self.theme}{', broken: ' + self.broken if self.broken else ''})",
            f"cwd {self.cwd}, now {self.now}, argv {' '.join(self.argv)}",
            json.dumps(self.goal, indent=1),
            self.state_text,
            *(json.dumps(row) for row in self.rows),
            *(json.dumps(event) for event in self.rollout),
            *(json.dumps(lease) for lease in self.leases),
        ]
        return "\n".join(parts)


def build(choose: Chooser, number: int = 0, theme: Leaning | None = None) -> Project:
    """One project from whatever answers the questions."""
    leaning = theme or choose.weighted(THEMES)
    scene = Scene(choose, leaning, now=NOON + choose.integer(0, 3 * DAY))
    scene.time_style = choose.weighted([("utc", 50), ("zulu", 26), ("east", 12), ("fraction", 10), ("bare", 2)])
    scene.needed = choose.weighted(NEEDED)
    cast_agents(scene)
    registry = build_registry(scene)
    document = build_document(scene)
    history = build_history(scene, document.of("agent"))
    broken = break_something(scene, document) if choose.maybe(leaning.broken) else ""
    side = scene.me in scene.agents and scene.me != scene.primary
    cwd = cast(Cwd, choose.weighted(lean(SIDE_CWD if side else OTHER_CWD, leaning.cwd)))
    return Project(
        number=number,
        theme=leaning.theme,
        registry=registry,
        document=document,
        rows=history.rows,
        rollout=build_rollout(scene, document.of("agent")),
        leases=build_leases(scene, document.of("agent")),
        cwd=cwd,
        agent_id=scene.me,
        capabilities=tuple(choose.some(CAPABILITIES, 3)) if choose.maybe(42) else (),
        now=scene.now,
        payloads=history.payloads,
        torn=history.torn,
        broken=broken,
        below="quay/north" if choose.maybe(8) else "",
        detached=choose.maybe(10),
        registry_in_repo=choose.maybe(20),
    )


def project_at(seed: int, number: int) -> Project:
    """Project ``number`` of that seed."""
    return build(RandomChooser(f"{seed}:{number}"), number)


def sample_projects(count: int, seed: int) -> list[Project]:
    """The first ``count`` projects of that seed: the same on every machine, some 0.5 ms each."""
    return [project_at(seed, number) for number in range(count)]


@st.composite
def projects(draw: st.DrawFn) -> Project:
    """The Hypothesis strategy over the same space; shrinks towards small and calm projects."""
    return build(DrawChooser(draw))
