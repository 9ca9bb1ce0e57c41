"""The one public-safety check: what in a text must not be written into shared state.

``hits`` names the patterns that a text shows and never repeats the text itself, so that a refusal cannot
leak what it refuses. A text is looked at as it stands and as it reads after undoing percent encoding,
HTML entities, ``\\uXXXX`` and ``\\xXX`` escapes, compatibility forms of Unicode, invisible characters,
Base64 and hexadecimal, also when several of these lie upon one another.

The check is a net, not a proof: it knows the common shapes of secrets, absolute local paths, hosts that
only answer inside a network, and pasted logs. What it passes may still be private; what it stops almost
always is. Seed: the direct-write contract ("private-looking text must be rejected") and IP-011, IP-014.
"""

from __future__ import annotations

import re
import unicodedata
from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Iterator
from html import unescape
from typing import Any

MAX_LENGTH = 65_536
"""Characters beyond which a text is refused unread: nothing compact is that long."""

REDACTED = "(private)"

_ROUNDS = 3
_READINGS = 32

_ROOTS = (
    "home|users|root|tmp|var|etc|private|mnt|opt|srv|data|usr|volumes|media|proc|run|dev|work|workspace|workspaces|"
    "workdir|app|code|builds|nix|library|system|applications|storage|scratch|nfs|export|content|sys|boot|bin|sbin|lib"
)
_FILES = "py|log|jsonl|md|txt|yaml|yml|toml|cfg|ini|sh|ipynb|csv|sqlite|db|pem|key|env"
_SECRET_NAMES = (
    r"pass(?:word|wd|phrase)|(?<![a-z])(?:pwd|secret|credentials?|token)|api[ _-]?key|access[ _-]?key|secret[ _-]?key|"
    r"private[ _-]?key|client[ _-]?secret|(?:auth|access|refresh|session|bearer|id)[ _-]?token"
)
_REDACTED = r"(?!<|\$|\*{3}|\[|\{|redacted\b|hidden\b|removed\b|none\b|null\b)"
_LOG_LINE = (
    r"^[ \t>|]*(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|(?:\[ ?)?"
    r"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b[\]: \t]).*$"
)

