"""How often each feature occurs: ``python -m tests.support.report [COUNT [SEED]]``."""

from __future__ import annotations

import sys
from collections import Counter

from tests.support.features import features
from tests.support.projects import Project, sample_projects

RARE = 0.01
"""Every feature that ``features`` knows should be at least this frequent, but for those below."""

SELDOM = ("broken: ", "gate: ", "resume: after a todo that is missing", "todo: ", "user: no class")
"""Prefixes of families of features that need not be frequent one by one, only together: a tenth of all
projects breaks some contract, each in one of many ways."""


def shares(drawn: list[Project]) -> dict[str, float]:
    """The share of the projects that have each feature, by name."""
    counted = Counter(name for project in drawn for name in features(project))
    return {name: counted[name] / len(drawn) for name in sorted(counted)}


def main(arguments: list[str]) -> int:
    count, seed = (int(word) for word in (*arguments, *("2000", "1")[len(arguments) :]))
    for name, share in shares(sample_projects(count, seed)).items():
        mark = "  < 1 %" if share < RARE and not name.startswith(SELDOM) else ""
        print(f"{share:7.2%}  {name}{mark}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
