"""What is no request, or too much of one."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mitmproxy_windsurf.upstream.server import Limits, UpstreamServer
from upstream.conftest import Connect, Serve
from upstream.handlers import echo
from upstream.raw_http import PATIENCE, RawClient, request_bytes


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
