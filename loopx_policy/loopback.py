"""Whether a host or an origin is this machine, by its name alone: no lookup, no network.

``localhost.evil.example`` and ``127.0.0.1.evil.example`` are not; neither is a name that merely resolves
here, since that is what DNS rebinding abuses. Seed: dashboard reward write boundary, origin checks.
"""

from __future__ import annotations

import re

_IPV4 = re.compile(r"127(?:\.(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])){3}")
_AUTHORITY = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^:\[\]/?#@\s]+)(?::(?P<port>\d{1,5}))?")
_ORIGIN = re.compile(r"(?P<scheme>https?)://(?P<authority>[^/?#@\s]+)")


def is_loopback(host: str) -> bool:
    """Whether ``host`` (no port; IPv6 with or without brackets) is a loopback address or ``localhost``."""
    name = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    return name.lower() == "localhost" or name == "::1" or _IPV4.fullmatch(name) is not None


def is_loopback_authority(authority: str) -> bool:
    """The same for a Host header: a host with an optional port."""
    match = _AUTHORITY.fullmatch(authority)
    if match is None or (match["host"].startswith("[") and not is_loopback(match["host"])):
        return False
    return is_loopback(match["host"]) and (match["port"] is None or 0 < int(match["port"]) < 65536)


def is_loopback_origin(origin: str) -> bool:
    """The same for an Origin header: ``http`` or ``https``, a host, an optional port, and nothing else."""
    match = _ORIGIN.fullmatch(origin)
    return match is not None and is_loopback_authority(match["authority"])