_PATTERNS: dict[str, re.Pattern[str]] = {
    "private_key": re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File", re.I),
    "access_token": re.compile(
        r"(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{20}|github_pat_\w{20}|glpat-[\w-]{16}|xox[abeprs]-[\w-]{10}|"
        r"sk-[A-Za-z0-9_-]*[A-Za-z0-9]{16}|[rs]k_(?:live|test)_[A-Za-z0-9]{10}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30}|"
        r"hf_[A-Za-z0-9]{20}|npm_[A-Za-z0-9]{30}|pypi-[\w-]{30}|ya29\.[\w-]{20}|SG\.[\w-]{16,}\.[\w-]{16}|dop_v1_[0-9a-f]{30}|"
        r"eyJ[\w-]{8,}\.[\w-]{6,}\.[\w-]{6}|ssh-(?:rsa|ed25519) AAAA)"
    ),
    "credential": re.compile(
        rf"(?:{_SECRET_NAMES})[\"']?\s*(?:=|:=|=>)\s*[\"']?{_REDACTED}(?!\d{{1,5}}\b)[^\s\"',;]{{4}}|"
        rf"(?:{_SECRET_NAMES})[\"']?\s*(?::|\bis\b)\s*[\"']?{_REDACTED}(?:(?=\S*[a-z])(?=\S*\d)|(?=\S*[!@#$%^&+/~]))\S{{4}}|"
        # After a colon, a single word that ends the line is taken for the secret itself; after "is" it is a sentence.
        rf"(?:{_SECRET_NAMES})[\"']?\s*:\s*[\"']?{_REDACTED}\S{{4,}}[\"']?\s*$|"
        r"authorization[\"']?\s*[:=]\s*[\"']?(?:bearer|basic|token|digest)\s+\S|"
        r"\bbearer\s+(?=[\w+/.~=-]*\d)(?=[\w+/.~=-]*[a-z][\w+/.~=-]*[a-z])[\w+/.~=-]{16}|"
        r"\b[a-z][a-z0-9+.-]{1,30}://[^\s/@:]{1,200}:[^\s/@]{1,200}@|"
        r"[?&](?:token|key|sig|signature|secret|password|access_token|api_key|x-amz-signature)=[^\s&]{4}",
        re.I | re.M,
    ),
    "local_path": re.compile(
        rf"(?<![\w./:-])(?<!://)/(?:{_ROOTS})/(?!null\b)[\w.@+~-]|(?<=[:])(?<![a-z]:)/(?:home|users|root|tmp|etc)/\w|"
        rf"(?<=[a-z]:)/(?:home|users|root|tmp|etc)/\w|file:/{{1,3}}\w|(?<![\w./])~[\w-]*/[\w.]|\$\{{?HOME\}}?/|"
        rf"(?<![\w./:-])(?:/[\w.@+-]+){{2,20}}\.(?:{_FILES})\b",
        re.I,
    ),
    "windows_path": re.compile(
        r"(?<![a-z0-9])[a-z]:(?:\\|/(?!/))[\w.$ ~-]|\\\\[\w.-]+\\[\w$.-]|%(?:USERPROFILE|APPDATA)%", re.I
    ),
    "internal_host": re.compile(
        r"(?<![\w.])(?:10\.\d{1,3}|127\.\d{1,3}|192\.168|169\.254|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}"
        r"(?:\.\d{1,3})(?![\w.]*\d)|\[(?:::1|f[cd][0-9a-f]{2}:[0-9a-f:]*|fe80:[0-9a-f:]*)\]|"
        r"(?<![\w.-])localhost:\d|"
        r"\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,5}\.(?:internal|corp|lan|intranet|localdomain|cluster\.local)(?![\w-]|\.\w)|"
        r"\b(?:https?|wss?|ssh|git|ftp|s?ftp|smb|nfs|jdbc:\w+|postgres(?:ql)?|mysql|redis|mongodb(?:\+srv)?|amqp)://"
        r"(?:[\w.%+-]{1,100}@)?(?:[\w-]+(?=[:/\s\"')]|$)|(?:intranet|internal|corp)\.|[\w.-]{1,200}\.local\b)",
        re.I,
    ),
    "raw_log": re.compile(
        rf"Traceback \(most recent call last\)|^\s*File \"[^\"\n]+\", line \d+|^\s+at [\w.$<>]+\([^)\n]*:\d+\)|"
        rf"(?:{_LOG_LINE}\n?){{2}}|^npm ERR!|^(?:.*\n){{24}}",
        re.M,
    ),
}
_ASSORTED = re.compile(r"(?<![A-Za-z0-9/+_-])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-])")

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_ESCAPE = re.compile(
    r"\\u\{([0-9A-Fa-f]{1,6})\}|\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\x([0-9A-Fa-f]{2})|\\([0-7]{3})"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_HEX = re.compile(r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{2}){8,}(?![0-9A-Za-z])")


def hits(text: str) -> tuple[str, ...]:
    """The names of the private patterns that ``text`` shows, sorted; empty where it looks public-safe."""
    if len(text) > MAX_LENGTH:
        return ("too_long",)
    found = {name for reading in readings(text) for name in _plain_hits(reading)}
    return tuple(sorted(found))


def is_safe(text: str) -> bool:
    """Whether ``text`` shows no private pattern."""
    return not hits(text)


def redact(text: str) -> str:
    """The text with ``REDACTED`` for each word that looks private, or for all of it where that is not enough."""
    if is_safe(text):
        return text
    if len(text) > MAX_LENGTH:
        return REDACTED
    words = [(match.start(), match.end()) for match in re.finditer(r"\S+", text)]
    shown, position = [], 0
    for start, end in _private_spans(text):
        inside = [word for word in words if word[0] < end and word[1] > start]
        start, end = (inside[0][0], inside[-1][1]) if inside else (start, end)
        if start >= position:
            shown += [text[position:start], REDACTED]
        position = max(position, end)
    found = "".join([*shown, text[position:]])
    return found if is_safe(found) else REDACTED


def _private_spans(text: str) -> list[tuple[int, int]]:
    spans = [match.span() for pattern in _PATTERNS.values() for match in pattern.finditer(text)]
    spans += [match.span() for match in _ASSORTED.finditer(text) if _looks_random(match[0])]
    return sorted(spans)


def scan(document: Any, path: str = "$") -> list[tuple[str, tuple[str, ...]]]:
    """``(path, patterns)`` of each text and key in plain data that shows a private pattern; keys before values."""
    return [(place, found) for place, text in _texts(document, path) if (found := hits(text))]


def _texts(value: Any, path: str) -> Iterator[tuple[str, str]]:
    waiting: list[tuple[str, Any]] = [(path, value)]
    while waiting:
        here, item = waiting.pop()
        if isinstance(item, str):
            yield here, item
        elif isinstance(item, dict):
            # A key that itself looks private must not be repeated as a path.
            named = [
                (f"{here}.{key}" if str(key).isidentifier() and is_safe(str(key)) else f"{here}.?", key) for key in item
            ]
            waiting += [(place, item[key]) for place, key in reversed(named)]
            waiting += [(place, str(key)) for place, key in reversed(named)]
        elif isinstance(item, (list, tuple)):
            waiting += [(f"{here}[{number}]", entry) for number, entry in reversed(list(enumerate(item)))]


def _plain_hits(text: str) -> Iterator[str]:
    for name, pattern in _PATTERNS.items():
        if pattern.search(text):
            yield name
    if any(_looks_random(match[0]) for match in _ASSORTED.finditer(text)):
        yield "access_token"


def _looks_random(run: str) -> bool:
    kinds = (str.isupper, str.islower, str.isdigit)
    return len(set(run)) >= 22 and all(any(kind(char) for char in run) for kind in kinds)


def readings(text: str) -> list[str]:
    """The text and what it decodes to, each once, breadth first; more than ``_READINGS`` are not followed."""
    found = [text]
    layer = [text]
    for _ in range(_ROUNDS):
        following: list[str] = []
        for reading in layer:
            for decoded in _decoded(reading):
                if decoded not in found and len(found) < _READINGS:
                    found.append(decoded)
                    following.append(decoded)
        layer = following
    return found


def _decoded(text: str) -> Iterator[str]:
    yield _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    if "%" in text:
        yield _PERCENT.sub(lambda match: bytes.fromhex(match[0].replace("%", "")).decode("utf-8", "replace"), text)
    if "&" in text:
        yield unescape(text)
    if "\\" in text:
        yield _ESCAPE.sub(_character, text)
        yield text.replace("\\n", "\n").replace("\\t", "\t").replace("\\/", "/")
    for match in _BASE64.finditer(text):
        for part in {match[0], match[0].lstrip("_-")}:
            yield from _legible(_from_base64(part))
    for match in _HEX.finditer(text):
        yield from _legible(bytes.fromhex(match[0]))


def _character(match: re.Match[str]) -> str:
    digits = next(group for group in match.groups() if group)
    code = int(digits, 8 if match[5] else 16)
    return chr(code) if code <= 0x10FFFF else match[0]


def _from_base64(run: str) -> bytes:
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    if len(body) % 4 == 1:
        body = body[:-1]
    try:
        return a2b_base64(body + "=" * (-len(body) % 4))
    except Base64Error:
        return b""


def _legible(raw: bytes) -> Iterator[str]:
    """The bytes as text where they are text: chance rarely decodes a word of prose into printable characters."""
    text = _INVISIBLE.sub("", raw.decode("utf-8", "replace"))
    if len(text) >= 8 and all(char.isprintable() or char in "\n\r\t" for char in text) and "\ufffd" not in text:
        yield text
