"""``loopx serve-status``: what the loopback server shows, from the answers of the other commands, and its life."""

from __future__ import annotations

import socket
import time
from collections.abc import Collection, Iterator
from shlex import quote
from typing import Any

from loopx_policy.decide import Policy
from loopx_policy.decide_point import decide_point
from loopx_policy.decision import build
from loopx_policy.engine.catalog import Catalog
from loopx_policy.errors import UsageError
from loopx_policy.facts.points.projection import words_of
from loopx_policy.ledger.places import Caller
from loopx_policy.ledger.write import Judge
from loopx_policy.model import Snapshot
from loopx_policy.project.looks import Mark, Watched, latest, unchanged
from loopx_policy.project.times import iso
from loopx_policy.records import record
from loopx_policy.safe_text import redact
from loopx_policy.text import plain
from loopx_policy.watch import YOUNG

from ..request import Globals, Result
from . import status
from .goals import goals_of, registry_of
from .inputs import moment
from .policy import load
from .quota import awake, in_window
from .serve_page import ROWS, goal_page
from .watch import rule_marks
from .writing import Writer

Data = dict[str, Any]
SCHEMA = "loopx_serve_status_v0"


def serve(
    options: Globals, host: str, port: int, allow_origins: tuple[str, ...], write_enabled: bool
) -> Iterator[Result]:
    """Says where the dashboard is, and serves until it is interrupted."""
    try:
        import uvicorn

        from loopx_policy.server.app import make_app
        from loopx_policy.server.settings import may_start, settings_of, url_of
    except ImportError as error:
        raise UsageError(
            f"The server's packages are not installed ({error.name}).", fix="pip install 'loopx-policy[server]'"
        ) from None
    office = Desk(options)
    office.goal_ids()  # what is wrong with the registry is said now
    # Asked before anything listens; a port that is still to be chosen makes no difference to the answer.
    may_start(settings_of(host, port or 1, allow_origins, write_enabled), office.judge(""))
    with listening(host, port) as bound:
        settings = settings_of(host, bound.getsockname()[1], allow_origins, write_enabled)
        config = uvicorn.Config(
            make_app(office, settings),
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            ws="none",
            lifespan="off",
            backlog=512,
            timeout_keep_alive=15,
            timeout_graceful_shutdown=2,
        )
        yield Result({"url": url_of(settings), "reward_append": write_enabled, "bind_host": host}, "served")
        uvicorn.Server(config).run(sockets=[bound])


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; ``UsageError`` where the address is no address of this machine, or is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named, since only then does asyncio send answers without waiting for more to send.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(512)
    except (OSError, OverflowError) as error:
        bound.close()
        why = getattr(error, "strerror", None) or "no such address"
        raise UsageError(
            f"{host} port {port} cannot be served: {why}.", fix="Choose another --port or --host."
        ) from None
    return bound


@record
class _Kept:
    """A status with the second for which it holds, the marks of what it was read from, and its rules."""

    data: Data
    now: int
    marks: dict[str, Mark]
    catalog: Catalog

    def holds(self, now: int, catalog: Catalog) -> bool:
        same = self.now == now and self.catalog is catalog
        return same and unchanged(self.marks)


class Desk:
    """What the server works on: the project that the command line named. Not for several threads at once.

    Rules and status are kept only while the marks of everything that they were read from stay as they were.
    """

    def __init__(self, options: Globals) -> None:
        self._options = options
        self._rules: tuple[Catalog, dict[str, Mark]] | None = None
        self._kept: _Kept | None = None

    def _catalog(self) -> Catalog:
        marks = rule_marks(self._options)
        if self._rules is None or self._rules[1] != marks:
            catalog = load(self._options)
            if latest(marks) + YOUNG > time.time_ns():
                return catalog
            self._rules = catalog, marks
        return self._rules[0]

    def goal_ids(self) -> Collection[str]:
        return set(registry_of(self._options).ids)

    def caller(self, goal_id: str) -> Caller:
        return Writer(self._options, goal_id).caller(self._catalog())

    def judge(self, goal_id: str) -> Judge:
        catalog = self._catalog()
        flags = f" --goal-id {quote(goal_id)}" if goal_id else ""
        words = {"flags": flags, "place_flags": flags}

        def judge(point: str, document: Data) -> Any:
            return decide_point(catalog, point, document, words)

        return judge

    def status(self) -> Data:
        """``{as_of, goals: [status of the goal, with its quota and the turn of each agent]}``, public words only."""
        kept, catalog, now = self._kept, self._catalog(), moment(self._options)
        if kept is not None and kept.holds(now, catalog):
            return kept.data
        policy = Policy(catalog)
        with Watched() as marks:
            found = [_goal(policy, snapshot) for snapshot in goals_of(self._options, catalog, now)]
        data: Data = public({"schema_version": SCHEMA, "as_of": iso(now), "goals": found})
        sound = latest(marks) + YOUNG <= time.time_ns()
        self._kept = _Kept(data, now, marks, catalog) if sound else None
        return data

    def page(self) -> Data:
        """``{as_of, rewards, goals}`` for the dashboard, public words only; ``rewards`` are the values to choose."""
        catalog = self._catalog()
        now = moment(self._options)
        policy = Policy(catalog)
        found = [goal_page(self._options, policy, each) for each in goals_of(self._options, catalog, now)]
        rewards = list(words_of(catalog.parameters, "reward_values"))
        data: Data = public({"as_of": iso(now), "rewards": rewards, "goals": found})
        return data


def _goal(policy: Policy, snapshot: Snapshot) -> Data:
    agents: list[str | None] = list(snapshot.goal.agents) or [None]
    return status.of(snapshot, policy.catalog, None, ROWS) | {
        "quota": in_window(snapshot, policy.catalog),
        "turns": [build(policy.evaluate(awake(snapshot, agent))).to_dict() for agent in agents],
    }


def public(value: Any) -> Any:
    """Plain data with every text as it may leave the project: without paths of this machine, secrets and hosts."""
    if isinstance(value, str):
        return value if plain(value) else redact(value)
    if isinstance(value, dict):
        return {name: public(item) for name, item in value.items()}
    return [public(item) for item in value] if isinstance(value, (list, tuple)) else value
