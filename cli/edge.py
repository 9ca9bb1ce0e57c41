"""The edge: the only place that writes to the terminal, and where every failure becomes one sentence.

A traceback never reaches a user, unless ``LOOPX_DEBUG=1`` asks for it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress

from loopx_policy.errors import LoopxError

from .request import Json, Request, Result

INTERNAL = 70
CANNOT_WRITE = 74
INTERRUPTED = 130
PIPE_CLOSED = 141


def perform(parse: Callable[[list[str]], Request | Result | int], argv: list[str]) -> int:
    """Parse, run and print; the exit code. A parser may answer itself (help, version) with a result or a code."""
    try:
        return _perform(parse, argv)
    except BrokenPipeError:
        _discard_output()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return INTERRUPTED
    except OSError as error:
        if sys.stdout is not None and error.filename is None:
            _discard_output()
            _say(f"loopx: cannot write the answer: {error.strerror or error}")
            return CANNOT_WRITE
        return _unexpected(error, argv)
    except Exception as error:
        return _unexpected(error, argv)


def _perform(parse: Callable[[list[str]], Request | Result | int], argv: list[str]) -> int:
    try:
        request = parse(argv)
        if isinstance(request, int):
            _flush()
            return request
        if isinstance(request, Result):
            result, wanted = request, wanted_format(argv)
        else:
            result, wanted = request.run(), request.options.format
    except LoopxError as error:
        return _failed(error.to_dict(), str(error), argv)
    show(result, wanted)
    return result.exit_code


def show(result: Result, wanted: str) -> None:
    """Print ``result`` as ``wanted``: json, markdown, rich, or empty for what suits standard output."""
    if wanted == "json":
        write_json(result.text or encode(result.data))
        return
    from . import screen

    write(screen.draw(result, wanted))


def encode(data: Json) -> str:
    """Compact JSON in Unicode."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def write_json(text: str) -> None:
    """JSON to standard output: UTF-8 whatever the locale says."""
    binary = getattr(sys.stdout, "buffer", None)
    if binary is None:
        write(text)
        return
    binary.write(text.encode("utf-8", "replace") + b"\n")
    _flush()


def write(text: str) -> None:
    """Text and a line end to standard output, whatever its encoding can carry."""
    if sys.stdout is None:
        return
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    _flush()


def wanted_format(argv: list[str]) -> str:
    """What ``--format`` says in a command line that could not be parsed."""
    for number, token in enumerate(argv):
        if token == "--format" and number + 1 < len(argv):
            return argv[number + 1]
        if token.startswith("--format="):
            return token.partition("=")[2]
    return ""


def _failed(data: Json, sentence: str, argv: list[str]) -> int:
    if wanted_format(argv) == "json":
        write_json(encode(data))
    else:
        _say(f"loopx: {sentence}")
    return int(data["exit_code"])


def _unexpected(error: Exception, argv: list[str]) -> int:
    if os.environ.get("LOOPX_DEBUG") == "1":
        raise error
    what = f"internal error: {type(error).__name__}: {' '.join(str(error).split())[:200]}"
    fix = "Run it again with LOOPX_DEBUG=1 to see where, and report that."
    data = {"error": what, "kind": "internal", "at": "", "fix": fix, "exit_code": INTERNAL}
    return _failed(data, f"{what} {fix}", argv)


def _say(sentence: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(sentence + "\n")


def _flush() -> None:
    if sys.stdout is not None:
        sys.stdout.flush()


def _discard_output() -> None:
    """Point standard output at nothing, so that closing it at exit does not fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
