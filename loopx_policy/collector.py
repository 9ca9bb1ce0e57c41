"""Pausing the garbage collector while very many objects are made, none of which is garbage.

A large state makes hundreds of thousands of objects; the collector would only walk them over and over, for as long as
everything else takes.
"""

from __future__ import annotations

import gc

MANY = 2_000
"""Todos from which on a decision is made without the collector."""


class Paused:
    """``with Paused(large):`` keeps the collector off inside, where ``large`` is true and it was on."""

    __slots__ = ("_pause",)

    def __init__(self, large: bool) -> None:
        self._pause = large and gc.isenabled()

    def __enter__(self) -> None:
        if self._pause:
            gc.disable()

    def __exit__(self, *error: object) -> None:
        if self._pause:
            gc.enable()
