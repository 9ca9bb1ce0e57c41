"""``loopx serve-status``: the loopback server with the dashboard."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from .. import params
from ..request import Globals, Stream

Host = Annotated[
    str, typer.Option("--host", metavar="ADDRESS", help="Where to listen; anything but loopback serves without appends")
]
Port = Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help="The port; 0 takes a free one")]
Origins = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-origin",
        metavar="ORIGIN",
        help="A loopback origin beside the server's own that may ask, as http://127.0.0.1:5173; repeatable",
    ),
]
WriteApi = Annotated[
    bool, typer.Option("--enable-reward-write-api", help="Let the dashboard append a reward that it has previewed")
]


def register(app: typer.Typer) -> None:
    params.command(app, "serve-status")(serve_status)


def serve_status(
    options: Globals,
    host: Host = "127.0.0.1",
    port: Port = 8765,
    allow_origin: Origins = None,
    enable_reward_write_api: WriteApi = False,
) -> Stream:
    """Serve the dashboard to this machine until interrupted. Writes nothing unless it is started to."""
    from ..answers.serve import serve

    return Stream(options, partial(serve, options, host, port, tuple(allow_origin or ()), enable_reward_write_api))
