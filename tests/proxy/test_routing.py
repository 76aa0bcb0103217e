"""One port for both ways: what goes to the upstream, what is forwarded, and how it gets there."""

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from mitmproxy.test import tflow

from mitmproxy_windsurf.proxy.routing import Listening
from mitmproxy_windsurf.upstream.target import Target
from proxy.conftest import StartProxy, StartUpstream
from proxy.harness import load_flows, until
from proxy.http1 import Out, Request, ask, connected
from proxy.http2 import http2_client, server_tls
from proxy.messages import (
    CHAT,
    MARKER,
    MESSAGES,
    NEUTRAL,
    PRIVATE,
    TRIGGER,
    chat_answer,
    chat_request,
)

TOUCHED = chat_request(TRIGGER, stream=False)
NEUTRALIZED = chat_request(NEUTRAL, stream=False)
LEAKING = chat_answer(PRIVATE)
CLEAN = chat_answer(MARKER)


async def leak(request: Request, out: Out) -> None:
    await out.body(LEAKING)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8080", "myproxy.internal", "[::1]:1"])
async def test_the_host_header_does_not_matter_and_is_kept(
    start_proxy: StartProxy, start_upstream: StartUpstream, host: str, late: bool
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url, late=late)
    reply = await ask(proxy.port, "POST", CHAT, TOUCHED, host=host)
    assert reply.body == CLEAN
    assert upstream.requests[0].headers["host"] == host
    assert upstream.requests[0].body == NEUTRALIZED


