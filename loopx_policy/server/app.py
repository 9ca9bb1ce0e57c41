"""The routes. Everything that reads or writes a project runs one after another in a thread of its own, so that a slow
client keeps nobody waiting and the matching engine is never entered twice.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Protocol, TypeVar

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ..errors import LoopxError
from ..text import public
from .body import Problem, parse, read_body
from .page import ASSETS, broken_page, page
from .rewards import Desk, consider
from .settings import Settings, bare

Json = dict[str, Any]
Handler = Callable[[Request], Awaitable[Response]]
T = TypeVar("T")

SAFE: Final[Mapping[str, str]] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Vary": "Origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Office(Desk, Protocol):
    """The desk, and what there is to read on it."""

    def status(self) -> Json:
        """``GET /status.json`` without the capabilities of the server."""
        ...

    def page(self) -> Json:
        """What the dashboard shows."""
        ...


def make_app(office: Office, settings: Settings) -> Starlette:
    """The program of the server, for any ASGI host."""
    return _Server(office, settings).app


class _Server:
    def __init__(self, office: Office, settings: Settings) -> None:
        self._office = office
        self._settings = settings
        self._said: tuple[Json | None, bytes] = None, b""
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="loopx-desk")
        self.app = Starlette(
            routes=[
                Route("/", self._reading(self._page), methods=["GET"]),
                *(Route(f"/{name}", _asset(name), methods=["GET"]) for name in ASSETS),
                Route("/status.json", self._reading(self._status), methods=["GET"]),
                Route("/reward/dry-run", self._reward(append=False), methods=["POST", "OPTIONS"]),
                Route("/reward/append", self._reward(append=True), methods=["POST", "OPTIONS"]),
            ],
            exception_handlers={404: _plain, 405: _plain, 500: _plain},
        )

    async def _work(self, task: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, task)

    def _reading(self, handler: Callable[[], Response]) -> Handler:
        async def handle(request: Request) -> Response:
            if not self._settings.may_read(request.headers):
                return self._json(request, 403, _error("The Host header does not name this machine.", "forbidden"))
            try:
                response = await self._work(handler)
            except LoopxError as error:
                response = self._broken(request, error)
            return self._shared(request, response)

        return handle

    def _broken(self, request: Request, error: LoopxError) -> Response:
        """A project that cannot be read, said as the request would have been answered."""
        if request.url.path == "/":
            return Response(broken_page(error), 500, dict(SAFE), "text/html")
        return _response(500, _error(public(str(error)), error.kind))

    def _page(self) -> Response:
        return Response(page(self._office.page(), capabilities(self._settings)), 200, dict(SAFE), "text/html")

    def _status(self) -> Response:
        data = self._office.status()
        if data is not self._said[0]:  # the office answers with the same object for as long as nothing has changed
            self._said = data, _encoded(data | {"capabilities": capabilities(self._settings)})
        return Response(self._said[1], 200, dict(SAFE), "application/json")

    def _reward(self, *, append: bool) -> Handler:
        async def handle(request: Request) -> Response:
            server = self._settings.server(request.headers)
            if request.method == "OPTIONS":
                return await self._preflight(request, server, append)
            try:
                raw = await read_body(request.stream())
            except ClientDisconnect:
                raw = Problem(400, "The client went away.", "")
            body = raw if isinstance(raw, Problem) else parse(raw)
            answer = await self._work(lambda: consider(self._office, server, body, append=append))
            response = self._json(request, answer.status, answer.data)
            if isinstance(raw, Problem):
                response.headers["Connection"] = "close"
            return response

        return handle

    async def _preflight(self, request: Request, server: Json, append: bool) -> Response:
        """Whether a browser may send the request at all: what the policy says of where it would come from."""
        asked = server | {"content_type": "application/json"}
        verdict = await self._work(lambda: self._office.judge("")("decision_write", bare(asked, append=append)))
        if verdict.kind == "forbidden":
            return self._json(request, 403, _error(verdict.reason, "forbidden"))
        response = Response(status_code=204, headers=dict(SAFE))
        response.headers["Access-Control-Allow-Methods"] = "POST"
        response.headers["Access-Control-Allow-Headers"] = "Content-Type"
        return self._shared(request, response)

    def _json(self, request: Request, status: int, data: Json) -> Response:
        return self._shared(request, _response(status, data))

    def _shared(self, request: Request, response: Response) -> Response:
        """Let a page of a configured origin read the answer, and no other."""
        origin = self._settings.server(request.headers)["origin"]
        if origin in self._settings.origins:
            response.headers["Access-Control-Allow-Origin"] = origin
        return response


def _asset(name: str) -> Handler:
    kind, body = ASSETS[name]
    response = Response(body, 200, dict(SAFE), kind)

    async def handle(request: Request) -> Response:
        del request
        return response

    return handle


def capabilities(settings: Settings) -> Json:
    """What a page may offer: a dry-run always, an append where the server was started for it."""
    return {"reward_dry_run": True, "reward_append": settings.write_enabled, "operator_gate_append": False}


def _response(status: int, data: Json) -> Response:
    return Response(_encoded(data), status, dict(SAFE), "application/json")


def _encoded(data: Json) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _error(message: str, kind: str) -> Json:
    return {"ok": False, "appended": False, "error": message, "fix": "", "kind": kind, "case": "", "fields": []}


async def _plain(request: Request, error: Exception) -> Response:
    """What no route answers, and what went wrong, without a word about how."""
    status = int(getattr(error, "status_code", 500))
    message = {404: "There is nothing here.", 405: "This is not done here."}.get(status, "The server failed.")
    return _response(status, _error(message, "usage" if status < 500 else "internal"))
