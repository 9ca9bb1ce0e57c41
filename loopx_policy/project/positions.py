"""Where a value stands in a JSON text. Used only where something is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Sequence


def line_of(text: str, path: Sequence[str | int]) -> int:
    """The 1-based line of the value at ``path``, or of the deepest ancestor that exists; 0 for bad JSON."""
    best, depth = 0, -1
    keys: list[str | int] = []
    expect_key = False
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', text):
        word = token[0]
        if word in "}]":
            if keys:
                keys.pop()
            expect_key = False
        elif word == ",":
            if keys and isinstance(keys[-1], int):
                keys[-1] += 1
            else:
                expect_key = True
        elif word == ":":
            pass
        elif expect_key and word[0] == '"':
            keys[-1] = _unquote(word)
            expect_key = False
        else:
            here = len(keys)
            if depth < here <= len(path) and keys == list(path[:here]):
                best, depth = text.count("\n", 0, token.start()) + 1, here
            if word == "{":
                keys.append("")
                expect_key = True
            elif word == "[":
                keys.append(0)
    return best


def _unquote(word: str) -> str:
    import json

    try:
        return str(json.loads(word))
    except ValueError:
        return word[1:-1]
