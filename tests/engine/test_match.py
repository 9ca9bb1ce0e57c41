"""The matcher in bad company: broken rulesets, threads, forks, a missing module, long runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from loopx_policy.engine.catalog import Fact
from loopx_policy.engine.conditions import AllOf, Compare, Condition
from loopx_policy.engine.interpret import Interpreter
from loopx_policy.engine.match import MAX_FAILURES, EngineError, Matcher, engine_available
from loopx_policy.engine.plan import MAX_FACTS, MAX_PENDING, plan
from loopx_policy.engine.shard import Shard
from tests.engine.strategies import FACTS, chance_condition, chance_record

ROOT = Path(__file__).parents[2]
NUMBER = {"n": Fact("n", "count")}
SOME: dict[str, Condition] = {"two": Compare("n", "gte", 2), "five": Compare("n", "eq", 5)}


def run(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", *arguments, "-c", textwrap.dedent(script)],
        capture_output=True, text=True, timeout=60, check=False, cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([environment.pop("first", ""), str(ROOT)]).lstrip(os.pathsep)},
    )  # fmt: skip


def test_the_engine_is_available_here() -> None:
    assert engine_available() == (True, "")


def test_matching_again_and_again_gives_the_same() -> None:
    matcher = Matcher("p", SOME, NUMBER)
    assert [matcher.matched({"n": found}) for found in (1, 2, 5, 1, 5)] == [
        frozenset(), {"two"}, {"two", "five"}, frozenset(), {"two", "five"},
    ]  # fmt: skip


def test_two_matchers_do_not_meet() -> None:
    one, other = Matcher("same name", SOME, NUMBER), Matcher("same name", {"low": Compare("n", "lt", 2)}, NUMBER)
    assert [one.matched({"n": 1}), other.matched({"n": 1}), one.matched({"n": 2})] == [set(), {"low"}, {"two"}]


def test_a_closed_matcher_opens_again() -> None:
    matcher = Matcher("p", SOME, NUMBER)
    matcher.close()
    matcher.close()
    assert matcher.matched({"n": 2}) == {"two"}


# What the engine does at its limits, asked of the engine itself: if one of these changes, so may plan.py.


def by_hand(rules: list[str], facts: int, *, sentinel: bool = True) -> Shard:
    """A ruleset that planning would not make; rule ``k`` tests the properties that are given."""
    texts = [f'"{number}":{{"all":[{{"m":{test}}}],"pri":{number}}}' for number, test in enumerate(rules)]
    if sentinel:
        texts.append(f'"end":{{"all":[{{"m":{{"z":1}}}}],"pri":{len(rules)}}}')
    names = tuple(f"f{number}" for number in range(facts))
    return Shard(
        definition="{" + ",".join(texts) + "}",
        template='{"sid":"s","id":"r","z":1' + "".join(f',"{name}":%d' for name in names) + "}",
        facts=names,
        owners=tuple((f"k{number}",) for number in range(len(rules))),
    )


def flags(count: int) -> tuple[dict[str, Fact], dict[str, Any]]:
    names = [f"f{number}" for number in range(count)]
    return {name: Fact(name, "bool") for name in names}, dict.fromkeys(names, True)


@pytest.mark.parametrize(("waiting", "works"), [(MAX_PENDING, True), (MAX_PENDING + 1, False)])
def test_the_engine_lets_so_many_alphas_wait(waiting: int, works: bool) -> None:
    facts, record = flags(waiting - 1)
    matcher = Matcher("p", {}, facts, [by_hand([f'{{"{name}":1}}' for name in facts], len(facts))])
    if works:
        assert len(matcher.matched(record)) == waiting - 1
    else:
        with pytest.raises(EngineError, match="303"):
            matcher.matched(record)


@pytest.mark.parametrize(("count", "works"), [(MAX_FACTS, True), (MAX_FACTS + 1, False)])
def test_the_engine_takes_so_many_facts(count: int, works: bool) -> None:
    facts, record = flags(count)
    matcher = Matcher("p", {}, facts, [by_hand(['{"f0":1}'], count)])
    if works:
        assert matcher.matched(record) == {"k0"}
    else:
        with pytest.raises(EngineError, match="302"):
            matcher.matched(record)


# What the matcher does when the engine fails.


def test_a_failure_is_an_engine_error_and_the_matcher_recovers() -> None:
    facts, record = flags(70)
    matcher = Matcher("p", {}, facts, [by_hand([f'{{"{name}":1}}' for name in facts], 70)])
    few = {**dict.fromkeys(facts, False), "f3": True}
    assert matcher.matched(few) == {"k3"}
    with pytest.raises(EngineError, match="failed on p: Could not assert fact"):
        matcher.matched(record)
    assert matcher.matched(few) == {"k3"}


def test_after_three_failures_it_is_not_tried_again() -> None:
    facts, record = flags(70)
    matcher = Matcher("p", {}, facts, [by_hand([f'{{"{name}":1}}' for name in facts], 70)])
    for _ in range(MAX_FAILURES):
        with pytest.raises(EngineError, match="Could not assert fact"):
            matcher.matched(record)
    with pytest.raises(EngineError, match="is not tried again"):
        matcher.matched(dict.fromkeys(facts, False))


def test_a_missing_sentinel_is_noticed() -> None:
    facts, record = flags(2)
    matcher = Matcher("p", {}, facts, [by_hand(['{"f0":1}', '{"f1":1}'], 2, sentinel=False)])
    with pytest.raises(EngineError, match="stopped before its last rule"):
        matcher.matched(record)
    with pytest.raises(EngineError, match="did not take the record"):
        matcher.matched(dict.fromkeys(facts, False))


def test_a_rule_after_the_sentinel_is_noticed() -> None:
    facts, record = flags(1)
    shard = by_hand(['{"f0":1}'], 1)
    late = Shard(shard.definition.replace('"pri":0', '"pri":9'), shard.template, shard.facts, shard.owners)
    with pytest.raises(EngineError, match="more rules than there are"):
        Matcher("p", {}, facts, [late]).matched(record)


def test_a_ruleset_that_the_engine_cannot_read_is_an_engine_error() -> None:
    facts, _ = flags(1)
    with pytest.raises(EngineError, match="refused the rules of p: Could not create ruleset"):
        Matcher("p", {}, facts, [by_hand(['{"$and":1}'], 1)])


def test_entering_the_engine_from_within_is_refused() -> None:
    matcher = Matcher("p", SOME, NUMBER)
    inner: list[str] = []

    def profile(_frame: Any, event: str, function: Any) -> None:
        if event == "c_call" and getattr(function, "__name__", "") == "complete_and_start_action" and not inner:
            with pytest.raises(EngineError) as refused:
                matcher.matched({"n": 1})
            inner.append(str(refused.value))

    sys.setprofile(profile)
    try:
        outer = matcher.matched({"n": 2})
    finally:
        sys.setprofile(None)
    assert "entered again" in inner[0]
    assert outer == {"two"}


# Threads, forks, a long life.


def cases(seed: int, count: int) -> Iterator[dict[str, Any]]:
    chance = Random(seed)
    for _ in range(count):
        yield chance_record(chance)


def several_conditions() -> dict[str, Condition]:
    chance = Random(11)
    return {f"k{number}": chance_condition(chance, 2) for number in range(40)}


def test_threads_may_share_a_matcher() -> None:
    items = several_conditions()
    matcher, interpreter = Matcher("turn", items, FACTS), Interpreter(items)
    wrong: list[dict[str, Any]] = []

    def work(seed: int) -> None:
        wrong.extend(each for each in cases(seed, 200) if matcher.matched(each) != interpreter.matched(each))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert not any(thread.is_alive() for thread in threads)
    assert wrong == []


FORKING = """
    import os, signal, threading
    from random import Random
    from loopx_policy.engine.interpret import Interpreter
    from loopx_policy.engine.match import Matcher
    from tests.engine.strategies import FACTS, chance_record
    from tests.engine.test_match import several_conditions

    items = several_conditions()
    matcher, interpreter = Matcher("turn", items, FACTS), Interpreter(items)
    stop = threading.Event()

    def agree(seed, count):
        chance = Random(seed)
        records = [chance_record(chance) for _ in range(count)]
        return all(matcher.matched(each) == interpreter.matched(each) for each in records)

    def work():
        while not stop.is_set():
            assert agree(1, 5)

    thread = threading.Thread(target=work)
    thread.start()
    children = []
    for seed in range(30):
        child = os.fork()
        if child == 0:
            signal.alarm(20)
            os._exit(0 if agree(seed, 10) else 1)
        children.append(child)
    codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    stop.set()
    thread.join()
    print(set(codes), agree(2, 10))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform does not fork")
