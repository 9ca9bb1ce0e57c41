"""Matching with ``durable_rules``: which conditions hold over a record, by its C module alone.

The Python ``Host`` of the package is not used: it starts timer threads, and its sessions can be deleted
under them. What was measured of the C module, and how the encoding avoids it, is in ``docs/engine.md``.
"""

from __future__ import annotations

import os
from _thread import RLock
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import Condition
from loopx_policy.engine.domain import COUNT_HIGH, COUNT_LOW
from loopx_policy.engine.record import PYTHON_TYPES, Record, RecordError
from loopx_policy.engine.shard import SENTINEL, Shard
from loopx_policy.errors import LoopxError

MODULE = "durable_rules_engine"
MAX_FAILURES = 3
_CALLS = ("create_ruleset", "delete_ruleset", "assert_fact", "start_action_for_state", "complete_and_start_action",
          "delete_state")  # fmt: skip
_SESSION = "s"


class EngineError(LoopxError):
    """The rule engine cannot be used, or did something that it must not do. The interpreter decides alone then."""

    kind: ClassVar[str] = "engine"


class _Engine:
    """The C module, one lock over it, and what a fork does to both.

    The module keeps the interpreter lock during a call; the lock here keeps the several calls of one
    evaluation together. ``generation`` grows when a fork copied a session in the middle of an evaluation.
    """

    __slots__ = ("busy", "generation", "lock", "module", "reason")

    def __init__(self) -> None:
        self.lock = RLock()
        self.busy = False
        self.generation = 0
        self.module: Any = None
        self.reason = ""

    def available(self) -> bool:
        if self.module is None and not self.reason:
            self._load()
        return self.module is not None

    def _load(self) -> None:
        try:
            # By name, so that a type checker needs no stubs and a failing build is a reason instead of a traceback.
            module = __import__(MODULE)
        except Exception as error:  # an undefined symbol, a missing file, anything that a broken build may raise
            path = getattr(error, "path", None) or ""
            message = str(error).replace(path, os.path.basename(path)) if path else str(error)
            self.reason = f"{MODULE} cannot be imported: {message}"
            return
        lacking = [call for call in _CALLS if not hasattr(module, call)]
        if lacking:
            self.reason = f"{MODULE} lacks {', '.join(lacking)}"
        else:
            self.module = module

    def after_fork(self) -> None:
        self.lock = RLock()
        if self.busy:
            self.busy = False
            self.generation += 1


_engine = _Engine()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_engine.after_fork)


def engine_available() -> tuple[bool, str]:
    """Whether the C module can be used, and if not, why. Imports it on the first call; never raises."""
    return _engine.available(), _engine.reason


