"""Todo metadata: one ``key=value`` token of a ``loopx:todo`` comment to one typed field of a todo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

from . import grammar
from .lines import INDENT_FIX
from .scopes import GRANULARITIES, KINDS, parse_scope
from .times import iso, parse_time

# Plain classes: making a data class costs a millisecond of every start.


class Bad:
    """A value that breaks the grammar of its key; ``wanted`` completes "must be"."""

    __slots__ = ("wanted",)

    def __init__(self, wanted: str) -> None:
        self.wanted = wanted


class Token:
    """What one token means.

    ``bit`` is the key's own bit (0: not a known key), ``field`` the field of ``Todo`` (empty: keep
    the pair ``key, value`` in ``extra``, or keep nothing where ``key`` is empty too). ``trouble`` is
    one sentence, or ``None``; ``bad`` says that the value of the known key ``about`` is lost because of it; ``fix``
    is what to do.
    """

    __slots__ = ("about", "bad", "bit", "field", "fix", "key", "trouble", "value")

    def __init__(
        self,
        bit: int = 0,
        field: str = "",
        value: Any = "",
        trouble: str | None = None,
        bad: bool = False,
        key: str = "",
        about: str = "",
        fix: str = "",
    ) -> None:
        self.bit = bit
        self.field = field
        self.value = value
        self.trouble = trouble
        self.bad = bad
        self.key = key
        self.about = about or key
        self.fix = fix or ("Correct it." if bad else "")


MISPLACED: Final = Token(trouble="a loopx:todo comment cannot be read where it stands", bad=True, fix=INDENT_FIX)
UNCLOSED: Final = Token(
    trouble="its loopx:todo comment does not end with --> on its line",
    bad=True,
    fix="End it there; further keys go into further comments.",
)


def conflict(key: str, bad: bool) -> Token:
    """What is said of a key that has another value already."""
    said = f"{key} is given more than once, with different values"
    return Token(trouble=said, bad=bad, key=key, fix="Keep one of them.")


Parser = Callable[[str], Any]


def _matching(test: Callable[[str], bool], wanted: str) -> Parser:
    bad = Bad(wanted)
    return lambda text: text if test(text) else bad


def _one_of(values: Sequence[str]) -> Parser:
    bad = Bad("one of " + ", ".join(values))
    return lambda text: text if text in values else bad


def _list(test: Callable[[str], Any], wanted: str, separator: str = "") -> Parser:
    """A parser of lists; ``test`` gives the item, or a false value where it breaks the grammar."""
    bad = Bad(wanted)

    def parse(text: str) -> Any:
        items = [i for i in map(str.strip, text.split(separator)) if i] if separator else grammar.split_list(text)
        values = [test(item) for item in items]
        return tuple(values) if values and all(values) else bad

    return parse


def _boolean(text: str) -> Any:
    return grammar.BOOLEANS.get(text.lower(), Bad("true or false"))


def _count(text: str) -> Any:
    return int(text) if grammar.is_count(text) else Bad("a whole number of at most nine digits")


def _cadence(text: str) -> Any:
    return grammar.minutes(text) or Bad("a number with m, h or d, such as 30m")


def _scope(text: str) -> Any:
    return parse_scope(text) or _SCOPE


def _time(text: str) -> Any:
    return parse_time(text) or Bad("an ISO 8601 time such as 2026-12-01T08:30:00Z")


_SCOPE: Final = Bad(
    f"kind:granularity:key with a kind of {', '.join(KINDS)} and a granularity of {', '.join(GRANULARITIES)}"
)
_TODO_ID: Final = "todo_ and 3 to 64 of a-z, 0-9, _ and -"
_AGENT: Final = "an agent id (a-z, then a-z, 0-9 and _.:@-, at most 80)"

_text: Final = _matching(lambda text: True, "")
_todo_id: Final = _matching(grammar.is_todo_id, _TODO_ID)
_agent: Final = _matching(grammar.is_agent_id, _AGENT)
_capabilities: Final = _list(grammar.capability, "a list of capabilities (a-z, then a-z, 0-9 and _:-, at most 64)")

PARSERS: Final[dict[str, Parser]] = {
    "todo_id": _todo_id,
    "status": _one_of(grammar.STATUSES),
    "task_class": _one_of(grammar.TASK_CLASSES),
    "action_kind": _matching(grammar.is_action_kind, "a-z, then a-z, 0-9, _ and -, at most 64"),
    "claimed_by": _agent,
    "blocks_agent": _agent,
    "global_gate": _boolean,
    "unblocks_todo_id": _todo_id,
    "superseded_by": _todo_id,
    "successor_todo_ids": _list(lambda item: grammar.is_todo_id(item) and item, f"a comma list of {_TODO_ID}", ","),
    "resume_when": _matching(grammar.is_resume_when, "todo_done:<todo_id> or pr_merged:<owner/repo>#<number>"),
    "no_followup": _boolean,
    "route_continuation_replan_required": _boolean,
    "required_write_scopes": _list(
        lambda item: grammar.is_glob(item) and item,
        "a list of relative globs without .., each of at most 160 characters",
    ),
    "required_capabilities": _capabilities,
    "target_capabilities": _capabilities,
    "decision_scope": _scope,
    "required_decision_scopes": _list(parse_scope, f"a comma list of {_SCOPE.wanted}", ","),
    "safety_class": _one_of(grammar.SAFETY_CLASSES),
    "target_key": _text,
    "cadence": _cadence,
    "next_due_at": _time,
    "expires_at": _time,
    "last_checked_at": _time,
    "result_hash": _text,
    "consecutive_no_change": _count,
    "material_change": _boolean,
    "note": _text,
    "reason": _text,
    "evidence": _text,
    "updated_at": _time,
    "completed_at": _time,
}
"""Every metadata key that this version knows, with the parser of its decoded value."""

RESTRICTING: Final = (
    "todo_id",
    "status",
    "task_class",
    "claimed_by",
    "blocks_agent",
    "global_gate",
    "unblocks_todo_id",
    "superseded_by",
    "resume_when",
    "required_write_scopes",
    "required_capabilities",
    "decision_scope",
    "required_decision_scopes",
    "safety_class",
)
"""Keys that hold something back. One that is lost to a slip would let work run that was not meant to."""

_BITS: Final = {key: 1 << number for number, key in enumerate(PARSERS)}
TODO_ID_BIT: Final = _BITS["todo_id"]


def decode(text: str) -> str | None:
    """The text without its percent encoding, or ``None`` where that is broken."""
    if "%" not in text:
        return text
    head, *rest = text.encode("utf-8", "surrogatepass").split(b"%")
    parts = [head]
    for part in rest:
        code = part[:2]
        if len(code) != 2 or code.strip(b"0123456789abcdefABCDEF"):
            return None
        parts.append(bytes((int(code, 16),)))
        parts.append(part[2:])
    try:
        return b"".join(parts).decode("utf-8")
    except UnicodeDecodeError:
        return None


def is_key(text: str) -> bool:
    lower = "abcdefghijklmnopqrstuvwxyz_"
    return text != "" and text[0] in lower and not text.strip(lower + "0123456789-")


def read_token(token: str) -> Token:
    """What one blank-free token of a metadata comment means."""
    key, equals, raw = token.partition("=")
    if not equals or not is_key(key):
        about = _meant_by(token)
        said = f"metadata token {_short(token)} is not key=value"
        return Token(trouble=said, bad=about in RESTRICTING, about=about, fix="Write key=value, without blanks.")
    key = key.replace("-", "_")
    text = decode(raw)
    trouble: str | None = None
    if text is None:
        text = raw
        trouble = f"the percent encoding of {key} is broken"
    parser = PARSERS.get(key)
    if parser is None:
        near = nearest_key(key)
        if not near:
            return Token(value=text, trouble=trouble, key=key)
        said = f"unknown metadata key {key}, perhaps {near}"
        fix = f"Write {near}, or choose a name that is less like it."
        return Token(value=text, trouble=said, bad=near in RESTRICTING, key=key, about=near, fix=fix)
    value = parser(text)
    if isinstance(value, Bad):
        return Token(_BITS[key], trouble=f"{key}={_short(text)} must be {value.wanted}", bad=True, key=key)
    if parser is _time:
        value, zoned = value
        if not zoned:
            trouble = f"{key}={_short(text)} has no time zone and is read as UTC"
            return Token(_BITS[key], key, value, trouble, False, key, fix=f"Write it as {iso(value)}.")
    return Token(_BITS[key], key, value, trouble, False, key)


@lru_cache(maxsize=1024)
def nearest_key(key: str) -> str:
    """The known key that an unknown one is a slip of: a letter too many, too few, wrong or swapped with its
    neighbour, or another number. Empty where there is none.
    """
    return next((known for known in (*RESTRICTING, *PARSERS) if any(_is_slip(key, form) for form in _forms(known))), "")


def _forms(known: str) -> tuple[str, str]:
    """A key in singular and plural."""
    if known.endswith("ies"):
        return known, known[:-3] + "y"
    return known, known[:-1] if known.endswith(("ids", "scopes")) else known + "s"


def _is_slip(one: str, other: str) -> bool:
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    one, other = one[start:], other[start:]
    while one and other and one[-1] == other[-1]:
        one, other = one[:-1], other[:-1]
    return (len(one) <= 1 and len(other) <= 1) or (len(one) == 2 and one == other[::-1])


def _meant_by(token: str) -> str:
    """The known key with which a token that is no pair begins, or of which its beginning is a slip.

    Empty where the token is rather a word of a text that was not encoded.
    """
    word = token.lower().replace("-", "_")
    rest = word.lstrip("abcdefghijklmnopqrstuvwxyz0123456789_")
    key = word[: len(word) - len(rest)]
    if "_" not in key and not (rest[:1] in ("=", ":") and rest[1:]):
        return ""
    return key if key in PARSERS else nearest_key(key)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
