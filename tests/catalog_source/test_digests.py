"""Digests are BLAKE2b whichever module computes them, and delimit their parts."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from loopx_policy.digests import hex16


@given(parts=st.lists(st.binary(max_size=8), max_size=4))
def test_the_digest_is_that_of_hashlib(parts: list[bytes]) -> None:
    joined = b"".join(b"%d:%s" % (len(part), part) for part in parts)
    assert hex16(parts) == hashlib.blake2b(joined, digest_size=8).hexdigest()


@given(parts=st.lists(st.binary(min_size=1, max_size=8), min_size=2, max_size=4))
def test_a_byte_that_moves_to_the_next_part_shows(parts: list[bytes]) -> None:
    first, second, *rest = parts
    moved = [first[:-1], first[-1:] + second, *rest]
    assert hex16(moved) != hex16(parts)
