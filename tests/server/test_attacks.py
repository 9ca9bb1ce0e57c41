"""Requests that must not write, each with its status; the project is compared byte for byte. Then the one race."""

from __future__ import annotations

import base64
import json
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import quote

import pytest

from tests.ledger.people.conftest import Harbor
from tests.server.conftest import REWARD, WRITE, Reply, Serve, Server

TOKEN = "ghp_abcdefghijklmnopqrstuvwx12345"
PRIVATE = {
    "token": TOKEN,
    "key": "-----BEGIN RSA PRIVATE KEY-----",
    "path": "/home/ann/project/secret.txt",
    "windows_path": "C:\\Users\\ann\\secret.txt",
    "host": "see db01.internal for it",
    "address": "see 192.168.1.20 for it",
    "password": "password=hunter2hunter2",
}
CODINGS: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "percent": lambda text: quote(text, safe=""),
    "twice percent": lambda text: quote(quote(text, safe=""), safe=""),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "entities": lambda text: "".join(f"&#{ord(each)};" for each in text),
    "escapes": lambda text: "".join(f"\\u{ord(each):04x}" for each in text),
    "fullwidth": lambda text: "".join(chr(ord(each) + 0xFEE0) if "!" <= each <= "~" else each for each in text),
    "invisible": lambda text: "\u200b".join(text),
}
ALSO = {f"token in {name}": coded(TOKEN) for name, coded in CODINGS.items() if name != "as it is"}
ALSO |= {f"path in {name}": coded(PRIVATE["path"]) for name, coded in CODINGS.items() if name != "as it is"}


def origins(server: Server) -> dict[str, str]:
    port = server.port
    return {
        "foreign": "http://harbor.example",
        "null": "null",
        "none": "",
        "looks local": f"http://localhost.evil.example:{port}",
        "address in a name": f"http://127.0.0.1.evil.example:{port}",
        "wrong port": f"http://127.0.0.1:{port + 1}",
        "no port": "http://127.0.0.1",
        "wrong scheme": f"https://127.0.0.1:{port}",
        "file": "file://",
        "with a user": f"http://127.0.0.1:{port}@evil.example",
        "with a path": f"http://127.0.0.1:{port}/",
        "in capitals": f"HTTP://127.0.0.1:{port}",
        "another address of loopback": f"http://127.0.0.2:{port}",
        "an extension": "chrome-extension://abcdefghijklmnop",
        "two": f"http://127.0.0.1:{port}, http://127.0.0.1:{port}",
        "long": f"http://127.0.0.1:{port}" + "a" * 5_000,
    }


@pytest.mark.usefixtures("untouched")
def test_no_other_origin_asks_for_anything(target: Server) -> None:
    body = target.previewed()
    for name, origin in origins(target).items():
        for reply in (target.dry_run(REWARD, {"Origin": origin}), target.append(body, {"Origin": origin})):
            assert (reply.status, reply.json["case"]) == (403, "IP-014.foreign_origin"), name
            assert "access-control-allow-origin" not in reply.headers


@pytest.mark.parametrize(
    "host", ["harbor.example", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.7", "[::2]", "a@127.0.0.1"]
)
@pytest.mark.usefixtures("untouched")
def test_a_rebound_name_neither_writes_nor_reads(target: Server, host: str) -> None:
    body = target.previewed()
    for port in ("", f":{target.port}"):
        headers = {"Host": host + port}
        assert target.append(body, headers).status == 403
        assert target.append(body, headers | {"Origin": f"http://{host}{port}"}).status == 403
        assert target.dry_run(REWARD, headers).status == 403
        for path in ("/", "/status.json"):
            reply = target.get(path, **headers)
            assert reply.status == 403
            assert b"harbor planner" not in reply.body
            assert b"berth" not in reply.body


@pytest.mark.parametrize(
    "kind",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
        "",
        "text/json",
        "application/json; charset=utf-16",
        "application/jsonp",
    ],
)
@pytest.mark.usefixtures("untouched")
def test_what_a_form_can_send_is_rejected(target: Server, kind: str) -> None:
    body = target.previewed()
    for reply in (target.append(body, {"Content-Type": kind}), target.dry_run(REWARD, {"Content-Type": kind})):
        assert (reply.status, reply.json["case"]) == (422, "IP-014.not_json")


