"""Whether a tree and the state beside it are as they were: by what git says, and by digests of content."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from loopx_policy.canary.changes import from_git
from loopx_policy.canary.git import files_of, git, has_commits, top_of
from loopx_policy.digests import hex16
from loopx_policy.project.files import open_regular
from loopx_policy.records import record

_PIECE = 1024 * 1024


@record(frozen=True)
class Seen:
    """``marks`` are digests by path, and what git says of each file and of the latest commit."""

    marks: dict[str, str]

    def differences(self, later: Seen) -> list[str]:
        """What was added, removed or changed since, by path, sorted."""
        paths = sorted(self.marks.keys() | later.marks.keys())
        return [path for path in paths if self.marks.get(path) != later.marks.get(path)]


def look(root: str, state: Iterable[str] = ()) -> Seen:
    """The tree at ``root``, and the files and folders of project state, which git may ignore or which lie elsewhere.

    With git, a file that is as committed is known by that alone; every other one by its content.
    """
    marks: dict[str, str] = {}
    if top_of(root):
        marks["the latest commit"] = "".join(git(root, "rev-parse", "HEAD")).strip() if has_commits(root) else ""
        for change in from_git(root):
            marks.update({path: digest(os.path.join(root, path)) for path in change.paths})
        for entry in git(root, "diff", "--cached", "--raw", "-z", "--no-renames", "--abbrev=40"):
            marks.setdefault("what is staged", "")
            marks["what is staged"] += entry + "\0"
    else:
        marks.update({path: digest(os.path.join(root, path)) for path in files_of(root)})
    for place in state:
        for path in _below(place):
            marks[os.path.relpath(path, root)] = digest(path)
    return Seen(marks)


def digest(path: str) -> str:
    """The digest of a file's content and whether it may be run; what it is where it is no file."""
    if os.path.islink(path):
        return f"link to {os.readlink(path)}"
    try:
        with open_regular(path) as stream:
            mode = os.fstat(stream.fileno()).st_mode & 0o111
            return f"{hex16(iter(lambda: stream.read(_PIECE), b''))} {mode:o}"
    except FileNotFoundError:
        return "gone"
    except OSError as error:
        return f"unreadable: {error.strerror}"


def _below(place: str) -> Iterator[str]:
    if not os.path.isdir(place):
        yield place
        return
    for folder, _, names in os.walk(place):
        yield from (os.path.join(folder, name) for name in names)