def test_children_forked_in_the_middle_of_an_evaluation_match_as_well() -> None:
    done = run(FORKING, "-W", "ignore::DeprecationWarning")
    assert (done.returncode, done.stdout.strip()) == (0, "{0} True"), done.stderr


LIVING = """
    from random import Random
    from loopx_policy.engine.match import Matcher
    from tests.engine.strategies import FACTS, chance_record
    from tests.engine.test_match import several_conditions

    def resident():
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    items, chance = several_conditions(), Random(3)
    records = [chance_record(chance) for _ in range(50)]
    matcher = Matcher("turn", items, FACTS)

    def evaluate(count):
        for number in range(count):
            matcher.matched(records[number % 50])

    def live_and_die(count):
        shards = matcher._shards
        for _ in range(count):
            Matcher("turn", items, FACTS, shards).matched(records[0])

    evaluate(500)
    before = resident()
    evaluate(4000)
    between = resident()
    live_and_die(20)
    after = resident()
    live_and_die(100)
    print(between - before, resident() - after)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="resident memory is read from /proc")
def test_neither_evaluations_nor_matchers_leave_memory_behind() -> None:
    """A session or a ruleset is hundreds of kilobytes: one in a hundred that stayed would show."""
    done = run(LIVING)
    assert done.returncode == 0, done.stderr
    evaluations, matchers = map(int, done.stdout.split())
    assert evaluations < 2_000
    assert matchers < 4_000


# Shapes near which the engine hangs, crashes or answers wrongly, through the matcher: in a process of its own.

SHAPES = """
    from loopx_policy.engine.catalog import Fact
    from loopx_policy.engine.conditions import AllOf, AnyOf, Compare, NoneOf
    from loopx_policy.engine.match import Matcher

    facts = {f"b{n}": Fact(f"b{n}", "bool") for n in range(300)}
    names = ("", " ", "x", "xy", "it's", 'a "quoted" word', "back\\\\slash", "ünïcode", "true", "1", "x" * 65537 + "y",
             "x" * 65537 + "z")
    facts |= {name: Fact(name, "bool") for name in ("$and", "a.b", "a", "sid")}
    facts |= {"n": Fact("n", "count"), "e": Fact("e", "enum", names), "id": Fact("id", "count")}
    base = {name: {"bool": False, "count": 0, "enum": "x"}[fact.type] for name, fact in facts.items()}

    def ask(items, **record):
        return Matcher("p", items, facts).matched({**base, **record})

    same = {f"k{n}": Compare("b0", "eq", True) for n in range(600)}
    assert ask(same, b0=True) == set(same)
    prefix = {f"k{n}": AllOf((Compare("b0", "eq", True), Compare(f"b{n}", "eq", True))) for n in range(1, 200)}
    assert ask(prefix, **{f"b{n}": True for n in range(200)}) == set(prefix)
    nested = {f"k{n}": AllOf(tuple(Compare(f"b{m}", "eq", True) for m in range(n + 1))) for n in range(60)}
    assert ask(nested, **{f"b{n}": True for n in range(200)}) == set(nested)
    children = {f"k{n}": Compare("n", "eq", n) for n in range(600)}
    assert ask(children, n=600) == set() and ask(children, n=599) == {"k599"}
    steps = {f"k{n}": Compare("n", "gte", n) for n in range(300)}
    assert len(ask(steps, n=299)) == 300
    for name in names:
        equal = {other: Compare("e", "eq", other) for other in names}
        differ = {other: Compare("e", "ne", other) for other in names}
        assert ask(equal, e=name) == {name}
        assert ask(differ, e=name) == set(names) - {name}
    for n in (-3, -1, 0, 2**31 - 1, -2**31):
        probes = {"eq": Compare("n", "eq", n), "ne": Compare("n", "ne", n), "in": Compare("n", "in", (n, 7, 70))}
        assert ask(probes, n=n) == {"eq", "in"}
    odd = {key: Compare(key, "eq", True) for key in ("$and", "a.b", "a", "sid")} | {"id": Compare("id", "eq", 3)}
    assert ask(odd) == set()
    assert ask(odd, **{"a.b": True}) == {"a.b"}
    assert ask(odd, **{"$and": True, "a.b": True, "a": True, "sid": True, "id": 3}) == set(odd)
    one = {"one": AllOf((Compare("b0", "eq", True),)), "always": AllOf(()), "never": AnyOf(()), "none": NoneOf(())}
    assert ask(one, b0=True) == {"one", "always", "none"}
    print("well")
