"""The edge: the only place that writes to the terminal, and where every failure becomes one sentence.

A traceback never reaches a user, unless ``LOOPX_DEBUG=1`` asks for it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from loopx_policy.errors import LoopxError

from .request import Json, Request, Result, Stream

INTERNAL = 70
CANNOT_WRITE = 74
INTERRUPTED = 130
PIPE_CLOSED = 141


class CannotWrite(Exception):
    """Standard output takes no more, for another reason than that its reader left; the message says which."""


def perform(parse: Callable[[list[str]], Request | Stream | Result | int], argv: list[str]) -> int:
    """Parse, run and print; the exit code. A parser may answer itself (help, version) with a result or a code.

    Without a standard output nothing is done at all: a change that nobody can be told of is worse than none.
    """
    if sys.stdout is None:
        return _unwritable("standard output is closed")
    try:
        try:
            return _perform(parse, argv)
        except (BrokenPipeError, CannotWrite, KeyboardInterrupt):
            raise
        except Exception as error:
            return _unexpected(error, argv)
    except BrokenPipeError:
        _discard(sys.stdout)
        return PIPE_CLOSED
    except CannotWrite as error:
        _discard(sys.stdout)
        return _unwritable(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED


def _unwritable(why: str) -> int:
    _say(f"loopx: cannot write the answer: {why}")
    return CANNOT_WRITE


def _perform(parse: Callable[[list[str]], Request | Stream | Result | int], argv: list[str]) -> int:
    try:
        request = parse(argv)
        if isinstance(request, int):
            return request
        if isinstance(request, Stream):
            return _stream(request)
        if isinstance(request, Result):
            result, wanted = request, wanted_format(argv)
        else:
            result, wanted = request.run(), request.options.format
    except LoopxError as error:
        return _failed(error.to_dict(), str(error), argv)
    show(result, wanted)
    return result.exit_code


def _stream(request: Stream) -> int:
    code = 0
    for result in request.results():
        show(result, request.options.format)
        code = result.exit_code
    return code


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
    with _writing():
        binary.write(text.encode("utf-8", "replace") + b"\n")
        binary.flush()


def write(text: str) -> None:
    """Text and a line end to standard output, whatever its encoding can carry."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    with _writing():
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
        sys.stdout.flush()


@contextmanager
def _writing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CannotWrite(error.strerror or str(error)) from None


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
    """To standard error, or nowhere: the exit code tells the rest."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(sentence + "\n")
        sys.stderr.flush()
    except OSError:
        _discard(sys.stderr)


def _discard(stream: TextIO) -> None:
    """Point a standard stream at nothing, so that closing it at exit does not fail again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
