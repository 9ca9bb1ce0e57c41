"""What a command line asks for, and what comes back: values, so that only the edge prints.

A parser makes a ``Request``; running it gives a ``Result``; the edge shows the result in the wanted format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from loopx_policy.records import field, record

Json = dict[str, Any]


@record(frozen=True)
class Globals:
    """The options that every command takes. Empty where not given."""

    registry: str = ""
    runtime_root: str = ""
    format: str = ""
    now: str = ""
    rules: tuple[str, ...] = ()


@record
class Result:
    """``data`` is what ``--format json`` prints; ``view`` names the module of ``render`` that shows it to people.

    ``text`` is the rare JSON that must be printed byte for byte as it is given.
    """

    data: Json
    view: str
    exit_code: int = 0
    text: str = ""


class Request(Protocol):
    """A parsed command line."""

    @property
    def options(self) -> Globals: ...

    def run(self) -> Result:
        """Do what was asked; a ``LoopxError`` says why it could not be done."""
        ...


@record(frozen=True)
class ShouldRun:
    """``quota should-run``. ``agent_id`` is ``None`` where no agent was named."""

    options: Globals = field(default_factory=Globals)
    goal_id: str | None = None
    agent_id: str | None = None
    available_capability: tuple[str, ...] = ()
    snapshot: str | None = None
    detail: bool = False

    def run(self) -> Result:
        from .answers.should_run import should_run

        return should_run(self)


@record(frozen=True)
class Claim:
    """``todo claim``, which every agent types at the beginning of a turn."""

    options: Globals
    todo_id: str
    claimed_by: str | None = None
    goal_id: str | None = None
    agent_id: str | None = None
    available_capability: tuple[str, ...] = ()
    operator: bool = False
    dry_run: bool = False
    idempotency_key: str = ""

    def run(self) -> Result:
        from .answers.todo import claim

        return claim(self)


@record(frozen=True)
class Call:
    """Any other command: the work that its parsed options describe."""

    options: Globals
    work: Callable[[], Result]

    def run(self) -> Result:
        return self.work()


@record(frozen=True)
class Stream:
    """A command that prints a result whenever it has a new one, until it is interrupted or has no more."""

    options: Globals
    results: Callable[[], Iterator[Result]]
