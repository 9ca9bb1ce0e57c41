"""``python -m bench [--quick] [--only GROUP] [--json FILE] [--check FILE]``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.measure import Figure

GROUPS = {
    "cold": "cold:cold",
    "decision": "warm:decision",
    "todos": "warm:todos",
    "watch": "warm:watch",
    "rows": "growth:rows",
    "goals": "growth:goals",
    "rules": "growth:rules",
    "answers": "growth:answers",
    "writes": "writes:writes",
    "serve": "serve:serve",
    "engines": "rivals:rivals",
}


def measure(groups: list[str], quick: bool) -> list[Figure]:
    figures: list[Figure] = []
    for group in groups:
        module, _, function = GROUPS[group].partition(":")
        work = getattr(import_module(f"bench.{module}"), function)
        with tempfile.TemporaryDirectory(prefix="bench-") as folder:
            for figure in work(Path(folder), quick):
                figures.append(figure)
                print(line(figure), flush=True)
    return figures


def line(figure: Figure) -> str:
    value = f"{figure.value:,.2f}" if figure.value < 1000 else f"{figure.value:,.0f}"
    spread = f" ± {figure.spread:,.2f}" if figure.spread else ""
    target = f"   target {figure.limit:g} {'met' if figure.met else 'MISSED'}" if figure.limit else ""
    return f"{figure.group:9} {figure.name:44} {value:>10} {figure.unit}{spread}{target}"


def machine() -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 2),
    }


def worse(figures: list[Figure], baseline: dict[str, Any], allowed: float) -> list[str]:
    """Ratios that grew by more than ``allowed`` against an earlier run, and targets for ratios that are missed."""
    known = {(each["group"], each["name"]): each["value"] for each in baseline["figures"] if each["ratio"]}
    found = [f"{line(each)}" for each in figures if each.ratio and not each.met]
    for each in figures:
        before = known.get((each.group, each.name))
        if each.ratio and before is not None and each.value > before * allowed:
            found.append(f"{each.group} {each.name}: {each.value:.2f}, was {before:.2f}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller sizes and fewer repetitions")
    parser.add_argument("--only", action="append", choices=list(GROUPS), help="one group (repeatable)")
    parser.add_argument("--json", metavar="FILE", help="write the figures there")
    parser.add_argument("--check", metavar="FILE", help="exit 1 where a ratio is worse than in this earlier run")
    asked = parser.parse_args()
    # A cold start compiles nothing for anybody whose Python may keep what it compiled; the first runs do it here.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    figures = measure(asked.only or list(GROUPS), asked.quick)
    document = {"machine": machine(), "quick": asked.quick, "figures": [each.to_dict() for each in figures]}
    if asked.json:
        Path(asked.json).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if asked.check:
        found = worse(figures, json.loads(Path(asked.check).read_text(encoding="utf-8")), 1.5)
        for each in found:
            print(f"worse: {each}", file=sys.stderr)
        return bool(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