"""


def test_shapes_near_the_limits_of_the_engine() -> None:
    done = run(SHAPES)
    assert (done.returncode, done.stdout.strip()) == (0, "well"), done.stderr


# The module is not there.

WITHOUT = """
    from loopx_policy.engine.match import EngineError, Matcher, engine_available
    from loopx_policy.engine.plan import plan
    print(engine_available()[0], engine_available()[1])
    try:
        Matcher("p", {}, {})
    except EngineError as error:
        print(error)
    plan("p", {}, {})
"""


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        ("raise ImportError('undefined symbol: PyEval_CallObject')", "undefined symbol: PyEval_CallObject"),
        ("raise ImportError('/home/me/engine.so: bad', path='/home/me/engine.so')", "imported: engine.so: bad"),
        ("raise SystemError('built for another Python')", "built for another Python"),
        ("create_ruleset = delete_state = None", "lacks delete_ruleset, assert_fact"),
    ],
)
def test_a_module_that_cannot_be_imported_is_a_reason(tmp_path: Path, module: str, reason: str) -> None:
    (tmp_path / "durable_rules_engine.py").write_text(module, encoding="utf-8")
    done = run(WITHOUT, first=str(tmp_path))
    assert done.returncode == 0, done.stderr
    first, second = done.stdout.splitlines()
    assert first.startswith("False ")
    assert reason in first
    assert re.search(r"^The rule engine is not there: .*" + re.escape(reason), second)


def test_planning_needs_no_engine() -> None:
    assert len(plan("p", {"k": AllOf(())}, {})) == 1
