"""HTTP/1.1 as clients really speak it, well and badly, over a socket."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import socket
import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.connection import RESET, Connection
from mitmproxy_windsurf.upstream.server import Limits, Request, Responder, UpstreamServer
from upstream.conftest import Connect, Serve
from upstream.raw_http import PATIENCE, RawClient, request_bytes


async def echo(request: Request, responder: Responder) -> None:
    """Says what arrived."""
    seen = f"{request.method} {request.path} {request.query} {request.body.decode('latin-1')}"
    await responder.respond(200, seen.encode("latin-1"))


class Endless:
    """Sends until it is cancelled, and remembers that it was."""

    def __init__(self, piece: bytes = b"x" * 1024) -> None:
        self.piece = piece
        self.sent = 0
        self.cancelled = asyncio.Event()

    async def __call__(self, request: Request, responder: Responder) -> None:
        try:
            await responder.start(200)
            while True:
                await responder.send(self.piece)
                self.sent += len(self.piece)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise


async def quiet(request: Request, responder: Responder) -> None:
    """Begins an answer and then says nothing more."""
    await responder.start(200)
    await responder.send(b"begun")
    await asyncio.Event().wait()


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


class TestRequests:
    async def test_keep_alive_serves_one_after_the_other(
        self, serve: Serve, connect: Connect
    ) -> None:
        client = await connect(serve(echo))
        assert (await client.request("POST", "/a?b=c", b"one")).body == b"POST /a b=c one"
        assert (await client.request("GET", "/d")).body == b"GET /d  "

    async def test_pipelined_requests_are_answered_in_order(
        self, serve: Serve, connect: Connect
    ) -> None:
        client = await connect(serve(echo))
        await client.send(b"".join(request_bytes("POST", f"/{n}", b"body") for n in range(20)))
        answers = [(await client.response()).body for _ in range(20)]
        assert answers == [b"POST /%d  body" % n for n in range(20)]

    async def test_requests_far_ahead_of_their_answers_are_not_lost(
        self, serve: Serve, connect: Connect
    ) -> None:
        client = await connect(serve(echo, Limits(ahead=1000)))
        body = b"x" * 5000
        sending = asyncio.create_task(client.send(request_bytes("POST", "/", body) * 50))
        for _ in range(50):
            assert (await client.response()).body == b"POST /  " + body
        await sending

    async def test_a_chunked_body_is_joined(self, serve: Serve, connect: Connect) -> None:
        client = await connect(serve(echo))
        head = request_bytes("POST", "/", headers="transfer-encoding: chunked\r\n")
        for piece in (head, b"3\r\non", b"e\r\n", b"4;x=y\r\n two\r\n0\r\n\r\n"):
            await client.send(piece)
        assert (await client.response()).body == b"POST /  one two"

    async def test_a_request_may_come_byte_by_byte(self, serve: Serve, connect: Connect) -> None:
        client = await connect(serve(echo))
        for byte in request_bytes("POST", "/", b"ab"):
            await client.send(bytes([byte]))
            await asyncio.sleep(0)
        assert (await client.response()).body == b"POST /  ab"

    async def test_a_client_that_waits_is_told_to_continue(
        self, serve: Serve, connect: Connect
    ) -> None:
        client = await connect(serve(echo))
        head = "content-length: 2\r\nexpect: 100-continue\r\n"
        await client.send(request_bytes("POST", "/", headers=head))
        assert await client.until(b"\r\n\r\n") == b"HTTP/1.1 100 \r\n\r\n"
        await client.send(b"ok")
        assert (await client.response()).body == b"POST /  ok"

    async def test_repeated_headers_are_joined(self, serve: Serve, connect: Connect) -> None:
        async def header(request: Request, responder: Responder) -> None:
            await responder.respond(200, request.headers["x-a"].encode())

        client = await connect(serve(header))
        response = await client.request("GET", "/", headers="X-A: 1\r\nx-a: 2\r\n")
        assert response.body == b"1, 2"

    async def test_head_gets_no_body(self, serve: Serve, connect: Connect) -> None:
        client = await connect(serve(echo))
        response = await client.request("HEAD", "/x")
        assert (response.status, response.headers["content-length"]) == (200, "9")
        assert (await client.request("GET", "/y")).body == b"GET /y  "

    @pytest.mark.parametrize(
        "request_head",
        [
            b"GET / HTTP/1.0\r\nhost: localhost\r\n\r\n",
            request_bytes("GET", "/", None, "connection: close\r\n"),
        ],
    )
    async def test_a_client_that_wants_one_answer_is_closed_behind_it(
        self, serve: Serve, connect: Connect, request_head: bytes
    ) -> None:
        client = await connect(serve(echo))
        await client.send(request_head)
        assert (await client.rest()).endswith(b"GET /  ")

    async def test_an_old_client_gets_a_stream_that_ends_with_the_connection(
        self, serve: Serve, connect: Connect
    ) -> None:
        async def stream(request: Request, responder: Responder) -> None:
            await responder.start(200)
            await responder.send(b"one ")
            await asyncio.sleep(0)
            await responder.send(b"two")

        client = await connect(serve(stream))
        await client.send(b"GET / HTTP/1.0\r\nhost: localhost\r\n\r\n")
        assert (await client.rest()).endswith(b"\r\n\r\none two")

    async def test_an_upgrade_is_answered_as_a_plain_request(
        self, serve: Serve, connect: Connect
    ) -> None:
        client = await connect(serve(echo))
        upgrade = "connection: upgrade\r\nupgrade: websocket\r\n"
        assert (await client.request("GET", "/ws", headers=upgrade)).body == b"GET /ws  "
        assert (await client.request("GET", "/next")).body == b"GET /next  "


class TestRefusals:
    """What is refused is answered with JSON, and the connection is closed."""

    async def refused(self, client: RawClient, data: bytes) -> int:
        await client.send(data)
        response = await client.response()
        assert response.headers["connection"] == "close"
        error = json.loads(response.body)["error"]
        assert error["type"]
        assert error["message"]
        assert await client.rest() == b""
        return response.status

    @pytest.mark.parametrize(
        "garbage",
        [
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            b"GET /\r\n\r\n",
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n",
            b"GET / HTTP/1.1\r\nhost: localhost\r\nno colon\r\n\r\n",
            b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n",
            b"POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
            b"GET http://localhost/ HTTP/1.1\r\nhost: localhost\r\n\r\n",
            b"OPTIONS * HTTP/1.1\r\nhost: localhost\r\n\r\n",
        ],
    )
    async def test_what_is_not_http_is_a_400(
        self, serve: Serve, connect: Connect, garbage: bytes
    ) -> None:
        assert await self.refused(await connect(serve(echo)), garbage) == 400

    async def test_an_unknown_transfer_encoding_is_a_501(
        self, serve: Serve, connect: Connect
    ) -> None:
        client = await connect(serve(echo))
        head = request_bytes("POST", "/", headers="transfer-encoding: gzip\r\n")
        assert await self.refused(client, head) == 501

    async def test_a_head_that_is_too_large_is_a_431(self, serve: Serve, connect: Connect) -> None:
        client = await connect(serve(echo, Limits(head=1000)))
        assert await self.refused(client, b"GET / HTTP/1.1\r\nx: " + b"y" * 2000) == 431

    async def test_a_body_announced_too_large_is_a_413_before_it_is_sent(
        self, serve: Serve, connect: Connect
    ) -> None:
        client = await connect(serve(echo, Limits(body=1000)))
        head = "content-length: 1001\r\nexpect: 100-continue\r\n"
        assert await self.refused(client, request_bytes("POST", "/", headers=head)) == 413

    async def test_the_largest_body_is_let_in_again_and_again(
        self, serve: Serve, connect: Connect
    ) -> None:
        client = await connect(serve(echo, Limits(body=1000)))
        for _ in range(3):
            assert (await client.request("POST", "/", b"x" * 1000)).status == 200

    async def test_a_chunked_body_that_grows_too_large_is_a_413(
        self, serve: Serve, connect: Connect
    ) -> None:
        client = await connect(serve(echo, Limits(body=1000)))
        head = request_bytes("POST", "/", headers="transfer-encoding: chunked\r\n")
        body = b"200\r\n" + b"x" * 512 + b"\r\n200\r\n" + b"x" * 500
        assert await self.refused(client, head + body) == 413

    async def test_a_client_still_sending_gets_to_read_its_413(
        self, serve: Serve, connect: Connect
    ) -> None:
        client = await connect(serve(echo, Limits(body=1000)))
        sending = asyncio.create_task(client.send(request_bytes("POST", "/", b"x" * 4_000_000)))
        assert (await client.response()).status == 413
        with contextlib.suppress(OSError):
            await sending

    async def test_head_is_refused_without_a_body(self, serve: Serve, connect: Connect) -> None:
        client = await connect(serve(echo))
        await client.send(b"HEAD / HTTP/1.1\r\nhost: evil.example\r\n\r\n")
        assert (await client.response(bodiless=True)).status == 403
        assert await client.rest() == b""


class TestSilence:
    async def test_an_idle_connection_is_closed(self, serve: Serve, connect: Connect) -> None:
        client = await connect(serve(echo, Limits(idle=0.01)))
        assert await client.rest() == b""

    async def test_so_is_one_that_was_used(self, serve: Serve, connect: Connect) -> None:
        client = await connect(serve(echo, Limits(idle=0.05)))
        await client.request("GET", "/")
        assert await client.rest() == b""

    @pytest.mark.parametrize("part", [b"GET /", request_bytes("POST", "/", b"abc")[:-1]])
    async def test_a_request_that_stops_half_way_is_a_408(
        self, serve: Serve, connect: Connect, part: bytes
    ) -> None:
        client = await connect(serve(echo, Limits(idle=0.05)))
        await client.send(part)
        assert (await client.response()).status == 408
        assert await client.rest() == b""

    async def test_a_refused_client_that_stays_is_cut_off(
        self, serve: Serve, connect: Connect
    ) -> None:
        server = serve(echo, Limits(linger=0.01))
        client = await connect(server)
        await client.send(b"garbage\r\n\r\n")
        assert (await client.response()).status == 400
        server.stop()
        await asyncio.wait_for(server.wait_closed(), PATIENCE)

    async def test_a_handler_may_take_as_long_as_it_likes(
        self, serve: Serve, connect: Connect
    ) -> None:
        async def slow(request: Request, responder: Responder) -> None:
            await asyncio.sleep(0.1)
            await responder.start(200)
            await asyncio.sleep(0.1)
            await responder.send(b"at last")

        client = await connect(serve(slow, Limits(idle=0.01)))
        assert (await client.request("GET", "/")).body == b"at last"


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


class TestHandlers:
    async def test_a_failure_before_the_answer_is_a_500_in_json_and_a_log_line(
        self, serve: Serve, connect: Connect, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def broken(request: Request, responder: Responder) -> None:
            raise LookupError("no such thing")

        client = await connect(serve(broken))
        response = await client.request("GET", "/x?key=secret")
        assert response.status == 500
        assert json.loads(response.body)["error"]["type"] == "api_error"
        assert b"no such thing" not in response.body
        [record] = caplog.records
        assert record.levelno == logging.ERROR
        assert record.getMessage() == "GET /x: the handler failed"
        assert "secret" not in caplog.text
        assert (await client.request("GET", "/")).status == 500

    async def test_a_failure_within_the_answer_cuts_it_off(
        self, serve: Serve, connect: Connect, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def broken(request: Request, responder: Responder) -> None:
            await responder.start(200)
            await responder.send(b"so far")
            await asyncio.sleep(0)
            raise LookupError

        client = await connect(serve(broken))
        await client.send(request_bytes("GET", "/"))
        assert await client.chunk_after_head() == b"so far"
        with pytest.raises(ConnectionResetError):
            await client.rest()
        assert len(caplog.records) == 1

    async def test_an_answer_shorter_than_announced_is_cut_off(
        self, serve: Serve, connect: Connect, caplog: pytest.LogCaptureFixture
    ) -> None:
        async def broken(request: Request, responder: Responder) -> None:
            await responder.start(200, [("content-length", "10")])
            await responder.send(b"short")

        client = await connect(serve(broken))
        await client.send(request_bytes("GET", "/"))
        await client.head()
        with pytest.raises(ConnectionResetError):
            await client.rest()
        assert len(caplog.records) == 1

    @pytest.mark.parametrize("headers", [[], [("bad header", "x")]])
    async def test_a_handler_that_gives_no_answer_at_all(
        self,
        serve: Serve,
        connect: Connect,
        caplog: pytest.LogCaptureFixture,
        headers: list[tuple[str, str]],
    ) -> None:
        async def silent(request: Request, responder: Responder) -> None:
            if headers:
                await responder.start(200, headers)

        client = await connect(serve(silent))
        response = await client.request("GET", "/")
        assert response.status == 500
        assert len(caplog.records) == 1

    async def test_a_handler_that_cancels_itself(self, serve: Serve, connect: Connect) -> None:
        async def cancelled(request: Request, responder: Responder) -> None:
            raise asyncio.CancelledError

        client = await connect(serve(cancelled))
        await client.send(request_bytes("GET", "/"))
        with pytest.raises(ConnectionResetError):
            await client.rest()


@asynccontextmanager
async def running(server: UpstreamServer) -> AsyncIterator[int]:
    yield server.start()
    server.stop()
    await asyncio.wait_for(server.wait_closed(), PATIENCE)


MUTATIONS = st.lists(st.tuples(st.integers(0, 200), st.binary(max_size=3)), max_size=3)


@settings(max_examples=30)
@given(st.one_of(st.binary(), MUTATIONS))
def test_garbage_is_answered_or_closed_and_never_an_error(
    garbage: bytes | list[tuple[int, bytes]],
) -> None:
    data = request_bytes("POST", "/v1/messages", b"{}", "expect: 100-continue\r\n") * 2
    if isinstance(garbage, bytes):
        data = garbage
    else:
        for place, piece in garbage:
            data = data[:place] + piece + data[place + len(piece) :]

    async def scene() -> None:
        problems: list[object] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: problems.append(context)
        )
        async with running(UpstreamServer(echo, limits=Limits(linger=0.01))) as port:
            client = await RawClient.connect(port)
            await client.send(data)
            client.half_close()
            with contextlib.suppress(OSError):
                await client.rest()
            await client.close()
        assert problems == []

    asyncio.run(scene())


def test_the_reset_option_is_a_linger_of_zero() -> None:
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_LINGER, len(RESET)) == RESET
