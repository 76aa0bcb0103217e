"""Starting and stopping, as mitmproxy's synchronous hooks do it."""

from __future__ import annotations

import asyncio
import contextlib
import socket

import pytest

from mitmproxy_windsurf.upstream.server import Request, Responder, UpstreamServer
from upstream.conftest import Connect, Serve
from upstream.raw_http import PATIENCE, RawClient, request_bytes


async def hello(request: Request, responder: Responder) -> None:
    await responder.respond(200, b"hello")


class Stream:
    """One event now, one when it is allowed to."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()

    async def __call__(self, request: Request, responder: Responder) -> None:
        await responder.start(200)
        await responder.send(b"first")
        await self.go_on.wait()
        await responder.send(b"last")


async def closed(server: UpstreamServer) -> None:
    async with asyncio.timeout(PATIENCE):
        await server.wait_closed()


async def test_it_is_bound_when_start_returns(serve: Serve) -> None:
    server = serve(hello)
    assert server.port is not None
    with socket.create_connection(("127.0.0.1", server.port)) as early:
        early.sendall(request_bytes("GET", "/"))
        early.setblocking(False)
        async with asyncio.timeout(PATIENCE):
            head = await asyncio.get_running_loop().sock_recv(early, 100)
    assert head.startswith(b"HTTP/1.1 200")


async def test_it_can_listen_on_ipv6() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no ::1")
    server = UpstreamServer(hello, host="::1")
    port = server.start()
    reader, writer = await asyncio.open_connection("::1", port)
    writer.write(b"GET / HTTP/1.1\r\nhost: [::1]:%d\r\nconnection: close\r\n\r\n" % port)
    async with asyncio.timeout(PATIENCE):
        assert (await reader.read()).endswith(b"hello")
    writer.close()
    server.stop()
    await closed(server)


async def test_starting_twice_is_an_error(serve: Serve) -> None:
    server = serve(hello)
    with pytest.raises(RuntimeError):
        server.start()


async def test_a_port_that_is_taken_is_an_error_at_once(serve: Serve) -> None:
    server = serve(hello)
    assert server.port is not None
    with pytest.raises(OSError, match="in use"):
        UpstreamServer(hello, port=server.port).start()


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
async def test_it_can_be_stopped_at_any_moment_of_its_start(turns: int) -> None:
    server = UpstreamServer(hello)
    port = server.start()
    for _ in range(turns):
        await asyncio.sleep(0)
    server.stop()
    server.stop()
    assert server.port is None
    with pytest.raises(ConnectionRefusedError):
        await RawClient.connect(port)
    await closed(server)
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize("turns", range(6))
async def test_a_client_that_comes_while_it_stops_is_not_forgotten(turns: int) -> None:
    server = UpstreamServer(hello)
    port = server.start()
    await asyncio.sleep(0.01)
    with socket.create_connection(("127.0.0.1", port)) as late:
        late.setblocking(False)
        for _ in range(turns):
            await asyncio.sleep(0)
        server.stop()
        async with asyncio.timeout(PATIENCE):
            with contextlib.suppress(ConnectionResetError):  # It was not even accepted.
                assert await asyncio.get_running_loop().sock_recv(late, 100) == b""
    await closed(server)


async def test_it_can_be_started_again(serve: Serve, connect: Connect) -> None:
    server = serve(hello)
    server.stop()
    server.start()
    assert (await (await connect(server)).request("GET", "/")).body == b"hello"


async def test_stopping_closes_idle_clients(serve: Serve, connect: Connect) -> None:
    server = serve(hello)
    fresh, used = await connect(server), await connect(server)
    await used.request("GET", "/")
    server.stop()
    assert await fresh.rest() == b""
    assert await used.rest() == b""
    await closed(server)


async def test_stopping_lets_running_streams_end(serve: Serve, connect: Connect) -> None:
    stream = Stream()
    server = serve(stream)
    client = await connect(server)
    await client.send(request_bytes("GET", "/"))
    assert await client.chunk_after_head() == b"first"
    server.stop()
    await asyncio.sleep(0)
    assert server.connections == 1
    stream.go_on.set()
    assert [chunk async for chunk in client.chunks()] == [b"last"]
    assert await client.rest() == b""
    await closed(server)


async def test_a_request_that_is_being_read_is_still_answered(
    serve: Serve, connect: Connect
) -> None:
    server = serve(hello)
    client = await connect(server)
    await client.request("GET", "/")
    data = request_bytes("POST", "/", b"body")
    await client.send(data[:-1])
    await asyncio.sleep(0.01)
    server.stop()
    await client.send(data[-1:])
    response = await client.response()
    assert (response.body, response.headers["connection"]) == (b"hello", "close")
    assert await client.rest() == b""
