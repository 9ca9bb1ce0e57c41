"""What is wrong with one goal: its contract, its files of lines, its leases, and what a killed write left."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from loopx_policy.check.findings import Finding
from loopx_policy.diagnose import ended, stale
from loopx_policy.ledger.mend import leftovers
from loopx_policy.ledger.places import Places
from loopx_policy.model import Problem, Snapshot
from loopx_policy.project.contract import TAKEN, UNSCOPED
from loopx_policy.project.files import open_regular
from loopx_policy.project.leases import FOLDER as LEASES
from loopx_policy.project.pending import FOLDER, JOURNAL, read_journal
from loopx_policy.project.reader import TORN
from loopx_policy.project.rollout import LOG
from loopx_policy.project.runs import INDEX, LINE_LIMIT, identity_of, row_of

REMOVE = "Remove it, once nobody writes to the file."


def check_goal(snapshot: Snapshot, places: Places) -> list[Finding]:
    """Everything that is wrong, in no order."""
    found = [
        *_problems(snapshot),
        *_archived_twins(snapshot),
        *_lines(places.index, INDEX, "generated_at"),
        *_lines(places.events, LOG, "event_id"),
        *_leases(snapshot),
        *_interrupted(places),
    ]
    return [Finding(each.file, each.line, each.rule, each.message, each.fix, snapshot.goal.goal_id) for each in found]


def _problems(snapshot: Snapshot) -> Iterator[Finding]:
    """What the reader noticed, but for what is looked at more closely here."""
    for problem in (*snapshot.problems, *snapshot.state.problems):
        if TORN not in problem.message:
            rule = "contract" if problem.breaks_contract else "state"
            named = [
                name
                for words, name in ((TAKEN, "duplicate-id"), (UNSCOPED, "unscoped-gate"))
                if words in problem.message
            ]
            yield _finding(problem, named[0] if named else rule)


def _finding(problem: Problem, rule: str) -> Finding:
    file, _, line = problem.at.rpartition(":")
    if not (file and line.isdecimal()):
        file, line = problem.at, "0"
    return Finding(file, int(line), rule, problem.message, problem.fix)


def _archived_twins(snapshot: Snapshot) -> Iterator[Finding]:
    """Active todos that share their id with an archived one."""
    state = snapshot.state
    archived = {todo.todo_id: todo for todo in state.archived}
    for todo in state.todos:
        twin = archived.get(todo.todo_id)
        if twin is not None:
            said = f"{todo.todo_id} is also the id of the archived todo at {state.file}:{twin.line}."
            yield Finding(state.file, todo.line, "duplicate-id", said, "Give one of them another id.")


def _lines(path: str, name: str, key: str) -> Iterator[Finding]:
    """Torn and unterminated lines of a file of JSON objects, and two objects that have one ``key``."""
    number, line = 0, b"\n"
    seen: dict[object, tuple[int, object]] = {}
    with suppress(OSError), open_regular(path) as stream:  # one that cannot be opened is among the problems
        while read := stream.readline(LINE_LIMIT):
            number, line = number + 1, read
            if not line.strip():
                continue
            row = row_of(line)
            if row is None:
                yield Finding(name, number, "torn-line", "This line is no JSON object and is skipped.", REMOVE)
                continue
            value, identity = row.get(key), identity_of(row) or number
            first, other = seen.setdefault(value, (number, identity))
            if isinstance(value, str) and value and other != identity:
                said = f"The {key} {value[:80]} is also that of line {first}."
                yield Finding(name, number, "duplicate-id", said, "Refer to neither by it.")
    if not line.endswith(b"\n"):
        yield Finding(name, number, "unterminated-line", "The last line has no end.", "loopx check --fix ends it.")


def _leases(snapshot: Snapshot) -> Iterator[Finding]:
    for lease in snapshot.leases:
        why = stale(lease, snapshot)
        if why:
            mechanical = ended(lease, snapshot.now)
            fix = "loopx check --fix removes it." if mechanical else "Release it."
            rule = "expired-lease" if mechanical else "stale-lease"
            holder = lease.owner or "nobody"
            said = f"The lease of {holder} on {lease.todo_id} has no effect: {why}."
            yield Finding(f"{LEASES}/{lease.todo_id}.json", 0, rule, said, fix)


def _interrupted(places: Places) -> Iterator[Finding]:
    """What a killed writer left: a journal that was not carried out, or files that no journal names."""
    at = f"{FOLDER}/{JOURNAL}"
    try:
        journal = read_journal(places.folder)
    except (OSError, ValueError, KeyError, TypeError):
        yield Finding(
            at, 0, "contract", "The journal of an unfinished write cannot be read.", "Look at it, and remove it."
        )
        return
    if journal is not None:
        yield Finding(
            at, 0, "pending-journal", "A write is recorded and not finished.", "loopx check --fix finishes it."
        )
    for path in leftovers(places):
        shown = places.shown(path)
        said = "A write that was killed left this file."
        yield Finding(shown or os.path.basename(path), 0, "leftover-file", said, "loopx check --fix removes it.")