def deep(levels: int) -> bytes:
    return b'{"goal_id":' + b"[" * levels + b"]" * levels + b"}"


MALFORMED: dict[str, tuple[bytes, int]] = {
    "empty": (b"", 422),
    "no JSON": (b"goal_id=harbor", 422),
    "a list": (b"[]", 422),
    "a number": (b"7", 422),
    "cut off": (json.dumps(REWARD).encode()[:-1], 422),
    "two objects": (b"{}{}", 422),
    "not a number": (b'{"reward":NaN}', 422),
    "an endless number": (b'{"reward":' + b"9" * 9_000 + b"}", 422),
    "another coding": (json.dumps(REWARD).encode("utf-16"), 422),
    "a mark before it": (b"\xef\xbb\xbf" + json.dumps(REWARD).encode(), 422),
    "broken bytes": (b'{"goal_id":"\xff\xfe"}', 422),
    "half a character": (b'{"reason_summary":"\\ud800"}', 422),
    "half a character as a name": (b'{"\\ud800":"x"}', 422),
    "nested": (deep(10), 422),
    "nested deeply": (deep(7_000), 422),
    "too large": (json.dumps(REWARD | {"follow_up": "x" * 20_000}).encode(), 413),
    "far too large": (b" " * 5_000_000, 413),
}


@pytest.mark.parametrize("name", MALFORMED)
@pytest.mark.usefixtures("untouched")
def test_a_body_that_is_no_compact_object_is_rejected(target: Server, name: str) -> None:
    body, status = MALFORMED[name]
    for path in ("/reward/dry-run", "/reward/append"):
        try:
            reply = target.post(path, body)
        except (BrokenPipeError, ConnectionResetError):
            assert name == "far too large"  # the server answered and hung up before it was all sent
            continue
        assert reply.status == status
        assert reply.json["appended"] is False
    assert target.get("/status.json").status == 200


@pytest.mark.parametrize("field", [*REWARD, "preview_id"])
@pytest.mark.usefixtures("untouched")
def test_a_field_that_is_named_twice_is_rejected(target: Server, field: str) -> None:
    body = target.previewed()
    raw = json.dumps(body)[:-1] + f", {json.dumps(field)}: {json.dumps(body[field])}}}"
    reply = target.append(raw.encode())
    assert (reply.status, reply.json["fields"]) == (422, [field])


@pytest.mark.parametrize(
    "goal_id",
    [
        "..",
        "../harbor",
        "harbor/../harbor",
        "./harbor",
        "/",
        "goals/harbor",
        "harbor/",
        "harbor\x00",
        "%2e%2e%2fharbor",
        "..\\harbor",
        "harbor\n",
        "HARBOR",
        "*",
    ],
)
@pytest.mark.usefixtures("untouched")
def test_a_goal_is_a_name_and_no_path(target: Server, goal_id: str) -> None:
    body = target.previewed() | {"goal_id": goal_id}
    for reply in (target.append(body), target.dry_run(body)):
        assert reply.status == 422
        assert "goal_id" in reply.json["fields"]


@pytest.mark.parametrize("kind", [*PRIVATE, *ALSO])
@pytest.mark.usefixtures("untouched")
def test_private_text_is_rejected_in_every_field_and_never_repeated(target: Server, kind: str) -> None:
    text = (PRIVATE | ALSO)[kind]
    for field in (*REWARD, "preview_id", "note"):
        for reply in (target.dry_run(REWARD | {field: text}), target.append(target.previewed() | {field: text})):
            assert reply.status == 422, field
            assert text not in reply.body.decode()
            assert json.dumps(text)[1:-1] not in reply.body.decode()
    for body in (REWARD | {text: "x"}, REWARD | {"follow_up": {text: text}}, REWARD | {"follow_up": [text]}):
        reply = target.dry_run(body)
        assert reply.status == 422
        assert TOKEN not in reply.body.decode()


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"])
@pytest.mark.usefixtures("untouched")
def test_only_a_post_asks_for_a_reward(target: Server, method: str) -> None:
    body = json.dumps(target.previewed()).encode()
    headers = {"Origin": target.origin, "Content-Type": "application/json"}
    for path in ("/reward/append", "/reward/dry-run"):
        assert target.ask(method, path, body, headers).status == 405


