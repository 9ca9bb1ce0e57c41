"""Run by the tests with the fault library preloaded: each job is a forked child that runs one loopx command.

A job is a line of JSON: ``{cwd, argv, watched, at, error, half}``; the answer is a line of JSON: ``{code, calls, out,
err}``, where ``code`` is negative for a signal.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import tempfile
from contextlib import redirect_stdout
from functools import lru_cache
from io import StringIO
from pathlib import Path
from typing import Any

from loopx_policy import catalog_cache
from loopx_policy.cli.edge import perform
from loopx_policy.cli.entry import parse
from tests.torture.commands import COMMANDS
from tests.torture.harness import lay


def child(job: dict[str, Any], faults: ctypes.CDLL, counter: int) -> int:
    os.chdir(job["cwd"])
    out, err = (os.open(name, os.O_WRONLY | os.O_TRUNC) for name in (job["out"], job["err"]))
    os.dup2(out, 1)
    os.dup2(err, 2)
    faults.arm(job["watched"].encode(), job["at"], job["error"], int(job["half"]))
    code: int = perform(parse, job["argv"])
    os.write(counter, str(faults.calls()).encode())
    return code


def run(job: dict[str, Any], faults: ctypes.CDLL) -> dict[str, Any]:
    here, there = os.pipe()
    with tempfile.NamedTemporaryFile() as out, tempfile.NamedTemporaryFile() as err:
        job |= {"out": out.name, "err": err.name}
        pid = os.fork()
        if pid == 0:
            code = 99
            try:
                code = child(job, faults, there)
            finally:
                os._exit(code)
        os.close(there)
        _, status = os.waitpid(pid, 0)
        counted = os.read(here, 20).decode()
        os.close(here)
        return {
            "code": os.waitstatus_to_exitcode(status),
            "calls": int(counted or 0),
            "out": out.read().decode(),
            "err": err.read().decode(),
        }


def warm() -> None:
    """Run every command here, so that its imports and caches are there for every child.

    Of the catalog a child only looks at the files; what is compiled is not decoded anew.
    """
    vars(catalog_cache)["decode"] = lru_cache(catalog_cache.decode)
    with tempfile.TemporaryDirectory() as folder:
        for number, command in enumerate(COMMANDS):
            os.chdir(lay(Path(folder) / str(number)))
            for argv in (*command.first, command.keyed("warm")):
                with redirect_stdout(StringIO()):
                    perform(parse, argv)
        os.chdir("/")
    gc.freeze()


def main() -> None:
    faults = ctypes.CDLL(os.environ["LD_PRELOAD"])
    faults.calls.restype = ctypes.c_long
    faults.arm.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_long, ctypes.c_int]
    warm()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(run(json.loads(line), faults)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
