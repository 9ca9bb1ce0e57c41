"""Mending what needs nobody's judgement: what killed writers left, a last line without its end, expired leases.

Finishing an unfinished write is no edit: every writer does it before it begins.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..facts.leases import in_force
from ..project.files import open_regular
from ..project.pending import FOLDER, JOURNAL, STAGED, read_pending
from .edits import Append, Edit, Remove
from .files import content, staged_name
from .places import Ground, Places
from .write import Plan


def mend(here: Ground) -> Plan:
    """Everything mechanical that is wrong with the goal, mended in one write."""
    places = here.places
    done: dict[str, list[str]] = {"removed": [], "ended": []}
    edits: list[Edit] = []
    for path in [*leftovers(places), *_expired(here)]:
        data = content(path)
        if data is not None:
            edits.append(Remove(path, data))
            done["removed"].append(places.shown(path))
    for path in (places.index, places.events):
        if is_unterminated(path):
            edits.append(Append(path, b""))
            done["ended"].append(places.shown(path))
    count = len(edits)
    return Plan(
        f"Mend {count} thing{'s' * (count != 1)}", {name: names for name, names in done.items() if names}, edits
    )


def leftovers(places: Places) -> list[str]:
    """Staged files of this goal that no journal names."""
    real = [os.path.realpath(path) for path in (places.state, places.registry) if path]
    own = [staged_name(path) for path in [*real, os.path.join(places.folder, FOLDER, JOURNAL)]]
    found = {path for path in own if os.path.lexists(path)} | set(_staged_below(places.folder))
    pending = read_pending(places.folder)
    return sorted(path for path in found if path not in pending.staged)


def _staged_below(folder: str) -> Iterator[str]:
    head, tail = STAGED.split("{name}")
    for place, _, names in os.walk(folder):
        yield from (os.path.join(place, name) for name in names if name.startswith(head) and name.endswith(tail))


def _expired(here: Ground) -> list[str]:
    leases, now = here.snapshot.leases, here.caller.now
    return [here.places.lease(lease.todo_id) for lease in leases if not in_force(lease.expires_at, now, done=False)]


def is_unterminated(path: str) -> bool:
    """Whether a file of lines ends within a line."""
    try:
        with open_regular(path) as stream:
            size = stream.seek(0, os.SEEK_END)
            if not size:
                return False
            stream.seek(size - 1)
            return stream.read(1) != b"\n"
    except FileNotFoundError:
        return False