@pytest.mark.parametrize(
    "path",
    [
        "/../STATE.md",
        "/page.css/../../../settings.py",
        "/%2e%2e/registry.json",
        "/assets/page.html",
        "/page.html",
        "//etc/passwd",
        "/docs",
        "/openapi.json",
    ],
)
def test_no_file_is_served_but_the_page_s_own(target: Server, path: str) -> None:
    assert target.get(path).status == 404


def preflight(server: Server, path: str, origin: str, **more: str) -> Reply:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    return server.ask("OPTIONS", path, None, {"Origin": origin, **asked, **more})


def test_browsers_are_told_beforehand_what_they_may_send(serve: Serve) -> None:
    page = "http://127.0.0.1:5173"
    reading, writing = serve("--allow-origin", page), serve("--allow-origin", page, WRITE)
    assert preflight(writing, "/reward/append", page).status == 204
    assert preflight(writing, "/reward/append", page).headers["access-control-allow-origin"] == page
    assert preflight(reading, "/reward/dry-run", page).status == 204
    assert preflight(reading, "/reward/append", page).status == 403
    assert preflight(writing, "/reward/append", page, Host="harbor.example").status == 403
    for name, origin in origins(writing).items():
        reply = preflight(writing, "/reward/append", origin)
        assert reply.status == 403, name
        assert "access-control-allow-origin" not in reply.headers


def test_a_configured_page_previews_and_appends_and_its_neighbour_does_not(harbor: Harbor, serve: Serve) -> None:
    page = "http://127.0.0.1:5173"
    server = serve("--allow-origin", page, WRITE)
    headers = {"Origin": page}
    preview = server.dry_run(REWARD, headers)
    assert preview.headers["access-control-allow-origin"] == page
    body = REWARD | {"preview_id": preview.json["preview_id"]}
    assert server.append(body, {"Origin": "http://127.0.0.1:5174"}).status == 403
    assert server.append(body, headers).json["appended"] is True
    assert sum("human_reward" in row for row in harbor.rows()) == 1


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "null",
        "http://harbor.example",
        "127.0.0.1:5173",
        "http://localhost.evil.example",
        "http://127.0.0.1:5173/",
        "http://0.0.0.0:5173",
    ],
)
def test_no_origin_outside_can_be_configured(harbor: Harbor, origin: str) -> None:
    harbor.refused("serve-status", "--port", "0", "--allow-origin", origin, code=2)


def raw(server: Server, sent: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    connection.sendall(sent)
    return connection


@pytest.mark.usefixtures("untouched")
def test_slow_clients_keep_nobody_waiting_and_are_told_to_go(target: Server) -> None:
    head = f"POST /reward/append HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\nOrigin: {target.origin}\r\n"
    begun = head + "Content-Type: application/json\r\nContent-Length: 400\r\n\r\n{"
    slow = [raw(target, begun.encode()) for _ in range(40)] + [raw(target, head[:30].encode()) for _ in range(40)]
    began = time.monotonic()
    assert target.get("/status.json").status == 200
    assert target.dry_run().status == 200
    assert time.monotonic() - began < 4
    assert slow[0].recv(64).startswith(b"HTTP/1.1 408")
    for connection in slow:
        connection.close()


def test_two_hundred_appends_of_one_preview_make_one_row(harbor: Harbor, writing: Server) -> None:
    body = writing.previewed()
    before = harbor.index.read_bytes()
    with ThreadPoolExecutor(50) as pool:
        replies = list(pool.map(lambda _: writing.append(body), range(200)))
    assert sorted(reply.status for reply in replies) == [200] + [409] * 199
    after = harbor.index.read_bytes()
    assert after.startswith(before)
    assert after.count(b"\n") == before.count(b"\n") + 1
    assert sum("human_reward" in row for row in harbor.rows()) == 1


def test_two_servers_append_one_preview_once(harbor: Harbor, serve: Serve) -> None:
    first, second = serve(WRITE), serve(WRITE)
    body: dict[str, Any] = first.previewed()
    with ThreadPoolExecutor(16) as pool:
        replies = list(pool.map(lambda number: (first, second)[number % 2].append(body), range(32)))
    assert sorted(reply.status for reply in replies) == [200] + [409] * 31
    assert sum("human_reward" in row for row in harbor.rows()) == 1
