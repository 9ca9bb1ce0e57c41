"""Whether an address lies under a path that is forbidden before approval, however it is spelt.

An address is read in each way in which a browser or a lenient server may read it; one forbidden reading is enough.
Seed: IP-028 (``forbidden_url_path_prefixes_before_approval``).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_DECODINGS = 5
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
_DROPPED = re.compile(r"[\t\n\r]")
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]+", re.I)
_SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:(?!\d)", re.I)


def forbidden_prefix(url: str, prefixes: Sequence[str]) -> str | None:
    """The prefix with which a reading of ``url`` begins, or ``an unreadable path``; None where no prefix covers it.

    A prefix is a beginning of the text, as ``/api/conversations`` is of ``/api/conversations.history``. What
    cannot be read as a path, or is not stated, lies under every prefix.
    """
    paths = readings(url)
    for prefix in prefixes:
        if not paths:
            return "an unreadable path"
        begins = _beginning(prefix)
        if any(path.startswith(begins) for path in paths):
            return prefix
    return None


def readings(url: str) -> list[str]:
    """The paths that an address may stand for: decoded, without dots and empty steps, in small letters."""
    text = _decoded(url)
    if not text:
        return []
    absolute = _ABSOLUTE.match(text)
    if absolute:
        return [_plain(text[absolute.end() :])]
    if text.startswith("/") and not text.startswith("//"):
        return [_plain(text)]
    whole = _plain(_SCHEME.sub("", text, count=1))
    return [whole, "/" + whole.partition("/")[2].partition("/")[2]]  # the first step may be a host


def _beginning(prefix: str) -> str:
    """How a forbidden path begins; one that is written as an address forbids its path on every host."""
    text = _decoded(prefix) or ""
    absolute = _ABSOLUTE.match(text)
    return _plain(text[absolute.end() :] if absolute else text)


def _decoded(text: str) -> str | None:
    """The text as it stands behind its percent signs, None where there is no end to them."""
    text = _DROPPED.sub("", text.strip())
    for _ in range(_DECODINGS):
        decoded = _PERCENT.sub(lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace"), text)
        decoded = _DROPPED.sub("", decoded).replace("\\", "/")
        if decoded == text:
            return text
        text = decoded
    return None


def _plain(rest: str) -> str:
    steps: list[str] = []
    for step in re.split(r"[?#]", rest)[0].split("/"):
        step = step.strip()
        if step == "..":
            steps = steps[:-1]
        elif step not in ("", "."):
            steps.append(step.lower())
    return "/" + "/".join(steps)
