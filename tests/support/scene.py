"""Who is awake, when, and what the project talks about: what every building function needs to know."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone

from tests.support.chooser import Chooser
from tests.support.leaning import Leaning
from tests.support.words import LAST_PROSE, prose

GOAL = "harbor-goal"
OTHER_GOAL = "tide-goal"
AGENTS = ("main-agent", "side-agent", "third-agent")
ODD_AGENT = "codex.review:lane@host-2"
STRANGER = "stranger-agent"
GONE = "todo_gone"

HOUR = 3600
DAY = 24 * HOUR
NOON = 1_796_126_400
"""2026-12-01T12:00:00Z; the ``now`` of a project lies within three days after it."""

CAPABILITIES = (
    "shell",
    "filesystem_read",
    "filesystem_write",
    "benchmark_runner",
    "external_evidence_poll",
    "worker_bridge",
    "cli_bridge",
    "network",
    "credentials",
    "production_access",
    "quantum_link",
)
"""Always there (three), bridges (four), held by the owner (three), and one that nobody supports."""

NEEDED = ((CAPABILITIES, 40), (CAPABILITIES[3:7], 16), (CAPABILITIES[7:10], 18), (CAPABILITIES[10:], 26))
"""What the todos of one project draw their needs from: mostly all kinds, at times only one."""

SCOPES = ("docs/**", "docs/guide.md", "src/**", "src/core/engine.py", "infra/**", "runner/**", "*.md", "data/*/raw.csv")
DECISIONS = (
    ("direction", "action", "target_choice"),
    ("private_read", "goal", "owner_archive.letters"),
    ("public_claim", "goal", "launch_post"),
    ("resource", "lane", "harbor/gpu_pool"),
    ("write_scope", "action", "infra_change"),
    ("production", "global", "harbor_lights"),
)
GRANULARITIES = ("action", "lane", "goal", "project", "global")


MERGED = ("acme/harbor", 41)
UNMERGED = ("acme/harbor", 77)
BARE = 52
"""Pull requests that todos wait for; ``runtime`` draws which of them the rollout log reports."""


@dataclass(slots=True)
class Scene:
    """The facts that building functions share.

    ``me`` is the awake agent, ``None`` where none is named; ``needed`` are the capabilities that todos of
    this project may require.
    """

    choose: Chooser
    lean: Leaning
    now: int
    agents: tuple[str, ...] = ()
    primary: str = ""
    me: str | None = None
    time_style: str = "zulu"
    write_scope: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    used: dict[str, int] = field(default_factory=dict)

    @property
    def others(self) -> tuple[str, ...]:
        """Agents that are not awake; never empty, since foreign claims occur in any goal."""
        return tuple(agent for agent in self.agents if agent != self.me) or (STRANGER,)

    def text(self) -> str:
        """Free text."""
        return prose(self.choose.integer(0, LAST_PROSE))

    def new_id(self, letter: str) -> str:
        """A todo id that this project does not have yet: ``todo_a01``, ``todo_u01``, ..."""
        self.used[letter] = self.used.get(letter, 0) + 1
        return f"todo_{letter}{self.used[letter]:02d}"

    def at(self, offset: int) -> str:
        """The time ``offset`` seconds from now, as text in the style of this project."""
        return stamp(self.now + offset, self.time_style)


def stamp(second: int, style: str) -> str:
    """ISO 8601 text: ``zulu``, ``utc`` (+00:00), ``east`` (+05:30), ``fraction``, or ``bare`` (no zone)."""
    moment = datetime.fromtimestamp(second, UTC)
    if style == "zulu":
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    if style == "east":
        return moment.astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat()
    if style == "fraction":
        return moment.replace(microsecond=250_000).isoformat()
    if style == "bare":
        return moment.replace(tzinfo=None).isoformat()
    return moment.isoformat()
