"""How the server was started, and what of a request's headers the policy is told.

Seed: dashboard reward write boundary (append preconditions, origin and capability checks).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from starlette.datastructures import Headers

from ..errors import UsageError
from ..ledger.reward import Channel, Reward, contract_of, document_of
from ..ledger.write import Judge, refused
from ..loopback import is_loopback, is_loopback_authority, is_loopback_origin
from ..records import record

Json = dict[str, Any]
LONGEST_HEADER = 400
"""Characters of a header that are looked at. Longer ones are cut, which makes none of them acceptable."""


@record(frozen=True)
class Settings:
    """``origins`` may read across origins and ask for rewards; the server's own are among them."""

    host: str
    port: int
    origins: tuple[str, ...]
    write_enabled: bool

    def server(self, headers: Headers) -> Json:
        """The ``server`` part of a ``decision_write`` document."""
        origin = _one(headers, "origin")
        return {
            "bind_host": self.host,
            "write_api_enabled": self.write_enabled,
            "origin": origin or None,
            "allowed_origins": list(self.origins),
            "host": _one(headers, "host"),
            "content_type": _one(headers, "content-type"),
        }

    def may_read(self, headers: Headers) -> bool:
        """Whether the Host header is one that a page of this server has, so that no rebound name reads anything.

        A server that was bound outside on purpose is read by its address too, and still by no name.
        """
        host = _one(headers, "host")
        if is_loopback_authority(host):
            return True
        return not is_loopback(self.host) and _is_address(host)


def settings_of(host: str, port: int, more: Sequence[str], write_enabled: bool) -> Settings:
    """The settings; ``UsageError`` where an origin to accept is no exact loopback origin."""
    for origin in more:
        if not is_loopback_origin(origin):
            raise UsageError(
                f"--allow-origin {origin[:80]} is no loopback origin.",
                fix="Write scheme, host and port alone, as http://127.0.0.1:5173.",
            )
    own = [_authority(host, port)] if is_loopback(host) else []
    own += [f"{name}:{port}" for name in ("127.0.0.1", "localhost")]
    origins = dict.fromkeys([*(f"http://{name}" for name in own), *more])
    return Settings(host, port, tuple(origins), write_enabled)


def may_start(settings: Settings, judge: Judge) -> None:
    """``RefusedError`` where the policy would forbid every append of a server that is started to append."""
    if not settings.write_enabled:
        return
    own = {"origin": settings.origins[0], "host": f"127.0.0.1:{settings.port}", "content-type": "application/json"}
    verdict = judge("decision_write", bare(settings.server(Headers(own)), append=True))
    if verdict.kind == "forbidden":
        raise refused(verdict)


def bare(server: Json, *, append: bool) -> Json:
    """A ``decision_write`` document that says where a request comes from, and nothing of what it asks for."""
    nothing = Reward("", "", "", "")
    channel = Channel(append, "browser", server=server)
    return document_of(contract_of("", nothing), nothing, channel, {"kind": "operator"}, {})


def url_of(settings: Settings) -> str:
    """Where a browser on this machine finds the dashboard."""
    return f"http://{_authority(settings.host if is_loopback(settings.host) else '127.0.0.1', settings.port)}/"


def _authority(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _one(headers: Headers, name: str) -> str:
    """A header, cut; one that is sent twice becomes a text that nothing accepts."""
    return ", ".join(headers.getlist(name))[:LONGEST_HEADER]


def _is_address(authority: str) -> bool:
    """Whether a Host header names an address by its numbers."""
    from ipaddress import ip_address

    host = authority[1:].partition("]")[0] if authority.startswith("[") else authority.partition(":")[0]
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
