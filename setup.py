"""Builds what ``pyproject.toml`` describes, and puts the compiled catalog beside the code.

A run compares it with the rule files by their digest, as it does with its own cache, so it is never stale; it saves
the first run the time to compile, and every run where no cache can be written.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = os.path.dirname(os.path.abspath(__file__))


class BuildWithCatalog(build_py):
    """Compiles the rule files that were just copied, with the program that was just copied beside them."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:  # there the files change under the program
            self._compile()

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        more = [self._compiled()] if os.path.exists(self._compiled()) else []
        return [*super().get_outputs(include_bytecode), *more]

    def _compiled(self) -> str:
        return os.path.join(self.build_lib, "loopx_policy", "_compiled.json")

    def _compile(self) -> None:
        with suppress(FileNotFoundError):
            os.remove(self._compiled())  # what an earlier build left in its folder
        sys.path.insert(0, ROOT)
        sys.dont_write_bytecode = True
        try:
            from loopx_policy.catalog_cache import compile_sources, encode
            from loopx_policy.catalog_files import read_sources
            from loopx_policy.catalog_source import compile as _  # noqa: F401
        except ImportError as error:
            # Only without build isolation. Whoever runs it then compiles for himself.
            self.warn(f"{error}: the catalog is not compiled in advance")
            return
        package = os.path.join(self.build_lib, "loopx_policy")
        sources = read_sources([os.path.join(package, "rules")], os.path.join(package, "catalog"))
        with open(self._compiled(), "wb") as file:
            file.write(encode(compile_sources(sources)))


setup(cmdclass={"build_py": BuildWithCatalog})
