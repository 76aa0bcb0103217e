"""HTTP/1.1 as clients speak it, over a socket: requests, silence, handlers that fail."""

from __future__ import annotations

import asyncio
import json
import logging

import pytest

from mitmproxy_windsurf.upstream.server import Limits, Request, Responder
from upstream.conftest import Connect, Serve
from upstream.handlers import echo
from upstream.raw_http import PATIENCE, request_bytes


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
