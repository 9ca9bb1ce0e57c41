"""Everything on disk that a reading of a project looked at, so that a later one can tell that nothing has changed.

Whoever looks at a path under ``loopx_policy.project`` notes it first; outside ``Watched`` that costs one test.
"""

from __future__ import annotations

import os
import stat

Mark = tuple[int, ...]
"""What changes whenever what lies at a path does: device, inode, size, both times of change; else an errno. Where only
the kind of thing matters, that and no time: a folder in which others work changes all day.
"""
_LINK, _KIND = -1, -2

_UNKNOWN: Mark = (_KIND,)

_marks: dict[str, Mark] | None = None


def note(path: str) -> None:
    """Say that the answer depends on what lies at ``path``, or on nothing lying there. Before it is looked at."""
    if _marks is not None and _marks.get(path, _UNKNOWN)[0] == _KIND:
        _marks[path] = mark(path)


def note_kind(path: str) -> None:
    """``note`` where all that matters is what kind of thing lies at ``path``, and not what is in it."""
    if _marks is not None and path not in _marks:
        _marks[path] = _kind(path)


class Watched:
    """``with Watched() as marks``: the marks of all paths noted inside, each as it was when first noted."""

    __slots__ = ("_before",)

    def __enter__(self) -> dict[str, Mark]:
        global _marks
        self._before, _marks = _marks, {}
        return _marks

    def __exit__(self, *error: object) -> None:
        global _marks
        _marks = self._before


def mark(path: str) -> Mark:
    """The mark of a path now. A link to nothing has one that differs from that of nothing."""
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        failed = getattr(error, "errno", None) or 0
        try:
            found = os.lstat(path)
        except (OSError, ValueError):
            return (failed,)
        return (_LINK, failed, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _kind(path: str) -> Mark:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return mark(path)
    return (_KIND, found.st_dev, found.st_ino, stat.S_IFMT(found.st_mode))


def unchanged(marks: dict[str, Mark]) -> bool:
    """Whether every path still has the mark that it had."""
    return all((_kind(path) if was[0] == _KIND else mark(path)) == was for path, was in marks.items())


def latest(marks: dict[str, Mark]) -> int:
    """The latest time in nanoseconds at which any of the marks was made to change; 0 where nothing lies anywhere."""
    return max((max(one[-2:]) for one in marks.values() if len(one) > 1 and one[0] != _KIND), default=0)
