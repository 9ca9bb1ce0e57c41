"""How the whole program grows with history, with goals and with rules."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.cold import guard, program
from bench.measure import MS, Figure, peak_memory, run, sample, side_by_side
from bench.projects import NOW, NOW_TEXT, lay
from bench.rules import grown
from bench.warm import parsed, snapshot
from loopx_policy.catalog_cache import load_catalog
from loopx_policy.decide import Policy
from loopx_policy.project.runs import read_runs

NEUTRAL = ("quota_slot_spent", "quota_slot_voided", "quota_monitor_poll")


def rows(folder: Path, quick: bool) -> Iterator[Figure]:
    """A million rows of history against a thousand, in process and as a whole program."""
    sizes = (10, 1000, 100_000) if quick else (10, 1000, 1_000_000)
    roots = [lay(folder / f"rows{size}", rows=size) for size in sizes]

    def read(root: Path) -> object:
        runs = str(root / "runtime" / "goals" / "goal-0" / "runs")
        return read_runs(runs, goal_id="goal-0", window_start=NOW - 86400, neutral=NEUTRAL)

    taken = side_by_side([lambda root=root: read(root) for root in roots], 30, 2)
    for size, each in zip(sizes, taken, strict=True):
        yield Figure("rows", f"{size:,} rows, read", each.median * MS, "ms", each.spread * MS)
    more = taken[2].median - taken[1].median
    yield Figure("rows", f"{sizes[2]:,} rows more than {sizes[1]:,}", more * MS, "ms", limit=3)
    whole = side_by_side([lambda root=root: run(guard("--goal-id", "goal-0"), str(root)) for root in roots[1:]], 8, 1)
    yield Figure("rows", "the same, whole program", (whole[1].median - whole[0].median) * MS, "ms")


def goals(folder: Path, quick: bool) -> Iterator[Figure]:
    """``quota plan`` over a fleet of goals of twenty todos."""
    sizes = (10, 100, 1000) if quick else (10, 100, 1000, 10_000)
    each = []
    for size in sizes:
        root = str(lay(folder / f"goals{size}", goals=size, todos=20, rows=5))
        argv = [program(), "--format", "json", "--now", NOW_TEXT, "quota", "plan"]
        times = 1 if size > 5000 else 3
        taken = sample(lambda argv=argv, root=root: run(argv, root), times, 0 if size > 5000 else 1)
        limit = 20_000 if size == 10_000 else 0
        yield Figure("goals", f"{size:,} goals, quota plan", taken.median * MS, "ms", limit=limit)
        each.append(taken.median / size)
        if size == sizes[-1]:
            yield Figure("goals", f"{size:,} goals, peak memory", peak_memory(argv, root), "MB")
    yield Figure(
        "goals", f"a goal of {sizes[-1]:,} / one of {sizes[-2]:,}", each[-1] / each[-2], "x", ratio=True, limit=1.3
    )


def rules(folder: Path, quick: bool) -> Iterator[Figure]:
    """Five hundred patterns against the shipped ones: more of their kind, none of which matches."""
    del folder
    catalog = load_catalog()
    small, large = Policy(catalog), Policy(grown(catalog, 500))
    ten = snapshot(parsed(10))
    assert small.decide(ten).to_dict()["lead"] == large.decide(ten).to_dict()["lead"]

    def asked(policy: Policy) -> None:
        policy.forget()
        policy.decide(ten)

    one, other = side_by_side([lambda: asked(large), lambda: asked(small)], 100 if quick else 400, 5)
    yield Figure("rules", "500 rules, a decision", one.median * MS, "ms", one.spread * MS)
    yield Figure("rules", "500 rules / 29 rules", one.median / other.median, "x", ratio=True, limit=4)


def answers(folder: Path, quick: bool) -> Iterator[Figure]:
    """The size of the answer on every fixture of a turn."""
    del folder, quick
    from statistics import median

    from loopx_policy.budget import fit
    from loopx_policy.cli.answers.should_run import UNDER
    from loopx_policy.cli.edge import encode
    from loopx_policy.decide import Evaluation
    from loopx_policy.decision import build
    from loopx_policy.fixtures.load import load_folder
    from loopx_policy.workshop.bench import situations

    fixtures, _ = load_folder("fixtures")
    found = [each.behind for each in situations(load_catalog(), fixtures) if isinstance(each.behind, Evaluation)]
    sizes = [len(encode(fit(build(each).to_dict(), UNDER)).encode()) + 1 for each in found]
    yield Figure("answers", f"largest of {len(sizes)} fixtures", max(sizes), "B", limit=2048)
    yield Figure("answers", "median", median(sizes), "B", limit=1200)
