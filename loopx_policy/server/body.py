"""Reading the body of a request: small, in time, and one flat JSON object that says everything once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from ..records import record

Json = dict[str, Any]
LARGEST = 16 * 1024
"""Bytes of a body; the longest compact reward takes a tenth of it."""
PATIENCE = 5.0
"""Seconds within which a body must have arrived."""
DEEPEST = 4
"""Levels of nesting that are read at all; a reward has one."""


@record(frozen=True)
class Problem:
    """Why a body is no request: the status, one sentence, and the field that it is about (``body``: all of it)."""

    status: int
    message: str
    fix: str
    field: str = "body"


class _Wrong(Exception):
    """A problem on its way out of the parser."""

    def __init__(self, message: str, fix: str, field: str = "body") -> None:
        super().__init__(message)
        self.problem = Problem(422, message, fix, field)


async def read_body(stream: AsyncIterator[bytes]) -> bytes | Problem:
    """The bytes, or 413 where there are too many and 408 where they do not come."""
    found = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            async for chunk in stream:
                found += chunk
                if len(found) > LARGEST:
                    return Problem(413, f"The body is larger than {LARGEST} bytes.", "Send the compact fields alone.")
    except TimeoutError:
        return Problem(408, f"The body did not arrive within {PATIENCE:.0f} seconds.", "Send it whole.")
    return bytes(found)


def parse(raw: bytes) -> Json | Problem:
    """The object in a body, or 422 with what is wrong with it."""
    try:
        found = json.loads(raw.decode("utf-8"), object_pairs_hook=_object, parse_constant=_constant)
        if not isinstance(found, dict):
            raise _Wrong("The body is no JSON object.", "Send one object with the compact fields.")
        _check(found)
    except _Wrong as error:
        return error.problem
    except RecursionError:
        return Problem(422, "The body is nested too deeply.", "Send flat fields.")
    except ValueError:
        return Problem(422, "The body is no JSON in UTF-8.", "Send one JSON object in UTF-8.")
    return found


def _object(pairs: list[tuple[str, Any]]) -> Json:
    found: Json = {}
    for name, value in pairs:
        if name in found:
            field = name if name.isidentifier() and len(name) <= 40 else "body"
            raise _Wrong("The body names a field twice.", "Name each field once.", field)
        found[name] = value
    return found


def _constant(name: str) -> None:
    raise _Wrong("The body holds a number that JSON does not have.", "Send texts.")


def _check(found: Json) -> None:
    """Nested no deeper than is worth judging, and every text can be written."""
    waiting: list[tuple[Any, int]] = [(found, 1)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            raise _Wrong("The body is nested too deeply.", "Send flat fields.")
        if isinstance(value, str):
            value.encode("utf-8")  # a lone surrogate is a UnicodeEncodeError, which is a ValueError
        elif isinstance(value, dict):
            waiting += [(each, depth) for each in value]
            waiting += [(each, depth + 1) for each in value.values()]
        elif isinstance(value, list):
            waiting += [(each, depth + 1) for each in value]
