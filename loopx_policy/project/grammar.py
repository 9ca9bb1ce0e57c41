"""The grammar of single values: what a todo id, an agent id, a capability or a glob may look like.

Each predicate has its pattern beside it, written for JSON Schema; a test holds the two together. The
predicates use no regular expressions, because compiling them would cost more than a whole decision.
Source: the metadata table of the active goal state.
"""

from __future__ import annotations

from typing import Final

_LOWER: Final = "abcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = "0123456789"
_ID: Final = _LOWER + _DIGITS + "_-"
_AGENT: Final = _LOWER + _DIGITS + "_.:@-"
_CAPABILITY: Final = _LOWER + _DIGITS + "_:-"
_REPO: Final = _LOWER + _LOWER.upper() + _DIGITS + "_.-"

STATUSES: Final = ("open", "done", "blocked", "deferred")
TASK_CLASSES: Final = ("advancement_task", "continuous_monitor", "user_gate", "user_action", "blocker")
SAFETY_CLASSES: Final = ("read_only", "local_write", "external_run", "protected_write")
USER_CLASSES: Final = ("user_gate", "user_action")
BOOLEANS: Final = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}

TODO_ID: Final = "^todo_[a-z0-9_-]{3,64}$"
ACTION_KIND: Final = "^[a-z][a-z0-9_-]{0,63}$"
AGENT_ID: Final = "^[a-z][a-z0-9_.:@-]{0,79}$"
CAPABILITY: Final = "^[a-z][a-z0-9_:-]{0,63}$"
GLOB: Final = "^(?![!/~\\\\]|[A-Za-z]:)(?![^,;|]*\\.\\.)[^,;|\\\\\\x00-\\x1f]{1,160}$"
CADENCE: Final = "^[1-9][0-9]{0,5}[mhd]$"
RESUME_WHEN: Final = (
    "^(todo_done:todo_[a-z0-9_-]{3,64}|pr_merged:([A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100})?#[1-9][0-9]{0,8})$"
)
MERGE: Final = "^([A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100})?#[1-9][0-9]{0,8}$"
GOAL_ID: Final = "^(?!\\.{1,2}$)[^/\\\\\\x00-\\x1f]{1,200}$"

_MINUTES: Final = {"m": 1, "h": 60, "d": 1440}


def is_todo_id(text: str) -> bool:
    return text[:5] == "todo_" and 8 <= len(text) <= 69 and not text[5:].strip(_ID)


def is_action_kind(text: str) -> bool:
    return 1 <= len(text) <= 64 and text[0] in _LOWER and not text.strip(_ID)


def is_agent_id(text: str) -> bool:
    return 1 <= len(text) <= 80 and text[0] in _LOWER and not text.strip(_AGENT)


def capability(text: str) -> str | None:
    """The capability's one spelling (``-`` reads as ``_``), or ``None`` where the text names none."""
    if 1 <= len(text) <= 64 and text[0] in _LOWER and not text.strip(_CAPABILITY):
        return text.replace("-", "_")
    return None


def is_glob(text: str) -> bool:
    """A relative glob of at most 160 characters that cannot leave the repository and takes nothing away."""
    if not 1 <= len(text) <= 160 or text[0] in "!/~" or (text[1:2] == ":" and text[0].isascii() and text[0].isalpha()):
        return False
    return ".." not in text and not any(char < " " or char in ",;|\\" for char in text)


def minutes(text: str) -> int | None:
    """Minutes of a cadence such as ``30m``, ``2h`` or ``1d``; ``None`` where it is not one."""
    figure = text[:-1]
    if 2 <= len(text) <= 7 and text[-1] in _MINUTES and figure[0] != "0" and not figure.strip(_DIGITS):
        return int(figure) * _MINUTES[text[-1]]
    return None


def is_count(text: str) -> bool:
    return 1 <= len(text) <= 9 and not text.strip(_DIGITS)


def merge(text: str) -> tuple[str, int] | None:
    """``owner/name#12`` or ``#12`` as (repo or empty, number)."""
    repo, mark, number = text.partition("#")
    if not mark or not is_count(number) or number[0] == "0":
        return None
    if repo:
        owner, slash, name = repo.partition("/")
        if not slash or not (_is_repo_part(owner) and _is_repo_part(name)):
            return None
    return repo, int(number)


def _is_repo_part(text: str) -> bool:
    return 1 <= len(text) <= 100 and not text.strip(_REPO)


def is_resume_when(text: str) -> bool:
    kind, _, rest = text.partition(":")
    if kind == "todo_done":
        return is_todo_id(rest)
    return kind == "pr_merged" and merge(rest) is not None


def is_goal_id(text: str) -> bool:
    """One path segment, of at most 200 characters and 255 bytes: a goal's folder is named by it."""
    fits = 1 <= len(text) <= 200 and len(text.encode("utf-8", "replace")) <= 255
    return fits and text not in (".", "..") and not any(c < " " or c in "/\\" for c in text)


def split_list(text: str) -> list[str]:
    """The items of a list written with ``,``, ``;`` or ``|``, without blanks and empty items."""
    if ";" in text or "|" in text:
        text = text.replace(";", ",").replace("|", ",")
    return [item for item in map(str.strip, text.split(",")) if item]