async def test_a_remote_handler_is_called_by_its_own_name(
    start_proxy: StartProxy, start_upstream: StartUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream = await start_upstream(leak)
    monkeypatch.setattr("mitmproxy_windsurf.proxy.addon.is_loopback", lambda host: False)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    assert (await ask(proxy.port, "POST", CHAT, TOUCHED, host="127.0.0.1:1")).body == CLEAN
    assert upstream.requests[0].headers["host"] == f"127.0.0.1:{upstream.port}"


async def test_absolute_form_to_ourselves_is_a_base_url_request(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with connected(proxy.port) as client:
        for name in ("127.0.0.1", "localhost"):
            host = f"{name}:{proxy.port}"
            await client.send("POST", f"http://{host}{CHAT}", TOUCHED, host=host)
            assert (await client.reply()).body == CLEAN
    assert [request.target for request in upstream.requests] == [CHAT, CHAT]


@pytest.mark.parametrize("tls", [False, True])
async def test_http_2(start_proxy: StartProxy, start_upstream: StartUpstream, tls: bool) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    authority = f"127.0.0.1:{proxy.port}"
    async with http2_client(proxy.port, tls=tls) as client:
        streams = [client.send(authority, CHAT, TOUCHED) for _ in range(3)]
        for stream in streams:
            await client.end(stream)
            assert (stream.ended, bytes(stream.body)) == ("end", CLEAN)
    assert {request.headers["host"] for request in upstream.requests} == {authority}
    assert {request.body for request in upstream.requests} == {NEUTRALIZED}


async def test_httpx_over_tls(start_proxy: StartProxy, start_upstream: StartUpstream) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    async with httpx.AsyncClient(verify=context, http2=True, trust_env=False) as client:
        url = f"https://localhost:{proxy.port}{CHAT}"
        for _ in range(2):
            reply = await client.post(url, content=TOUCHED)
            assert reply.content == CLEAN


async def test_more_streams_than_mitmproxy_has_connections(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        await until(lambda: len(upstream.requests) == 12)
        await out.body(LEAKING)

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    async with http2_client(proxy.port) as client:
        streams = [client.send("localhost", CHAT, TOUCHED) for _ in range(12)]
        for stream in streams:
            assert bytes((await client.end(stream)).body) == CLEAN


async def test_a_base_url_with_a_prefix(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=f"{upstream.url}/gateway/")
    assert (await ask(proxy.port, "POST", f"{MESSAGES}?beta=true", b"{}")).status == 200
    assert upstream.requests[0].target == f"/gateway{MESSAGES}?beta=true"


@asynccontextmanager
async def tls_upstream(confdir: Path) -> AsyncIterator[int]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        await reader.readexactly(length)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ")
        writer.write(b"%d\r\n\r\n%s" % (len(LEAKING), LEAKING))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=server_tls(confdir, "http/1.1"))
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def test_an_https_handler(start_proxy: StartProxy, confdir: Path) -> None:
    async with tls_upstream(confdir) as port:
        proxy = await start_proxy(windsurf_upstream=f"https://localhost:{port}", ssl_insecure=True)
        assert (await ask(proxy.port, "POST", CHAT, TOUCHED)).body == CLEAN


async def test_an_https_handler_that_is_not_trusted(start_proxy: StartProxy, confdir: Path) -> None:
    async with tls_upstream(confdir) as port:
        proxy = await start_proxy(windsurf_upstream=f"https://localhost:{port}")
        reply = await ask(proxy.port, "POST", CHAT, TOUCHED)
    assert reply.status == 502
    assert "ssl_verify_upstream_trusted_ca" in json.loads(reply.body)["error"]["message"]


# Forward-proxy use


async def test_a_forwarded_request_passes_byte_for_byte(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    vendor = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    reply = await ask(
        proxy.port,
        "POST",
        f"{vendor.url}{CHAT}",
        TOUCHED,
        host=f"127.0.0.1:{vendor.port}",
        accept_encoding="gzip",
    )
    assert reply.body == LEAKING
    assert vendor.requests[0].body == TOUCHED
    assert vendor.requests[0].headers["accept-encoding"] == "gzip"
    assert not upstream.requests
    assert (await proxy.flow()).metadata == {}


async def test_a_request_through_connect_passes_byte_for_byte_unless_its_host_is_listed(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    vendor = await start_upstream(leak)
    for hosts, expected in (([], TOUCHED), (["127.0.0.*"], NEUTRALIZED)):
        proxy = await start_proxy(windsurf_hosts=hosts)
        async with connected(proxy.port) as client:
            await client.send("CONNECT", f"127.0.0.1:{vendor.port}")
            assert (await client.head())[0] == 200
            await client.send("POST", CHAT, TOUCHED, host=f"127.0.0.1:{vendor.port}")
            reply = await client.reply()
        assert reply.body == (CLEAN if hosts else LEAKING)
        assert vendor.requests[-1].body == expected


async def test_a_forwarded_request_to_the_handler_is_rewritten(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    host = f"127.0.0.1:{upstream.port}"
    reply = await ask(proxy.port, "POST", f"{upstream.url}{CHAT}", TOUCHED, host=host)
    assert reply.body == CLEAN
    assert upstream.requests[0].body == NEUTRALIZED


async def test_layer_1_is_off_on_the_way_to_the_clients_own_vendor(
    start_proxy: StartProxy, start_upstream: StartUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        __import__("mitmproxy_windsurf.proxy.clients", fromlist=["x"]).VENDOR_HOSTS,
        "claude-cli",
        ("localhost",),
    )
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=f"http://localhost:{upstream.port}")
    agent = "claude-cli/2.1.332 (external, cli)"
    reply = await ask(proxy.port, "POST", CHAT, TOUCHED, user_agent=agent)
    assert reply.body == CLEAN
    assert upstream.requests[0].body == TOUCHED
    account = (await proxy.flow()).metadata["windsurf"]
    assert account["layers"] == ["paths", "identity", "dedup"]
    assert account["client"] == "claude-cli/2.1.332"


# Reverse mode


async def test_in_reverse_mode_the_layers_run_and_nothing_is_routed(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    elsewhere = await start_upstream(leak)
    upstream = await start_upstream(leak)
    proxy = await start_proxy(
        windsurf_upstream=elsewhere.url, mode=[f"reverse:{upstream.url}"], keep_host_header=True
    )
    reply = await ask(proxy.port, "POST", CHAT, TOUCHED, host="kept.example")
    assert reply.body == CLEAN
    assert upstream.requests[0].body == NEUTRALIZED
    assert upstream.requests[0].headers["host"] == "kept.example"
    assert not elsewhere.requests


async def test_in_upstream_mode_the_handler_is_not_behind_that_proxy(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url, mode=["upstream:http://127.0.0.1:1"])
    assert (await ask(proxy.port, "POST", CHAT, TOUCHED)).body == CLEAN
    host = f"127.0.0.1:{proxy.port}"
    reply = await ask(proxy.port, "POST", f"http://{host}{CHAT}", TOUCHED, host=host)
    assert reply.body == CLEAN


# Who may use the upstream


async def test_other_machines_are_refused_in_the_shape_of_their_protocol(
    start_proxy: StartProxy, start_upstream: StartUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream = await start_upstream(leak)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    monkeypatch.setattr("mitmproxy_windsurf.proxy.routing.is_loopback", lambda host: False)
    reply = await ask(proxy.port, "POST", MESSAGES, b"{}")
    assert reply.status == 403
    document = json.loads(reply.body)
    assert document["type"] == "error"
    assert document["error"]["type"] == "permission_error"
    assert not upstream.requests
    assert (await proxy.flow()).marked == ":warning:"
    proxy.master.options.update(stream_large_bodies="1")
    assert (await ask(proxy.port, "POST", "/unknown", b"some body")).status == 403
    proxy.master.options.update(windsurf_allow_remote=True)
    assert (await ask(proxy.port, "POST", CHAT, TOUCHED)).body == CLEAN


async def test_listening_on_more_than_loopback_is_said_once(
    start_proxy: StartProxy, caplog: pytest.LogCaptureFixture
) -> None:
    proxy = await start_proxy(listen_host="0.0.0.0")
    lines = [line for line in caplog.messages if "--listen-host 127.0.0.1" in line]
    assert len(lines) == 1
    assert "this machine only" in lines[0]
    assert (await ask(proxy.port, "GET", "/")).status != 502


# An upstream that is down


@pytest.mark.parametrize("target", [CHAT, MESSAGES, "/unknown"])
async def test_an_upstream_that_is_down(start_proxy: StartProxy, target: str) -> None:
    proxy = await start_proxy(windsurf_upstream="http://127.0.0.1:1")
    reply = await ask(proxy.port, "POST", target, TOUCHED)
    assert reply.status == 502
    assert reply.complete
    error = json.loads(reply.body)["error"]
    assert "http://127.0.0.1:1" in error["message"]
    assert "windsurf_upstream" in error["message"]
    assert error["type"] == ("api_error" if target == MESSAGES else "server_error")
    flow = await proxy.flow()
    assert flow.response
    assert flow.response.raw_content == reply.body
    assert flow.marked == ":warning:"


async def test_an_upstream_that_closes_without_an_answer(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    async def script(request: Request, out: Out) -> None:
        out.close()

    upstream = await start_upstream(script)
    proxy = await start_proxy(windsurf_upstream=upstream.url)
    reply = await ask(proxy.port, "POST", CHAT, TOUCHED)
    assert reply.status == 502
    assert upstream.url in json.loads(reply.body)["error"]["message"]


async def test_an_upstream_that_was_down_for_an_http_2_client(
    start_proxy: StartProxy, start_upstream: StartUpstream
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as reserved:
        port = reserved.getsockname()[1]
    proxy = await start_proxy(windsurf_upstream=f"http://127.0.0.1:{port}")
    async with http2_client(proxy.port) as client:
        streams = [client.send("localhost", CHAT, TOUCHED) for _ in range(2)]
        for stream in streams:
            assert (await client.end(stream)).status == 502
        upstream = await start_upstream(leak, port)
        stream = await client.end(client.send("localhost", CHAT, TOUCHED))
        assert bytes(stream.body) == CLEAN
        assert len(upstream.requests) == 1


async def test_an_upstream_that_is_this_proxy_itself(
    start_proxy: StartProxy, caplog: pytest.LogCaptureFixture
) -> None:
    proxy = await start_proxy()
    proxy.master.options.update(windsurf_upstream=proxy.url)
    reply = await ask(proxy.port, "POST", CHAT, TOUCHED)
    assert reply.status == 502
    assert "windsurf_upstream" in json.loads(reply.body)["error"]["message"]


# Replay


async def test_a_replayed_flow_goes_to_the_upstream_of_today(
    start_proxy: StartProxy, start_upstream: StartUpstream, tmp_path: Path
) -> None:
    old = await start_upstream(leak)
    new = await start_upstream(leak)
    path = tmp_path / "saved.mitm"
    proxy = await start_proxy(windsurf_upstream=f"{old.url}/old", save_stream_file=str(path))
    await ask(proxy.port, "POST", CHAT, TOUCHED)
    flow = await proxy.flow()
    proxy.master.options.update(windsurf_upstream=f"{new.url}/new", save_stream_file=None)
    (saved,) = load_flows(path)
    for number, replayed in enumerate((flow, saved), 1):
        proxy.master.commands.call("replay.client", [replayed])
        await proxy.flows.count(number + 1)
        assert new.requests[-1].target == f"/new{CHAT}"
        assert replayed.response
        assert replayed.response.content == CLEAN
    assert len(old.requests) == 1


async def test_flows_that_are_loaded_from_a_file_are_left_alone(start_proxy: StartProxy) -> None:
    proxy = await start_proxy(windsurf_hosts=["*"])
    flow = tflow.tflow(resp=True, live=False)
    await proxy.master.load_flow(flow)
    assert flow.metadata == {}


# Addresses


@pytest.mark.parametrize(
    ("addresses", "url", "is_open"),
    [
        ([], None, False),
        ([("127.0.0.1", 8080)], "http://127.0.0.1:8080", False),
        ([("::1", 8080)], "http://[::1]:8080", False),
        ([("::", 8080), ("0.0.0.0", 8080)], "http://127.0.0.1:8080", True),
        ([("192.168.1.2", 8080)], "http://192.168.1.2:8080", True),
    ],
)
def test_where_to_point_clients(
    addresses: list[tuple[str, int]], url: str | None, is_open: bool
) -> None:
    listening = Listening(addresses)
    assert listening.url == url
    assert listening.is_open is is_open


def test_a_target_that_is_the_proxy_itself() -> None:
    listening = Listening([("0.0.0.0", 8080)])
    assert listening.includes(Target("http", "localhost", 8080))
    assert not listening.includes(Target("http", "localhost", 8081))
    assert not listening.includes(Target("http", "a.b", 8080))
