"""Short content digests for the hot path.

BLAKE2b comes from the interpreter's own ``_blake2`` module where there is one: ``hashlib`` gives the same
digest, but importing it loads OpenSSL, which costs 5 to 15 ms of a start-up; ``_blake2`` costs well under
one. The private name is safe to lean on because of the fallback, and a checksum of the ``zlib`` kind was
rejected because a catalog digest stands in every decision and must not collide.
"""

from __future__ import annotations

from collections.abc import Iterable

try:
    from _blake2 import blake2b
except ImportError:  # an interpreter built without its own hashes
    from hashlib import blake2b


def hex16(parts: Iterable[bytes]) -> str:
    """16 hex digits over the parts in order; each part is delimited, so moving a byte between parts shows."""
    digest = blake2b(digest_size=8)
    for part in parts:
        digest.update(b"%d:" % len(part))
        digest.update(part)
    return digest.hexdigest()
