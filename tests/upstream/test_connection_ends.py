"""Clients that leave, lag or hurry, and what is left of them: nothing."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import weakref

import pytest

from mitmproxy_windsurf.upstream.connection import RESET, Connection
from mitmproxy_windsurf.upstream.server import Limits, Request, Responder
from upstream.conftest import Connect, Serve
from upstream.handlers import Endless, echo, quiet
from upstream.raw_http import PATIENCE, request_bytes


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[weakref.ref[Connection]]:
    """The connections that servers make."""
    connections: list[weakref.ref[Connection]] = []
    connection_made = Connection.connection_made

    def remember(self: Connection, transport: asyncio.BaseTransport) -> None:
        connections.append(weakref.ref(self))
        connection_made(self, transport)

    monkeypatch.setattr(Connection, "connection_made", remember)
    return connections


async def until(condition: asyncio.Event) -> None:
    await asyncio.wait_for(condition.wait(), PATIENCE)


class TestAborts:
    @pytest.mark.parametrize("how", ["close", "half_close", "reset"])
    @pytest.mark.parametrize("silent", [True, False])
    async def test_a_client_that_leaves_cancels_the_handler(
        self, serve: Serve, connect: Connect, how: str, silent: bool
    ) -> None:
        gone = asyncio.Event()

        async def handler(request: Request, responder: Responder) -> None:
            try:
                await (quiet if silent else Endless())(request, responder)
            finally:
                gone.set()

        client = await connect(serve(handler))
        await client.send(request_bytes("GET", "/"))
        await client.chunk_after_head()
        if how == "close":
            await client.close()
        else:
            getattr(client, how)()
        await until(gone)

    async def test_it_need_not_have_begun(self, serve: Serve, connect: Connect) -> None:
        started, gone = asyncio.Event(), asyncio.Event()

        async def handler(request: Request, responder: Responder) -> None:
            started.set()
            try:
                await asyncio.Event().wait()
            finally:
                gone.set()

        client = await connect(serve(handler))
        await client.send(request_bytes("GET", "/"))
        await until(started)
        client.reset()
        await until(gone)

    async def test_a_full_buffer_does_not_outlive_the_client(
        self, serve: Serve, connect: Connect
    ) -> None:
        endless = Endless()
        client = await connect(serve(endless), receive_buffer=4096)
        await client.send(request_bytes("GET", "/"))
        await client.head()
        await stalled(endless)
        client.half_close()
        await until(endless.cancelled)

    async def test_nothing_is_left_of_it(
        self, serve: Serve, connect: Connect, made: list[weakref.ref[Connection]]
    ) -> None:
        server = serve(Endless())
        for _ in range(5):
            client = await connect(server, receive_buffer=4096)
            await client.send(request_bytes("GET", "/"))
            await client.head()
            client.reset()
        server.stop()
        await asyncio.wait_for(server.wait_closed(), PATIENCE)
        assert server.connections == 0
        await asyncio.sleep(0)
        gc.collect()
        assert [ref() for ref in made] == [None] * 5

    async def test_a_handler_can_cut_the_connection_behind_what_it_sent(
        self, serve: Serve, connect: Connect
    ) -> None:
        async def handler(request: Request, responder: Responder) -> None:
            await responder.start(200)
            await responder.send(b"so far")
            responder.abort()

        client = await connect(serve(handler))
        await client.send(request_bytes("GET", "/"))
        assert await client.chunk_after_head() == b"so far"
        with pytest.raises(ConnectionResetError):
            await client.rest()

    async def test_sending_to_a_client_that_has_gone_raises(
        self, serve: Serve, connect: Connect
    ) -> None:
        outcome: asyncio.Future[Exception] = asyncio.get_running_loop().create_future()

        async def stubborn(request: Request, responder: Responder) -> None:
            await responder.start(200)
            await responder.send(b"x")
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
            try:
                await responder.send(b"y")
            except OSError as error:
                outcome.set_result(error)
                raise

        client = await connect(serve(stubborn))
        await client.send(request_bytes("GET", "/"))
        await client.chunk_after_head()
        client.reset()
        assert isinstance(await asyncio.wait_for(outcome, PATIENCE), ConnectionResetError)


async def stalled(endless: Endless) -> None:
    """Wait until the handler gets no further."""
    before = -1
    while endless.sent > before:
        before = endless.sent
        for _ in range(50):
            await asyncio.sleep(0)


async def test_small_writes_are_not_held_back_by_the_kernel(
    serve: Serve, connect: Connect, made: list[weakref.ref[Connection]]
) -> None:
    client = await connect(serve(echo))
    await client.request("GET", "/")
    connection = made[0]()
    assert connection is not None
    sock = connection._transport.get_extra_info("socket")
    assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


class TestBackPressure:
    async def test_a_slow_reader_slows_the_handler_down(
        self, serve: Serve, connect: Connect
    ) -> None:
        endless = Endless(b"x" * 100_000)
        client = await connect(serve(endless), receive_buffer=4096)
        await client.send(request_bytes("GET", "/"))
        await client.head()
        await stalled(endless)
        before = endless.sent
        while endless.sent == before:
            await client.chunk()
        client.reset()

    async def test_requests_ahead_are_bounded_whatever_their_number(
        self, serve: Serve, connect: Connect, made: list[weakref.ref[Connection]]
    ) -> None:
        step = asyncio.Semaphore(0)

        async def handler(request: Request, responder: Responder) -> None:
            await step.acquire()
            await responder.respond(200, b"")

        client = await connect(serve(handler, Limits(ahead=1000)))
        many = 50_000
        flood = asyncio.create_task(client.send(request_bytes("GET", "/") * many))
        for _ in range(50):
            step.release()
            await client.response()
            connection = made[0]()
            assert connection is not None
            assert len(connection._wire.trailing_data[0]) <= 1000 + 256 * 1024
        flood.cancel()
        client.reset()
        for _ in range(many):  # Only an answer shows that such a client has left.
            step.release()

    async def test_a_burst_does_not_block_other_clients(
        self, serve: Serve, connect: Connect
    ) -> None:
        turns = 0

        async def bystander() -> None:
            nonlocal turns
            while True:
                await asyncio.sleep(0)
                turns += 1

        seen: list[int] = []

        async def burst(request: Request, responder: Responder) -> None:
            await responder.start(200)
            for _ in range(2000):
                await responder.send(b"data: {}\n\n")
            seen.append(turns)

        client = await connect(serve(burst))
        other = asyncio.create_task(bystander())
        response = await client.request("GET", "/")
        other.cancel()
        assert response.body == b"data: {}\n\n" * 2000
        assert seen[0] >= 2000 // 32


def test_the_reset_option_is_a_linger_of_zero() -> None:
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, len(RESET)) == RESET