class Matcher:
    """The conditions of one decision point as rulesets of the engine.

    ``shards``, if given, are what ``engine.plan.plan(name, items, facts)`` gave earlier: planning takes longer
    than all the rest, so a cache may keep them. :class:`CatalogError` if the conditions do not fit the engine,
    :class:`EngineError` if it is not there. Instances may be shared between threads and used after a fork.
    """

    __slots__ = ("_failures", "_generation", "_inputs", "_name", "_rulesets", "_shards")

    def __init__(
        self,
        name: str,
        items: Mapping[str, Condition],
        facts: Mapping[str, Fact],
        shards: Sequence[Shard] | None = None,
    ) -> None:
        self._rulesets: list[int] = []
        self._name = name
        if shards is None:
            from loopx_policy.engine.plan import plan

            shards = plan(name, items, facts)
        self._shards = tuple(shards)
        self._inputs = tuple(_input(facts[fact]) for fact in sorted({f for shard in self._shards for f in shard.facts}))
        self._failures = 0
        if not _engine.available():
            raise EngineError(f"The rule engine is not there: {_engine.reason}.")
        with _engine.lock:
            self._create()

    @property
    def shards(self) -> int:
        """How many rulesets there are."""
        return len(self._shards)

    def matched(self, record: Record) -> frozenset[str]:
        """The keys of the conditions that hold.

        :class:`RecordError` for a fact that is missing or not of its declaration; :class:`EngineError` if the
        engine failed, after which the next call starts with fresh rulesets, three times at most.
        """
        codes: dict[str, Any] = {}
        for name, kind, known in self._inputs:  # every value becomes an integer on its way in
            value: Any = record.get(name)
            if type(value) is not kind:
                raise _misfit(name, value)
            if known is not None:
                if value not in known:
                    raise _misfit(name, value)
                value = known[value]
            elif not COUNT_LOW <= value <= COUNT_HIGH:
                raise _misfit(name, value)
            codes[name] = value
        engine = _engine
        with engine.lock:
            if engine.busy:
                raise EngineError("The rule engine was entered again while it was matching.")
            if self._generation != engine.generation:
                self._rulesets = []
            engine.busy = True
            try:
                if not self._rulesets:
                    self._create()
                keys: set[str] = set()
                for ruleset, shard in zip(self._rulesets, self._shards, strict=True):
                    message = shard.template % tuple([codes[fact] for fact in shard.facts])
                    keys.update(*[shard.owners[fired] for fired in _fire(ruleset, message, len(shard.owners))])
                return frozenset(keys)
            except BaseException as error:
                self._discard()
                if isinstance(error, EngineError) or not isinstance(error, Exception):
                    raise
                raise EngineError(f"The rule engine failed on {self._name}: {error}.") from error
            finally:
                engine.busy = False

    def close(self) -> None:
        """Free the rulesets; a later call makes them anew."""
        rulesets, self._rulesets = self._rulesets, []
        for ruleset in rulesets:
            _engine.module.delete_ruleset(ruleset)

    def __del__(self) -> None:
        try:
            if self._generation == _engine.generation:
                self.close()
        except (AttributeError, TypeError):  # the constructor raised, or the interpreter is shutting down
            pass

    def _create(self) -> None:
        if self._failures >= MAX_FAILURES:
            raise EngineError(f"The rule engine failed {self._failures} times on {self._name} and is not tried again.")
        self._generation = _engine.generation
        create = _engine.module.create_ruleset
        try:
            self._rulesets = [create(self._name, shard.definition) for shard in self._shards]
        except Exception as error:
            raise EngineError(f"The rule engine refused the rules of {self._name}: {error}.") from error

    def _discard(self) -> None:
        """Leave the rulesets as they are: a session may be open that cannot be deleted safely."""
        self._rulesets = []
        self._failures += 1


def _input(fact: Fact) -> tuple[str, object, dict[str, int] | None]:
    """The name of a fact, the type of its values, and the codes of an enumeration."""
    codes = {value: code for code, value in enumerate(fact.values)} if fact.type == "enum" else None
    return fact.name, PYTHON_TYPES[fact.type], codes


def _misfit(name: str, value: Any) -> RecordError:
    return RecordError(f"The record gives the fact {name} as {value!r}, which its declaration does not allow.")


def _fire(ruleset: int, message: str, rules: int) -> list[int]:
    """The numbers of the rules that fire for a message, in a session that is made and deleted here.

    ``assert_fact`` and not ``assert_facts``: the latter reports success for a message that it could not
    read and hands out an undefined session.
    """
    module = _engine.module
    status, session = module.assert_fact(ruleset, message)
    started = module.start_action_for_state(ruleset, session) if status == 0 else None
    if started is None:
        raise EngineError(f"The rule engine did not take the record: status {status}.")
    fired: list[int] = []
    action = started[1]
    label = ""
    while action is not None:
        if label == SENTINEL or len(fired) > rules:
            raise EngineError("The rule engine fired more rules than there are.")
        label = action[2 : action.index('"', 2)]
        if label != SENTINEL:
            fired.append(int(label))
        action = module.complete_and_start_action(ruleset, session)
    # Only now: a session in which nothing was started has an undefined pointer that its deletion would free.
    module.delete_state(ruleset, _SESSION)
    if label != SENTINEL:
        raise EngineError("The rule engine stopped before its last rule.")
    return fired
